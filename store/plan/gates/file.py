"""Gates on the files as they were read: regular, readable, strict UTF-8, safe, no drift."""

from __future__ import annotations

from collections.abc import Iterator

from placet.store.formats import section
from placet.store.model import (
    Action,
    Code,
    FileKind,
    FileState,
    SideEffect,
    TargetKind,
    Verdict,
)
from placet.store.plan.draft import Draft, blocker

_USABLE = frozenset({FileKind.FILE, FileKind.ABSENT})

_SECTIONED = frozenset({TargetKind.MEMORY, TargetKind.USER})


def readable(draft: Draft) -> Iterator[Verdict]:
    """An unreadable file is never an empty one (D1)."""
    for state in _touched(draft):
        if state.kind not in _USABLE:
            why = state.problem or f"{state.path.name} cannot be read ({state.kind.value})."
            yield blocker(Code.UNREADABLE, why)
        elif state.kind is FileKind.ABSENT and _leads_nowhere(draft, state):
            words = f"{state.path.name} is a link into a folder that does not exist: {state.real}."
            yield blocker(Code.UNREADABLE, words)


def strict_text(draft: Draft) -> Iterator[Verdict]:
    """What has to be read as text is valid UTF-8."""
    for state in _read_as_text(draft):
        try:
            (state.data or b"").decode("utf-8")
        except UnicodeDecodeError as problem:
            found = problem.object[problem.start]
            yield blocker(
                Code.UNREADABLE,
                f"{state.path.name} is not valid UTF-8: byte 0x{found:02x} at offset "
                f"{problem.start:,} ({problem.reason}). Nothing is written over it.",
            )


def safe(draft: Draft) -> Iterator[Verdict]:
    """What cannot be replaced safely (a hard link, a mount) is left alone."""
    if draft.removes is not None:
        return  # the folder is moved as a whole, so no name is parted from its others
    changed = {change.path for change in draft.changes}
    for state in draft.snapshot.files.values():
        if state.unsafe and state.path in changed:
            yield blocker(Code.UNSAFE_FILE, state.unsafe)


def undrifted(draft: Draft) -> Iterator[Verdict]:
    """A file that does not round-trip holds what others propose (D2)."""
    if draft.by_person or not (draft.moves or draft.failed):
        return  # a person sees it as a side effect; what writes nothing cannot harm
    reason = drifted(draft)
    if reason:
        name = draft.snapshot.files[""].path.name
        target = draft.target
        yield blocker(
            Code.DRIFT,
            f"{name} has drifted from its format, so a write would change more than it names. "
            f"{reason} Normalise {target} first, or edit the entry on the Memory screen.",
        )


def drifted(draft: Draft) -> str:
    """Return which rule the file breaks, in words, or nothing."""
    target = draft.target
    if target is None or target.kind not in _SECTIONED:
        return ""
    limit = draft.context.config.limit(target)
    data = draft.snapshot.files[""].data
    if data is None or limit is None:
        return ""
    return section.drift(data.decode("utf-8"), limit)


def drift_effects(draft: Draft) -> tuple[SideEffect, ...]:
    """Return drift as a side effect of a person's own change."""
    if not draft.by_person or not draft.moves:
        return ()
    reason = drifted(draft)
    if not reason:
        return ()
    return (SideEffect("drift", f"The file had drifted and is written anew. {reason}"),)


def _touched(draft: Draft) -> Iterator[FileState]:
    """Yield the states of the files that the operations touch."""
    if draft.target is None:
        return
    deletes = any(o.action is Action.DELETE for o in draft.proposal.operations)
    for path, state in draft.snapshot.files.items():
        moved_along = deletes and state.kind is FileKind.SPECIAL
        if not moved_along and (draft.target.kind is not TargetKind.SKILL or _named(draft, path)):
            yield state


def _named(draft: Draft, path: str) -> bool:
    for operation in draft.proposal.operations:
        if operation.action in (Action.DELETE, Action.RESTORE):
            return True
        if path == (operation.path or "SKILL.md"):
            return True
    return False


def _read_as_text(draft: Draft) -> Iterator[FileState]:
    if draft.target is None:
        return
    if draft.target.kind is not TargetKind.SKILL:
        yield from draft.snapshot.files.values()
    elif any(o.action is Action.PATCH for o in draft.proposal.operations):
        yield from _touched(draft)


def _leads_nowhere(draft: Draft, state: FileState) -> bool:
    """Whether a dangling link points into a missing folder, where nothing may be made."""
    if state.parent is not None or draft.target is None:
        return False
    return draft.target.kind is not TargetKind.SKILL and state.real != state.path


CHEAP = (readable, strict_text)
"""Run before the effects; a blocker ends the pass."""

GATES = (safe, undrifted)
"""Run over the finished draft."""
