"""What is typed or pasted right behind the key that opens a field lands in it, once."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pytest
from driving.console import Driver, own_home, running
from textual import events

from placet.console.screens.dialogs import Field, ReasonDialog
from placet.console.widgets.entry_editor import EntryEditor

WIDE = (110, 40)

NAMES = {"/": "slash", ":": "colon", "?": "question_mark"}
"""What the framework calls these keys."""


@pytest.mark.parametrize("text", ["q2u:G?", "aAdrR"])
async def test_keys_behind_e_and_find_are_text(tmp_path: Path, text: str) -> None:
    """C08: keys typed before the field had the focus acted: `/q` in one packet ended placet."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_add("beta is long")
    left: list[int] = []
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        with patch.object(driver.app, "leave", left.append):
            _all_at_once(driver, "e" + text + "/" + text)
            await driver.until(lambda: f"beta is long{text}/{text}" in driver.text())
            assert isinstance(driver.app.focused, EntryEditor)
            await driver.key("escape", "escape", "y")
            _all_at_once(driver, "/" + text)
            await driver.until(lambda: _found(driver.app.focused) == text)
            assert left == []
            assert driver.kinds() == ["baseline"]
            await driver.key("escape", "q")
            assert left == [0], "q does quit once no field is there"


async def test_a_paste_lands_once(tmp_path: Path) -> None:
    """C08: a paste into a field was doubled, and one right behind `/` or `e` was lost."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_add("beta is long")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        for key, pasted in (("/", "beta"), ("e", " and wide")):
            _all_at_once(driver, key)
            driver.app.post_message(events.Paste(pasted))
            await driver.until(lambda: driver.app.focused is not driver.queue.list)
            await driver.settled()
            whole = "beta is long and wide" if key == "e" else "beta"
            await driver.until(lambda whole=whole: _found(driver.app.focused) == whole)
            await driver.key("escape", "escape")
        await driver.key("y")
        await driver.key("R")
        assert isinstance(driver.app.screen, ReasonDialog)
        driver.app.post_message(events.Paste("too long"))
        await driver.until(lambda: _found(driver.app.focused) == "too long")
        await driver.type("\n")
        await driver.until(lambda: "rejected" in driver.kinds())


def _all_at_once(driver: Driver, text: str) -> None:
    """Keys that one read of the terminal brings."""
    for character in text:
        key = NAMES.get(character, character)
        driver.app.post_message(events.Key(key, character))


def _found(focused: object) -> str | None:
    """What a field or an editor holds."""
    if isinstance(focused, Field):
        return focused.value
    return focused.text if isinstance(focused, EntryEditor) else None


async def test_a_paste_of_several_lines_is_one_line_and_whole(tmp_path: Path) -> None:
    """A reason that is pasted keeps every line; the field has room for one."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_add("beta")
    async with running(home, approver, tmp_path) as driver:
        await driver.key("R")
        driver.app.post_message(events.Paste("not true\r\nand old\nso no"))
        field = driver.app.screen.query_one(Field)
        await driver.until(lambda: field.value == "not true and old so no", "all of it")
