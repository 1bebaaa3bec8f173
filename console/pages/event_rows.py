"""One short line for each event of the log."""

from __future__ import annotations

from collections.abc import Iterable

from placet.console.pages.cells import Cell, Cells, Look, shown_cells, spread
from placet.console.pages.list_rows import Drawn
from placet.console.phrases.events import happened, kind_of
from placet.console.phrases.times import moment
from placet.store.ledger import audit
from placet.store.model import Event


def event_cells(event: Event, *, home: str = "", ascii_only: bool = False) -> Drawn:
    """An event of the log: when, number, kind, target, who, reason.

    Args:
        event: The row; a body that is no JSON object is said to be unreadable.
        home: Label of its home, empty where there is only one.
        ascii_only: Whether the terminal can draw ASCII only.
    """

    def draw(width: int) -> Cells:
        body = audit.body(event)
        when = moment(audit.at(event))
        parts = (
            (when.ljust(13), Look.DIM),
            (f"{home}:#{event.seq}" if home else f"#{event.seq:<5}", Look.DIM),
            (kind_of(body).ljust(10), Look.STRONG),
            (str(body.get("target") or ""), Look.PLAIN),
            (happened(body), Look.PLAIN),
            (str(body.get("reason") or ""), Look.NOTE),
        )
        left = _joined(parts, ascii_only)
        return spread(left, (), width)

    return draw


def _joined(parts: Iterable[tuple[str, Look]], ascii_only: bool) -> Cells:
    """Set parts side by side; blanks at the end of one are room, not text."""
    cells: list[Cell] = []
    for text, look in parts:
        if text:
            held = text.rstrip(" ")
            cells += shown_cells(held, look, ascii_only=ascii_only)
            cells.append(Cell(" " * (len(text) - len(held) + 1)))
    return tuple(cells)
