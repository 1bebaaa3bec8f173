"""What was typed is never lost without a question."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

from driving.console import own_home, running

from placet.console.screens.dialogs import AskDialog

WIDE = (110, 40)


async def test_quitting_from_another_screen_asks(tmp_path: Path) -> None:
    """Design §11: nothing lost but what is being typed, and that only after a question."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_add("beta is long")
    left: list[int] = []
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        with patch.object(driver.app, "leave", left.append):
            await driver.key("2", "q")
            assert left == [0]
            await driver.key("1", "e")
            await driver.type("!")
            await driver.key("escape", "2", "q")
            assert left == [0]
            assert "What you typed is not decided yet" in driver.text()
            await driver.key("ctrl+q")
            assert isinstance(driver.app.screen, AskDialog)
            assert left == [0]
            await driver.key("y")
            assert left == [0, 0]


async def test_quitting_with_an_open_editor_on_another_screen_asks(tmp_path: Path) -> None:
    """Design §11: the same where the text stands in an editor of a screen that is not shown."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_add("beta is long")
    left: list[int] = []
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        with patch.object(driver.app, "leave", left.append):
            await driver.key("e")
            await driver.type("!")
            await driver.app.action_screen_memory()
            await driver.key("q")
            assert left == []
            assert isinstance(driver.app.screen, AskDialog)
