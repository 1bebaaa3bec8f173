"""Taking a record out of the queue with a reason: kept, undoable, and nothing is refused."""

from __future__ import annotations

from collections.abc import Sequence

from placet.store.decide import body, records
from placet.store.decide.desk import Desk
from placet.store.decide.recover import ready
from placet.store.decide.ruling import Ruling
from placet.store.decide.simply import decide
from placet.store.errors import Blocked
from placet.store.model import Done, Kind, Plan, Proposal, Sight, Standing


def discard(
    desk: Desk, proposals: Sequence[Proposal], *, reason: str = "", sight: Sight | None = None
) -> list[Done]:
    """Move records out of the queue, one decision each.

    Args:
        desk: Of their home.
        proposals: As they were shown; each bound to the SHA-256 of its bytes.
        reason: The person's words; the findings about each record stand in its event anyway.
        sight: How they were seen.

    Returns:
        The decisions, in order.

    Raises:
        Blocked: A record is still being written, or is no record at all; those before it are done.
        AlreadyDecided, StalePlan, NotFound, Busy: As above, and why.
    """
    ready(desk)
    return [_one(desk, proposal, reason, sight or Sight()) for proposal in proposals]


def _one(desk: Desk, proposal: Proposal, reason: str, sight: Sight) -> Done:
    plan = desk.plan(proposal)
    if not proposal.name:
        raise Blocked("A change of your own is not discarded; leave it.", plan)
    if plan.standing is Standing.SETTLING:
        raise Blocked(f"{proposal.ref} is still being written; look again in a second.", plan)
    with records.claimed(desk, proposal) as held:
        return decide(desk, _ruling(desk, plan, held, reason, sight), held)


def _ruling(desk: Desk, plan: Plan, held: records.Held, reason: str, sight: Sight) -> Ruling:
    proposal = plan.proposal
    return Ruling(
        kind=Kind.DISCARDED,
        target=str(proposal.target) if proposal.target else "",
        details={
            **body.who(desk),
            **body.seen(sight),
            **body.of_plan(plan, ""),
            "words": f"discarded {proposal.ref}",
        },
        actor=body.actor(desk),
        reason=reason,
        subsystem=proposal.subsystem,
        id=proposal.id,
        sha256=proposal.sha256,
        staged=held.staged,
    )
