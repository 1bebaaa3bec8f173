"""C11: what a screen offers does something there, or says in words why it does not.

The keys come from the registry, so that a new action is tried without being named here.
"""

from __future__ import annotations

import asyncio
import tempfile
from functools import cache
from pathlib import Path

import pytest
from driving.console import Driver, own_home, running
from driving.every_key import Press, Presser, Seen, presses
from homes.build import HomeBuilder

from placet.console import demo
from placet.console.actions import Place
from placet.store import decide
from placet.store.decide import Desk
from placet.store.model import Standing

SIZE = (48, 13)
"""So small that texts have to be scrolled."""

PRESSES = tuple(presses())

AT_THE_EDGE = frozenset(
    {
        "item.next", "item.prev", "item.first", "item.last", "item.page_down", "item.page_up",
        "diff.down", "diff.up", "diff.half_down", "diff.half_up",
    }
)  # fmt: skip
"""May be silent: at its edge a list or a text stays where it is, as everywhere. Words would take
the place of the last decision in the footer whenever a key is held down."""

NO_SHELL = "there is no shell behind a test"
ONLY_WORDS = {
    "app.suspend": NO_SHELL,
    "batch.edit_external": NO_SHELL,
}
"""Say only why they do nothing, wherever they are tried, with the reason."""


def only_words(press: Press) -> bool:
    """Whether a press may do nothing but say why, on every row."""
    if press.action.id.startswith("screen."):
        # the screen is open already; a review is left first, so that nothing typed is lost
        return press.screen is Place.REVIEW or press.action.short == press.screen.value
    return press.action.id in ONLY_WORDS


@cache
def on_a_populated_home(screen: Place) -> dict[Press, list[Seen]]:
    """What every key did on the demo's home, to which a few odd records are added."""

    async def look() -> dict[Press, list[Seen]]:
        with demo.made() as made:
            _decide_some(made)
            home = HomeBuilder(made.home.path)
            home.stage_raw("broken.json", "{")
            home.stage_replace("nothing holds this", "gone")
            _lengthen(home)
            home.stage_add("A day begins with coffee.", origin="assistant_tool")
            async with running(home, made.approver, made.home.path.parent, size=SIZE) as driver:
                await driver.until(lambda: "taken" in driver.kinds(), "the taking")
                await _decide_here(driver)
                presser = Presser(driver, only_words)
                return await presser.try_all([p for p in PRESSES if p.screen is screen])

    return asyncio.run(look())


@cache
def on_an_empty_home(screen: Place) -> dict[Press, list[Seen]]:
    """What every key did where there is neither memory nor anything that waits."""

    async def look() -> dict[Press, list[Seen]]:
        with tempfile.TemporaryDirectory() as folder:
            home, approver = own_home(Path(folder))
            async with running(home, approver, Path(folder), size=SIZE) as driver:
                presser = Presser(driver, lambda _: True)
                return await presser.try_all([p for p in PRESSES if p.screen is screen])

    return asyncio.run(look())


def _decide_some(made: demo.Demo) -> None:
    """Approve one proposal and refuse two, one of them long."""
    ready = demo.in_standing(made.home, Standing.READY)
    held = demo.in_standing(made.home, Standing.HELD)
    with Desk.open(made.home, made.approver) as desk:
        for item in (ready[0], held[0]):
            decide.reject(desk, item.proposal, reason="No.", sight=demo.SIGHT)
        plan = ready[1].plan
        decide.approve(desk, plan.proposal, plan.choice, plan.digest or "", demo.SIGHT)


def _lengthen(home: HomeBuilder) -> None:
    """Give USER.md an entry that is longer than the screen."""
    text = (home.read("memories/USER.md") or b"").decode()
    home.write("memories/USER.md", f"{text}\n§\nLikes long lists: {'one more, ' * 60}")


async def _decide_here(driver: Driver) -> None:
    """Add an entry on Memory, as a decision of this session."""
    await driver.key("2", "o")
    await driver.type("Tea")
    await driver.key("escape")
    for _ in range(9):
        if driver.app.board.made:
            break
        await driver.key("a")
    assert driver.app.board.made


@pytest.mark.parametrize("press", PRESSES, ids=str)
def test_a_key_acts_or_says_why_not(press: Press) -> None:
    seen = on_a_populated_home(press.screen)[press]
    silent = [row for row, one in enumerate(seen) if one.silent]
    assert not silent or press.action.id in AT_THE_EDGE
    assert seen[-1].acted is not only_words(press), [one.words for one in seen]


@pytest.mark.parametrize("press", PRESSES, ids=str)
def test_a_key_is_not_silent_where_there_is_nothing(press: Press) -> None:
    seen = on_an_empty_home(press.screen)[press]
    assert not any(one.silent for one in seen) or press.action.id in AT_THE_EDGE


def test_the_exceptions_name_what_is_there() -> None:
    """The table of exceptions names nothing that is gone."""
    assert {press.action.id for press in PRESSES} >= {*ONLY_WORDS, *AT_THE_EDGE}
