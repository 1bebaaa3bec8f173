"""How full a target is: now, and after what is proposed."""

from __future__ import annotations

from placet.console.pages.cells import Cell, Cells, Look
from placet.store.model import Usage

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


def level(usage: Usage) -> Look:
    """The look of a meter: over the cap, nearly full, or plain."""
    if usage.after > usage.limit:
        return Look.BLOCKER
    return Look.WARNING if usage.after >= usage.limit * NEARLY else Look.PLAIN


def percent(size: int, limit: int) -> str:
    """A share of the cap, rounded down, so that 100 % is full."""
    return f"{size * 100 // limit} %" if limit > 0 else "no room"
