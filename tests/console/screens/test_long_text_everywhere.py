"""Field report 16 beside the Queue: on every screen the last character of a text can be reached."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from driving.console import Driver, own_home, running
from homes.build import HomeBuilder

from placet.console.screens.review import ReviewScreen
from placet.store.decide import DemoApprover

LONG = ["x" * 12_000 + " THE END", "\n".join([*(f"row {n}" for n in range(300)), "THE END"])]
TOO_MUCH = 50_000


@pytest.fixture(params=LONG, ids=["one line", "many lines"])
def long(request: pytest.FixtureRequest) -> str:
    """A text that no screen holds at once."""
    text: str = request.param
    return text


@pytest.fixture
def agent(tmp_path: Path) -> tuple[HomeBuilder, DemoApprover]:
    """A home with room for such a text."""
    home, approver = own_home(tmp_path)
    return home.limits(memory=TOO_MUCH).memory("alpha"), approver


async def reaches(driver: Driver, words: str = "THE END") -> None:
    """Not on the screen at first; paging shows it, and the view always says where one is."""
    await driver.until(lambda: "more to see" in driver.text(), "a text that is longer")
    assert words not in driver.text(), driver.text()
    await driver.key("tab")
    while words not in driver.text():
        before = driver.text()
        assert " of " in before.rpartition(" row ")[2]
        await driver.key("pagedown")
        assert driver.text() != before, f"the end, and no {words}:\n{before}"


async def decided(driver: Driver) -> None:
    """Page through the change with `a` until it is approved."""
    for _ in range(60):
        await driver.key("a")
        if "approved" in driver.kinds():
            return
    raise AssertionError("never approved")


async def test_an_entry_of_memory(
    tmp_path: Path, agent: tuple[HomeBuilder, DemoApprover], long: str
) -> None:
    """Field report 16: Memory."""
    home, approver = agent
    home.memory("alpha", long)
    async with running(home, approver, tmp_path) as driver:
        await driver.key("2", "j", "j")
        await reaches(driver)


async def test_a_recorded_change_and_its_way_back(
    tmp_path: Path, agent: tuple[HomeBuilder, DemoApprover], long: str
) -> None:
    """Field report 16: Audit, and the review of an undo."""
    home, approver = agent
    home.stage_add(long, summary="")
    async with running(home, approver, tmp_path) as driver:
        await decided(driver)
        await driver.key("3")
        await driver.until(lambda: "approved" in driver.text(), "the row")
        await reaches(driver)
        await driver.key("escape", "u")
        await driver.until(lambda: isinstance(driver.app.screen, ReviewScreen), "the way back")
        await reaches(driver)


async def test_what_was_refused(
    tmp_path: Path, agent: tuple[HomeBuilder, DemoApprover], long: str
) -> None:
    """Field report 16: Refusals."""
    home, approver = agent
    home.stage_add(long, summary="")
    async with running(home, approver, tmp_path) as driver:
        await driver.key("r", "4")
        await driver.until(lambda: "refused by" in driver.text(), "the refusal")
        await reaches(driver)


@pytest.mark.parametrize(
    "make",
    [
        lambda home, text: home.stage_raw("x.json", '{"id": "' + text.replace("\n", "\\n")),
        lambda home, text: home.stage({"action": "remember", "content": text}, provider="other"),
        lambda home, text: home.stage_remove(text),
        lambda home, text: home.stage_skill("create", "../bad", content=text),
    ],
    ids=["malformed", "foreign", "stale", "refused path"],
)
async def test_what_cannot_be_applied(
    tmp_path: Path,
    agent: tuple[HomeBuilder, DemoApprover],
    long: str,
    make: Callable[[HomeBuilder, str], object],
) -> None:
    """Promise 2: what cannot be applied is complete as well."""
    home, approver = agent
    make(home, long)
    async with running(home, approver, tmp_path) as driver:
        await driver.key("right", "j")
        await reaches(driver)
