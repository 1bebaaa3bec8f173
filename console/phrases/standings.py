"""How what waits stands: one meaning for each standing, said of one proposal and of a group."""

from __future__ import annotations

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

UNFINISHED = "claimed by a placet process, or approved and not yet written"

GROUPS = {
    Group.UNFINISHED: UNFINISHED,
    Group.HELD: MEANINGS[Standing.HELD],
    Group.DEAD: MEANINGS[Standing.DEAD],
    Group.MALFORMED: MEANINGS[Standing.MALFORMED],
    Group.FOREIGN: MEANINGS[Standing.FOREIGN],
    Group.TAKEN: MEANINGS[Standing.REFUSED],
}
"""What a group holds; who waits for an answer needs no words."""
