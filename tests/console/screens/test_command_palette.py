"""The command palette runs what a key would run, under the same guards."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

from driving.console import Driver, own_home, running
from textual.command import CommandPalette

from placet.console.actions import Place
from placet.console.keymap import palette
from placet.console.screens.memory import MemoryScreen


async def _command(driver: Driver, title: str) -> None:
    screen = driver.app.screen
    await driver.key("colon")
    await driver.until(lambda: isinstance(driver.app.screen, CommandPalette), "the palette")
    commands = {one.title: one.callback for one in driver.app.get_system_commands(screen)}
    await driver.pilot.press("escape")
    await driver.until(lambda: driver.app.screen is screen, "the screen")
    driver.clock.pass_by(1.0)
    ran: list[str] = []
    run = driver.app.run_action

    async def running_it(
        action: Any, default_namespace: Any = None, namespaces: Any = None
    ) -> bool:
        handled = await run(action, default_namespace, namespaces)
        ran.append(action)
        return handled

    with patch.object(driver.app, "run_action", running_it):
        driver.app.call_later(commands[title])
        await driver.until(lambda: ran or driver.app.return_code is not None, "the command")
        await driver.pilot.pause()
    driver.clock.pass_by(0.2)


async def _typed(driver: Driver, words: str) -> None:
    await driver.key("colon")
    await driver.until(lambda: isinstance(driver.app.screen, CommandPalette), "the palette")
    await driver.type(words)
    palette_screen = driver.app.screen
    assert isinstance(palette_screen, CommandPalette)
    await driver.until(lambda: palette_screen._list_visible, "the hits")
    await driver.until(lambda: palette_screen._hit_count == 1, "one hit")
    driver.clock.pass_by(1.0)
    await driver.pilot.press("enter")
    if driver.app.screen is palette_screen:
        await driver.pilot.press("enter")
    await driver.until(lambda: driver.app.screen is not palette_screen, "the command")
    driver.clock.pass_by(0.2)
    await driver.settled()


async def test_a_command_goes_to_another_screen(tmp_path: Path) -> None:
    """C11: everything is in the command palette."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_add("beta")
    async with running(home, approver, tmp_path) as driver:
        await _typed(driver, "screens: memory")
        await driver.until(lambda: isinstance(driver.app.screen, MemoryScreen), "memory")
        await driver.settled()
        assert "MEMORY.md" in driver.text()
        assert "alpha" in driver.text()
        assert driver.kinds() == ["baseline"]


async def test_a_command_reaches_screen_and_list(tmp_path: Path) -> None:
    """C11: whoever owns the action, focused widget, screen or application."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_add("beta")
    async with running(home, approver, tmp_path) as driver:
        await _command(driver, "look: copy")
        assert "clipboard" in driver.said
        await driver.settled()
        await _command(driver, "operations: open")
        assert driver.app.focused is driver.queue.diff
        left: list[int] = []
        with patch.object(driver.app, "leave", left.append):
            await _command(driver, "program: quit")
        assert left == [0]


async def test_a_deciding_command_keeps_the_guards(tmp_path: Path) -> None:
    """C11, design §11: what a key may not decide, no command decides."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    home.stage_add("\n".join(f"line {n}" for n in range(40)))
    async with running(home, approver, tmp_path) as driver:
        await _command(driver, "decide: approve")
        assert "here is the rest" in driver.said
        await driver.settled()
        assert driver.kinds() == ["baseline"]
        for _ in range(9):
            if driver.kinds()[-1] == "approved":
                break
            await _command(driver, "decide: approve")
            await driver.settled()
        assert driver.kinds() == ["baseline", "approved"]


def test_no_two_commands_have_one_name() -> None:
    """C11: commands are told apart by their names."""
    for place in Place:
        titles = [entry.title for entry in palette(place)]
        assert len(set(titles)) == len(titles), place
