"""Saying no, so that it is kept: the value is refused, the record's bytes stay restorable."""

from __future__ import annotations

from dataclasses import replace

from placet.store.decide import body, parts, records
from placet.store.decide.desk import Desk, Looked
from placet.store.decide.recover import ready
from placet.store.decide.ruling import Refused, Ruling
from placet.store.decide.simply import decide
from placet.store.errors import Blocked
from placet.store.model import Choice, Done, Kind, Proposal, Sight, Standing
from placet.store.plan import Prints, prints


def reject(
    desk: Desk,
    proposal: Proposal,
    *,
    reason: str = "",
    each: bool = False,
    until: float | None = None,
    sight: Sight | None = None,
) -> Done:
    """Refuse what a proposal asks for; no memory file is touched.

    Args:
        desk: Of the proposal's home.
        proposal: As it was shown; bound to the SHA-256 of its bytes.
        reason: The person's words.
        each: For a batch: refuse every operation by itself, not only the whole.
        until: When the refusal expires, seconds since the epoch; never, if None.
        sight: How it was seen.

    Raises:
        Blocked: There is no value to refuse: discard it instead.
        AlreadyDecided, StalePlan, NotFound, Busy: Nothing was decided, and why.
    """
    ready(desk)
    looked = desk.look(proposal, Choice())
    made = prints(proposal, looked.files)
    _require_value(looked, made)
    refused = values(made, each)
    with records.claimed(desk, proposal) as held:
        if held.staged is not None and parts.holds_secret(refused):
            held.staged = replace(held.staged, kept=False)
        ruling = _ruling(desk, looked, made, refused, held, sight or Sight())
        ruling = replace(ruling, reason=reason, until=until)
        texts = parts.texts_of(looked.plan, made, refusing=True)
        return decide(desk, ruling, held, texts)


def _require_value(looked: Looked, made: Prints) -> None:
    proposal = looked.plan.proposal
    standing = looked.plan.standing
    if not proposal.name:
        raise Blocked("A change of your own is not rejected; leave it.", looked.plan)
    if standing in (Standing.FOREIGN, Standing.MALFORMED, Standing.SETTLING) or not made.operations:
        raise Blocked(
            f"{proposal.ref} holds no value that could be refused ({standing.value});"
            " discard it instead. Nothing was decided.",
            looked.plan,
        )


def values(made: Prints, each: bool) -> tuple[Refused, ...]:
    """What rejecting refuses: the whole of a batch, or every operation of it."""
    operations = tuple(made.operations[n] for n in sorted(made.operations))
    if each or made.batch is None:
        return tuple(parts.refused(one) for one in operations)
    noted = tuple(parts.refused(one, scope="part") for one in operations)
    secret = parts.holds_secret(noted)
    whole = Refused(made.batch, "batch", operations[0].target, "batch", secret=secret)
    return (whole, *noted)


def _ruling(
    desk: Desk,
    looked: Looked,
    made: Prints,
    refused: tuple[Refused, ...],
    held: records.Held,
    sight: Sight,
) -> Ruling:
    proposal = looked.plan.proposal
    return Ruling(
        kind=Kind.REJECTED,
        target=str(proposal.target) if proposal.target else "",
        details={
            **body.who(desk),
            **body.seen(sight),
            **body.of_plan(looked.plan, ""),
            "words": f"refused {proposal.ref}",
        },
        actor=body.actor(desk),
        subsystem=proposal.subsystem,
        id=proposal.id,
        sha256=proposal.sha256,
        staged=held.staged,
        operations=parts.operations_of(looked.plan, made, made, refusing=True),
        refused=refused,
    )
