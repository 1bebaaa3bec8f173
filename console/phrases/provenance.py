"""Where a proposal comes from: who staged it, in which session, on what base."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from placet.console.phrases.times import moment
from placet.store.formats import section
from placet.store.model import BACKGROUND_REVIEW, PERSON, Proposal

if TYPE_CHECKING:
    from placet.store.homes.provenance import Provenance

MESSAGE = 160
"""Characters of the leading message that are shown."""

NAMED = 3
"""Changes since a proposal that are named one by one."""

MOVED = 4
"""Entries that are named of one such change."""

BEGINS = 50
"""Characters of an entry that it is named by."""


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


def base_words(watched: bool, changes: Sequence[tuple[int, str, str]]) -> str:
    """What happened to the target since something was proposed (field report 29).

    Args:
        watched: Whether the log reaches back to when it was proposed.
        changes: Number and kind of each later change of the target, and what it moved in words or
            empty, oldest first.
    """
    if not changes:
        return "" if watched else "base unknown: proposed before placet watched here"
    times = "once" if len(changes) == 1 else f"{len(changes)} times"
    named = ", ".join(
        f"#{seq} {kind}{f' ({what})' if what else ''}" for seq, kind, what in changes[-NAMED:]
    )
    more = "…, " if len(changes) > NAMED else ""
    return f"changed {times} since this was proposed: {more}{named}"


def entries_moved(sides: Iterable[tuple[str, str]]) -> str:
    """What went and what came, by how each entry begins: `− Deploys at noon, + Deploys at one`.

    Args:
        sides: Text of a memory file, or of an entry, before and after; empty where there was none.
    """
    gone: list[str] = []
    come: list[str] = []
    for before, after in sides:
        old, new = section.parse(before), section.parse(after)
        gone += [f"− {_begins(entry)}" for entry in old if entry not in new]
        come += [f"+ {_begins(entry)}" for entry in new if entry not in old]
    moved = gone + come
    more = f", {len(moved) - MOVED} more" if len(moved) > MOVED else ""
    return ", ".join(moved[:MOVED]) + more


def _begins(entry: str) -> str:
    first = entry.split("\n", 1)[0]
    return first if first == entry and len(first) <= BEGINS else f"{first[:BEGINS].rstrip()}…"


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
