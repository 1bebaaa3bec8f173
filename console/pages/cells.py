"""Cells: short runs of harmless text, each with the name of its look.

Everything that a list, a diff or a status line draws is a tuple of cells. A look is a name, not a
colour: themes decide what it means, and signs and words carry the meaning where colour cannot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import StrEnum
from typing import NamedTuple

from rich.cells import cell_len, split_graphemes

from placet.console.charset import in_ascii
from placet.console.pages.syntax import Token
from placet.console.shown import show

SHORT = 200
"""Characters of a long text that a list row looks at; a row is one short line."""


class Look(StrEnum):
    """How a run of text is to look; every widget styles these names."""

    PLAIN = "plain"
    DIM = "dim"
    STRONG = "strong"
    HEADING = "heading"
    CONTEXT = "context"
    OLD = "old"
    NEW = "new"
    OLD_WORD = "old-word"
    NEW_WORD = "new-word"
    LEFT_OUT = "left-out"
    DELIMITER = "delimiter"
    NOTE = "note"
    WARNING = "warning"
    BLOCKER = "blocker"
    GOOD = "good"
    SUSPECT = "suspect"
    HIT = "hit"
    MATCH = "match"
    CURSOR = "cursor"
    GUTTER = "gutter"


class Cell(NamedTuple):
    """A run of text that may go to a terminal as it is.

    Attributes:
        text: Harmless text without line ends.
        look: Name of its look.
        token: What it is in its language, where that gives it an ink of its own.
    """

    text: str
    look: Look = Look.PLAIN
    token: Token | None = None


Cells = tuple[Cell, ...]
"""One line, from left to right."""


def shown_cells(text: str, look: Look = Look.PLAIN, *, ascii_only: bool = False) -> Cells:
    """Make one short line of cells from text that nobody vouches for.

    Args:
        text: Any text; only its first 200 characters are drawn, the rest is said to be there.
        look: Look of what is harmless in it; the rest looks SUSPECT.
        ascii_only: Whether the terminal can draw ASCII only.
    """
    cells = tuple(
        Cell(piece.text, Look.SUSPECT if piece.suspect else look)
        for piece in show(text[:SHORT], ascii=ascii_only)
    )
    return cells if len(text) <= SHORT else (*cells, Cell("...", Look.DIM))


def spoken_cells(words: str, look: Look = Look.PLAIN, *, ascii_only: bool = False) -> Cells:
    """The same for our own words, whose signs an ASCII terminal gets put plainly."""
    return shown_cells(in_ascii(words) if ascii_only else words, look, ascii_only=ascii_only)


def width_of(cells: Iterable[Cell]) -> int:
    """Width of a line in terminal cells."""
    return sum(cell_len(cell.text) for cell in cells)


def text_of(cells: Iterable[Cell]) -> str:
    """The characters of a line, without their looks."""
    return "".join(cell.text for cell in cells)


def fit(cells: Cells, width: int, more: str = ">") -> Cells:
    """Cut a line to a width; a cut line ends in the mark `more`.

    Args:
        cells: The line.
        width: Room in terminal cells.
        more: What tells that something was cut off; one cell wide.
    """
    if width_of(cells) <= width:
        return cells
    if width <= 0:
        return ()
    return (*_head(cells, width - cell_len(more)), Cell(more, Look.DIM))


def spread(left: Cells, right: Cells, width: int) -> Cells:
    """Set `right` at the right edge and cut `left` to the room that remains.

    Args:
        left: Cells at the left edge.
        right: Cells at the right edge; kept whole while they fit.
        width: Room in terminal cells.
    """
    tail = fit(right, width)
    head = fit(left, max(width - width_of(tail) - 1, 0))
    gap = max(width - width_of(head) - width_of(tail), 0)
    return (*head, Cell(" " * gap), *tail)


def padded(cells: Cells, width: int) -> Cells:
    """Cut or fill a line to exactly `width` terminal cells."""
    line = fit(cells, width)
    return (*line, Cell(" " * max(width - width_of(line), 0)))


def _head(cells: Cells, width: int) -> Iterator[Cell]:
    room = width
    for cell in cells:
        size = cell_len(cell.text)
        if size <= room:
            yield cell
            room -= size
            continue
        spans, _ = split_graphemes(cell.text)
        end = 0
        for _, stop, span_width in spans:
            if span_width > room:
                break
            end, room = stop, room - span_width
        yield Cell(cell.text[:end], cell.look)
        return
