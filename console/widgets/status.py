"""Lines of cells without a cursor: the header, a notice, and the footer with its keys."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from placet.console.pages.cells import Cell, Cells, Look, fit, width_of
from placet.console.widgets.line_view import LineView

Line = Cells | Callable[[int], Cells]
"""Cells, or a function from the width in cells to them."""


class FooterKey(NamedTuple):
    """One key of the footer.

    Attributes:
        id: Id of the action.
        key: The key for people.
        words: What it does, in a word or two.
        enabled: Whether pressing it now would do it; else it is dimmed.
    """

    id: str
    key: str
    words: str
    enabled: bool = True


class CellLines(LineView, can_focus=False):
    """A few lines of cells, each cut to the width with a visible mark."""

    DEFAULT_CSS = """
    CellLines { height: auto; overflow-y: hidden; }
    """

    def __init__(
        self,
        *,
        name: str | None = None,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
        ascii_only: bool = False,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes, ascii_only=ascii_only)
        self._lines: tuple[Line, ...] = ()

    def set_lines(self, *lines: Line) -> None:
        """Show these lines; nothing is drawn anew where they are the same."""
        if lines == self._lines:
            return
        self._lines = lines
        self.fit_virtual_size()
        self.forget()

    def line_count(self) -> int:
        """How many lines there are."""
        return len(self._lines)

    def drawn_as(self, row: int) -> Hashable:
        """The cache key of a line."""
        return self._lines[row]

    def draw(self, row: int, width: int) -> tuple[Cells, Look]:
        """Draw a line, cut to the width."""
        line = self._lines[row]
        return fit(line(width) if callable(line) else line, width), Look.PLAIN


class KeyBar(CellLines):
    """The footer: what was said last, and the keys; keys that do not count yet are dimmed.

    Args:
        pinned: Ids of keys that are never left out; they stand last.
    """

    def __init__(
        self,
        *,
        id: str,  # noqa: A002
        ascii_only: bool = False,
        pinned: Iterable[str] = (),
    ) -> None:
        super().__init__(id=id, ascii_only=ascii_only)
        self.pinned = frozenset(pinned)

    def show_keys(self, keys: Sequence[FooterKey], said: Cells = ()) -> None:
        """Show keys from left to right; of those not pinned the last ones give way.

        Args:
            keys: Keys in footer order.
            said: What was said last; drawn on a line of its own above the keys.
        """
        lines: list[Line] = [said] if said else []
        free = tuple(key for key in keys if key.id not in self.pinned)
        lines.append(_KeyLine(free, tuple(key for key in keys if key.id in self.pinned)))
        self.set_lines(*lines)


@dataclass(frozen=True, slots=True)
class _KeyLine:
    keys: tuple[FooterKey, ...]
    pinned: tuple[FooterKey, ...]

    def __call__(self, width: int) -> Cells:
        last = tuple(cell for key in self.pinned for cell in key_cells(key))
        line: list[Cell] = []
        room = width - width_of(last)
        for key in self.keys:
            cells = key_cells(key)
            room -= width_of(cells)
            if room < 0:
                break
            line.extend(cells)
        return (*line, *last)


def key_cells(key: FooterKey) -> Cells:
    """One key with its words; a dimmed key stands in brackets, so that colour is not needed."""
    if not key.enabled:
        return (Cell(f" ({key.key} {key.words})", Look.DIM),)
    return (Cell(" "), Cell(key.key, Look.HEADING), Cell(f" {key.words} "))
