"""How full a target is: now, and after what is proposed."""

from __future__ import annotations

from collections.abc import Callable

from placet.console.cells import Cell, Cells, Look
from placet.store.model import Usage

BAR = 20
"""Cells of the bar."""

NEARLY = 0.9
"""Share of the cap from which the meter warns."""


def usage_cells(name: str, usage: Usage, *, ascii_only: bool = False) -> Cells:
    """A meter in words: `MEMORY.md  1,364 ▸ 1,562 of 2,200   62 % ▸ 71 %`.

    Args:
        name: File name for people, one of placet's own words.
        usage: Size before and after, and the cap, in characters.
        ascii_only: Whether the terminal can draw ASCII only.
    """
    to = ">" if ascii_only else "▸"
    look = level(usage)
    numbers = f"{usage.before:,} {to} {usage.after:,} of {usage.limit:,}"
    share = f"{percent(usage.before, usage.limit)} {to} {percent(usage.after, usage.limit)}"
    if usage.before == usage.after:
        numbers, share = f"{usage.after:,} of {usage.limit:,}", percent(usage.after, usage.limit)
    over = (Cell("  over the limit", Look.BLOCKER),) if usage.after > usage.limit else ()
    return (Cell(f"{name}  ", Look.STRONG), Cell(f"{numbers}   {share}", look), *over)


def usage_bar(usage: Usage, *, ascii_only: bool = False) -> Cells:
    """A meter as a bar: what is there, what would come or go, what stays free."""
    before, after = (_filled(size, usage.limit) for size in (usage.before, usage.after))
    kept, marks = min(before, after), "#+-." if ascii_only else "█▓░·"
    change = marks[1] * (after - before) if after > before else marks[2] * (before - after)
    free = marks[3] * (BAR - max(before, after))
    look = Look.NEW if after > before else Look.OLD
    return (Cell(marks[0] * kept, level(usage)), Cell(change, look), Cell(free, Look.DIM))


def usage_line(name: str, usage: Usage, *, ascii_only: bool = False) -> Callable[[int], Cells]:
    """Words, and the bar where there is room for it; for `CellLines.set_lines`."""

    def line(width: int) -> Cells:
        words = usage_cells(name, usage, ascii_only=ascii_only)
        room = width - sum(len(cell.text) for cell in words) - 2
        bar = usage_bar(usage, ascii_only=ascii_only) if room >= BAR else ()
        return (*words, Cell("  "), *bar) if bar else words

    return line


def level(usage: Usage) -> Look:
    """The look of a meter: over the cap, nearly full, or plain."""
    if usage.after > usage.limit:
        return Look.BLOCKER
    return Look.WARNING if usage.after >= usage.limit * NEARLY else Look.PLAIN


def percent(size: int, limit: int) -> str:
    """A share of the cap, rounded down, so that 100 % is full."""
    return f"{size * 100 // limit} %" if limit > 0 else "no room"


def _filled(size: int, limit: int) -> int:
    return min(size * BAR // limit, BAR) if limit > 0 else BAR
