"""How full a target is: now, and after what is proposed."""

from __future__ import annotations

from placet.console.charset import in_ascii
from placet.console.pages.cells import Cell, Cells, Look
from placet.console.phrases.amounts import shares, sizes
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
    words = f"{sizes(usage)}   {shares(usage)}"
    numbers = Cell(in_ascii(words) if ascii_only else words, level(usage))
    over = (Cell("  over the limit", Look.BLOCKER),) if usage.after > usage.limit else ()
    return (Cell(f"{name}  ", Look.STRONG), numbers, *over)


def level(usage: Usage) -> Look:
    """The look of a meter: over the cap, nearly full, or plain."""
    if usage.after > usage.limit:
        return Look.BLOCKER
    return Look.WARNING if usage.after >= usage.limit * NEARLY else Look.PLAIN
