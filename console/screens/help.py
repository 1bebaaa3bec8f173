"""Help: every key, made from the registry."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from placet.console.keymap import help_rows
from placet.console.screens.dialogs import Clock, TextsDialog

NOTES = (
    "Nothing is decided by moving, enter or space; there is no time limit that decides.",
    "A deciding key counts once everything was on the screen, the view stood 0.4 s, and no other",
    "key came 0.25 s before or 0.12 s after. A dimmed key in brackets does not count yet.",
    "The mouse is off over SSH: the terminal's own selection works. After a dropped line `reset`",
    "repairs the terminal.",
)


class HelpScreen(TextsDialog):
    """All keys, and the rules of deciding."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1", "back", "back", show=False, id="help.close")
    ]

    def __init__(self, clock: Clock, keys: Mapping[str, str]) -> None:
        super().__init__(clock, list(help_lines(keys)), "keys")


def help_lines(keys: Mapping[str, str]) -> Iterator[Content]:
    """Every action under its heading, then the rules."""
    heading = ""
    for row in help_rows(keys):
        if row.group != heading:
            if heading:
                yield Content("")
            heading = row.group
            yield Content.styled(heading, "bold")
        yield Content(f"  {row.keys:<14} {row.words}")
    yield Content("")
    yield Content.styled("How deciding works", "bold")
    yield from (Content(f"  {line}") for line in NOTES)
