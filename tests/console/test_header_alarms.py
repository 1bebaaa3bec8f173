"""Alarms above a screen are whole, harmless and never cut (design §10, §11; field report 66)."""

from __future__ import annotations

from pathlib import Path

import pytest

from placet.console.board import Board
from placet.console.header import alarms
from placet.console.pages.cells import text_of, width_of
from placet.store.model import Home

AGAIN = "give another one with -H. "
HOSTILE = f"The home /srv/\x1b[2J\u202e/agent does not exist; {AGAIN * 3}Now."


@pytest.mark.parametrize("width", [20, 40, 80, 200])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_a_hostile_alarm_is_wrapped_as_it_is_drawn(width: int, ascii_only: bool) -> None:
    board = Board((Home(Path("/nowhere")),), (HOSTILE,))
    lines = alarms(board, ascii_only=ascii_only, width=width)
    assert all(width_of(line) <= width for line in lines)
    shown = " ".join(text_of(line).strip() for line in lines)
    assert not {"\x1b", "\u202e"} & set(shown)
    assert shown.endswith("give another one with -H. Now.")
    assert shown.isascii() or not ascii_only


def test_what_has_no_room_is_named() -> None:
    board = Board((Home(Path("/nowhere")),), (HOSTILE, HOSTILE))
    lines = [text_of(line) for line in alarms(board, width=40, room=2)]
    assert len(lines) == 2
    assert "5 Check shows all of it" in lines[-1]
