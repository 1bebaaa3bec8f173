"""One home's database: opening it, its transactions, its versions.

Only the standard library's `sqlite3` is used here, because this is on the way of every decision.
"""

from __future__ import annotations

import os
import secrets
import sqlite3
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from placet.store.closing import Closing
from placet.store.disk import write
from placet.store.errors import LedgerError, words_of
from placet.store.ledger import anchor, chain, reaching, schema
from placet.store.ledger.rewriting import REWRITES
from placet.store.model import Home, Kind

TAIL_ROWS = 10_000
"""Newest rows that are verified at every opening for deciding, about 0.1 s."""


def location(home: Home) -> Path:
    """Path of the database of a home."""
    return reaching.database(home.path)


def lost(home: Home) -> str:
    """Why a home whose ledger is missing or empty should have one, in words, or empty."""
    return anchor.lost(home.path)


class Ledger(Closing):
    """What is remembered about one home; bound to the thread that opened it.

    Everything that one decision writes goes into a single `with ledger.immediate():` block; the
    functions of the other modules here take the ledger first and never commit by themselves.

    Attributes:
        home: Home that it belongs to.
        connection: The open connection, in autocommit mode.
        writable: Whether it was opened for deciding.
        alarm: Why nothing may be decided (broken chain, wrong anchor), in words, or empty.
        notes: What else happened at opening, such as a new anchor.
    """

    def __init__(self, home: Home, connection: sqlite3.Connection, *, writable: bool) -> None:
        self.home = home
        self.connection = connection
        self.writable = writable
        self.alarm = ""
        self.notes: list[str] = []
        self.pending_heads: list[tuple[int, str]] = []
        self._identity = _identity(location(home))

    @classmethod
    def open(cls, home: Home, *, create: bool = False) -> Ledger:
        """Open the ledger for deciding.

        Args:
            home: Whose ledger.
            create: Whether to make `placet/` and the database where they are missing.

        Returns:
            The ledger; look at `alarm` before anything else.

        Raises:
            LedgerError: There is none, a newer placet made it, or it cannot be used.
        """
        path = location(home)
        with reaching.in_words(path):
            _prepare(home, path, create)
            ledger = cls(home, reaching.connect(path, "mode=rw"), writable=True)
            try:
                ledger._make_ready()
            except BaseException:
                ledger.close()
                raise
        return ledger

    @classmethod
    def open_reading(cls, home: Home) -> Ledger | None:
        """Open the ledger for looking, leaving no file behind.

        Returns:
            The ledger, or None where the home has none; `lost` says whether it should have one.

        Raises:
            NotALedger: Something else stands in its place.
            LedgerError: A newer placet made it, or it cannot be read.
        """
        path = location(home)
        if not reaching.is_there(home.path):
            return None
        with reaching.reading(path):
            ledger = cls(home, reaching.connect_reading(path), writable=False)
            try:
                if reaching.version(ledger.connection, path) == 0:
                    ledger.close()
                    return None
                ledger.alarm = ledger._alarm(0)
            except BaseException:
                ledger.close()
                raise
        return ledger

    @contextmanager
    def immediate(self) -> Generator[None]:
        """One transaction that holds the write lock from its first moment.

        It commits at the end of the block and rolls back on any exception. After the commit the
        anchor is told the new head; a failure there is only noted in `notes`.

        Raises:
            LedgerError: An alarm is open, the database was replaced meanwhile, or the disk
                failed; nothing of the block was kept.
            Busy: Another process kept the database for longer than `BUSY_SECONDS`.
        """
        if self.alarm:
            raise LedgerError(
                f"{self.alarm}. Nothing was decided. Look at it with `placet audit --verify`,"
                " then accept it with `placet audit --accept`.",
                cause=self.alarm,
            )
        with self.unguarded():
            yield

    @contextmanager
    def unguarded(self) -> Generator[None]:
        """Like `immediate`, also while an alarm is open; for accepting it alone."""
        if not self.writable:
            raise LedgerError("The ledger was opened for reading; nothing was written.")
        path = location(self.home)
        if _identity(path) != self._identity:
            cause = f"{path} was replaced while it was open"
            raise LedgerError(f"{cause}; nothing was written.", cause=cause)
        with reaching.in_words(path), self._transaction():
            yield
        self._tell_anchor()

    @contextmanager
    def _transaction(self) -> Generator[None]:
        self.connection.execute("BEGIN IMMEDIATE")
        self.pending_heads.clear()
        try:
            yield
            self.connection.execute("COMMIT")
        except BaseException:
            self.pending_heads.clear()
            if self.connection.in_transaction:
                self.connection.execute("ROLLBACK")
            raise

    def _tell_anchor(self) -> None:
        heads, self.pending_heads = self.pending_heads, []
        if not heads or self.alarm:
            return
        try:
            found = chain.anchored(self.connection, self.home.path)
            if not found:
                anchor.append(self.home.path, heads)
        except (OSError, LedgerError) as error:
            self.notes.append(f"The anchor outside the home could not be written: {_said(error)}.")
            return
        self.alarm = "; ".join(found)

    def rows(self, sql: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        """Every row of a query."""
        return self.connection.execute(sql, values).fetchall()

    def row(self, sql: str, values: Sequence[object] = ()) -> tuple[Any, ...] | None:
        """The first row of a query, or None."""
        found: tuple[Any, ...] | None = self.connection.execute(sql, values).fetchone()
        return found

    def run(self, sql: str, values: Sequence[object] = ()) -> int:
        """Change rows inside an open transaction; returns how many.

        Raises:
            RuntimeError: No transaction is open.
        """
        if not self.connection.in_transaction:
            raise RuntimeError("the ledger is only written inside `immediate()`")
        return self.connection.execute(sql, values).rowcount

    def meta(self, key: str) -> str:
        """A value of the `meta` table, or empty."""
        row = self.row("SELECT value FROM meta WHERE key = ?", (key,))
        return str(row[0]) if row else ""

    def set_meta(self, key: str, value: str) -> None:
        """Set a value of the `meta` table inside an open transaction."""
        self.run("INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)", (key, value))

    def checkpoint(self) -> None:
        """Empty the write-ahead log, so that erased text is nowhere in the folder any more."""
        self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def close(self) -> None:
        """Close the connection."""
        self.connection.close()

    def _make_ready(self) -> None:
        for pragma in ("synchronous = FULL", "secure_delete = ON", "journal_size_limit = 4194304"):
            self.connection.execute(f"PRAGMA {pragma}")
        for pragma in ("fullfsync = ON", "checkpoint_fullfsync = ON"):
            self.connection.execute(f"PRAGMA {pragma}")
        reaching.use_wal(self.connection)
        _migrate(self.connection, location(self.home))
        self._begin_anchor()
        self.alarm = self._alarm(TAIL_ROWS)

    def _alarm(self, rows: int) -> str:
        return "; ".join(chain.alarms(self.connection, self.home.path, rows))

    def _begin_anchor(self) -> None:
        """A database without an anchor gets a new one; that is an event unless both are new."""
        if not anchor.begin(self.home.path, chain.chain_id(self.connection)):
            return
        last = chain.head(self.connection)[0]
        if last == 0:
            return
        with self._transaction():
            event = chain.append(self.connection, self._new_anchor(last))
        anchor.append(self.home.path, [(event.seq, event.hash)])
        self.notes.append(
            f"There was no anchor outside the home; a new one begins after #{last}:"
            f" {anchor.location(self.home.path)}"
        )

    def _new_anchor(self, last: int) -> dict[str, object]:
        return {
            "at": time.time(),
            "kind": Kind.RECOVERED.value,
            "home": str(self.home.path),
            "actor": "placet",
            "what": "anchor",
            "concerns": last,
        }


@contextmanager
def looking(home: Home) -> Generator[Ledger | None]:
    """Read the ledger of a home for the length of the block; None where there is none.

    Raises:
        LedgerError: It cannot be read.
    """
    ledger = Ledger.open_reading(home)
    if ledger is None:
        yield None
        return
    with ledger, reaching.reading(reaching.database(home.path)):
        yield ledger


def _said(error: OSError | LedgerError) -> str:
    return words_of(error) if isinstance(error, OSError) else str(error).rstrip(".")


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino


def _prepare(home: Home, path: Path, create: bool) -> None:
    if create:
        try:
            write.private_folder(home.private)
        except OSError as error:
            raise LedgerError(f"{home.private} cannot be made: {words_of(error)}.") from error
        _make_empty(path)
    _require(home)


def _make_empty(path: Path) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        os.close(os.open(path, flags, 0o600))
    except FileExistsError:
        return
    except OSError as error:
        raise LedgerError(f"{path} cannot be made: {words_of(error)}.") from error
    write.fsync_dir(path.parent)


def _require(home: Home) -> None:
    if not reaching.is_there(home.path):
        raise LedgerError(f"There is no {location(home)}: nothing was decided in this home yet.")


def _migrate(connection: sqlite3.Connection, path: Path) -> None:
    """Lead an older database to today's tables, one transaction a step."""
    while reaching.version(connection, path) < schema.version():
        connection.execute("BEGIN IMMEDIATE")
        try:
            _step(connection, path)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def _step(connection: sqlite3.Connection, path: Path) -> None:
    """Run the next step, unless another process did while we waited for the lock."""
    found = reaching.version(connection, path)
    if found == schema.version():
        return
    for statement in schema.MIGRATIONS[found]:
        connection.execute(statement)
    if found in REWRITES:
        REWRITES[found](connection, path.parent.parent.resolve())
    if found == 0:
        _first_values(connection)
    _put_meta(connection, "placet", reaching.program_version())
    connection.execute(f"PRAGMA user_version = {found + 1}")


def _first_values(connection: sqlite3.Connection) -> None:
    _put_meta(connection, "chain", secrets.token_hex(32))
    _put_meta(connection, "salt", secrets.token_hex(32))


def _put_meta(connection: sqlite3.Connection, key: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO meta(key, value) VALUES (?, ?)", (key, value))
