"""What every operation on a skill is made of: where it is, its files, what is counted about it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from placet.store.formats import skill
from placet.store.model import (
    BACKGROUND_REVIEW,
    Action,
    Change,
    Code,
    FileState,
    Outcome,
    SideEffect,
    Target,
    TargetKind,
    UsageRecord,
)
from placet.store.plan.draft import NEW_FILE_MODE, Draft, quoted

ARCHIVE = ".archive/"
"""Where a deleted skill goes, in words; a free name there is chosen at the decision."""


@dataclass(frozen=True, slots=True)
class Miss:
    """Why an operation cannot be carried out."""

    code: Code
    message: str


class Missed(Exception):
    """Raised to leave an operation on a skill; carries why.

    Attributes:
        miss: The reason.
    """

    def __init__(self, code: Code, message: str) -> None:
        super().__init__(message)
        self.miss = Miss(code, message)


def target_of(draft: Draft) -> Target:
    """Return the skill that a draft is about."""
    return draft.target or Target(TargetKind.SKILL)


def existing(draft: Draft) -> Path:
    """Return the folder of the skill.

    Raises:
        Missed: There is no such skill.
    """
    root = draft.snapshot.root
    if root is None:
        name = target_of(draft).skill
        raise Missed(Code.MISSING_TARGET, f"There is no skill named {quoted(name)}.")
    return root


def state_of(draft: Draft, path: str) -> FileState:
    """Return the state of one file of the skill.

    Raises:
        Missed: The path is not allowed, leads out of the skill, or the file cannot be read.
    """
    problem = skill.valid_path(path)
    if problem:
        raise Missed(Code.PATH_REFUSED, f"The path {quoted(path)} is not allowed. {problem}")
    return inside(draft, path)


def inside(draft: Draft, path: str) -> FileState:
    """Return the state of a file that lies in the skill's own folder.

    Raises:
        Missed: It leads elsewhere, or was not read.
    """
    state = draft.snapshot.files.get(path)
    if state is None:
        raise Missed(Code.UNREADABLE, f"{path} was not read.")
    base = draft.snapshot.root or draft.proposal.home.path
    if not state.real.is_relative_to(base):
        raise Missed(
            Code.PATH_REFUSED, f"{path} leads out of the skill, to {state.real}; it is left alone."
        )
    return state


def change_of(draft: Draft, state: FileState, after: bytes | None) -> Change:
    """Return the change of one file of the skill; `after` None removes it."""
    home = draft.proposal.home.path
    own = state.path.is_relative_to(home)
    name = state.path.relative_to(home).as_posix() if own else str(state.path)
    leaves = after is None and draft.proposal.operations[0].action is Action.DELETE
    mode = NEW_FILE_MODE if state.data is None else None
    return Change(state.path, name, state.data, after, mode, ARCHIVE if leaves else "")


def outcome_of(draft: Draft, path: str, before: str | None, after: str | None) -> Outcome:
    """Return what the draft's one operation does to the text of a file, or of the whole skill."""
    target = Target(TargetKind.SKILL, target_of(draft).skill, path)
    return replace(draft.outcomes[0], target=target, before=before, after=after, applied=True)


def booked(draft: Draft, step: str) -> Draft:
    """Add what happens to `.usage.json`, as Hermes does when nothing is gated."""
    name = target_of(draft).skill
    by_agent = step == "created" and draft.proposal.origin == BACKGROUND_REVIEW
    words = {
        "created": f"skills/.usage.json gets a record of {name}",
        "patched": f"skills/.usage.json counts one more patch of {name}",
        "dropped": f"skills/.usage.json drops its record of {name}",
    }[step]
    if by_agent:
        words += ", marked as made by the agent, so that the curator may manage it"
    effect = SideEffect("usage-record", f"{words}.")
    record = UsageRecord(name, step, by_agent)
    return replace(draft, side_effects=(*draft.side_effects, effect), bookkeeping=record)
