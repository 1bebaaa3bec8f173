"""From a document to display rows: what every widget draws and what "seen" is counted in.

`layout(doc, width)` breaks it into rows. No widget is imported here.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from placet.console.pages.cells import Cell, Cells, Look
from placet.console.pages.lines import DiffDoc, Role, Span
from placet.console.pages.seen import Position
from placet.console.pages.syntax import Run, Token, runs
from placet.console.pages.wrapping import Atom, Drawing, Row, Ruler, literal, wrap
from placet.console.shown import Piece

GUTTER = 3
"""Cells left of the text: cursor mark, sign, blank."""

LEAST = 8
"""Least width of the text, in cells; a narrower view is clipped, and what is clipped is unseen."""

CACHED = 64
"""Escaped chunks that are kept, at most 4,096 characters each."""


class DiffRows:
    """A document broken into rows of one width.

    Every row repeats the sign of its line. With `wrap` off a line is one row that is looked at
    through a window, and a mark tells where it goes on.

    Args:
        doc: What to show.
        width: Width of the view in cells, gutter included.
        wrap: Whether long lines are broken.
        drawing: How text is escaped.
        whole: Whether unchanged lines far from any change show; else each run is one row.
    """

    def __init__(
        self,
        doc: DiffDoc,
        width: int,
        *,
        wrap: bool = True,
        drawing: Drawing | None = None,
        whole: bool = True,
    ) -> None:
        self.doc = doc
        self.width = width
        self.wrap = wrap
        self.whole = whole
        self._folded: dict[int, int] = {} if whole else dict(doc.folds)
        self.drawing = drawing or Drawing()
        self.room = max(width - GUTTER - (0 if wrap else 1), LEAST)
        self._first = array("L")
        self._rows: dict[int, list[Row]] = {}
        self._rulers: dict[int, Ruler] = {}
        self._escaped: dict[tuple[int, int], list[Piece]] = {}
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
        if rows is None:
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
        if not self.wrap:
            ruler = self._rulers.get(line)
            if ruler is not None:
                return Position(line, *ruler.whole(offset))
            length = len(self.doc.lines[line].text)
            return Position(line, min(offset, length), length)
        place = self._row(line, row)
        return Position(line, place.start, place.end)

    def column_of(self, position: Position) -> int:
        """Cells left of a place when its line is one unbroken row; 0 where it fits as it is."""
        ruler = self._rulers.get(position.line)
        return 0 if ruler is None else ruler.column_of(position.start)

    @property
    def reach(self) -> int:
        """Cells by which the window can move to the right, with `wrap` off."""
        widest = max((ruler.width for ruler in self._rulers.values()), default=0)
        return max(widest - self.room, 0)

    def cells(self, row: int, offset: int = 0, matches: Sequence[Span] = ()) -> Cells:
        """The text of a row without its gutter.

        Args:
            row: Number of the row.
            offset: Cells scrolled to the right, with `wrap` off.
            matches: Further spans of the row's line, such as search matches.
        """
        line = self.line_of(row)
        if line in self._folded:
            return (Cell(self._fold_words(line), Look.DIM),)
        spans = (*self.doc.lines[line].spans, *matches)
        if self.wrap:
            return tuple(self._draw(line, self._row(line, row), spans))
        ruler = self._rulers.get(line)
        if ruler is None:
            return tuple(self._draw_short(line, offset, spans))
        return tuple(self._draw_window(line, ruler, offset, spans))

    def gutter(self, row: int, *, cursor: bool = False) -> Cells:
        """Cursor mark, sign and blank of a row."""
        line = self.doc.lines[self.line_of(row)]
        mark = ("|" if self.drawing.ascii_only else "▌") if cursor else " "
        edge = Cell(mark, Look.CURSOR if cursor else Look.GUTTER)
        return (edge, Cell(f"{line.sign} ", line.look))

    def _text(self, line: int) -> str:
        return self.doc.lines[line].text

    def _fold_words(self, line: int) -> str:
        hidden = self._folded[line] - line
        words = f"{hidden} unchanged lines (c shows them)"
        return words if self.drawing.ascii_only else f"··· {words}"

    def _lay_out(self) -> None:
        hidden_before = 0
        for number, line in enumerate(self.doc.lines):
            self._first.append(self._count)
            if number < hidden_before:
                continue
            if number in self._folded:
                hidden_before = self._folded[number]
                self._count += 1
                continue
            text, drawing = line.text, self._drawing_of(number)
            if len(text) <= self.room and drawing.is_plain(text):
                self._count += 1
            elif self.wrap:
                rows = wrap(text, self.room, drawing)
                self._rows[number] = rows
                self._count += len(rows)
            else:
                self._rulers[number] = Ruler(text, self.room, drawing)
                self._count += 1

    def _drawing_of(self, line: int) -> Drawing:
        """Our own words never show their blanks: only those of a text mean anything."""
        texts = (Role.TEXT, Role.DELIMITER)
        if not self.drawing.invisibles or self.doc.lines[line].role in texts:
            return self.drawing
        return replace(self.drawing, invisibles=False)

    def _row(self, line: int, row: int) -> Row:
        rows = self._rows.get(line)
        if rows is None:
            length = len(self._text(line))
            return Row(0, length, 0, length, 0, length)
        return rows[row - self._first[line]]

    def _draw(self, line: int, row: Row, spans: Sequence[Span]) -> Iterator[Cell]:
        at = 0
        for piece in self._pieces(line, row.chunk, row.stop):
            first, last = max(row.first - at, 0), min(row.last - at, len(piece.text))
            if first < last:
                yield from self._styled(line, piece, first, last, spans)
            at += len(piece.text)
            if at >= row.last:
                return

    def _pieces(self, line: int, start: int, end: int) -> list[Piece]:
        """Escape a chunk, or find it among those that the rows on the screen share."""
        found = self._escaped.get((line, start))
        if found is None:
            if len(self._escaped) >= CACHED:
                self._escaped.clear()
            found = self._drawing_of(line).pieces(self._text(line), start, end)
            self._escaped[line, start] = found
        return found

    def _styled(
        self, line: int, piece: Piece, first: int, last: int, spans: Sequence[Span]
    ) -> Iterator[Cell]:
        base = self.doc.lines[line].look
        if piece.suspect:
            yield Cell(piece.text[first:last], Look.SUSPECT)
        elif not literal(piece):
            yield Cell(piece.text[first:last], look_at(piece.start, spans, base))
        else:
            tokens = self._tokens(line)
            edges = [(a, b) for a, b, _ in (*spans, *tokens)]
            for start, end in _stretches(piece.start + first, piece.start + last, edges):
                text = piece.text[start - piece.start : end - piece.start]
                look = look_at(start, spans, base)
                yield Cell(text, look, token_at(start, tokens) if look is base else None)

    def _tokens(self, line: int) -> Sequence[Run]:
        this = self.doc.lines[line]
        return runs(this.language, this.text) if this.language else ()

    def _draw_short(self, line: int, offset: int, spans: Sequence[Span]) -> Iterator[Cell]:
        text = self._text(line)
        for piece in self._drawing_of(line).pieces(text, 0, len(text)):
            first = max(offset - piece.start, 0)
            if first < len(piece.text):
                yield from self._styled(line, piece, first, len(piece.text), spans)

    def _draw_window(
        self, line: int, ruler: Ruler, offset: int, spans: Sequence[Span]
    ) -> Iterator[Cell]:
        base = self.doc.lines[line].look
        for atom, column in ruler.visible(offset):
            yield self._in_window(atom, column - offset, spans, base)
        if ruler.width > offset + self.room:
            yield Cell(">" if self.drawing.ascii_only else "→", Look.WARNING)

    def _in_window(self, atom: Atom, at: int, spans: Sequence[Span], base: Look) -> Cell:
        """An atom that is cut by an edge of the window is drawn as dots, and stays unseen."""
        if at < 0 or at + atom.width > self.room:
            return Cell("." * (min(at + atom.width, self.room) - max(at, 0)), Look.DIM)
        look = Look.SUSPECT if atom.suspect else look_at(atom.start, spans, base)
        return Cell(atom.text, look)


def layout(
    doc: DiffDoc,
    width: int,
    *,
    wrap: bool = True,
    drawing: Drawing | None = None,
    whole: bool = True,
) -> DiffRows:
    """Break a document into rows; pure, and meant for a thread where `doc.weight` is large."""
    return DiffRows(doc, width, wrap=wrap, drawing=drawing, whole=whole)


def look_at(at: int, spans: Sequence[Span], base: Look) -> Look:
    """The look of one source character: that of the last span that covers it."""
    found = base
    for start, end, look in spans:
        if start <= at < end:
            found = look
    return found


def token_at(at: int, tokens: Sequence[Run]) -> Token | None:
    """What one source character is in its language."""
    return next((token for start, end, token in tokens if start <= at < end), None)


def _stretches(start: int, end: int, inner: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    inside = {edge for pair in inner for edge in pair if start < edge < end}
    return pairwise([start, *sorted(inside), end])
