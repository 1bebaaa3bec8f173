"""What the background review repeats after a no leaves the queue, counted; and can come back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from placet.store.decide import body, parts, records
from placet.store.decide.desk import Desk, Looked
from placet.store.decide.recover import ready
from placet.store.decide.ruling import Ruling, Staged
from placet.store.decide.simply import carry_out, decide
from placet.store.errors import AlreadyDecided, Busy, NotFound, StalePlan
from placet.store.ledger import proposals as known_records
from placet.store.ledger.proposals import Known
from placet.store.model import (
    BACKGROUND_REVIEW,
    Done,
    Kind,
    Life,
    Proposal,
    Ref,
    Standing,
)
from placet.store.plan import prints


def take(desk: Desk, proposals: Sequence[Proposal]) -> list[Done]:
    """Take out of the queue what the refusal rule covers (design §7); leaves everything else.

    Args:
        desk: Of their home.
        proposals: Waiting proposals; those that are not refused are passed over.

    Returns:
        One result for each record taken by this process.
    """
    ready(desk)
    taken: list[Done] = []
    for proposal in proposals:
        if proposal.origin != BACKGROUND_REVIEW or not proposal.name:
            continue
        looked = desk.look(proposal)
        if looked.plan.standing is Standing.REFUSED:
            taken += _take(desk, looked)
    return taken


def _take(desk: Desk, looked: Looked) -> list[Done]:
    """Take one; somebody else may have been quicker, which is as good."""
    made = prints(looked.plan.proposal, looked.files)
    secret = any(parts.is_secret(one.text) for one in made.operations.values())
    try:
        with records.claimed(desk, looked.plan.proposal) as held:
            if held.staged is not None and secret:
                held.staged = replace(held.staged, kept=False)
            return [decide(desk, _ruling(desk, looked, held), held)]
    except (AlreadyDecided, Busy, NotFound, StalePlan):
        return []


def _ruling(desk: Desk, looked: Looked, held: records.Held) -> Ruling:
    proposal, past = looked.plan.proposal, looked.context.past
    met = [hit.fingerprint for _, hit in sorted(past.refused.items())]
    because = [hit.event for _, hit in sorted(past.refused.items())]
    if past.batch is not None:
        met.append(past.batch.fingerprint)
        because.append(past.batch.event)
    return Ruling(
        kind=Kind.TAKEN,
        target=str(proposal.target) if proposal.target else "",
        details={
            **body.who(desk),
            **body.of_proposal(proposal),
            "because": sorted(set(because)),
            "words": f"took {proposal.ref}, refused before",
        },
        actor=body.actor(desk),
        subsystem=proposal.subsystem,
        id=proposal.id,
        sha256=proposal.sha256,
        staged=held.staged,
        hits=tuple(dict.fromkeys(met)),
    )


def put_back(desk: Desk, which: Ref | str) -> Done:
    """Put a taken record back into the queue, byte for byte; it is never taken again.

    Args:
        desk: Of its home.
        which: Its reference, or the SHA-256 of its bytes.

    Raises:
        NotFound: No taken record is meant.
    """
    ready(desk)
    known = _taken(desk, which)
    staged = Staged(known.subsystem, known.id, known.name, known.sha256, known.origin)
    ruling = Ruling(
        kind=Kind.PUT_BACK,
        target="",
        details={**body.who(desk), "words": f"put back {known.subsystem.value}/{known.id}"},
        actor=body.actor(desk),
        subsystem=known.subsystem,
        id=known.id,
        sha256=known.sha256,
        concerns=known.event,
        restores=(staged,),
    )
    return carry_out(desk, ruling)


def _taken(desk: Desk, which: Ref | str) -> Known:
    for known in known_records.living(desk.ledger, Life.TAKEN, limit=1_000_000):
        if isinstance(which, str):
            if known.sha256 == which:
                return known
        elif (known.subsystem, known.id) == (which.subsystem, which.id):
            return known
    raise NotFound(f"{which} is not among the records taken out of the queue.")
