"""From a plan to display rows: what every widget draws and what "seen" is counted in.

`document(plan)` says what is shown; `layout(doc, width)` breaks it into rows; `diff_rows` does
both. No widget is imported here.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from rich.cells import cell_len, split_graphemes

from placet.console.cells import Cell, Cells, Look
from placet.console.document import Words, document
from placet.console.lines import DiffDoc, DiffLine, Role, Span
from placet.console.seen import Position, Seen
from placet.console.shown import Piece
from placet.console.wrapping import Row, chunks, is_plain, pieces, wrap
from placet.store.model import Plan

__all__ = [
    "GUTTER",
    "DiffDoc",
    "DiffLine",
    "DiffRows",
    "Position",
    "Role",
    "Seen",
    "Words",
    "diff_rows",
    "document",
    "layout",
]

GUTTER = 3
"""Cells left of the text: cursor mark, sign, blank."""

LEAST = 8
"""Least width of the text, in cells; a narrower view is clipped, and what is clipped is unseen."""


class DiffRows:
    """A document broken into rows of one width.

    Every row repeats the sign of its line. With `wrap` off a line is one row that is looked at
    through a window, and a mark tells where it goes on.

    Args:
        doc: What to show.
        width: Width of the view in cells, gutter included.
        wrap: Whether long lines are broken.
        ascii_only: Whether the terminal can draw ASCII only.
        invisibles: Whether blanks, line ends and joiners are made visible too.
    """

    def __init__(
        self,
        doc: DiffDoc,
        width: int,
        *,
        wrap: bool = True,
        ascii_only: bool = False,
        invisibles: bool = False,
    ) -> None:
        self.doc = doc
        self.width = width
        self.wrap = wrap
        self.ascii_only = ascii_only
        self.invisibles = invisibles
        self.room = max(width - GUTTER - (0 if wrap else 1), LEAST)
        self._first = array("L")
        self._rows: dict[int, list[Row]] = {}
        self._count = 0
        self._lay_out()

    def __len__(self) -> int:
        return self._count

    @property
    def clipped(self) -> bool:
        """Whether the view is too narrow for its rows, so that nothing on it counts as seen."""
        return self.width < self.room + GUTTER

    def line_of(self, row: int) -> int:
        """Number of the line that a row belongs to."""
        return bisect_right(self._first, row) - 1

    def row_at(self, line: int, start: int = 0) -> int:
        """The row that shows source character `start` of a line."""
        rows = self._rows.get(line)
        if rows is None or not self.wrap:
            return self._first[line]
        index = bisect_right([row.start for row in rows], start) - 1
        return self._first[line] + max(index, 0)

    def position(self, row: int, offset: int = 0) -> Position:
        """The stretch of source that stands whole on a row.

        Args:
            row: Number of the row.
            offset: Cells scrolled to the right, with `wrap` off.
        """
        line = self.line_of(row)
        if self.wrap:
            place = self._row(line, row)
            return Position(line, place.start, place.end)
        return self._window(line, offset)

    def column_of(self, line: int, start: int) -> int:
        """Cells left of source character `start` when the line is one unbroken row."""
        return sum(size for _, size, _, end in self._atoms(line) if end <= start)

    def more(self, row: int, offset: int = 0) -> bool:
        """Whether a row goes on to the right of the view."""
        position = self.position(row, offset)
        return not self.wrap and position.end < len(self.doc.lines[position.line].text)

    def cells(self, row: int, offset: int = 0, matches: Sequence[Span] = ()) -> Cells:
        """The text of a row without its gutter.

        Args:
            row: Number of the row.
            offset: Cells scrolled to the right, with `wrap` off.
            matches: Further spans of the row's line, such as search matches.
        """
        line = self.line_of(row)
        spans = (*self.doc.lines[line].spans, *matches)
        if self.wrap:
            return tuple(self._draw(line, self._row(line, row), spans))
        cells = tuple(self._draw_window(line, offset, spans))
        if self.more(row, offset):
            cells = (*cells, Cell(">" if self.ascii_only else "→", Look.WARNING))
        return cells

    def gutter(self, row: int, cursor: bool = False) -> Cells:
        """Cursor mark, sign and blank of a row."""
        line = self.doc.lines[self.line_of(row)]
        mark = ("|" if self.ascii_only else "▌") if cursor else " "
        return (
            Cell(mark, Look.CURSOR if cursor else Look.GUTTER),
            Cell(line.sign + " ", line.look),
        )

    def rows_seen(self, seen: Seen) -> int:
        """How many rows have been on the screen as a whole."""
        return sum(seen.covers(self._whole(row)) for row in range(len(self)))

    def _whole(self, row: int) -> Position:
        line = self.line_of(row)
        if self.wrap:
            return self.position(row)
        return Position(line, 0, len(self.doc.lines[line].text))

    def _lay_out(self) -> None:
        for number, line in enumerate(self.doc.lines):
            self._first.append(self._count)
            if not self.wrap or (len(line.text) <= self.room and is_plain(line.text)):
                self._count += 1
                continue
            rows = wrap(
                line.text, self.room, ascii_only=self.ascii_only, invisibles=self.invisibles
            )
            self._rows[number] = rows
            self._count += len(rows)

    def _row(self, line: int, row: int) -> Row:
        rows = self._rows.get(line)
        if rows is None:
            length = len(self.doc.lines[line].text)
            return Row(0, 0, length, 0, length)
        return rows[row - self._first[line]]

    def _pieces(self, line: int, start: int, end: int) -> list[Piece]:
        return pieces(
            self.doc.lines[line].text,
            start,
            end,
            ascii_only=self.ascii_only,
            invisibles=self.invisibles,
        )

    def _draw(self, line: int, row: Row, spans: Sequence[Span]) -> Iterator[Cell]:
        text = self.doc.lines[line].text
        end = next((b for a, b in chunks(text) if a == row.chunk), len(text))
        at = 0
        for piece in self._pieces(line, row.chunk, end):
            first, last = max(row.first - at, 0), min(row.last - at, len(piece.text))
            if first < last:
                yield from self._styled(line, piece, first, last, spans)
            at += len(piece.text)
            if at >= row.last:
                return

    def _styled(
        self, line: int, piece: Piece, first: int, last: int, spans: Sequence[Span]
    ) -> Iterator[Cell]:
        base = self.doc.lines[line].look
        if piece.suspect:
            yield Cell(piece.text[first:last], Look.SUSPECT)
            return
        if len(piece.text) != piece.end - piece.start:
            yield Cell(piece.text[first:last], _look(piece.start, spans, base))
            return
        for start, end in _stretches(piece.start + first, piece.start + last, spans):
            text = piece.text[start - piece.start : end - piece.start]
            yield Cell(text, _look(start, spans, base))

    def _atoms(self, line: int) -> Iterator[tuple[Piece, int, int, int]]:
        text = self.doc.lines[line].text
        for start, end in chunks(text):
            for piece in self._pieces(line, start, end):
                if piece.suspect or len(piece.text) != piece.end - piece.start:
                    yield piece, cell_len(piece.text), piece.start, piece.end
                    continue
                for first, last, size in split_graphemes(piece.text)[0]:
                    a, b = piece.start + first, piece.start + last
                    yield Piece(piece.text[first:last], False, a, b), size, a, b

    def _visible(self, line: int, offset: int) -> Iterator[tuple[Piece, int]]:
        at = 0
        for piece, size, _, _ in self._atoms(line):
            if at >= offset + self.room:
                return
            if at + size > offset or (size == 0 and at >= offset):
                yield piece, at
            at += size

    def _window(self, line: int, offset: int) -> Position:
        if is_plain(self.doc.lines[line].text):
            length = len(self.doc.lines[line].text)
            return Position(line, min(offset, length), min(offset + self.room, length))
        whole = [
            piece
            for piece, at in self._visible(line, offset)
            if at >= offset and at + cell_len(piece.text) <= offset + self.room
        ]
        if not whole:
            return Position(line, 0, 0)
        return Position(line, whole[0].start, whole[-1].end)

    def _draw_window(self, line: int, offset: int, spans: Sequence[Span]) -> Iterator[Cell]:
        text = self.doc.lines[line].text
        if is_plain(text):
            visible = [(Piece(text[offset : offset + self.room], False, offset, 0), offset)]
            visible = [
                (Piece(p.text, False, offset, offset + len(p.text)), offset) for p, _ in visible
            ]
        else:
            visible = list(self._visible(line, offset))
        for piece, at in visible:
            size = cell_len(piece.text)
            if at < offset or at + size > offset + self.room:
                room = min(at + size, offset + self.room) - max(at, offset)
                yield Cell(("<" if at < offset else ">") * room, Look.DIM)
                continue
            yield from self._styled(line, piece, 0, len(piece.text), spans)


def layout(
    doc: DiffDoc,
    width: int,
    *,
    wrap: bool = True,
    ascii_only: bool = False,
    invisibles: bool = False,
) -> DiffRows:
    """Break a document into rows; pure, and meant for a thread where `doc.weight` is large."""
    return DiffRows(doc, width, wrap=wrap, ascii_only=ascii_only, invisibles=invisibles)


def diff_rows(plan: Plan, width: int, *, wrap: bool = True, words: Words | None = None) -> DiffRows:
    """Everything about a plan as rows of one width.

    Args:
        plan: What would be done.
        width: Width of the view in cells.
        wrap: Whether long lines are broken.
        words: What the caller knows besides: provenance, knock-on, twins.
    """
    return layout(document(plan, words or Words()), width, wrap=wrap)


def _stretches(start: int, end: int, spans: Sequence[Span]) -> Iterator[tuple[int, int]]:
    inside = {edge for a, b, _ in spans for edge in (a, b) if start < edge < end}
    edges = [start, *sorted(inside), end]
    yield from zip(edges, edges[1:], strict=False)


def _look(at: int, spans: Sequence[Span], base: Look) -> Look:
    found = base
    for start, end, look in spans:
        if start <= at < end:
            found = look
    return found
