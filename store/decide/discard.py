"""Taking a record out of the queue with a reason: kept, undoable, and nothing is refused."""

from __future__ import annotations

from collections.abc import Sequence

from placet.store.decide import body, records
from placet.store.decide.desk import Desk
from placet.store.decide.recover import ready
from placet.store.decide.ruling import Ruling
from placet.store.decide.simply import decide
from placet.store.errors import Blocked, PlacetError, StalePlan
from placet.store.model import Done, Kind, Plan, Proposal, Sight, Standing


def discard(
    desk: Desk, proposals: Sequence[Proposal], *, reason: str = "", sight: Sight | None = None
) -> list[Done]:
    """Move records out of the queue, one decision each; one that cannot go stops no other.

    Args:
        desk: Of their home.
        proposals: As they were shown; each bound to the SHA-256 of its bytes.
        reason: The person's words; the findings about each record stand in its event anyway.
        sight: How they were seen.

    Returns:
        The decisions, in order.

    Raises:
        Blocked: The only one is still being written, or is no record at all.
        AlreadyDecided, NotFound, Busy: The only one cannot be discarded, and why.
        StalePlan: The only one was rewritten; or, of several, some were not discarded: the text
            names each and says why, and how many were.
    """
    ready(desk)
    done: list[Done] = []
    failed: list[tuple[Proposal, PlacetError]] = []
    for proposal in proposals:
        try:
            done.append(_one(desk, proposal, reason, sight or Sight()))
        except PlacetError as error:
            failed.append((proposal, error))
    if failed:
        raise _not_all(done, failed)
    return done


def _not_all(done: Sequence[Done], failed: Sequence[tuple[Proposal, PlacetError]]) -> PlacetError:
    """The one error, or one that tells of all."""
    if not done and len(failed) == 1:
        return failed[0][1]
    numbers = ", ".join(f"#{one.event}" for one in done)
    made = f"{len(done)} of {len(done) + len(failed)} were discarded"
    words = " ".join(f"{proposal.ref}: {error}" for proposal, error in failed)
    return StalePlan(f"{made}{f' ({numbers})' if numbers else ''}; not these: {words}")


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
