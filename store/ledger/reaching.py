"""Reaching one home's database: how it is opened, what it has to be, its failures in words.

Only the standard library is used here, because `placet count` comes this way too.
"""

from __future__ import annotations

import functools
import os
import sqlite3
import stat
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

from placet.store.errors import Busy, LedgerError, NotALedger, words_of
from placet.store.ledger import schema

BUSY_SECONDS = 5.0
"""How long one process waits for another one's transaction."""

FAULTS = (
    sqlite3.Error,
    ValueError,
    TypeError,
    LookupError,
    AttributeError,
    OverflowError,
    RecursionError,
)
"""What reading a damaged database can raise: from SQLite, and from what its rows should hold."""

_REFUSED = frozenset(
    {
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_READONLY,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL,
        sqlite3.SQLITE_CANTOPEN,
    }
)
"""Failures of SQLite behind which the system has refused something."""

_SHOWN = 200


def database(home: Path) -> Path:
    """Path of the database of a home."""
    return home / "placet" / "placet.db"


@contextmanager
def in_words(path: Path) -> Generator[None]:
    """Turn what SQLite says while writing into one of our errors."""
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except sqlite3.Error as error:
        _raise_if_busy(path, error)
        system = _refusal(error, path, writing=True)
        what = f"cannot be written: {system} ({error})" if system else f"failed: {fault(error)}"
        cause = f"The ledger {path} {what}"
        raise LedgerError(f"{cause}. Nothing was written.", cause=cause) from error


@contextmanager
def reading(path: Path) -> Generator[None]:
    """Turn whatever reading the ledger raises into one of our errors.

    Raises:
        NotALedger: It is no database at all.
        Busy: Another process kept it for too long.
        LedgerError: It is damaged.
    """
    try:
        yield
    except FAULTS as error:
        if isinstance(error, sqlite3.Error):
            _raise_if_busy(path, error)
        kind = NotALedger if _code(error) == sqlite3.SQLITE_NOTADB else LedgerError
        system = _refusal(error, path, writing=False)
        why = f"{system} ({error})" if system else fault(error)
        raise kind(f"The ledger {path} cannot be read: {why}.") from error
    except OSError as error:
        raise LedgerError(f"The ledger {path} cannot be read: {words_of(error)}.") from error


def _refusal(error: Exception, path: Path, *, writing: bool) -> str:
    """What the system says where it is the one that refused, or empty."""
    if _code(error) not in _REFUSED:
        return ""
    from placet.store.disk import reason  # here alone: it costs milliseconds that `count` lacks

    if writing:
        return reason.of_writing(path)
    said = reason.of_reading(path)
    if not said and _is_writable(path):  # SQLite makes files to read, too
        said = reason.of_writing(path)
    return said


def _code(error: Exception) -> int:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def _raise_if_busy(path: Path, error: sqlite3.Error) -> None:
    if _code(error) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        cause = f"{path} is in use by another placet for more than {BUSY_SECONDS:g} s"
        raise Busy(f"{cause}; nothing was written. Try again.", cause=cause) from error


def fault(error: Exception) -> str:
    """A failure in a few words; what it quotes may be as long as the damage."""
    if isinstance(error, UnicodeError):
        return "text in it is not UTF-8"
    words = str(error).rstrip(".")
    if not isinstance(error, sqlite3.Error):
        words = f"a row in it is not what placet writes ({type(error).__name__}: {words})"
    return words if len(words) <= _SHOWN else f"{words[:_SHOWN]}…"


def is_there(home: Path) -> bool:
    """Whether a home has a database; nothing is opened.

    Raises:
        NotALedger: Something else has its name or that of its folder.
        LedgerError: It cannot be told.
    """
    path = database(home)
    for place, wanted in ((path.parent, stat.S_ISDIR), (path, stat.S_ISREG)):
        try:
            mode = os.lstat(place).st_mode
        except FileNotFoundError:
            return False
        except OSError as error:
            raise LedgerError(f"{place} cannot be looked at: {words_of(error)}.") from error
        if not wanted(mode):
            raise NotALedger(f"{place} is not what placet made there; it is left alone.")
    return True


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """Open a database in the mode of an SQLite address, in autocommit mode."""
    address = f"file:{quote(os.fsencode(path))}?{mode}"
    connection = sqlite3.connect(address, uri=True, isolation_level=None, timeout=BUSY_SECONDS)
    connection.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1000)}")
    return connection


def connect_reading(path: Path) -> sqlite3.Connection:
    """Open a database for looking, leaving no file behind.

    Where there is no room for what SQLite makes beside it, and nothing lies there, nobody else has
    it open either: it is read as it is.
    """
    try:
        return _reading(path, _reading_mode(path))
    except sqlite3.OperationalError as error:
        if _code(error) not in _REFUSED or _filled(f"{path}-wal"):
            raise
        return _reading(path, "mode=ro&immutable=1")


def _filled(path: str) -> bool:
    try:
        return os.lstat(path).st_size > 0
    except OSError:
        return False


def _reading(path: Path, mode: str) -> sqlite3.Connection:
    connection = connect(path, mode)
    try:
        connection.execute("PRAGMA query_only = 1")
        connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone()
    except BaseException:
        connection.close()
        raise
    return connection


def _reading_mode(path: Path) -> str:
    """Choose the mode that leaves no file behind: SQLite must be able to delete its own."""
    if _is_writable(path) and os.stat(path).st_uid == os.geteuid():
        return "mode=rw"
    return "mode=ro" if os.path.exists(f"{path}-wal") else "mode=ro&immutable=1"


def _is_writable(path: Path) -> bool:
    return os.access(path.parent, os.W_OK) and os.access(path, os.W_OK)


def use_wal(connection: sqlite3.Connection) -> None:
    """Switch to the write-ahead log; the change of mode ignores the busy timeout."""
    deadline = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.01)


def version(connection: sqlite3.Connection, path: Path) -> int:
    """The database's version; 0 is one without any table.

    Raises:
        NotALedger: It says a version that no placet writes.
        LedgerError: It is newer than this program.
    """
    found = int(connection.execute("PRAGMA user_version").fetchone()[0])
    empty = found == 0 and not connection.execute("SELECT 1 FROM sqlite_master").fetchone()
    if found < 0 or (found == 0 and not empty):
        raise NotALedger(
            f"{path} says that its version is {found}, which no placet writes: somebody changed"
            " it. Nothing can be decided here; the queue, the diffs and the memory can be read."
        )
    if found > schema.version():
        raise LedgerError(
            f"{path} was made by a newer placet (ledger version {found}, this one knows"
            f" {schema.version()}). Nothing can be decided here; the queue, the diffs and the"
            f" memory can be read. Install {_writer(connection)}."
        )
    return found


def _writer(connection: sqlite3.Connection) -> str:
    """The program to install: the one that wrote the database, where that is a newer one."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'placet'").fetchone()
    wrote = str(row[0]) if row else ""
    newer = _parts(wrote) > _parts(program_version())
    return f"placet {wrote} or newer" if newer else "a newer placet"


def _parts(text: str) -> tuple[int, ...]:
    """The numbers of a version such as "1.2.3"; none for anything else."""
    parts = text.split(".")
    fits = all(part.isascii() and part.isdigit() and len(part) < 9 for part in parts)
    return tuple(int(part) for part in parts) if fits else ()


@functools.cache
def program_version() -> str:
    """Version of this program, looked up once: for a database that is made, or the first event."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed("placet")
    except PackageNotFoundError:
        return "unknown"
