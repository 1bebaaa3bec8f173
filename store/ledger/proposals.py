"""What became of each record: its stage of life, and whether a person put it back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from placet.store.errors import NotFound
from placet.store.ledger import names
from placet.store.ledger.database import Ledger
from placet.store.model import Life, Subsystem


@dataclass(frozen=True, slots=True)
class Known:
    """A record that the ledger knows.

    Attributes:
        subsystem: Its folder.
        id: Its id.
        sha256: SHA-256 of its bytes; a blob where they were kept.
        name: Its file name.
        origin: Who staged it.
        first_seen: Seconds since the epoch.
        life: Its stage.
        event: The event that led to this stage, or None.
        put_back: The event by which a person put it back after a taking, or None.
    """

    subsystem: Subsystem
    id: str
    sha256: str
    name: str
    origin: str
    first_seen: float
    life: Life
    event: int | None = None
    put_back: int | None = None


_COLUMNS = "subsystem, id, sha256, name, origin, first_seen, life, event, put_back"
_KEY = "subsystem = ? AND id = ? AND sha256 = ?"


def get(ledger: Ledger, subsystem: Subsystem, id: str, sha256: str) -> Known | None:  # noqa: A002
    """What is known about these record bytes, or None."""
    sql = f"SELECT {_COLUMNS} FROM proposals WHERE {_KEY}"
    row = ledger.row(sql, (subsystem.value, id, sha256))
    return _known(row) if row else None


def named(ledger: Ledger, subsystem: Subsystem, id: str) -> tuple[Known, ...]:  # noqa: A002
    """Everything known under one id, whatever its bytes."""
    sql = f"SELECT {_COLUMNS} FROM proposals WHERE subsystem = ? AND id = ?"
    return tuple(_known(row) for row in ledger.rows(sql, (subsystem.value, id)))


def living(ledger: Ledger, life: Life, limit: int = 1000) -> tuple[Known, ...]:
    """Records at one stage (such as `taken`), the newest event first."""
    sql = f"SELECT {_COLUMNS} FROM proposals WHERE life = ? ORDER BY event DESC LIMIT ?"
    return tuple(_known(row) for row in ledger.rows(sql, (life.value, limit)))


def put(ledger: Ledger, known: Known) -> None:
    """Write a record's stage, inside an open `immediate()` block.

    The first sight, and the event that put it back, are kept from an earlier row.
    """
    ledger.run(
        f"INSERT INTO proposals({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT(subsystem, id, sha256) DO UPDATE SET life = excluded.life,"
        " event = excluded.event, put_back = coalesce(excluded.put_back, put_back)",
        (
            *(known.subsystem.value, known.id, known.sha256),
            *(names.stored(known.name), known.origin),
            *(float(known.first_seen), known.life.value, known.event, known.put_back),
        ),
    )


def put_back(ledger: Ledger, known: Known, event: int) -> None:
    """End a taking for good: these bytes wait again and are never taken again.

    Raises:
        NotFound: The record is not among the taken ones.
    """
    sql = (
        f"UPDATE proposals SET life = 'waiting', event = ?, put_back = ? WHERE {_KEY}"
        " AND life = 'taken'"
    )
    key = (known.subsystem.value, known.id, known.sha256)
    if ledger.run(sql, (event, event, *key)) != 1:
        raise NotFound(f"{known.subsystem.value}/{known.id} is not among the taken records.")


def _known(row: tuple[Any, ...]) -> Known:
    subsystem, id_, digest, name, origin, first_seen, life, event, back = row
    kept = (id_, digest, names.found(name), origin, first_seen)
    return Known(Subsystem(subsystem), *kept, Life(life), event, back)
