"""How the rows of the log hold together: canonical text, hashes, and what breaks them.

Claim exactly this: who cannot rewrite the anchor cannot change history unseen; the same user can.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from placet.store.errors import LedgerError
from placet.store.ledger import anchor, schema
from placet.store.model import Event

_FORMAT = "placet-audit-1"


def canonical(body: Mapping[str, object]) -> str:
    """The one text of a body: sorted keys, ASCII, no spaces, no NaN."""
    return json.dumps(
        body, sort_keys=True, ensure_ascii=True, allow_nan=False, separators=(",", ":")
    )


def link(seq: int, prev: str, body: str) -> str:
    """Hash of one row."""
    return hashlib.sha256(f"{_FORMAT}\n{seq}\n{prev}\n{body}".encode()).hexdigest()


def append(connection: sqlite3.Connection, body: Mapping[str, object]) -> Event:
    """Write the next row inside an open transaction."""
    last, prev = head(connection)
    text = canonical(body)
    event = Event(last + 1, prev, text, link(last + 1, prev, text))
    connection.execute(
        "INSERT INTO audit(seq, prev, body, hash) VALUES (?, ?, ?, ?)",
        (event.seq, event.prev, event.body, event.hash),
    )
    return event


def broken(rows: Iterable[tuple[Any, ...]], seq: int, prev: str) -> str:
    """Name the first row that does not follow from the one before.

    Args:
        rows: `seq, prev, body, hash` in order.
        seq: Number of the row before the first one.
        prev: Hash of the row before the first one.

    Returns:
        Words that name the row, or empty.
    """
    for number, before, body, digest in rows:
        seq += 1
        if number != seq:
            return f"row {seq} is missing: the log goes on with row {number}"
        if before != prev:
            return f"row {seq} does not follow from row {seq - 1}"
        if not isinstance(body, str) or link(seq, prev, body) != digest:
            return f"row {seq} was changed after it was written"
        prev = digest
    return ""


def guards(connection: sqlite3.Connection) -> list[str]:
    """What differs between the tables, indices and guards of the database and their text."""
    rows = connection.execute("SELECT name, type, sql FROM sqlite_master").fetchall()
    found = {str(name): (str(kind), sql) for name, kind, sql in rows}
    wanted = schema.objects()
    names = {one.name for one in wanted}
    whole = [one for one in wanted if one.table in found]
    lost = [one for one in wanted if one.name == one.table and one.name not in found]
    lost += [one for one in whole if one.name not in found]
    altered = [one for one in whole if one.name in found and found[one.name][1] != one.sql]
    alien = [name for name in found if name not in names and not schema.is_inner(name)]
    return [
        *(f"the ledger's {_called(one.kind)} `{one.name}` is missing" for one in lost),
        *(f"the ledger's {_called(one.kind)} `{one.name}` was altered" for one in altered),
        *(
            f"the ledger holds a {found[name][0]} `{name}` that placet did not make"
            for name in alien
        ),
    ]


def _called(kind: str) -> str:
    return "guard" if kind == "trigger" else kind


def head(connection: sqlite3.Connection) -> tuple[int, str]:
    """Number and hash of the newest row; 0 and the chain's id where there is none."""
    row = connection.execute("SELECT seq, hash FROM audit ORDER BY seq DESC LIMIT 1").fetchone()
    return (int(row[0]), str(row[1])) if row else (0, chain_id(connection))


def chain_id(connection: sqlite3.Connection) -> str:
    """The random id of this database's chain, which is also the root of its hashes."""
    row = connection.execute("SELECT value FROM meta WHERE key = 'chain'").fetchone()
    return str(row[0]) if row else ""


def anchored(connection: sqlite3.Connection, home: Path) -> list[str]:
    """What the anchor outside the home contradicts; nothing where there is no anchor."""
    try:
        known = anchor.read(home)
    except LedgerError as error:
        return [str(error).rstrip(".")]
    if known is None:
        return []
    if known.path != str(home):
        return [f"the anchor {anchor.location(home)} belongs to another home"]
    if known.chain != chain_id(connection):
        return [
            "the database is not the one that the anchor remembers: it was deleted or replaced"
            f" (the anchor knows the log up to #{known.seq})"
        ]
    return _ancestor(connection, known)


def _ancestor(connection: sqlite3.Connection, known: anchor.Anchor) -> list[str]:
    if not known.seq:
        return []
    row = connection.execute("SELECT hash FROM audit WHERE seq = ?", (known.seq,)).fetchone()
    if row is None:
        last = head(connection)[0]
        return [
            f"the log ends at #{last}, the anchor remembers #{known.seq}:"
            " rows were cut off, or an old copy was put in place"
        ]
    if row[0] != known.hash:
        return [f"row {known.seq} is not the one that the anchor remembers: history was rewritten"]
    return []


def tail(connection: sqlite3.Connection, rows: int) -> str:
    """Check the newest rows alone; words that name the first bad one, or empty."""
    last = head(connection)[0]
    start = max(0, last - rows)
    prev = chain_id(connection)
    if start:
        row = connection.execute("SELECT hash FROM audit WHERE seq = ?", (start,)).fetchone()
        if row is None:
            return f"row {start} is missing"
        prev = str(row[0])
    sql = "SELECT seq, prev, body, hash FROM audit WHERE seq > ? ORDER BY seq"
    return broken(connection.execute(sql, (start,)), start, prev)


def _has_log(connection: sqlite3.Connection) -> bool:
    """Whether the two tables are there without which nothing else can be checked."""
    sql = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('audit', 'meta')"
    return bool(connection.execute(sql).fetchone()[0] == 2)


def accepted(connection: sqlite3.Connection) -> frozenset[str]:
    """Findings that a person has accepted by name; they raise no further alarm."""
    sql = (
        "SELECT body FROM audit WHERE json_extract(body, '$.kind') = 'chain-accepted'"
        " ORDER BY seq DESC LIMIT 1"
    )
    row = connection.execute(sql).fetchone()
    found: list[str] = json.loads(row[0]).get("accepted", []) if row else []
    return frozenset(found)


def alarms(connection: sqlite3.Connection, home: Path, rows: int) -> list[str]:
    """What is wrong with the log at opening, less what a person accepted."""
    schema_problems = guards(connection)
    if not _has_log(connection):
        return schema_problems
    problems = [*schema_problems, *anchored(connection, home), tail(connection, rows)]
    known = accepted(connection)
    return [words for words in problems if words and words not in known]
