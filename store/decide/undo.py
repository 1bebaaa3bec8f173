"""Taking a decision back: its inverse is planned, shown, and decided like anything else."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from placet.store.decide import body, moving, records
from placet.store.decide.approve import write_proposal
from placet.store.decide.desk import Desk
from placet.store.decide.records import Held
from placet.store.decide.recover import ready
from placet.store.decide.ruling import Ruling, Staged, target_of
from placet.store.decide.settle import require_standing
from placet.store.decide.simply import carry_out, decide
from placet.store.errors import AlreadyDecided, NotFound
from placet.store.ledger import audit, blobs, decisions, kept, proposals, refusals
from placet.store.ledger.decisions import Decision
from placet.store.model import (
    Action,
    Change,
    Done,
    Kind,
    Life,
    Outcome,
    Plan,
    Proposal,
    Ref,
    Sight,
    Snapshot,
    Subsystem,
    Target,
    sha256,
)
from placet.store.plan import inverse as inverting
from placet.store.plan import snapshot


@dataclass(frozen=True, slots=True)
class Inverse:
    """What undoing a decision would do.

    Attributes:
        seq: Number of the decision.
        words: What is taken back, in words.
        proposal: The change that restores the files, or None where no file is concerned.
        plan: Its plan against today's files, or None.
        records: Records that go back to the queue.
        withdraws: Records that leave the queue again, where an undo is undone.
        lifts: Fingerprints that are no longer refused afterwards.
        twins: Records that were taken because of this decision; each can be put back.
        lost: What cannot be brought back, in words.
    """

    seq: int
    words: str
    proposal: Proposal | None = None
    plan: Plan | None = None
    records: tuple[Ref, ...] = ()
    withdraws: tuple[Ref, ...] = ()
    lifts: tuple[str, ...] = ()
    twins: tuple[Ref, ...] = ()
    lost: tuple[str, ...] = ()


def inverse(desk: Desk, seq: int) -> Inverse:
    """Plan the undo of a decision against today's files; nothing is decided.

    Args:
        desk: Whose.
        seq: Number of the decision.

    Raises:
        NotFound: There is no such decision, or the text it needs was erased.
        AlreadyDecided: It was undone before.
        Conflict: Its text has changed since; carries the three texts.
    """
    decision = _standing(desk, seq)
    found = _event_body(desk, seq)
    proposal = _files_back(desk, decision, found)
    restores, withdraws = _records(desk, decision, found)
    refused = refusals.of_decision(desk.ledger, seq)
    return Inverse(
        seq=seq,
        words=f"undo {decision.kind.value} #{seq}: {found.get('words', decision.target)}",
        proposal=proposal,
        plan=None if proposal is None else desk.plan(proposal),
        records=tuple(_ref(desk, staged) for staged in restores),
        withdraws=tuple(_ref(desk, staged) for staged in withdraws),
        lifts=tuple(dict.fromkeys(r.fp for r in refused if r.lifted is None)),
        twins=_twins(desk, seq),
        lost=tuple(_lost(desk, staged) for staged in restores if not _is_kept(desk, staged)),
    )


def undo(desk: Desk, inverse: Inverse, seen: str, sight: Sight, *, reason: str = "") -> Done:
    """Carry out an undo that was shown.

    Args:
        desk: Whose.
        inverse: As it was shown.
        seen: Digest of its plan; not looked at where it has none.
        sight: How it was seen.
        reason: The person's words.

    Raises:
        StalePlan: Something moved; nothing was written.
        AlreadyDecided: It was undone meanwhile, or its record was decided anew.
        Blocked, NotFound, Busy, NotWritten, Unsafe: As for `approve`.
    """
    ready(desk)
    decision = _standing(desk, inverse.seq)
    found = _event_body(desk, inverse.seq)
    restores, withdraws = _records(desk, decision, found)

    def extend(ruling: Ruling) -> Ruling:
        return replace(
            ruling,
            kind=Kind.UNDONE,
            ends=inverse.seq,
            concerns=None,
            restores=tuple(staged for staged in restores if _is_kept(desk, staged)),
            withdraws=withdraws,
            bookkeeping=ruling.bookkeeping or moving.record_back(found, decision.target),
            twins=tuple(f"{ref.subsystem.value}/{ref.id}" for ref in inverse.twins),
        )

    if inverse.proposal is not None:
        done = write_proposal(
            desk, inverse.proposal, None, seen, sight, reason=reason, extend=extend
        )
    else:
        done = _without_files(desk, extend(_ruling(desk, decision, sight, reason)))
    return replace(done, notes=(*done.notes, *_notes(inverse)))


def _without_files(desk: Desk, ruling: Ruling) -> Done:
    if ruling.restores or ruling.withdraws or ruling.bookkeeping:
        return carry_out(desk, ruling)
    return decide(desk, ruling, Held(None))


def _ruling(desk: Desk, decision: Decision, sight: Sight, reason: str) -> Ruling:
    return Ruling(
        kind=Kind.UNDONE,
        target=decision.target,
        details={
            **body.who(desk),
            **body.seen(sight),
            "words": f"undid {decision.kind.value} #{decision.event}",
        },
        actor=body.actor(desk),
        reason=reason,
        subsystem=decision.subsystem or Subsystem.MEMORY,
        id=decision.id or f"decision-{decision.event}",
        sha256=decision.sha256 or sha256(b""),
    )


def _notes(inverse: Inverse) -> list[str]:
    named = [f"{ref} was taken because of it; it can be put back" for ref in inverse.twins]
    return [*named, *inverse.lost]


def _standing(desk: Desk, seq: int) -> Decision:
    decision = decisions.get(desk.ledger, seq)
    if decision is None:
        there = f"#{seq} is no decision" if audit.get(desk.ledger, seq) else f"There is no #{seq}"
        raise NotFound(f"{there}, so it cannot be undone.")
    if decision.ended_by is not None:
        raise AlreadyDecided(f"#{seq} was undone before (#{decision.ended_by}).")
    require_standing(desk.ledger, seq)
    return decision


def _event_body(desk: Desk, seq: int) -> dict[str, Any]:
    event = audit.get(desk.ledger, seq)
    return {} if event is None else audit.body(event)


def _files_back(desk: Desk, decision: Decision, found: Mapping[str, Any]) -> Proposal | None:
    """The change that restores the decision's files, or None where nothing is to be restored."""
    changes = tuple(_change(desk, row, decision.event) for row in found.get("files", []))
    target = target_of(decision.target)
    if not changes or target is None:
        return None
    now = snapshot.of_files(desk.home, target, changes, desk.config())
    if all(_data(now, change) == change.before for change in changes):
        return None
    outcomes = tuple(_outcome(desk, row, target) for row in _operations(desk, decision.event))
    return inverting.build(
        desk.home, target, outcomes, changes, now, decision.event, archived=moving.archived(found)
    )


