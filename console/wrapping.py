"""Breaking one source line into rows: nothing is dropped and no row is wider than it may be.

A long line is looked at in chunks, so that drawing one row never costs more than a chunk. Inside a
chunk a row is a stretch of the displayed text (badges included) and of the source characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from rich.cells import split_graphemes

from placet.console.shown import Piece, show

CHUNK = 4096
"""Source characters that are escaped at once."""

_PLAIN = re.compile(r"[ -~]*\Z")
_SAFE_BREAK = re.compile(r"[!-~](?=[!-~])")
_BLANKS = frozenset(" ·→")


class Row(NamedTuple):
    """One row of one line.

    Attributes:
        chunk: First source character of the chunk it lies in.
        first: First displayed character, counted in the chunk.
        last: Displayed character after the last one.
        start: First source character that is whole on this row.
        end: Source character after the last one.
    """

    chunk: int
    first: int
    last: int
    start: int
    end: int


class _Atom(NamedTuple):
    text: str
    width: int
    start: int
    end: int
    breaks: bool


def is_plain(text: str) -> bool:
    """Whether every character is one printable ASCII cell, so that widths are lengths."""
    return _PLAIN.match(text) is not None


def chunks(text: str) -> Iterator[tuple[int, int]]:
    """Cut a line into stretches that can be escaped on their own.

    A cut lies between two printable ASCII characters where there are any, so that no cluster, run
    of tags or joined emoji is torn.
    """
    at = 0
    while len(text) - at > CHUNK:
        cut = at + CHUNK
        for match in _SAFE_BREAK.finditer(text, at + CHUNK - 256, at + CHUNK):
            cut = match.end()
        yield at, cut
        at = cut
    yield at, len(text)


def pieces(text: str, start: int, end: int, *, ascii_only: bool, invisibles: bool) -> list[Piece]:
    """Escape one chunk; the positions of the pieces count in the whole line."""
    shown = show(text[start:end], ascii=ascii_only, invisibles=invisibles)
    return [
        Piece(piece.text, piece.suspect, piece.start + start, piece.end + start) for piece in shown
    ]


def wrap(text: str, width: int, *, ascii_only: bool = False, invisibles: bool = False) -> list[Row]:
    """Break one line into rows of at most `width` cells, at blanks where there are any.

    Args:
        text: Source line without its line end.
        width: Room in terminal cells, at least 2.
        ascii_only: Whether the terminal can draw ASCII only.
        invisibles: Whether blanks and joiners are to be made visible too.

    Returns:
        At least one row; together they hold every character once and in order.
    """
    if len(text) <= width and is_plain(text):
        return [Row(0, 0, len(text), 0, len(text))]
    rows: list[Row] = []
    for start, end in chunks(text):
        if is_plain(text[start:end]):
            rows.extend(_wrap_plain(text, start, end, width))
        else:
            shown = pieces(text, start, end, ascii_only=ascii_only, invisibles=invisibles)
            rows.extend(_wrap_atoms(list(atoms(shown, width)), start, width))
    return rows


def atoms(shown: list[Piece], width: int) -> Iterator[_Atom]:
    """What must stay together on a row: clusters, badges; a badge wider than the row is split."""
    for piece in shown:
        if piece.suspect or len(piece.text) != piece.end - piece.start:
            yield from _split(piece, width)
            continue
        spans, _ = split_graphemes(piece.text)
        for first, last, size in spans:
            text = piece.text[first:last]
            at = piece.start + first
            yield _Atom(text, size, at, piece.start + last, text in _BLANKS)


def _split(piece: Piece, width: int) -> Iterator[_Atom]:
    spans, total = split_graphemes(piece.text)
    if total <= width:
        yield _Atom(piece.text, total, piece.start, piece.end, False)
        return
    length, source = len(piece.text), piece.end - piece.start
    for first, last, size in spans:
        start = piece.start + source * first // length
        yield _Atom(
            piece.text[first:last], size, start, piece.start + source * last // length, False
        )


def _wrap_plain(text: str, start: int, end: int, width: int) -> Iterator[Row]:
    at = start
    while end - at > width:
        blank = text.rfind(" ", at, at + width)
        cut = blank + 1 if blank > at else at + width
        yield Row(start, at - start, cut - start, at, cut)
        at = cut
    yield Row(start, at - start, end - start, at, end)


def _wrap_atoms(found: list[_Atom], chunk: int, width: int) -> Iterator[Row]:
    first = shown = 0
    begin, room, blank = 0, width, -1
    index = 0
    while index < len(found):
        atom = found[index]
        if atom.width > room and index > begin:
            stop = blank + 1 if blank >= begin and blank + 1 < index else index
            shown = first + sum(len(a.text) for a in found[begin:stop])
            yield Row(chunk, first, shown, found[begin].start, found[stop - 1].end)
            first, begin, index, room, blank = shown, stop, stop, width, -1
            continue
        room -= atom.width
        blank = index if atom.breaks else blank
        index += 1
    if begin < len(found):
        shown = first + sum(len(a.text) for a in found[begin:])
        yield Row(chunk, first, shown, found[begin].start, found[-1].end)
