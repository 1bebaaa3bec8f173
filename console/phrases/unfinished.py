"""What was decided and is not finished: how it is called, what it is, what can be done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.console.phrases.times import moment

if TYPE_CHECKING:
    from placet.store.decide import Unfinished

CLAIMED = (
    "claimed by a placet process and not decided: where that was stopped, the next decision, ten"
    " seconds after the claim, gives it back to the queue"
)
"""What a record is that is claimed while no decision about it is on record."""


END_IT = "`placet unfinished` says what is decided about it; `retry` or `cancel` it there"
"""What is said instead of a way to decide about it."""


def unfinished(one: Unfinished) -> str:
    """`approved 2 Nov 10:04 and not finished (MEMORY.md)`, or that only last steps are missing."""
    if one.event is not None:
        return f"{one.kind.value} as #{one.event} and written; its last steps are missing"
    files = f" ({', '.join(one.files)})" if one.files else ""
    return f"{one.kind.value} {moment(one.intent.at)} and not finished{files}"


def about(one: Unfinished) -> str:
    """The record that it is about, or that it is a change of one's own."""
    return one.ref or f"your own change of {one.target or 'the queue'}"
