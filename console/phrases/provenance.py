"""Where a proposal comes from: who staged it, in which session, on what base."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from placet.console.phrases.times import moment
from placet.store.model import BACKGROUND_REVIEW, PERSON, Proposal

if TYPE_CHECKING:
    from placet.store.homes.provenance import Provenance

MESSAGE = 160
"""Characters of the leading message that are shown."""

NAMED = 3
"""Changes since a proposal that are named one by one."""


def origin_words(origin: str) -> str:
    """Who staged it."""
    if origin == BACKGROUND_REVIEW:
        return "background review"
    if origin == PERSON:
        return "your own change"
    return origin.replace("_", " ") or "origin unknown"


def origin_word(origin: str) -> str:
    """The same in one word."""
    known = {BACKGROUND_REVIEW: "review", PERSON: "you", "": "?"}
    return known.get(origin, "agent")


def base_words(watched: bool, changes: Sequence[tuple[int, str]]) -> str:
    """What happened to the target since something was proposed (field report 29).

    Args:
        watched: Whether the log reaches back to when it was proposed.
        changes: Number and kind of each later change of the target, oldest first.
    """
    if not changes:
        return "" if watched else "base unknown: proposed before placet watched here"
    times = "once" if len(changes) == 1 else f"{len(changes)} times"
    named = ", ".join(f"#{seq} {kind}" for seq, kind in changes[-NAMED:])
    more = "…, " if len(changes) > NAMED else ""
    return f"changed {times} since this was proposed: {more}{named}"


def provenance_words(proposal: Proposal, found: Provenance | None) -> str:
    """Session and message that staged a proposal, or what is known and what is not."""
    if proposal.origin == BACKGROUND_REVIEW:
        return "staged by the background review; session and message unknown"
    if found is None or not found.session:
        why = found.problem.removeprefix("unknown: ") if found is not None else ""
        return f"session unknown: {why}" if why else "session unknown"
    parts = [f"session {found.title or found.session}"]
    if found.source:
        parts.append(f"on {found.source}")
    if found.at is not None:
        parts.append(moment(found.at))
    if found.message:
        message = " ".join(found.message.split())
        more = "…" if len(message) > MESSAGE else ""
        parts.append(f"after “{message[:MESSAGE]}{more}”")
    return " · ".join(parts)
