"""Where nothing may be decided, a key says so before it asks for anything."""

from __future__ import annotations

from pathlib import Path

from driving.console import own_home, running

from placet.console.screens.queue import QueueScreen
from placet.console.screens.review import ReviewScreen

WHY = "Nothing is decided here"


async def test_no_dialog_opens_where_nothing_may_be_decided(tmp_path: Path) -> None:
    """Design §9: refused before the reason is typed; the positive on the same home."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_replace("alpha", "beta")
    async with running(home, None, tmp_path) as driver:
        for key in ("R", "r", "A"):
            driver.app.say("")
            await driver.key(key)
            assert isinstance(driver.app.screen, QueueScreen)
            assert WHY in driver.said
    async with running(home, approver, tmp_path) as driver:
        await driver.key("R")
        assert not isinstance(driver.app.screen, QueueScreen)


async def test_a_refused_decision_leaves_the_review_alive(tmp_path: Path) -> None:
    """A review goes on planning again after a decision that could not be made."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_add("beta")
    async with running(home, approver, tmp_path) as driver:
        await driver.key("a", "u")
        await driver.until(lambda: isinstance(driver.app.screen, ReviewScreen), "the undo")
        review = driver.app.screen
        assert isinstance(review, ReviewScreen)
        driver.app.board.read_only["default"] = WHY
        driver.app.board.read_only[home.home.label] = WHY
        review._approve(driver.app.session.sight)
        assert WHY in driver.said
        assert not review._busy
