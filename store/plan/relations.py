"""How proposals bear on each other; computed for the selected row only."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from placet.store.formats import section, skill
from placet.store.model import Action, Change, Outcome, Plan, Proposal, Ref, TargetKind
from placet.store.plan import effects_memory, effects_skill, skill_steps
from placet.store.plan.draft import decoded

SUMMED = 100
"""Proposals that are added up: more fit no file that an agent reads whole, and take seconds."""


def same_as(proposal: Proposal, others: Iterable[Proposal]) -> tuple[Ref, ...]:
    """Return the other proposals of the same home that ask for exactly the same.

    Args:
        proposal: The one that is looked at.
        others: Where to look; the proposal itself is passed over.
    """
    if proposal.target is None or not proposal.operations:
        return ()
    return tuple(
        other.ref
        for other in others
        if other.ref != proposal.ref
        and other.home.path == proposal.home.path
        and other.target == proposal.target
        and other.operations == proposal.operations
    )


def knock_on(plan: Plan, others: Sequence[Plan]) -> tuple[Ref, ...]:
    """Return which of `others` could be approved now and could not be after this plan.

    Args:
        plan: The plan that would be approved.
        others: Plans of other proposals against today's files.
    """
    target = plan.proposal.target
    if plan.digest is None or target is None or target.kind is TargetKind.SOUL:
        return ()
    rivals = [other for other in others if _rival(plan, other)]
    if target.kind is TargetKind.SKILL:
        killed = [other for other in rivals if _skill_killed(plan, other)]
    else:
        text = decoded(plan.changes[0].after) or ""
        entries = section.unique(section.parse(text))
        killed = [other for other in rivals if _memory_killed(text, entries, other)]
    return tuple(other.proposal.ref for other in killed)


@dataclass(frozen=True, slots=True)
class Together:
    """What a memory file would hold with everything that could be approved today.

    Attributes:
        proposals: How many could be, the same change counted once, those left out that another
            one of them makes stale.
        fit: How many of them fit one after the other.
        size: Characters after those that fit.
        limit: The cap in characters.
    """

    proposals: int
    fit: int
    size: int
    limit: int


def together(plan: Plan, others: Sequence[Plan]) -> Together | None:
    """Approve a plan and then every other one for its file, on paper (field report 43).

    Args:
        plan: The plan that is looked at.
        others: Plans of other proposals against today's files, in the order they would go in.

    Returns:
        The sum, or None where nothing else could be approved for this file, or more than
        `SUMMED` proposals fit.
    """
    target, usage = plan.proposal.target, plan.usage
    if plan.digest is None or usage is None or target is None:
        return None
    rivals = [other for other in others if _rival(plan, other)]
    distinct = list({one.proposal.operations: one for one in (plan, *rivals)}.values())
    if len(distinct) < 2:
        return None
    entries = section.unique(section.parse(decoded(plan.changes[0].before) or ""))
    fit = stale = 0
    for one in distinct:
        if fit == SUMMED:
            return None
        running = effects_memory.run(_steps(one), entries, one.proposal.batch)
        if running.failed or not running.writes:
            stale += 1  # `knock_on` names it
        elif section.size(running.entries) > usage.limit:
            break
        else:
            fit, entries = fit + 1, running.entries
    return Together(len(distinct) - stale, fit, section.size(entries), usage.limit)


def _rival(plan: Plan, other: Plan) -> bool:
    """Whether another plan could be approved, and could mind this one."""
    mine, theirs = plan.proposal, other.proposal
    if other.digest is None or mine.target is None or theirs.target is None:
        return False
    if theirs.ref == mine.ref or theirs.home.path != mine.home.path:
        return False
    return mine.target.kind is theirs.target.kind


def _memory_killed(text: str, entries: Sequence[str], other: Plan) -> bool:
    """Run the other's operations on what this plan leaves."""
    steps = _steps(other)
    if any(s.operation.action not in effects_memory.STEP_ACTIONS for s in steps):
        return False
    running = effects_memory.run(steps, entries, other.proposal.batch)
    if running.failed or not running.writes:
        return True
    if section.render(running.entries) == text:
        return True
    return _over(other, running.entries)


def _steps(other: Plan) -> list[effects_memory.Step]:
    return [_step(other, outcome) for outcome in other.operations]


def _step(other: Plan, outcome: Outcome) -> effects_memory.Step:
    operation = other.proposal.operations[outcome.number - 1]
    edits = dict(other.choice.edited)
    return effects_memory.Step(
        number=outcome.number,
        operation=operation,
        content=edits.get(outcome.number, operation.content or "").strip(),
        edited=outcome.number in edits,
        dropped=outcome.dropped,
        target=outcome.target,
    )


def _over(other: Plan, entries: Sequence[str]) -> bool:
    if other.usage is None:
        return False
    acting = [o for o in other.operations if not o.dropped]
    if not other.proposal.batch and all(o.action is Action.REMOVE for o in acting):
        return False
    return section.size(entries) > other.usage.limit


def _skill_killed(plan: Plan, other: Plan) -> bool:
    mine, theirs = plan.proposal.target, other.proposal.target
    operation = other.proposal.operations[0]
    gone = plan.removes is not None
    if mine is None or theirs is None:
        return False
    if mine.skill != theirs.skill:
        return gone and operation.absorbed_into == mine.skill
    if gone:
        return True
    if operation.action is Action.CREATE:
        return any(change.before is None for change in plan.changes)
    return _file_killed(plan, other)


def _file_killed(plan: Plan, other: Plan) -> bool:
    """Whether another change of one file fails, or changes nothing, on what this plan leaves."""
    operation = other.proposal.operations[0]
    theirs = {change.path: change for change in other.changes}
    for change in plan.changes:
        if change.path not in theirs:
            continue
        if operation.action is Action.REMOVE_FILE:
            return change.after is None
        if operation.action is Action.PATCH:
            return _patch_killed(change, other)
        return change.after == theirs[change.path].after
    return False


def _patch_killed(change: Change, other: Plan) -> bool:
    text = decoded(change.after)
    if text is None:
        return True
    operation = other.proposal.operations[0]
    new = dict(other.choice.edited).get(1, operation.content) or ""
    try:
        after = effects_skill.patched(section.universal(text), operation, new)
    except skill_steps.Missed:
        return True
    if change.path.name == skill.MAIN_FILE and skill.frontmatter(after).problem:
        return True
    return after == text or len(after) > skill.MAX_CHARACTERS
