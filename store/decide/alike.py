"""One answer for proposals that ask for exactly the same: a person decides about them once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from placet.store.decide.approve import approve
from placet.store.decide.desk import Desk
from placet.store.decide.discard import discard
from placet.store.decide.reject import reject
from placet.store.errors import PlacetError
from placet.store.model import Choice, Done, Proposal, Sight

Act = Callable[[], Done]
"""One decision, made when it is called."""

Counting = Callable[[Sequence[Act]], Iterable[Act]]
"""Hands on the acts one by one; may tell how far it is, and may stop."""


def approve_alike(
    desk: Desk,
    proposal: Proposal,
    twins: Iterable[Proposal],
    choice: Choice | None,
    seen: str,
    sight: Sight,
    *,
    waiting: Callable[[Path, float], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    counting: Counting = iter,
) -> list[Done]:
    """Approve one proposal; its twins, which would then change nothing, are discarded.

    Args:
        twins: Other proposals that ask for exactly the same, as they were shown.
        counting: Goes through the decisions after the first.

    The others, and what is raised: as of `approve`. A twin that cannot be discarded is told in the
    notes.
    """
    first = approve(desk, proposal, choice, seen, sight, waiting=waiting, cancelled=cancelled)
    reason = f"same as #{first.event}, which was approved"
    acts = [_discarding(desk, twin, reason, sight) for twin in twins]
    return all_that_can(counting([lambda: first, *acts]))


def reject_alike(
    desk: Desk,
    proposals: Iterable[Proposal],
    *,
    reason: str = "",
    each: bool = False,
    until: float | None = None,
    sight: Sight | None = None,
    counting: Counting = iter,
) -> list[Done]:
    """Refuse one value, however often it was proposed; arguments and errors as of `reject`."""
    acts = [
        partial(reject, desk, one, reason=reason, each=each, until=until, sight=sight)
        for one in proposals
    ]
    return all_that_can(counting(acts))


def discard_each(
    desk: Desk,
    reasoned: Iterable[tuple[Proposal, str]],
    *,
    sight: Sight | None = None,
    counting: Counting = iter,
) -> list[Done]:
    """Take records out of the queue, each with its own reason; errors as of `discard`."""
    acts = [_discarding(desk, proposal, reason, sight) for proposal, reason in reasoned]
    return all_that_can(counting(acts))


def _discarding(desk: Desk, proposal: Proposal, reason: str, sight: Sight | None) -> Act:
    return lambda: discard(desk, [proposal], reason=reason, sight=sight)[0]


def all_that_can(acts: Iterable[Act]) -> list[Done]:
    """Decide one after the other; one that fails stops no other, and is told with the rest.

    Raises:
        PlacetError: Every one failed; the first reason.
    """
    done: list[Done] = []
    failed: list[PlacetError] = []
    for act in acts:
        try:
            done.append(act())
        except PlacetError as error:
            failed.append(error)
    if failed and not done:
        raise failed[0]
    if failed:
        notes = tuple(f"not done: {error}" for error in failed)
        done[-1] = replace(done[-1], notes=(*done[-1].notes, *notes))
    return done
