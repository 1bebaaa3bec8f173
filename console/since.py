"""What happened to the target of a proposal since it was made, as far as the log knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from placet.console.phrases.provenance import NAMED, base_words, entries_moved
from placet.store.errors import Busy, LedgerError
from placet.store.ledger import audit, blobs, decisions
from placet.store.ledger.database import Ledger, looking
from placet.store.model import Kind, Proposal

UNKNOWN = "base unknown: the log cannot be read"

LOOKED_AT = 500
"""Newest events of the target that are looked at."""

MOVES = frozenset(
    {
        Kind.APPROVED,
        Kind.EDITED,
        Kind.UNDONE,
        Kind.REVERTED,
        Kind.UNGATED,
        Kind.APPLIED_ELSEWHERE,
    }
)
"""Events that say that a file has changed."""


def since(proposal: Proposal) -> str:
    """What happened to the target since the proposal was made, in words, or empty."""
    if proposal.created_at is None or proposal.target is None:
        return ""
    try:
        with looking(proposal.home) as ledger:
            if ledger is None:
                return base_words(False, ())
            return base_words(*_changes(ledger, str(proposal.target), proposal.created_at))
    except (LedgerError, Busy):
        return UNKNOWN  # what is wrong with the ledger is an alarm of its own


def _changes(ledger: Ledger, target: str, made: float) -> tuple[bool, list[tuple[int, str, str]]]:
    """Whether the log reaches back to a moment, and what changed the target after it."""
    first = audit.events(ledger, after=0, limit=1)
    events = audit.events(ledger, target=target, limit=LOOKED_AT)
    later = [
        (event.seq, body)
        for event in reversed(events)
        if _is_move(body := audit.body(event)) and (audit.at(event) or 0.0) > made
    ]
    named = {seq for seq, _ in later[-NAMED:]}
    changes = [
        (seq, str(body.get("kind")), _moved(ledger, seq, body) if seq in named else "")
        for seq, body in later
    ]
    began = audit.at(first[0]) if first else None
    return began is not None and began <= made, changes


def _is_move(body: Mapping[str, Any]) -> bool:
    """Whether an event changed the target; the undo of a refusal, say, changed no file."""
    kind = body.get("kind")
    return kind in MOVES and (kind != Kind.UNDONE or bool(body.get("files")))


def _moved(ledger: Ledger, seq: int, body: Mapping[str, Any]) -> str:
    """What an event changed in a memory file, in words; empty where its bytes are not kept."""
    if body.get("kind") == Kind.UNGATED:
        digests = [(body.get("before"), body.get("after"))]
    else:
        made = [op for op in decisions.operations(ledger, seq) if not op.dropped]
        digests = [(op.before, op.after) for op in made]
    sides = [(_kept(ledger, before), _kept(ledger, after)) for before, after in digests]
    told = [(before, after) for before, after in sides if before is not None and after is not None]
    return entries_moved(told) if len(told) == len(sides) else ""


def _kept(ledger: Ledger, digest: object) -> str | None:
    """The text of a digest, empty where there was no text; None where it is not kept."""
    if not isinstance(digest, str):
        return ""
    data = blobs.get(ledger.home, digest)
    return None if data is None else data.decode("utf-8", "surrogateescape")
