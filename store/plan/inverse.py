"""A person's own changes as proposals: edited entries, normalising, the inverse of a decision.

They carry no record; their bytes are their canonical JSON, and their id is made here.
"""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from placet.store.errors import Conflict
from placet.store.formats import section, skill
from placet.store.model import (
    PERSON,
    Action,
    Archived,
    Change,
    Home,
    Kind,
    Operation,
    Outcome,
    Proposal,
    Snapshot,
    Subsystem,
    Target,
    TargetKind,
)
from placet.store.plan.draft import decoded
from placet.store.plan.snapshot import folder_of
from placet.store.text import diff


def edit_entry(home: Home, target: Target, old_entry: str | None, new_text: str | None) -> Proposal:
    """Return a person's own edit of one entry, or of the whole of SOUL.md.

    Args:
        home: Home that it is for.
        target: `memory`, `user` or `soul`.
        old_entry: The whole entry as it was shown, or None to add one; not used for `soul`.
        new_text: The entry's new text, or None to remove it; for `soul` the whole file.

    Raises:
        ValueError: Neither text is given, or the target is a skill.
    """
    if target.kind is TargetKind.SKILL:
        raise ValueError("a skill has no entries")
    if target.kind is TargetKind.SOUL:
        if new_text is None:
            raise ValueError("SOUL.md is written, not removed")
        return proposed(home, target, [Operation(Action.WRITE, content=new_text)])
    return proposed(home, target, [_entry_operation(old_entry, new_text)])


def normalise(home: Home, target: Target) -> Proposal:
    """Return the proposal to re-join the file's own entries as Hermes writes them."""
    return proposed(home, target, [Operation(Action.NORMALISE)])


def restore(
    home: Home,
    target: Target,
    files: Sequence[tuple[str, bytes | None, int | None]],
    *,
    category: str = "",
    archived: Archived | None = None,
    kind: Kind = Kind.APPROVED,
    concerns: int | None = None,
) -> Proposal:
    """Return the proposal to put whole files back.

    Args:
        home: Home that it is for.
        target: What they belong to.
        files: Path inside the target ("" for a memory file), bytes (None removes it), and mode
            (None keeps it).
        category: Folder below `skills/` in which the skill lies or lay, or empty.
        archived: What the deletion of the skill left behind, or None.
        kind: Event that approving it writes.
        concerns: Number of the event that it answers.
    """
    operation = Operation(Action.RESTORE, files=tuple(files), category=category, archived=archived)
    return proposed(home, target, [operation], kind=kind, concerns=concerns)


def build(
    home: Home,
    target: Target,
    operations: Sequence[Outcome],
    files: Sequence[Change],
    snapshot: Snapshot,
    event: int,
    *,
    archived: Archived | None = None,
    kind: Kind = Kind.UNDONE,
) -> Proposal:
    """Return the inverse of a decision against today's files.

    Args:
        home: Home it was decided in.
        target: What it landed in.
        operations: What each operation did then, with whole entries before and after.
        files: Every file before and after the decision.
        snapshot: Those files as they are now (`snapshot.of_files`).
        event: Number of the decision's event.
        archived: What it left behind where it deleted a skill, or None.
        kind: Event that approving the inverse writes.

    Returns:
        Files that still are as the decision left them are put back byte for byte; a memory file
        that moved on since is changed entry by entry.

    Raises:
        Conflict: What the decision wrote is no longer there; carries the three texts.
    """
    if _as_left(files, snapshot):
        return _put_back(home, target, operations, files, snapshot, event, kind, archived)
    if target.kind in (TargetKind.MEMORY, TargetKind.USER):
        undone = _entrywise(operations, snapshot)
        return proposed(home, target, undone, kind=kind, concerns=event)
    raise _moved_on(files, snapshot)


def proposed(
    home: Home,
    target: Target,
    operations: Sequence[Operation],
    *,
    kind: Kind = Kind.APPROVED,
    concerns: int | None = None,
) -> Proposal:
    """Return a person's own change as a proposal with an id of its own."""
    name = f"person-{uuid.uuid4().hex[:16]}"
    return Proposal(
        home=home,
        subsystem=Subsystem.SKILLS if target.kind is TargetKind.SKILL else Subsystem.MEMORY,
        id=name,
        name="",
        raw=_canonical(name, target, operations, kind, concerns),
        origin=PERSON,
        created_at=None,
        summary="",
        target=target,
        operations=tuple(operations),
        batch=len(operations) > 1,
        kind=kind,
        concerns=concerns,
    )


def _entry_operation(old: str | None, new: str | None) -> Operation:
    if old is None and new is None:
        raise ValueError("an edit needs an old or a new text")
    if old is None:
        return Operation(Action.ADD, content=new)
    if new is None:
        return Operation(Action.REMOVE, old=old, matched=old)
    return Operation(Action.REPLACE, content=new, old=old, matched=old)


