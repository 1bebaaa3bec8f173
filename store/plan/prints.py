"""Fingerprints of a proposal's operations, by which an earlier no is recognised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from placet.store.formats import section, skill
from placet.store.model import (
    Action,
    Choice,
    Context,
    HomeConfig,
    Outcome,
    Proposal,
    Snapshot,
    Target,
    TargetKind,
    sha256,
)
from placet.store.plan import effects_memory
from placet.store.plan.draft import blank, decoded
from placet.store.text import fingerprint

_PUTS = frozenset({Action.ADD, Action.REPLACE})
_SKILL_PUTS = frozenset({Action.CREATE, Action.EDIT, Action.PATCH, Action.WRITE_FILE})


class OperationPrint(NamedTuple):
    """Fingerprint of one operation and what it was made of.

    Attributes:
        kind: `put` or `drop`.
        target: Target as it enters the fingerprint.
        fingerprint: 64 hexadecimal characters.
        text: The text put or dropped.
    """

    kind: str
    target: str
    fingerprint: str
    text: str


@dataclass(frozen=True, slots=True)
class Prints:
    """Fingerprints of one proposal.

    Attributes:
        operations: By operation number; one whose entry cannot be found has none.
        batch: Fingerprint of a batch of several operations as a whole, or None.
    """

    operations: Mapping[int, OperationPrint] = field(default_factory=dict[int, OperationPrint])
    batch: str | None = None


def prints(proposal: Proposal, snapshot: Snapshot, choice: Choice | None = None) -> Prints:
    """Return the fingerprints that refusals of this proposal are kept under.

    Args:
        proposal: What is asked for.
        snapshot: The files it is about; a removal counts as dropping the entry that it finds.
        choice: A person's edits, where the edited texts are wanted; what it drops is left out.

    Returns:
        Prints of the record's own operations, or of the edited ones.
    """
    target = proposal.target
    if target is None or not proposal.operations:
        return Prints()
    choice = choice or Choice()
    if target.kind is TargetKind.SKILL:
        found = _of_skill(proposal, snapshot, choice, target)
    elif target.kind is TargetKind.SOUL:
        found = {}
    else:
        found = _of_memory(proposal, snapshot, choice, target)
    kept = {number: made for number, made in found.items() if number not in choice.dropped}
    return Prints(kept, _batch(proposal, kept))


def _batch(proposal: Proposal, found: Mapping[int, OperationPrint]) -> str | None:
    if len(proposal.operations) < 2 or len(found) != len(proposal.operations):
        return None
    return fingerprint.batch_print(made.fingerprint for made in found.values())


def _of_memory(
    proposal: Proposal, snapshot: Snapshot, choice: Choice, target: Target
) -> dict[int, OperationPrint]:
    outcomes = _outcomes(proposal, snapshot, choice)
    found: dict[int, OperationPrint] = {}
    for number, operation in enumerate(proposal.operations, 1):
        text = dict(choice.edited).get(number, operation.content)
        if operation.action in _PUTS and text:
            found[number] = _print(str(target), "put", text)
        elif operation.action is Action.REMOVE and number in outcomes:
            before = outcomes[number].before
            if before:
                found[number] = _print(str(target), "drop", before)
    return found


def _outcomes(proposal: Proposal, snapshot: Snapshot, choice: Choice) -> dict[int, Outcome]:
    """Resolve what removals find, each after the operations before it."""
    if all(o.action is not Action.REMOVE for o in proposal.operations):
        return {}
    state = snapshot.files.get("")
    text = decoded(state.data) if state else None
    entries = section.unique(section.parse(text or ""))
    draft = blank(proposal, Choice(edited=choice.edited), snapshot, Context(HomeConfig()))
    running = effects_memory.run(effects_memory.steps_of(draft), entries, batch=True)
    return {outcome.number: outcome for outcome in running.outcomes}


def _of_skill(
    proposal: Proposal, snapshot: Snapshot, choice: Choice, target: Target
) -> dict[int, OperationPrint]:
    operation = proposal.operations[0]
    text = dict(choice.edited).get(1, operation.content)
    path = operation.path or skill.MAIN_FILE
    if operation.action in _SKILL_PUTS:
        put = str(Target(TargetKind.SKILL, target.skill, path))
        return {1: _print(put, "put", text)} if text else {}
    if operation.action is Action.DELETE:
        return _dropped(str(Target(TargetKind.SKILL, target.skill)), snapshot, skill.MAIN_FILE)
    if operation.action is Action.REMOVE_FILE:
        return _dropped(str(Target(TargetKind.SKILL, target.skill, path)), snapshot, path)
    return {}


def _dropped(target: str, snapshot: Snapshot, path: str) -> dict[int, OperationPrint]:
    state = snapshot.files.get(path)
    if state is None or state.data is None:
        return {}
    text = decoded(state.data)
    return {1: _print(target, "drop", sha256(state.data) if text is None else text)}


def _print(target: str, kind: str, text: str) -> OperationPrint:
    return OperationPrint(kind, target, fingerprint.operation_print(target, kind, text), text)
