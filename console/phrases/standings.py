"""How what waits stands: one meaning for each standing, said of one proposal and of a group."""

from __future__ import annotations

from placet.console.phrases.times import age
from placet.store.inbox import Group
from placet.store.model import Standing

MEANINGS = {
    Standing.READY: "can be approved",
    Standing.WARNING: "can be approved, with a warning",
    Standing.HELD: "could apply later, or by an act of yours",
    Standing.DEAD: "cannot be applied as recorded",
    Standing.REFUSED: "refused before; the open console, or the next decision, takes it out",
    Standing.MALFORMED: "cannot be understood",
    Standing.FOREIGN: "of another memory provider: may be discarded, never approved here",
    Standing.SETTLING: "still being written",
}

UNFINISHED = "claimed by a placet process, or decided and not finished"

GROUPS = {
    Group.UNFINISHED: UNFINISHED,
    Group.HELD: MEANINGS[Standing.HELD],
    Group.DEAD: MEANINGS[Standing.DEAD],
    Group.MALFORMED: MEANINGS[Standing.MALFORMED],
    Group.FOREIGN: MEANINGS[Standing.FOREIGN],
    Group.REFUSED: MEANINGS[Standing.REFUSED],
}
"""What a group holds; who waits for an answer needs no words."""


def waiting(number: int) -> str:
    """`1,013 waiting`: every staged record without a final answer, as all numbers here count it."""
    return f"{number:,} waiting"


def waits(number: int, oldest_seconds: int | None) -> str:
    """How many wait, and how long the oldest has; one line for a home."""
    if not number:
        return "nothing waits"
    oldest = "" if oldest_seconds is None else f", oldest {age(oldest_seconds)}"
    return waiting(number) + oldest
