"""The editor keeps every character and never decides (design §10, §11)."""

from __future__ import annotations

import pytest
from textual import events
from widget_host import Host, screen_text

from placet.console.widgets.entry_editor import MOST, EntryEditor, too_large

TEXTS = [
    "", "plain", "two\nlines", "ends\n", "\n\n", "tab\there", "cr\r\nlf", "back\\slash \\u{41}",
    "ls\u2028ps\u2029", "vt\x0bff\x0cnel\x85fs\x1c", "\x1b]52;c;x\x07", "safe\u202etxt",
    "zero\u200bwidth", "\U000e0041tag", "lone \ud800", "§ and ‹quotes›", "漢字 é e\u0301",
]  # fmt: skip


def make(text: str = "") -> tuple[Host, EntryEditor]:
    editor = EntryEditor(text)
    editor.id = "here"
    return Host(editor), editor


@pytest.mark.parametrize("text", TEXTS)
async def test_untouched_text_is_the_very_same(text: str) -> None:
    """Saving an untouched entry is byte-identical; in fact nothing is saved."""
    app, editor = make(text)
    async with app.run_here() as pilot:
        assert editor.typed() == text
        editor.action_editor_save()
        await pilot.pause()
        assert app.said(EntryEditor.Saved) == []
        assert len(app.said(EntryEditor.Cancelled)) == 1


@pytest.mark.parametrize("text", TEXTS)
async def test_what_was_not_touched_survives_typing(text: str) -> None:
    app, editor = make(text)
    async with app.run_here() as pilot:
        editor.focus()
        await pilot.press("x", "escape")
        await pilot.pause()
        assert [m.text for m in app.said(EntryEditor.Saved)] == [text + "x"]
        assert app.outlet.fired == 0


@pytest.mark.parametrize("text", TEXTS)
async def test_paste_is_taken_literally(text: str) -> None:
    app, editor = make()
    async with app.run_here() as pilot:
        editor.focus()
        app.post_message(events.Paste(text))
        await pilot.pause()
        await pilot.pause()
        assert editor.typed() == text.replace("\r\n", "\n").replace("\r", "\n")
        assert app.outlet.fired == 0


async def test_hidden_characters_are_shown_and_editable() -> None:
    app, editor = make("safe\u202etxt")
    async with app.run_here() as pilot:
        await pilot.pause()
        assert "safe\\u{202E}txt" in screen_text(app)[0] + screen_text(app)[1]
        editor.load_text("safe\\u{2066}txt")
        assert editor.typed() == "safe\u2066txt"


async def test_broken_escape_is_told_and_nothing_is_lost() -> None:
    app, editor = make("a")
    async with app.run_here() as pilot:
        editor.load_text("line\nnot \\q an escape")
        editor.action_editor_save()
        await pilot.pause()
        assert "Line 2" in app.said(EntryEditor.Invalid)[0].words
        assert app.said(EntryEditor.Saved) == []
        assert editor.text == "line\nnot \\q an escape"


@pytest.mark.parametrize("key", ["escape", "ctrl+s"])
async def test_both_keys_end_editing(key: str) -> None:
    app, editor = make("a")
    async with app.run_here() as pilot:
        editor.focus()
        await pilot.press("b", key)
        await pilot.pause()
        assert [m.text for m in app.said(EntryEditor.Saved)] == ["ab"]


async def test_typed_character_that_must_not_be_drawn_becomes_an_escape() -> None:
    app, editor = make()
    async with app.run_here() as pilot:
        editor.focus()
        editor.post_message(events.Key("x", "\u3164"))
        editor.post_message(events.Key("backslash", "\\"))
        await pilot.pause()
        await pilot.pause()
        assert editor.text == "\\u{3164}\\"


def test_size_is_bounded() -> None:
    assert too_large("x" * MOST) == ""
    assert "$EDITOR" in too_large("x" * (MOST + 1))