def _change(desk: Desk, row: Mapping[str, Any], seq: int) -> Change:
    name = str(row["path"])
    sides = [_bytes(desk, row[side], seq) for side in ("before", "after")]
    return Change(desk.home.path / name, name, sides[0], sides[1], row.get("mode"))


def _bytes(desk: Desk, digest: str | None, seq: int) -> bytes | None:
    if digest is None:
        return None
    data = blobs.get(desk.home, digest)
    if data is None:
        raise NotFound(
            f"#{seq} cannot be undone: its text {kept.why_gone(desk.ledger, digest)}."
            " Nothing was changed."
        )
    return data


def _data(now: Snapshot, change: Change) -> bytes | None:
    return next((s.data for s in now.files.values() if s.path == change.path), None)


def _operations(desk: Desk, seq: int) -> tuple[decisions.Operation, ...]:
    return decisions.operations(desk.ledger, seq)


def _outcome(desk: Desk, row: decisions.Operation, target: Target) -> Outcome:
    return Outcome(
        number=row.n,
        action=Action(row.action),
        target=target_of(row.target) or target,
        before=_text(desk, row.before),
        after=_text(desk, row.after),
        dropped=row.dropped,
    )


def _text(desk: Desk, digest: str | None) -> str | None:
    data = blobs.get(desk.home, digest) if digest else None
    return None if data is None else data.decode("utf-8", "surrogatepass")


def _records(
    desk: Desk, decision: Decision, found: Mapping[str, Any]
) -> tuple[tuple[Staged, ...], tuple[Staged, ...]]:
    """Records that come back, and records that leave again, when a decision is undone."""
    if decision.kind is Kind.UNDONE:
        left = [_known(desk, row) for row in found.get("withdraws", [])]
        came = [_known(desk, row) for row in found.get("restores", [])]
        return tuple(s for s in left if s), tuple(s for s in came if s)
    if decision.subsystem is None or not decision.name or decision.sha256 is None:
        return (), ()
    staged = Staged(
        decision.subsystem,
        decision.id,
        decision.name,
        decision.sha256,
        str(found.get("origin", "")),
        aside=str(found.get("aside", "")),
    )
    return (staged,), ()


def _known(desk: Desk, row: Mapping[str, Any]) -> Staged | None:
    folder, _, name = str(row["ref"]).partition("/")
    known = proposals.get(desk.ledger, Subsystem(folder), name, str(row["sha256"]))
    if known is None:
        return None
    aside = str(row.get("aside", ""))
    return Staged(known.subsystem, known.id, known.name, known.sha256, known.origin, aside=aside)


def _is_kept(desk: Desk, staged: Staged) -> bool:
    if staged.aside:
        return os.path.lexists(records.kept_aside(desk.home, staged.aside))
    return blobs.get(desk.home, staged.sha256) is not None


def _lost(desk: Desk, staged: Staged) -> str:
    if staged.aside:
        place = records.kept_aside(desk.home, staged.aside)
        return f"{_ref(desk, staged)} was not put back: it is not at {place} any more"
    why = kept.why_gone(desk.ledger, staged.sha256)
    return f"{_ref(desk, staged)} is not restored: its text {why}"


def _ref(desk: Desk, staged: Staged) -> Ref:
    return Ref(desk.home.label, staged.subsystem, staged.id)


def _twins(desk: Desk, seq: int) -> tuple[Ref, ...]:
    """Records taken because of what this decision refused."""
    found: list[Ref] = []
    for known in proposals.living(desk.ledger, Life.TAKEN):
        event = None if known.event is None else audit.get(desk.ledger, known.event)
        if event is not None and seq in audit.body(event).get("because", []):
            found.append(Ref(desk.home.label, known.subsystem, known.id))
    return tuple(found)
