"""How many ungated changes are open, without the words of the store: for `placet count`.

The same answer as `placet.store.watched.ungated`, which also tells what they are.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

from placet.store.errors import LedgerError
from placet.store.ledger import names, reaching

OPEN_UNGATED = """
FROM audit a WHERE json_extract(a.body, '$.kind') = 'ungated' AND NOT EXISTS (
  SELECT 1 FROM decisions d WHERE d.concerns = a.seq AND d.ended_by IS NULL
  AND d.kind IN ('kept', 'reverted'))
"""
"""Rows of the log about ungated changes that no standing decision answers yet."""

_LIMIT = 1 << 24


def ungated(home: Path) -> int:
    """Open ungated changes, those that no placet process has recorded yet included.

    Args:
        home: Real path of the home.

    Raises:
        LedgerError: Its ledger is gone, replaced, newer than this program, or damaged.
    """
    path = reaching.database(home)
    if not reaching.is_there(home):
        return _nothing(home)
    with reaching.reading(path), closing(reaching.connect_reading(path)) as connection:
        if reaching.version(connection, path) == 0:
            return _nothing(home)
        recorded = connection.execute(f"SELECT count(*) {OPEN_UNGATED}").fetchone()[0]
        return int(recorded) + _unrecorded(connection, home)


def _nothing(home: Path) -> int:
    """Nothing is open where there never was a ledger."""
    from placet.store.ledger import anchor  # here alone, because it costs milliseconds

    if words := anchor.lost(home):
        raise LedgerError(words)
    return 0


def _unrecorded(connection: sqlite3.Connection, home: Path) -> int:
    """Files that differ from what was last recorded, less those that an open intent writes."""
    writing = {
        str(home / change["path"])  # whole already where it lies outside
        for (changes,) in connection.execute("SELECT changes FROM intents")
        for change in json.loads(changes)
    }
    known = connection.execute("SELECT path, sha256 FROM files").fetchall()
    places = [(home / names.found(path), digest) for path, digest in known]
    return sum(_differs(place, digest) for place, digest in places if str(place) not in writing)


def _differs(place: Path, digest: str | None) -> bool:
    try:
        handle = os.open(place, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:
        return digest is not None
    except OSError:
        return False  # it cannot be read, and is not treated as changed
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_size > _LIMIT:
            return False
        with os.fdopen(handle, "rb", closefd=False) as file:
            return hashlib.sha256(file.read()).hexdigest() != digest
    finally:
        os.close(handle)
