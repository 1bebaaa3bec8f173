"""Puts effects and gates together: proposal, snapshot and context become a plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from placet.store.model import (
    HELD_CODES,
    Change,
    Choice,
    Code,
    Context,
    Level,
    Plan,
    Proposal,
    Snapshot,
    Standing,
    TargetKind,
    Verdict,
    standing_of,
)
from placet.store.plan import (
    digest,
    effects_memory,
    effects_skill,
    effects_verbatim,
    overlay,
    refusing,
)
from placet.store.plan.draft import Draft, blank, blocker, plural
from placet.store.plan.gates import file, outcome, record, skill, text

Gate = Callable[[Draft], Iterable[Verdict]]

_CHEAP: tuple[tuple[Gate, ...], ...] = (record.CHEAP, file.CHEAP)
_GATES: tuple[Gate, ...] = (
    *record.GATES,
    *file.GATES,
    *skill.GATES,
    *text.GATES,
    *outcome.GATES,
)

_EFFECTS: Mapping[TargetKind, Callable[[Draft], Draft]] = {
    TargetKind.MEMORY: effects_memory.apply,
    TargetKind.USER: effects_memory.apply,
    TargetKind.SOUL: effects_verbatim.apply,
    TargetKind.SKILL: effects_skill.apply,
}


@dataclass(frozen=True, slots=True)
class PlanList:
    """Several plans, each against the result of the one before.

    Attributes:
        plans: In the order given.
        digest: 64 hexadecimal characters over all of them; None where one cannot be approved.
    """

    plans: tuple[Plan, ...]
    digest: str | None


def plan(
    proposal: Proposal, snapshot: Snapshot, context: Context, choice: Choice | None = None
) -> Plan:
    """Work out exactly what approving would do; pure, never raises for what a record holds.

    Args:
        proposal: What is asked for.
        snapshot: The files as read once.
        context: Limits, switches and what the ledger knows.
        choice: What the person differs in; None takes the default choice, which leaves out
            exactly what was refused before.

    Returns:
        The plan; its `digest` is None where it cannot be approved.
    """
    if choice is None:
        choice = refusing.default_choice(proposal, context.past)
    draft, found = _judged(blank(proposal, choice, snapshot, context))
    verdicts = _worded(draft, (*proposal.verdicts, *found))
    state = digest.of_draft(draft, verdicts)
    blocked = any(v.level is Level.BLOCKER for v in verdicts)
    approvable = draft.moves and not blocked and not proposal.settling
    return Plan(
        proposal=proposal,
        choice=choice,
        changes=draft.changes,
        operations=draft.outcomes,
        side_effects=draft.side_effects,
        usage=draft.usage,
        verdicts=verdicts,
        standing=_standing(draft, verdicts),
        digest=state if approvable else None,
        state=state,
        removes=draft.removes,
        returns=draft.returns,
        bookkeeping=draft.bookkeeping,
        place=snapshot.place,
        facts=snapshot.facts,
    )


def plan_all(
    wanted: Sequence[tuple[Proposal, Context, Choice | None]], snapshots: Sequence[Snapshot]
) -> PlanList:
    """Plan several proposals in order, each against the former's result.

    Args:
        wanted: Proposal, context and choice of each.
        snapshots: The files of each as they are on disk now, in the same order.

    Returns:
        The plans and one digest over them. A change of a skill that an earlier item makes cannot
        be planned here, because its folder does not exist yet: it is a missing target.
    """
    plans: list[Plan] = []
    written: dict[Path, Change] = {}
    for (proposal, context, choice), snapshot in zip(wanted, snapshots, strict=True):
        made = plan(proposal, overlay.overlaid(snapshot, written, plans), context, choice)
        plans.append(made)
        if made.digest is not None:
            written.update((change.path, change) for change in made.changes)
    return PlanList(tuple(plans), digest.of_list(plans))


def _judged(draft: Draft) -> tuple[Draft, tuple[Verdict, ...]]:
    """Run cheap gates, effects, and the other gates; a blocker early on ends the pass."""
    if any(v.level is Level.BLOCKER and v.code not in HELD_CODES for v in draft.proposal.verdicts):
        return draft, ()
    if draft.proposal.settling:
        return draft, ()
    found: list[Verdict] = []
    for gates in _CHEAP:
        found.extend(_run(gates, draft))
        ends = any(v.level is Level.BLOCKER for v in found)
        if ends or draft.target is None or not draft.proposal.operations:
            return draft, tuple(found)
    assert draft.target is not None  # the gate on the shape refuses a draft without one
    draft, failure = _effects(draft, draft.target.kind)
    found.extend((*draft.verdicts, *failure))
    if not failure:
        found.extend(_run(_GATES, draft))
    return draft, tuple(found)


def _effects(draft: Draft, kind: TargetKind) -> tuple[Draft, tuple[Verdict, ...]]:
    try:
        done = _with_old_modes(_EFFECTS[kind](draft))
        return replace(done, side_effects=(*done.side_effects, *file.drift_effects(done))), ()
    except Exception as problem:
        return draft, (_failure("effects", problem),)


def _with_old_modes(draft: Draft) -> Draft:
    """Note of every file that goes the permission bits it had, so that an undo can give them."""
    had = {state.path: state.mode for state in draft.snapshot.files.values()}
    changes = (
        replace(c, mode=had.get(c.path)) if c.after is None and c.mode is None else c
        for c in draft.changes
    )
    return replace(draft, changes=tuple(changes))


def _run(gates: Iterable[Gate], draft: Draft) -> list[Verdict]:
    """Run gates; one that fails is a blocker, so that none fails open."""
    found: list[Verdict] = []
    for gate in gates:
        try:
            found.extend(gate(draft))
        except Exception as problem:
            found.append(_failure(getattr(gate, "__name__", "gate"), problem))
    return found


def _failure(name: str, problem: Exception) -> Verdict:
    return blocker(
        Code.GATE_FAILED,
        f"The check “{name}” itself failed ({type(problem).__name__}), so nothing can be approved "
        "here. This is a fault of placet; please report it.",
        rule=name,
    )


def _worded(draft: Draft, verdicts: tuple[Verdict, ...]) -> tuple[Verdict, ...]:
    """Put the outcome of a whole batch before the reason (field report 62)."""
    acting = len(draft.acting)
    if acting < 2:
        return verdicts
    first = f"Nothing is written, {plural(acting, 'operation')} stand or fall together. "
    return tuple(
        replace(v, message=first + _named(v))
        if v.level is Level.BLOCKER and v.operation is not None
        else v
        for v in verdicts
    )


def _named(verdict: Verdict) -> str:
    name = f"Operation {verdict.operation}"
    return verdict.message if verdict.message.startswith(name) else f"{name}: {verdict.message}"


def _standing(draft: Draft, verdicts: tuple[Verdict, ...]) -> Standing:
    if draft.proposal.settling:
        return Standing.SETTLING
    refused = refusing.covers(draft.proposal, draft.context.past, draft.choice)
    return standing_of(verdicts, refused)
