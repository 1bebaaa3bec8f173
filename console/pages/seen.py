"""Which characters of a document have been on the screen, kept by source position."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Position(NamedTuple):
    """A stretch of one line of a document, in source characters.

    Attributes:
        line: Number of the line in its document, from 0.
        start: First character.
        end: Character after the last one; equals `start` on an empty line.
    """

    line: int
    start: int
    end: int


class Seen:
    """What of one document has been on the screen.

    Positions are source positions, so that neither a resize nor another way of wrapping loses or
    invents anything.

    Args:
        lengths: Length of every line in characters.
        exempt: Runs of lines, first and after the last, that need not be seen.
    """

    def __init__(self, lengths: Sequence[int], exempt: Iterable[tuple[int, int]] = ()) -> None:
        self._lengths = lengths
        self._whole = bytearray(len(lengths))
        self._parts: dict[int, list[tuple[int, int]]] = {}
        self._left = len(lengths)
        for first, after in exempt:
            self._whole[first:after] = b"\1" * (after - first)
            self._left -= after - first

    @property
    def complete(self) -> bool:
        """Whether every character of every line has been on the screen."""
        return self._left == 0

    @property
    def whole_lines(self) -> int:
        """How many lines have been on the screen as a whole."""
        return len(self._whole) - self._left

    def add(self, positions: Iterable[Position]) -> bool:
        """Note stretches that are fully on the screen.

        Args:
            positions: The stretches; parts outside the document are ignored.

        Returns:
            Whether anything new was seen.
        """
        return sum(map(self._add, positions)) > 0

    def covers(self, position: Position) -> bool:
        """Whether a stretch has been on the screen as a whole."""
        line, start, end = position
        if self._whole[line]:
            return True
        return any(a <= start and end <= b for a, b in self._parts.get(line, ()))

    def first_unseen(self) -> Position | None:
        """The first stretch that has not been on the screen, or None."""
        line = self._whole.find(b"\0")
        if line < 0:
            return None
        parts = self._parts.get(line, [])
        start = parts[0][1] if parts and parts[0][0] == 0 else 0
        later = [a for a, _ in parts if a > start]
        return Position(line, start, later[0] if later else self._lengths[line])

    def _add(self, position: Position) -> bool:
        line, start, end = position
        if not 0 <= line < len(self._whole) or self.covers(position):
            return False
        if end <= start and self._lengths[line]:
            return False
        if start <= 0 and end >= self._lengths[line]:
            self._finish(line)
        else:
            self._merge(line, start, end)
        return True

    def _finish(self, line: int) -> None:
        self._whole[line] = 1
        self._left -= 1
        self._parts.pop(line, None)

    def _merge(self, line: int, start: int, end: int) -> None:
        parts = self._parts.setdefault(line, [])
        insort(parts, (start, end))
        at = max(bisect_left(parts, (start, end)) - 1, 0)
        while at + 1 < len(parts):
            (a, b), (c, d) = parts[at], parts[at + 1]
            if c > b:
                if c > end:
                    break
                at += 1
                continue
            parts[at : at + 2] = [(a, max(b, d))]
        if parts == [(0, self._lengths[line])]:
            self._finish(line)
