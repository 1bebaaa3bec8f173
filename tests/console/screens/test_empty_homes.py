"""Q18, field report 87: a home in which nothing waits yet says so, and the queue appears."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from driving.console import own_home, running
from homes.build import HomeBuilder

WIDE = (130, 30)


def empty(home: HomeBuilder) -> str:
    (home.path / "config.yaml").unlink()
    return "no pending/ folder yet"


def without_pending(home: HomeBuilder) -> str:
    home.memory("alpha")
    return "no pending/ folder yet"


def with_empty_pending(home: HomeBuilder) -> str:
    home.memory("alpha").pending()
    return "Nothing waits"


def with_the_gate_off(home: HomeBuilder) -> str:
    home.memory("alpha").config("memory:\n  write_approval: false\n")
    return "Turn on: hermes config set memory.write_approval true"


@pytest.mark.parametrize(
    "make",
    [empty, without_pending, with_empty_pending, with_the_gate_off],
    ids=lambda f: f.__name__,
)
async def test_it_says_so_and_the_queue_appears(
    tmp_path: Path, make: Callable[[HomeBuilder], str]
) -> None:
    """Q18: clear words with the exact command; the row comes when the directory does."""
    home, approver = own_home(tmp_path)
    words = make(home)
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        assert "Nothing waits." in driver.text()
        assert words in driver.text()
        home.stage_add("beta")
        await driver.until(lambda: driver.rows() == 1, "the row")
        await driver.until(lambda: "+ beta" in driver.text(), "its diff")
        assert "Nothing waits." not in driver.text()
        shutil.rmtree(home.path / "pending")
        await driver.until(lambda: driver.rows() == 0, "the end of the row")
        home.stage_add("gamma", record_id="again")
        await driver.until(lambda: driver.rows() == 1, "the new row")


async def test_looking_at_an_empty_home_leaves_nothing(tmp_path: Path) -> None:
    """Q18: whoever may not decide leaves no file behind, with a home and without one."""
    home = HomeBuilder(tmp_path / "home")
    before = home.tree()
    async with running(home, None, tmp_path, size=WIDE) as driver:
        assert "Nothing waits." in driver.text()
        for key in "2345":
            await driver.key(key)
    assert home.tree() == before == {}
