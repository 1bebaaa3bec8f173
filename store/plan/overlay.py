"""The files as they would be after earlier plans of the same list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from placet.store.formats import skill
from placet.store.model import Change, FileKind, FileState, Plan, Snapshot


def overlaid(
    snapshot: Snapshot, written: Mapping[Path, Change], former: Iterable[Plan]
) -> Snapshot:
    """Return `snapshot` as it would be after the changes of earlier plans.

    Args:
        snapshot: The files as they are on disk.
        written: The last change of each path.
        former: The earlier plans, for skills that appear or go.
    """
    if not written:
        return snapshot
    files = {
        path: _after(state, written[state.path]) if state.path in written else state
        for path, state in snapshot.files.items()
    }
    root = _root(snapshot, files.get(skill.MAIN_FILE))
    return replace(
        snapshot,
        files=files,
        root=root,
        taken=snapshot.taken if root == snapshot.root else root is not None,
        others=_others(snapshot.others, former),
    )


def _after(state: FileState, change: Change) -> FileState:
    if change.after is None:
        return replace(state, kind=FileKind.ABSENT, data=None, mode=None)
    mode = state.mode if state.mode is not None else change.mode
    return replace(state, kind=FileKind.FILE, data=change.after, mode=mode)


def _root(snapshot: Snapshot, main: FileState | None) -> Path | None:
    """Return the folder of the skill: gone with its SKILL.md, there as soon as that is."""
    if main is None:
        return snapshot.root
    if main.kind is FileKind.ABSENT:
        return None
    return snapshot.root or (main.real.parent if main.kind is FileKind.FILE else None)


def _others(names: frozenset[str], former: Iterable[Plan]) -> frozenset[str]:
    found = set(names)
    for plan in former:
        record = plan.bookkeeping
        if plan.digest is None or record is None:
            continue
        if record.step == "created":
            found.add(record.skill)
        elif record.step == "dropped":
            found.discard(record.skill)
    return frozenset(found)
