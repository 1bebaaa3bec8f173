"""Join a staged record to the session and message that led to it, from Hermes' state.db."""

from __future__ import annotations

import os
import sqlite3
import stat as modes
import time
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import quote

from placet.store.errors import words_of
from placet.store.model import Home

MAX_MESSAGE = 4_000
"""Most characters of the leading message that are read."""

_Row = tuple[int, str, float, str]

_NOT_FOUND = (
    "unknown: no message in the session database staged it; what the background review stages "
    "never appears there"
)

_FOUND_BY_INDEX = """
SELECT m.id, m.session_id, m.timestamp, m.content FROM messages_fts_trigram AS f
JOIN messages AS m ON m.id = f.rowid
WHERE messages_fts_trigram MATCH ? AND m.role = 'tool'
  AND m.tool_name IN ('memory', 'skill_manage') ORDER BY m.id DESC LIMIT 50
"""

_FOUND_BY_SCAN = """
SELECT id, session_id, timestamp, content FROM messages
WHERE role = 'tool' AND tool_name IN ('memory', 'skill_manage') AND instr(content, ?)
ORDER BY id DESC LIMIT 50
"""

_ASKED = """
SELECT substr(content, 1, ?) FROM messages
WHERE session_id = ? AND role = 'user' AND id < ? AND content IS NOT NULL
ORDER BY id DESC LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a staged record comes from, as far as Hermes' own database tells.

    Attributes:
        session: Id of the session, or empty where it is unknown.
        at: When the record was staged, seconds since the epoch, or None.
        message: The person's message that came before it, at most `MAX_MESSAGE` characters.
        source: Where the session ran (`cli`, `telegram`, …), or empty.
        title: Title of the session, or empty.
        problem: Why something is unknown, in words, or empty.
    """

    session: str = ""
    at: float | None = None
    message: str = ""
    source: str = ""
    title: str = ""
    problem: str = ""


def find_session(home: Home, record_id: str, deadline_seconds: float = 0.2) -> Provenance:
    """Find the session and message that staged a record, reading only.

    Args:
        home: Home whose state.db is read; no file is made or left behind.
        record_id: Id of the record as its file name has it.
        deadline_seconds: Longest search, in seconds; running out is an answer, not an error.
    """
    until = time.monotonic() + deadline_seconds
    try:
        with closing(_open(home.state_db, deadline_seconds)) as database:
            database.set_progress_handler(lambda: time.monotonic() > until, 2_000)
            return _search(database, record_id)
    except FileNotFoundError:
        return Provenance(problem="unknown: this home has no session database")
    except sqlite3.OperationalError as problem:
        late = time.monotonic() > until
        words = "not found in time" if late else f"the session database cannot be read: {problem}"
        return Provenance(problem=f"unknown: {words}")
    except OSError as problem:
        words = words_of(problem)
        return Provenance(problem=f"unknown: the session database cannot be read: {words}")
    except (sqlite3.Error, ValueError, TypeError, OverflowError) as problem:
        return Provenance(problem=f"unknown: the session database cannot be read: {problem}")


def _open(path: Path, timeout: float) -> sqlite3.Connection:
    """Open in the one way that leaves no file behind in this state (design §8)."""
    found = path.stat()
    if not modes.S_ISREG(found.st_mode):
        raise OSError(0, "it is not a regular file")
    real = path.resolve()
    if real.with_name(f"{real.name}-shm").exists():
        how = "mode=ro"
    elif real.with_name(f"{real.name}-wal").exists() or not _ours(real, found.st_uid):
        how = "immutable=1"  # any other mode would make or keep a -shm file here
    else:
        how = "mode=rw"
    database = sqlite3.connect(f"file:{quote(os.fsencode(real))}?{how}", uri=True, timeout=timeout)
    database.execute("PRAGMA query_only = 1")
    return database


def _ours(real: Path, uid: int) -> bool:
    """Whether short-lived files of SQLite beside the database would belong to its owner."""
    return uid == os.geteuid() and os.access(real.parent, os.W_OK) and os.access(real, os.W_OK)


def _search(database: sqlite3.Connection, record_id: str) -> Provenance:
    row = _staging_row(database, record_id)
    if row is None:
        return Provenance(problem=_NOT_FOUND)
    number, session, at, _content = row
    found = Provenance(session=session, at=at)
    try:
        return _with_context(database, found, number)
    except sqlite3.Error as problem:
        return replace(found, problem=f"the message before it is unknown: {problem}")


def _staging_row(database: sqlite3.Connection, record_id: str) -> _Row | None:
    """The newest message that answered the model with this record's id."""
    for needle in (f'"pending_id": "{record_id}"', f'"pending_id":"{record_id}"'):
        for row in _rows(database, needle):
            if needle in row[3]:
                return row
    return None


def _rows(database: sqlite3.Connection, needle: str) -> list[_Row]:
    """Ask the trigram index first: a scan of a long history does not end within the deadline."""
    phrase = '"' + needle.replace('"', '""') + '"'
    try:
        found = database.execute(_FOUND_BY_INDEX, (phrase,)).fetchall()
    except sqlite3.OperationalError as problem:
        if "no such" not in str(problem):
            raise
        found = database.execute(_FOUND_BY_SCAN, (needle,)).fetchall()
    return [(int(row[0]), str(row[1]), float(row[2]), str(row[3])) for row in found]


def _with_context(database: sqlite3.Connection, found: Provenance, number: int) -> Provenance:
    asked = database.execute(_ASKED, (MAX_MESSAGE, found.session, number)).fetchone()
    session = database.execute(
        "SELECT source, title FROM sessions WHERE id = ?", (found.session,)
    ).fetchone()
    source, title = session or ("", "")
    return replace(
        found,
        message=str(asked[0]) if asked else "",
        source=str(source or ""),
        title=str(title or ""),
        problem="" if asked else "the session holds no message of a person before it",
    )
