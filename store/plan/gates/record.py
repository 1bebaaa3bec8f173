"""Gates on the record itself: its shape, its provider, its target."""

from __future__ import annotations

from collections.abc import Iterator

from placet.store.model import (
    MEMORY_ACTIONS,
    SKILL_ACTIONS,
    Action,
    Code,
    Level,
    TargetKind,
    Verdict,
)
from placet.store.plan.draft import OWN_ACTIONS, Draft, blocker, note, warning

_ACTIONS = {
    TargetKind.MEMORY: MEMORY_ACTIONS | {Action.NORMALISE, Action.RESTORE},
    TargetKind.USER: MEMORY_ACTIONS | {Action.NORMALISE, Action.RESTORE},
    TargetKind.SOUL: frozenset({Action.WRITE, Action.RESTORE}),
    TargetKind.SKILL: SKILL_ACTIONS | {Action.RESTORE},
}

_WITHOUT_TEXT = frozenset(
    {Action.REMOVE, Action.REMOVE_FILE, Action.DELETE, Action.NORMALISE, Action.RESTORE}
)


def shape(draft: Draft) -> Iterator[Verdict]:
    """The parser understood it, and it asks for something that its target knows."""
    proposal = draft.proposal
    if any(v.level is Level.BLOCKER for v in proposal.verdicts):
        return  # the parser has said why already
    if draft.target is None:
        yield blocker(Code.TARGET_UNKNOWN, "The record does not say where the text should go.")
        return
    if not proposal.operations:
        yield blocker(Code.MALFORMED, "The record asks for nothing.")
    allowed = _ACTIONS[draft.target.kind]
    alone = draft.target.kind is TargetKind.SKILL or any(
        o.action in OWN_ACTIONS for o in proposal.operations
    )
    if alone and len(proposal.operations) > 1:
        yield blocker(Code.MALFORMED, "This kind of change stands alone; the record holds several.")
    for number, operation in enumerate(proposal.operations, 1):
        if operation.action not in allowed:
            words = f"“{operation.action}” is no action on {draft.target}."
            yield blocker(Code.MALFORMED, words, number)


def own_changes(draft: Draft) -> Iterator[Verdict]:
    """What only a person may ask for never comes from a record."""
    if draft.by_person:
        return
    if draft.target is not None and draft.target.kind is TargetKind.SOUL:
        yield blocker(Code.TARGET_UNKNOWN, "SOUL.md is a person's file; no record may change it.")
    for number, operation in enumerate(draft.proposal.operations, 1):
        if operation.action in OWN_ACTIONS:
            words = f"“{operation.action}” is for a person, not for a record."
            yield blocker(Code.MALFORMED, words, number)


def choice_fits(draft: Draft) -> Iterator[Verdict]:
    """Every number of the choice names an operation, and every edit one that has a text."""
    operations = draft.proposal.operations
    for number in sorted({*draft.choice.dropped, *draft.edits}):
        if not 1 <= number <= len(operations):
            yield blocker(Code.MALFORMED, f"There is no operation {number} in this record.")
        elif number in draft.edits and operations[number - 1].action in _WITHOUT_TEXT:
            words = "This operation brings no text, so there is nothing to edit."
            yield blocker(Code.MALFORMED, words, number)


def enabled(draft: Draft) -> Iterator[Verdict]:
    """The target is switched on in the home's configuration."""
    if draft.target is None or draft.context.config.enabled(draft.target):
        return
    if draft.by_person:
        words = f"The target {draft.target} is switched off: the agent does not read it."
        yield warning(Code.TARGET_DISABLED, words)
    else:
        words = (
            f"The target {draft.target} is switched off in config.yaml, so the proposal stays. "
            "Switch it on there to decide."
        )
        yield blocker(Code.TARGET_DISABLED, words)


def inside_home(draft: Draft) -> Iterator[Verdict]:
    """A skill outside the home is shown, never changed (D7)."""
    if draft.snapshot.outside:
        where = draft.snapshot.root or ""
        words = f"The skill lies outside this home, in {where}; it is shown and never changed here."
        yield blocker(Code.OUTSIDE_HOME, words)


def provider_told(draft: Draft) -> Iterator[Verdict]:
    """An external memory provider does not hear of approved writes (field report 13)."""
    provider = draft.context.config.provider
    if provider and draft.target is not None and draft.target.kind in _MIRRORED:
        words = f"Goes to the file only; the memory provider “{provider}” is not told."
        yield note(Code.PROVIDER_NOT_TOLD, words)


_MIRRORED = frozenset({TargetKind.MEMORY, TargetKind.USER})

CHEAP = (shape, own_changes, choice_fits)
"""Run first; a blocker ends the pass."""

GATES = (enabled, inside_home, provider_told)
"""Run over the finished draft."""
