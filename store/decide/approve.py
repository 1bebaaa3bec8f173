"""Saying yes: claim, lock, plan again, intent, swap, commit, unlink (design §6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from placet.store.decide import body, carry, keeping, moving, parts, records
from placet.store.decide.desk import Desk, Looked, Waiting
from placet.store.decide.recover import locked, ready
from placet.store.decide.ruling import Ruling
from placet.store.decide.ungated import require_open
from placet.store.errors import Blocked, PlacetError, StalePlan
from placet.store.ledger import refusals
from placet.store.ledger.intents import Intent
from placet.store.model import (
    Action,
    Choice,
    Done,
    Kind,
    Plan,
    Proposal,
    Sight,
)
from placet.store.plan import Prints, plan_all, prints, snapshot

Extend = Callable[[Ruling], Ruling]
"""Adds to the ruling what an undo decides besides its files."""


def approve(
    desk: Desk,
    proposal: Proposal,
    choice: Choice | None,
    seen: str,
    sight: Sight,
    *,
    reason: str = "",
    waiting: Waiting | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Done:
    """Write exactly what was shown, once, and remember it.

    Args:
        desk: Of the proposal's home.
        proposal: As it was shown.
        choice: What the person dropped or edited; None is the default choice.
        seen: Digest of the plan that was shown; the only thing that counts as consent.
        sight: How it was seen.
        reason: The person's words, or empty.
        waiting: Told which lock is waited for, and how long so far, in seconds.
        cancelled: Asked while waiting; True gives up.

    Returns:
        The decision that stands.

    Raises:
        StalePlan: Something moved; nothing was written. Carries the plan against today's state.
        Blocked: The plan cannot be approved; the proposal stays.
        AlreadyDecided: Somebody was first; the text says who and when.
        NotFound: The record is gone without a decision of ours.
        Busy, Cancelled: The lock was not free; nothing was decided.
        NotWritten: Approved, and the disk failed: `retry` or `cancel`.
        Unsafe: A target cannot be replaced safely; it was left alone.
    """
    ready(desk)
    if proposal.kind is Kind.UNDONE:
        raise ValueError("an undo is carried out by `undo`, which also ends the decision")
    return write_proposal(
        desk,
        proposal,
        choice,
        seen,
        sight,
        reason=reason,
        waiting=waiting,
        cancelled=cancelled,
    )


def write_proposal(
    desk: Desk,
    proposal: Proposal,
    choice: Choice | None,
    seen: str,
    sight: Sight,
    *,
    reason: str = "",
    waiting: Waiting | None = None,
    cancelled: Callable[[], bool] | None = None,
    extend: Extend | None = None,
    unmade: frozenset[Path] = frozenset(),
) -> Done:
    """The protocol itself (see `approve`).

    `extend` adds what an undo decides besides; `unmade` are folders that did not exist when the
    list was shown and that its earlier plans make: they are planned as if they were missing.
    """
    unmade |= desk.missing_folder(proposal.target)
    with (
        records.claimed(desk, proposal, cancelled) as held,
        locked(desk, proposal.target, waiting=waiting, cancelled=cancelled),
    ):
        if proposal.kind is Kind.REVERTED and proposal.concerns is not None:
            require_open(desk, proposal.concerns)
        looked = desk.look(proposal, choice, unmade)
        require_seen(looked.plan, seen)
        ruling = _ruling(desk, looked, held, sight, reason)
        if extend is not None:
            ruling = extend(ruling)
        intent = open_intent(desk, looked, ruling)
        held.kept = True
        done = carry.complete(desk, intent, ruling)
        return replace(done, notes=(*done.notes, *body.told(looked.plan)))


def require_unchanged(plan: Plan, seen: str) -> None:
    """Refuse a plan that is another one than was shown.

    Raises:
        StalePlan: It carries today's plan.
    """
    if seen not in (plan.digest, plan.state):
        raise StalePlan(
            "Something changed since this was shown; nothing was written. Look at it again.", plan
        )


def require_seen(plan: Plan, seen: str) -> None:
    """Refuse everything but the plan that was shown.

    Raises:
        Blocked: It cannot be approved, whatever was shown.
        StalePlan: It is another plan now.
    """
    require_unchanged(plan, seen)
    if plan.digest is None:
        reason = plan.blockers[0].message if plan.blockers else "There is nothing to write."
        raise Blocked(f"Nothing was written, the proposal stays. {reason}", plan)


def _ruling(desk: Desk, looked: Looked, held: records.Held, sight: Sight, reason: str) -> Ruling:
    plan = looked.plan
    proposal = plan.proposal
    own = prints(proposal, looked.files)
    final = prints(proposal, looked.files, plan.choice)
    refused, hits = parts.dropped(plan, own, looked.context.past)
    move, books = moving.of(desk.home, looked), moving.books(desk, plan)
    staged = held.staged
    if staged is not None and parts.holds_secret(refused):
        staged = replace(staged, kept=False)
    return Ruling(
        kind=_kind(plan),
        target=str(proposal.target) if proposal.target else "",
        details={
            **body.who(desk),
            **body.seen(sight),
            **body.of_plan(plan, looked.context.config.provider),
            "words": words(plan),
            **moving.left_behind(desk.home, looked, move, books),
        },
        actor=body.actor(desk),
        reason=reason,
        subsystem=proposal.subsystem,
        id=proposal.id,
        sha256=proposal.sha256,
        staged=staged,
        operations=parts.operations_of(plan, own, final),
        refused=refused,
        lifts=_lifts(desk, proposal, final),
        hits=hits,
        concerns=proposal.concerns,
        bookkeeping=books,
        move=move,
    )


def _kind(plan: Plan) -> Kind:
    edited = plan.choice.edited and plan.proposal.kind is Kind.APPROVED
    return Kind.EDITED if edited else plan.proposal.kind


def _lifts(desk: Desk, proposal: Proposal, final: Prints) -> tuple[str, ...]:
    """Standing refusals of what is being approved: the person's yes ends their earlier no."""
    past = refusals.past(desk.ledger, proposal, final, similar=False)
    lifted = [hit.fingerprint for _, hit in sorted(past.refused.items())]
    if past.batch is not None:
        lifted.append(past.batch.fingerprint)
    return tuple(dict.fromkeys(lifted))


