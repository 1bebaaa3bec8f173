"""A skill that goes to the archive or comes back from it, and what an undo needs to know then."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from placet.store.decide import bookkeeping, keeping
from placet.store.decide.desk import Desk, Looked
from placet.store.decide.ruling import Move, target_of
from placet.store.model import Archived, FileKind, Home, Plan, Snapshot, UsageRecord

ARCHIVE = ".archive"
"""Hermes' folder of archived skills, below `skills/`."""


def of(home: Home, looked: Looked) -> Move | None:
    """The folder that a plan moves as a whole, or None."""
    plan, files = looked.plan, looked.files
    if plan.removes is not None:
        along = tuple(path for path, _ in _unread(files))
        return Move(str(plan.removes), str(_free_place(home, plan.removes.name)), along)
    if plan.returns is not None and files.folder is not None:
        archived = plan.proposal.operations[0].archived
        along = tuple(path for path, _ in archived.along) if archived is not None else ()
        return Move(str(plan.returns), str(files.folder), along)
    return None


def _unread(files: Snapshot) -> list[tuple[str, str]]:
    """What of a skill is moved along unread: its path inside, and what it is."""
    states = sorted(files.files.items())
    return [(path, s.problem) for path, s in states if s.kind is FileKind.SPECIAL]


def _free_place(home: Home, name: str) -> Path:
    """Where `hermes curator restore` looks for a skill: its name, else with 14 digits of UTC."""
    archive = home.skills / ARCHIVE
    place, moment = archive / name, datetime.now(UTC)
    while os.path.lexists(place):
        place = archive / f"{name}-{moment:%Y%m%d%H%M%S}"
        moment += timedelta(seconds=1)
    return place


def books(desk: Desk, plan: Plan) -> UsageRecord | None:
    """What happens to `.usage.json`; before a record is dropped, the file's bytes are kept.

    Raises:
        LedgerError: They could not be kept; nothing was decided.
    """
    record = plan.bookkeeping
    if record is None or record.step != "dropped":
        return record
    data = bookkeeping.before(desk.home, record.skill)
    return record if data is None else replace(record, kept=keeping.keep(desk, (data,))[0])


def left_behind(
    home: Home, looked: Looked, move: Move | None, record: UsageRecord | None
) -> dict[str, Any]:
    """What the event of a deleted skill says, so that `archived` can read it."""
    if move is None:
        return {}
    folder = looked.plan.removes
    if folder is None:
        return {"from_archive": _inside(home, move.source)}
    found = {
        "archive": _inside(home, move.destination),
        "archive_link": str(folder.readlink()) if folder.is_symlink() else "",
        "along": [list(one) for one in _unread(looked.files)],
        "usage_before": record.kept if record is not None else "",
    }
    return {name: value for name, value in found.items() if value}


def archived(body: Mapping[str, Any]) -> Archived | None:
    """What the deletion of a skill left behind, as its event says, or None for another event."""
    if "archive" not in body:
        return None
    return Archived(
        str(body["archive"]),
        str(body.get("archive_link", "")),
        tuple((str(path), str(what)) for path, what in body.get("along", ())),
        str(body.get("usage_before", "")),
    )


def record_back(body: Mapping[str, Any], target: str) -> UsageRecord | None:
    """The record that an undo gives back where the deleted skill itself is there again already."""
    left, lands = archived(body), target_of(target)
    if left is None or lands is None or not left.usage:
        return None
    return UsageRecord(lands.skill, "restored", kept=left.usage)


def comes_as_a_whole(plan: Plan) -> bool:
    """Whether a plan makes a skill, or brings a deleted one back."""
    made = plan.bookkeeping is not None and plan.bookkeeping.step == "created"
    return made or any(o.archived is not None for o in plan.proposal.operations)


def _inside(home: Home, path: str) -> str:
    return Path(path).relative_to(home.path).as_posix()
