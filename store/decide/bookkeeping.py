"""Hermes' `.usage.json` after a skill decision, kept as Hermes keeps it when nothing is gated."""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

from placet.store.disk import lock, read, write
from placet.store.errors import Busy, NotWritten, cause_of
from placet.store.ledger import blobs
from placet.store.model import FileKind, Home, UsageRecord

NAME = ".usage.json"
"""Hermes' file of what was done with each skill, below `skills/`."""

_LIMIT = 1 << 24
_EMPTY: Mapping[str, Any] = {
    "archived_at": None,
    "created_at": None,
    "created_by": None,
    "last_patched_at": None,
    "last_used_at": None,
    "last_viewed_at": None,
    "patch_count": 0,
    "pinned": False,
    "state": "active",
    "use_count": 0,
    "view_count": 0,
}


def apply(home: Home, record: UsageRecord, at: float) -> tuple[str, ...]:
    """Change one skill's record under Hermes' lock; doing it twice is doing it once.

    Args:
        home: Whose skills.
        record: What happened to which skill.
        at: Time of the decision, seconds since the epoch; by it a repetition is recognised.

    Returns:
        What could not be done at all, or was replaced, in words; the decision stands all the same.

    Raises:
        NotWritten: The disk failed, or the file was in use for too long; it is tried again later.
    """
    path = home.skills / NAME
    if not home.skills.is_dir():
        return ()
    kept = blobs.get(home, record.kept) if record.step == "restored" else None
    try:
        with lock.held([path.with_name(path.name + ".lock")]):
            return _apply(path, record, at, kept)
    except (OSError, Busy) as error:
        raise NotWritten(
            f"skills/.usage.json was not brought up to date: {cause_of(error)}."
        ) from error


def before(home: Home, skill: str) -> bytes | None:
    """The bytes of `.usage.json` from which an undo can give a skill its record back.

    Returns:
        None where it holds no record of that skill, or is not what Hermes writes there.
    """
    data = read.read(home.skills / NAME, _LIMIT).data
    table = _table(data)
    return data if table is not None and skill in table else None


def _apply(path: Path, record: UsageRecord, at: float, kept: bytes | None) -> tuple[str, ...]:
    state = read.read(path, _LIMIT)
    if state.kind not in (FileKind.FILE, FileKind.ABSENT):
        return (f"skills/.usage.json was not brought up to date: {state.problem}.",)
    table = _table(state.data)
    if table is None:
        return ("skills/.usage.json is not what Hermes writes there; it was left alone.",)
    mode = 0o600 if state.mode is None else stat.S_IMODE(state.mode)
    if record.step == "restored":
        data, said = _with_old_record(state.data, table, record.skill, kept)
    else:
        moment = datetime.fromtimestamp(at, UTC).isoformat()
        data, said = (_dumped(table) if _change(table, record, moment) else None), ()
    if data is not None:
        write.replace_own(Path(os.path.realpath(path)), data, mode)
    return said


def _with_old_record(
    now: bytes | None, table: dict[str, Any], skill: str, kept: bytes | None
) -> tuple[bytes | None, tuple[str, ...]]:
    """The file with a skill's record as it was: to the byte, if nobody wrote there since.

    Returns:
        The bytes to write, or None where it is there already; and what else to say.
    """
    old = _table(kept) or {}
    if skill not in old:
        return None, (f"The record of {skill} in skills/.usage.json was not kept.",)
    if table.get(skill) == old[skill]:
        return None, ()
    newer = skill in table
    without = _dumped({name: row for name, row in old.items() if name != skill})
    table[skill] = old[skill]
    said = f"skills/.usage.json held a newer record of {skill}, which the old one has replaced."
    return (kept if now == without else _dumped(table)), ((said,) if newer else ())


def _dumped(table: Mapping[str, Any]) -> bytes:
    """The file as Hermes writes it."""
    text = json.dumps(table, indent=2, sort_keys=True, ensure_ascii=False)
    return text.encode("utf-8", "surrogatepass")


def _table(data: bytes | None) -> dict[str, Any] | None:
    if not data:
        return {}
    try:
        found: object = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    return cast("dict[str, Any]", found)


def _change(table: dict[str, Any], record: UsageRecord, moment: str) -> bool:
    """Change the table in place; False where there is nothing to do."""
    if record.step == "dropped":
        return table.pop(record.skill, None) is not None
    old: object = table.get(record.skill)
    row: dict[str, Any] = dict(cast("dict[str, Any]", old)) if isinstance(old, dict) else {}
    row = {**_EMPTY, **row}
    if record.step == "created":
        if row["created_at"] == moment:
            return False
        row |= {"created_at": moment, "created_by": "agent" if record.by_agent else None}
    else:
        if row["last_patched_at"] == moment:
            return False
        count: object = row["patch_count"]
        row |= {
            "created_at": row["created_at"] or moment,
            "last_patched_at": moment,
            "patch_count": count + 1 if isinstance(count, int) else 1,
        }
    table[record.skill] = row
    return True
