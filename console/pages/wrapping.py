"""Breaking one source line into rows, or looking at it through a window: nothing is dropped.

A long line is looked at in chunks, so that drawing one row never costs more than a chunk or two. A
row is a stretch of a chunk's displayed text (badges included) and of the source characters.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from rich.cells import cell_len, split_graphemes

from placet.console.shown import Piece, show

CHUNK = 4096
"""Source characters that are escaped at once."""

_PLAIN = re.compile(r"[ -~]*\Z")
_SAFE_BREAK = re.compile(r"[!-~](?=[!-~])")
_BLANKS = frozenset(" ·→")


@dataclass(frozen=True, slots=True)
class Drawing:
    """How text is escaped.

    Attributes:
        ascii_only: Whether the terminal can draw ASCII only.
        invisibles: Whether blanks and joiners are made visible too.
    """

    ascii_only: bool = False
    invisibles: bool = False

    def is_plain(self, text: str) -> bool:
        """Whether every character is drawn as one cell, so that widths are lengths."""
        if _PLAIN.match(text) is None:
            return False
        if not self.ascii_only or not text:
            return True
        return "\\" not in text and not text.endswith(" ") and not self.invisibles

    def pieces(self, text: str, start: int, end: int) -> list[Piece]:
        """Escape one chunk; the positions of the pieces count in the whole line."""
        shown = show(text[start:end], ascii=self.ascii_only, invisibles=self.invisibles)
        return [p._replace(start=p.start + start, end=p.end + start) for p in shown]


class Row(NamedTuple):
    """One row of one line.

    Attributes:
        chunk: First source character of the chunk it lies in.
        stop: Source character after the chunk's last.
        first: First displayed character, counted in the chunk.
        last: Displayed character after the last one.
        start: First source character that is whole on this row.
        end: Source character after the last one.
    """

    chunk: int
    stop: int
    first: int
    last: int
    start: int
    end: int


class Atom(NamedTuple):
    """What stays together on a row: a cluster, or a badge or a part of one that is too wide.

    Attributes:
        text: What is drawn.
        width: Its cells.
        start: First source character that is whole with it.
        end: Source character after the last one.
        breaks: Whether a row may end after it.
        suspect: Whether it is, or belongs to, a badge.
    """

    text: str
    width: int
    start: int
    end: int
    breaks: bool
    suspect: bool


def chunks(text: str) -> Iterator[tuple[int, int]]:
    """Cut a line into stretches that can be escaped on their own.

    A cut lies between two printable ASCII characters where there are any, so that no cluster, run
    of tags or joined emoji is torn.
    """
    at = 0
    while len(text) - at > CHUNK:
        cut = at + CHUNK
        for match in _SAFE_BREAK.finditer(text, cut - 256, at + CHUNK):
            cut = match.end()
        yield at, cut
        at = cut
    yield at, len(text)


def literal(piece: Piece) -> bool:
    """Whether a piece draws one character for each of its source characters."""
    return not piece.suspect and len(piece.text) == piece.end - piece.start


def atoms(shown: Sequence[Piece], width: int) -> Iterator[Atom]:
    """Take pieces apart into what must stay together; only what is wider than a row is split."""
    for piece in shown:
        if not literal(piece):
            yield from _badge(piece, width)
            continue
        spans, _ = split_graphemes(piece.text)
        for first, last, size in spans:
            text, at = piece.text[first:last], piece.start + first
            yield Atom(text, size, at, piece.start + last, text in _BLANKS, False)


def _badge(piece: Piece, width: int) -> Iterator[Atom]:
    total = cell_len(piece.text)
    if total <= width:
        yield Atom(piece.text, total, piece.start, piece.end, piece.blank, piece.suspect)
        return
    spans, _ = split_graphemes(piece.text)
    length, source, begin = len(piece.text), piece.end - piece.start, piece.start
    for first, last, size in spans:
        start, end = begin + source * first // length, begin + source * last // length
        yield Atom(piece.text[first:last], size, start, end, False, piece.suspect)


def wrap(text: str, width: int, drawing: Drawing) -> list[Row]:
    """Break one line into rows of at most `width` cells, at blanks where there are any.

    Args:
        text: Source line without its line end.
        width: Room in terminal cells, at least 2.
        drawing: How text is escaped.

    Returns:
        At least one row; together they hold every character once and in order.
    """
    rows: list[Row] = []
    for start, end in chunks(text):
        if drawing.is_plain(text[start:end]):
            rows.extend(_wrap_plain(text, start, end, width))
        else:
            found = list(atoms(drawing.pieces(text, start, end), width))
            rows.extend(_wrap_atoms(found, start, end, width))
    return rows


def _wrap_plain(text: str, start: int, end: int, width: int) -> Iterator[Row]:
    at = start
    while end - at > width:
        blank = text.rfind(" ", at, at + width)
        cut = blank + 1 if blank > at else at + width
        yield Row(start, end, at - start, cut - start, at, cut)
        at = cut
    yield Row(start, end, at - start, end - start, at, end)


def _wrap_atoms(found: Sequence[Atom], chunk: int, stop: int, width: int) -> Iterator[Row]:
    first = 0
    for begin, end in _breaks(found, width):
        last = first + sum(len(atom.text) for atom in found[begin:end])
        yield Row(chunk, stop, first, last, found[begin].start, found[end - 1].end)
        first = last


def _breaks(found: Sequence[Atom], width: int) -> Iterator[tuple[int, int]]:
    begin = index = 0
    room, blank = width, -1
    while index < len(found):
        atom = found[index]
        if atom.width > room and index > begin:
            end = blank + 1 if begin <= blank else index
            yield begin, end
            begin = index = end
            room, blank = width, -1
            continue
        room -= atom.width
        blank = index if atom.breaks else blank
        index += 1
    yield begin, len(found)


class Ruler:
    """One unbroken line that is looked at through a window of `room` cells.

    Args:
        text: Source line without its line end.
        room: Width of the window in cells.
        drawing: How text is escaped.
    """

    def __init__(self, text: str, room: int, drawing: Drawing) -> None:
        self._text = text
        self._room = room
        self._drawing = drawing
        self._chunks = list(chunks(text))
        self._columns = [0]
        for start, end in self._chunks:
            self._columns.append(self._columns[-1] + self._width(start, end))

    @property
    def width(self) -> int:
        """Cells of the whole line."""
        return self._columns[-1]

    def column_of(self, start: int) -> int:
        """Cells left of a source character."""
        at = bisect_right([a for a, _ in self._chunks], start) - 1
        atoms_before = (a for a in self._atoms(*self._chunks[at]) if a.end <= start)
        return self._columns[at] + sum(atom.width for atom in atoms_before)

    def visible(self, offset: int) -> Iterator[tuple[Atom, int]]:
        """Atoms that reach into the window, each with its column in the line."""
        at = max(min(bisect_right(self._columns, offset), len(self._chunks)) - 1, 0)
        for number in range(at, len(self._chunks)):
            column = self._columns[number]
            if column >= offset + self._room:
                return
            for atom in self._atoms(*self._chunks[number]):
                if offset < column + max(atom.width, 1) and column < offset + self._room:
                    yield atom, column
                column += atom.width

    def whole(self, offset: int) -> tuple[int, int]:
        """The stretch of source whose cells all lie in the window."""
        inside = [
            atom
            for atom, column in self.visible(offset)
            if offset <= column and column + atom.width <= offset + self._room
        ]
        return (inside[0].start, inside[-1].end) if inside else (0, 0)

    def _atoms(self, start: int, end: int) -> Iterator[Atom]:
        return atoms(self._drawing.pieces(self._text, start, end), self._room)

    def _width(self, start: int, end: int) -> int:
        if self._drawing.is_plain(self._text[start:end]):
            return end - start
        return sum(atom.width for atom in self._atoms(start, end))
