"""What was decided, and what a decision waits for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.console.phrases.times import moment
from placet.store.model import Kind

if TYPE_CHECKING:
    from placet.store.ledger.decisions import Decision

SEEN_LATER = frozenset({Kind.APPROVED, Kind.EDITED, Kind.REVERTED})
"""Decisions that an agent's running session does not see."""


def decided(decision: Decision) -> str:
    """`approved by alice, 2 Nov 10:04 (#12)`."""
    by = f"{decision.kind.value} by {decision.actor}"
    return f"{by}, {moment(decision.at)} (#{decision.event})"


def seen_later(kind: Kind) -> str:
    """When the agent sees what was decided, or empty where it changes nothing for it."""
    return "agents see it from their next session" if kind in SEEN_LATER else ""


def counting(made: int, of: int) -> str:
    """How far the decisions of one key are."""
    return f"{made:,} of {of:,} done · esc stops here"


def only_newest(looked: int, waiting: int) -> str:
    """That a verb looked for repeats of what was refused among the newest records only."""
    return (
        f"repeats of what was refused were looked for among the newest {looked:,} of {waiting:,}"
        " waiting; the open console looks at all"
    )


def waiting_for(lock: str, seconds: float, key: str) -> str:
    """That a lock is held elsewhere.

    Args:
        lock: Its file.
        seconds: How long it has been waited for.
        key: What gives the wait up.
    """
    return f"waiting {seconds:.0f} s for {lock}; {key} gives up"
