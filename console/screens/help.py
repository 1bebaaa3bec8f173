"""Help: every key, made from the registry."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from typing import ClassVar

from textual.binding import Binding, BindingType
from textual.content import Content

from placet.console.actions import Place
from placet.console.keymap import help_rows
from placet.console.screens.dialogs import Clock, TextsDialog

HELP_WIDTH = 70
"""Cells of the widest line, so that the help reads well at 80 columns."""
NARROW = 60
"""Below so many cells the words of a key stand under it, not beside it."""

FRAME = 10
"""Cells that the frame around the help takes."""

NOTES = (
    "Nothing is decided by moving, enter or space; no time limit decides.",
    "A deciding key counts once everything was on the screen, the view",
    "stood 0.4 s, and no other key came 0.25 s before or 0.12 s after.",
    "A key in brackets does not count yet.",
    "The mouse is off over SSH: the terminal's own selection works.",
    "After a dropped line the command `reset` repairs the terminal.",
)


class HelpScreen(TextsDialog):
    """The keys of a screen, those of the others, and the rules of deciding."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("question_mark,f1", "back", "back", show=False, id="help.close")
    ]

    def __init__(self, clock: Clock, keys: Mapping[str, str], place: Place, room: int = 80) -> None:
        width = max(min(HELP_WIDTH, room - FRAME), 12)
        title = "keys here" if place is Place.REVIEW else f"keys of {place.value}"
        super().__init__(clock, list(help_lines(keys, place, width)), title)


def help_lines(keys: Mapping[str, str], place: Place, width: int) -> Iterator[Content]:
    """What can be done on a screen under its headings, what only elsewhere, then the rules.

    Args:
        keys: The person's key map.
        place: The screen.
        width: Room in cells; longer lines go on under their words.
    """
    here = help_rows(keys, place)
    heading = ""
    for row in here:
        if row.group != heading:
            if heading:
                yield Content("")
            heading = row.group
            yield Content.styled(heading, "bold")
        yield from map(Content, _entry(row.keys, row.words, width))
    yield Content("")
    yield Content.styled("On other screens", "bold")
    for row in help_rows(keys):
        if row not in here:
            yield from map(Content, _entry(row.keys, f"{row.places}: {row.words}", width))
    yield Content("")
    yield Content.styled("How deciding works", "bold")
    for note in [" ".join(NOTES)] if width < NARROW else NOTES:
        yield from (Content(f"  {line}") for line in textwrap.wrap(note, width - 2))


def _entry(keys: str, words: str, width: int) -> Iterator[str]:
    if width < NARROW:
        yield f"  {keys}"
        yield from (f"    {line}" for line in textwrap.wrap(words, width - 4))
        return
    first, *more = textwrap.wrap(words, width - 14)
    yield f"  {keys:<11} {first}"
    yield from (f"{'':<14}{line}" for line in more)
