"""What was refused, what came back, and what was taken out for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.console.phrases.amounts import counted
from placet.console.phrases.provenance import origin_words
from placet.console.phrases.times import moment

if TYPE_CHECKING:
    from placet.store.inbox import Taken
    from placet.store.ledger.refusals import Refusal

REFUSES = {"put": "adding this", "drop": "removing this", "batch": "this batch"}
"""What a kind of refusal forbids."""

WHOLE_BATCH = "a batch as a whole: its operations were refused together"
"""In place of a text, which a refused batch has none of its own of."""


def refused(refusal: Refusal) -> str:
    """Where, when and by which decision; until when; whether it still stands."""
    parts = [refusal.target, f"refused {moment(refusal.at)} by #{refusal.decision}"]
    if refusal.until:
        parts.append(f"until {moment(refusal.until)}")
    if refusal.lifted:
        parts.append(f"lifted by #{refusal.lifted}")
    return " · ".join(parts)


def came_back(refusal: Refusal) -> str:
    """How many records it met since."""
    return f"came back {counted(refusal.hits, 'time')} since"


def taken(record: Taken) -> str:
    """A record that the refusal rule took out of the queue."""
    when = "" if record.at is None else f" {moment(record.at)}"
    parts = (f"taken{when}", origin_words(record.origin), record.target, f"id {record.ref.id}")
    return " · ".join(parts)
