"""A key that does nothing says why, and the footer offers only what acts."""

from __future__ import annotations

from pathlib import Path

import pytest
from driving.console import own_home, running

from placet.console.screens.memory import MemoryScreen
from placet.console.screens.queue import QueueScreen
from placet.console.screens.review import ReviewScreen

WIDE = (110, 40)


@pytest.mark.parametrize("key", ["a", "A", "r", "R", "d", "l", "space"])
async def test_keys_of_other_screens_say_where_they_count(tmp_path: Path, key: str) -> None:
    """Design §11: a key that does nothing says one sentence."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("2", key)
        assert isinstance(driver.app.screen, MemoryScreen)
        assert "does nothing here" in driver.said
        assert driver.kinds() == ["baseline"]
        await driver.key("x")
        driver.app.say("")
        await driver.key("b" if key != "b" else "o")
        assert "does nothing here" not in driver.said


async def test_other_screens_wait_until_a_review_is_left(tmp_path: Path) -> None:
    """Design §11: 1 to 5 in a review say what to do; q leaves, since nothing was typed."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_add("beta")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("a", "u")
        await driver.until(lambda: isinstance(driver.app.screen, ReviewScreen), "the review")
        for key in "12345":
            driver.app.say("")
            await driver.key(key)
            assert "esc leaves this first" in driver.said
        await driver.key("escape", "2")
        assert isinstance(driver.app.screen, MemoryScreen)


async def test_normalising_a_healthy_file_says_so(tmp_path: Path) -> None:
    """Q19: nothing to normalise opens nothing, on both screens."""
    home, approver = own_home(tmp_path)
    home.memory("alpha", "beta").stage_add("gamma")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("=")
        assert isinstance(driver.app.screen, QueueScreen)
        assert driver.said == "MEMORY.md is already normal"
        driver.app.say("")
        await driver.key("2", "j", "=")
        assert isinstance(driver.app.screen, MemoryScreen)
        assert driver.said == "MEMORY.md is already normal"


async def test_the_footer_of_memory_offers_what_acts(tmp_path: Path) -> None:
    """C11: on a file, on an entry, on SOUL.md."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").soul("You are careful.\n")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("2")
        screen = driver.app.screen
        assert isinstance(screen, MemoryScreen)

        def offered() -> set[str]:
            mine = {"batch.edit", "entry.delete", "entry.new", "decision.undo"}
            return {name for name, _, _ in screen.footer_keys()} & mine

        assert offered() == {"entry.new"}
        await driver.key("j")
        assert offered() == {"batch.edit", "entry.delete", "entry.new"}
        await driver.key("G")
        assert offered() == {"batch.edit"}