def open_intent(desk: Desk, looked: Looked, ruling: Ruling) -> Intent:
    """Make the decision durable before anything is written: from here on it is carried out."""
    plan = looked.plan
    changes = tuple(change for change in plan.changes if change.before != change.after)
    texts = parts.texts_of(plan, prints(plan.proposal, looked.files))
    return keeping.open_ruling(desk, ruling, changes, texts)


def words(plan: Plan) -> str:
    """What was done, in one line for the footer."""
    acting = [o for o in plan.operations if o.applied and not o.dropped]
    verbs = {
        Action.ADD: "added",
        Action.REPLACE: "replaced",
        Action.REMOVE: "removed",
    }
    whole = plan.removes is not None or moving.comes_as_a_whole(plan)
    one = len(plan.changes) == 1 and not whole
    where = plan.changes[0].name.rpartition("/")[2] if one else _skill(plan)
    counts = [
        f"{verb} {number}"
        for action, verb in verbs.items()
        if (number := sum(1 for o in acting if o.action is action))
    ]
    if counts:
        did = f"{', '.join(counts)} {'to' if counts == ['added 1'] else 'in'} {where}"
        out = sum(o.dropped for o in plan.operations)
        return f"{did}; {out} left out and refused" if out else did
    action = plan.proposal.operations[0].action
    if action is Action.RESTORE:
        return _restored(plan, where)
    done = {
        Action.CREATE: "created",
        Action.DELETE: "archived",
        Action.REMOVE_FILE: "removed a file of",
        Action.NORMALISE: "normalised",
    }.get(action, "changed")
    return f"{done} {where}"


def _restored(plan: Plan, where: str) -> str:
    """What putting files back did: it removes those that were not there."""
    gone = sum(1 for change in plan.changes if change.after is None)
    files = "1 file" if gone == 1 else f"{gone} files"
    if gone < len(plan.changes) or not gone:
        return f"restored {where}{f', {files} removed' if gone else ''}"
    return f"removed {where}" if gone == 1 else f"removed {files} of {where}"


def _skill(plan: Plan) -> str:
    target = plan.proposal.target
    return target.skill or str(target) if target else "nothing"


def approve_all(
    desk: Desk,
    wanted: Sequence[tuple[Proposal, Choice | None]],
    seen: str,
    sight: Sight,
    *,
    reason: str = "",
) -> list[Done]:
    """Approve several in order, each against the former's result; stops at the first difference.

    Args:
        desk: Of the home of all of them.
        wanted: Proposals and choices, in order.
        seen: The one digest over the list of plans that was shown.
        sight: How the list was seen.
        reason: The person's words, or empty.

    Raises:
        StalePlan: Something moved. The text says what was done and what was not.
    """
    ready(desk)
    config = desk.config()
    found = [snapshot.take(proposal, config) for proposal, _ in wanted]
    asked = [
        (proposal, desk.context(proposal, files), choice)
        for (proposal, choice), files in zip(wanted, found, strict=True)
    ]
    planned = plan_all(asked, found)
    if planned.digest is None or planned.digest != seen:
        raise StalePlan(
            "Something changed since this list was shown; nothing was written. Look at it again."
        )
    done: list[Done] = []
    unmade = frozenset(
        state.path.parent for one in found for state in one.files.values() if state.parent is None
    )
    for plan in planned.plans:
        try:
            done.append(_one_of(desk, plan, sight, reason, unmade))
        except PlacetError as error:
            raise _stopped(error, done, len(wanted)) from error
    return done


def _one_of(desk: Desk, plan: Plan, sight: Sight, reason: str, unmade: frozenset[Path]) -> Done:
    assert plan.digest is not None
    return write_proposal(
        desk, plan.proposal, plan.choice, plan.digest, sight, reason=reason, unmade=unmade
    )


def _stopped(error: PlacetError, done: Sequence[Done], wanted: int) -> StalePlan:
    numbers = ", ".join(f"#{one.event}" for one in done)
    made = f"{len(done)} of {wanted} were approved ({numbers})" if done else "None was approved"
    plan = error.plan if isinstance(error, StalePlan | Blocked) else None
    return StalePlan(f"{made}; the next one was not, nor what follows: {error}", plan)
