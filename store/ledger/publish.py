"""What guards inside agents may read: `placet-public/refusals.jsonl`, one refusal a line.

The file is rebuilt from the ledger whenever that is needed; nothing is ever read back from it but
how far it goes.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from placet.store.disk import lock, write
from placet.store.ledger.database import Ledger
from placet.store.model import Home
from placet.store.text import times

VERSION = 1
"""The `v` of each line."""

_SHORT = 80
_SQL = (
    "SELECT n, fp, kind, target, at, until, decision, reason FROM refusals"
    " WHERE secret = 0 AND scope <> 'part' AND lifted IS NULL"
    " AND (until IS NULL OR until > ?) AND n > ? ORDER BY n"
)


def location(home: Home) -> Path:
    """Path of the published file."""
    return home.path / "placet-public" / "refusals.jsonl"


def publish(ledger: Ledger, *, now: float, changed: bool = True) -> Path:
    """Bring the published file up to date, after the commit.

    Args:
        ledger: Whose refusals.
        now: For expiry, seconds since the epoch.
        changed: Whether something was lifted, restored or erased, so that lines must go; else new
            refusals are only added at the end.

    Returns:
        Path of the file.

    Raises:
        OSError: It could not be written; the old file is unchanged.
        Busy: Another process publishes for longer than the bound of a lock.
    """
    path = location(ledger.home)
    write.private_folder(path.parent, 0o755)
    with lock.held([ledger.home.private / "locks" / "public.lock"]):
        last = None if changed else _last(path)
        rows = ledger.rows(_SQL, (now, last or 0))
        data = b"".join(_line(row) for row in rows)
        if last is None:
            write.replace_own(path, data, 0o644)
        elif data:
            write.append(path, data, 0o644)
    return path


def _last(path: Path) -> int | None:
    """Number of the last published refusal; None where the file is missing or torn."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        size = os.fstat(descriptor).st_size
        data = os.pread(descriptor, 8192, max(0, size - 8192))
    finally:
        os.close(descriptor)
    if not data.endswith(b"\n"):
        return None
    try:
        return int(json.loads(data[:-1].rpartition(b"\n")[2])["n"])
    except (ValueError, KeyError, TypeError):
        return None


def _line(row: tuple[Any, ...]) -> bytes:
    n, fp, kind, target, at, until, decision, reason = row
    line: dict[str, object] = {
        "v": VERSION,
        "n": n,
        "fingerprint": fp,
        "kind": kind,
        "target": target,
        "date": times.stamp(at),
        "until": times.stamp(until),
        "id": f"#{decision}",
        "reason": reason[:_SHORT],
    }
    return json.dumps(line, ensure_ascii=True).encode("ascii") + b"\n"