def _canonical(
    name: str, target: Target, operations: Sequence[Operation], kind: Kind, concerns: int | None
) -> bytes:
    body = {
        "id": name,
        "origin": PERSON,
        "target": str(target),
        "kind": kind.value,
        "concerns": concerns,
        "operations": [_plain(operation) for operation in operations],
    }
    return json.dumps(body, sort_keys=True, ensure_ascii=True).encode("ascii")


def _plain(operation: Operation) -> dict[str, Any]:
    plain: dict[str, Any] = {
        "action": operation.action.value,
        "content": operation.content,
        "old": operation.old,
        "matched": operation.matched,
        "category": operation.category,
        "archived": asdict(operation.archived) if operation.archived else None,
        "files": [
            [path, None if data is None else base64.b64encode(data).decode("ascii"), mode]
            for path, data, mode in operation.files
        ],
    }
    return {key: value for key, value in plain.items() if value not in (None, "", [])}


def _as_left(files: Sequence[Change], snapshot: Snapshot) -> bool:
    """Whether every file still is as the decision left it."""
    now = {state.path: state.data for state in snapshot.files.values()}
    return all(change.path in now and now[change.path] == change.after for change in files)


def _put_back(
    home: Home,
    target: Target,
    operations: Sequence[Outcome],
    files: Sequence[Change],
    snapshot: Snapshot,
    event: int,
    kind: Kind,
    archived: Archived | None,
) -> Proposal:
    folder = folder_of(files, target.skill) if target.kind is TargetKind.SKILL else None
    category = _category(home, folder) if folder is not None else ""
    if operations and _made_whole(operations[0], files) and _alone(files, snapshot):
        gone = [Operation(Action.DELETE, category=category)]
        return proposed(home, target, gone, kind=kind, concerns=event)
    given = [(_inner(change, folder), change.before, _old_mode(change)) for change in files]
    return restore(
        home, target, given, category=category, archived=archived, kind=kind, concerns=event
    )


def _made_whole(outcome: Outcome, files: Sequence[Change]) -> bool:
    """Whether the decision made the skill or brought it back, rather than changed it."""
    return outcome.action is Action.CREATE or (
        outcome.action is Action.RESTORE
        and all(change.before is None for change in files)
        and any(change.path.name == skill.MAIN_FILE for change in files)
    )


def _alone(files: Sequence[Change], snapshot: Snapshot) -> bool:
    """Whether a made skill still holds nothing but what was made with it."""
    return {change.path for change in files} >= {
        state.path for state in snapshot.files.values() if state.data is not None
    }


def _old_mode(change: Change) -> int | None:
    """The permission bits that a file had which the decision removed."""
    return change.mode if change.after is None else None


def _inner(change: Change, folder: Path | None) -> str:
    return "" if folder is None else change.path.relative_to(folder).as_posix()


def _category(home: Home, folder: Path) -> str:
    above = folder.parent
    if above == home.skills or not above.is_relative_to(home.skills):
        return ""
    return above.relative_to(home.skills).as_posix()


def _entrywise(operations: Sequence[Outcome], snapshot: Snapshot) -> list[Operation]:
    """Return the inverse operations, newest first, checked one by one on today's entries."""
    state = snapshot.files[""]
    entries = section.unique(section.parse(decoded(state.data) or ""))
    undone: list[Operation] = []
    for outcome in reversed(operations):
        if outcome.dropped or not outcome.applied:
            continue
        if outcome.after is not None and outcome.after not in entries:
            raise _changed_since(outcome, entries)
        undone.extend(_inverse_of(outcome, entries))
    if not undone:
        before = operations[0].before if operations else None
        raise Conflict("Nothing of that decision is left to undo.", before, None, before)
    return undone


def _inverse_of(outcome: Outcome, entries: list[str]) -> list[Operation]:
    before, after = outcome.before, outcome.after
    if after is not None:
        entries.remove(after)
    if before is None or before in entries:
        gone = after is not None
        return [Operation(Action.REMOVE, old=after, matched=after)] if gone else []
    entries.append(before)
    if after is None:
        return [Operation(Action.ADD, content=before)]
    return [Operation(Action.REPLACE, content=before, old=after, matched=after)]


def _changed_since(outcome: Outcome, entries: Sequence[str]) -> Conflict:
    wrote = outcome.after or ""
    now = max(entries, key=lambda entry: diff.similarity(wrote, entry), default=None)
    return Conflict(
        "The entry has changed since that decision, so it was not undone. Compare the three texts "
        "and edit the entry on the Memory screen.",
        outcome.before,
        outcome.after,
        now,
    )


def _moved_on(files: Sequence[Change], snapshot: Snapshot) -> Conflict:
    now = {state.path: state.data for state in snapshot.files.values()}
    changed = next((change for change in files if now.get(change.path) != change.after), files[0])
    return Conflict(
        f"{changed.name} has changed since that decision, so it was not undone. Compare the three "
        "texts and edit the file yourself.",
        decoded(changed.before),
        decoded(changed.after),
        decoded(now.get(changed.path)),
    )
