"""The append-only log: add a row, read pages of it, verify all of it, accept an alarm.

A body holds digests, codes, who, when, how seen and the person's reason; never memory text. These
names have a fixed meaning where they occur, because filters use them:

- `at` seconds since the epoch, `kind`, `home` (real path), `placet` (version of the program): put
  in by `append`
- `target` as `str(Target)`, `ref` as `subsystem/id`, `sha256` of the record
- `actor` login name as text, or "unknown (not placet)"; `evidence` everything else about who
- `concerns` number of the event that this one answers
- `not_kept` digests of bytes that were never put into the blobs (a refused secret, a huge file)
- `sha256` of `erased`, or `digests` of `erased` and `pruned`: gone from the blobs on purpose
"""

from __future__ import annotations

import json
import math
import re
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, cast

from placet.store.errors import LedgerError, PlacetError, words_of
from placet.store.ledger import anchor, chain, files, kept, reaching, schema
from placet.store.ledger.database import TAIL_ROWS, Ledger
from placet.store.model import DECISIONS, Event, Home, Kind

UNKNOWN_ACTOR = "unknown (not placet)"
"""Actor of everything that happened without placet."""

_TEXT_NAMES = frozenset({"content", "text", "before", "after", "old", "new", "old_text"})
_DIGEST = re.compile(r"[0-9a-f]{64}\Z")
_COLUMNS = "a.seq, a.prev, a.body, a.hash"


def append(ledger: Ledger, kind: Kind, body: Mapping[str, object]) -> Event:
    """Add the next row, inside an open `immediate()` block.

    Args:
        ledger: Where.
        kind: What happened.
        body: Everything else; `at` may be given, else it is now.

    Returns:
        The row; its `seq` is the number of the decision.

    Raises:
        ValueError: The body holds memory text where a digest belongs.
    """
    _refuse_text(body)
    made = {"at": time.time(), "home": str(ledger.home.path), "placet": reaching.program_version()}
    whole = {**made, **body, "kind": kind.value}
    if not ledger.connection.in_transaction:
        raise RuntimeError("the log is only written inside `immediate()`")
    event = chain.append(ledger.connection, whole)
    ledger.pending_heads.append((event.seq, event.hash))
    return event


def _refuse_text(value: object) -> None:
    """A name that elsewhere carries text may carry a digest or a number here, nothing else."""
    if isinstance(value, Mapping):
        for name, inner in cast("Mapping[str, object]", value).items():
            if name in _TEXT_NAMES and isinstance(inner, str) and not _DIGEST.match(inner):
                raise ValueError(f"`{name}` of an event must be a digest, never text")
            _refuse_text(inner)
    elif isinstance(value, (list, tuple)):
        for inner in cast("Sequence[object]", value):
            _refuse_text(inner)


def body(event: Event) -> dict[str, Any]:
    """The body of a row; empty where somebody changed it into anything but a JSON object."""
    try:
        found: object = json.loads(event.body)
    except (ValueError, TypeError, RecursionError):
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def at(event: Event) -> float | None:
    """When it happened, in seconds since the epoch; None where the row holds no finite number."""
    value: object = body(event).get("at")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def get(ledger: Ledger, seq: int) -> Event | None:
    """One row by its number, or None."""
    row = ledger.row(f"SELECT {_COLUMNS} FROM audit a WHERE seq = ?", (seq,))
    return Event(*row) if row else None


def head(ledger: Ledger) -> int:
    """Number of the newest row, 0 where there is none."""
    return chain.head(ledger.connection)[0]


def events(
    ledger: Ledger,
    *,
    before: int | None = None,
    after: int | None = None,
    limit: int = 100,
    kind: str = "",
    actor: str = "",
    target: str = "",
    text: str = "",
) -> tuple[Event, ...]:
    """A page of the log.

    Args:
        ledger: Which log.
        before: Rows below this number, newest first; also without any bound.
        after: Rows above this number, oldest first; for following.
        limit: Most rows to return.
        kind: Only this kind.
        actor: Only this actor.
        target: Only this target; `skill:NAME` includes its files.
        text: Only rows with all these words, the last one as a beginning.

    Returns:
        The rows in the order asked for.
    """
    clauses, values = _filters(kind, actor, target)
    source, key = "audit a", "a.seq"
    if words := text.replace("\0", " ").split():
        source, key = "audit_words w JOIN audit a ON a.seq = w.rowid", "w.rowid"
        clauses.append("audit_words MATCH ?")
        values.append(_match(words))
    if after is not None:
        clauses.append(f"{key} > ?")
        values.append(after)
    elif before is not None:
        clauses.append(f"{key} < ?")
        values.append(before)
    where = f" WHERE {' AND '.join(clauses)}" if clauses else ""
    order = "" if after is not None else " DESC"
    sql = f"SELECT {_COLUMNS} FROM {source}{where} ORDER BY {key}{order} LIMIT ?"
    return tuple(Event(*row) for row in ledger.rows(sql, (*values, limit)))


def _filters(kind: str, actor: str, target: str) -> tuple[list[str], list[object]]:
    clauses: list[str] = []
    values: list[object] = []
    for name, wanted in (("kind", kind), ("actor", actor)):
        if wanted:
            clauses.append(f"json_extract(a.body, '$.{name}') = ?")
            values.append(wanted)
    field = "json_extract(a.body, '$.target')"
    if target.startswith("skill:") and "/" not in target:
        clauses.append(f"({field} = ? OR ({field} >= ? AND {field} < ?))")
        values += [target, target + "/", target + "0"]
    elif target:
        clauses.append(f"{field} = ?")
        values.append(target)
    return clauses, values


def _match(words: Sequence[str]) -> str:
    """Words as a query of the word index; nothing in them is syntax."""
    return " ".join('"' + word.replace('"', '""') + '"' for word in words) + "*"


def verify(ledger: Ledger, *, live: bool = True) -> list[str]:
    """Recompute everything the log can be held to.

    Args:
        ledger: Which log.
        live: Whether to compare the watched files with what the log last recorded of them.

    Returns:
        What is wrong, in words, the chain's first bad row first; empty where all holds.
    """
    connection, home = ledger.connection, ledger.home.path
    checks: list[Callable[[], Sequence[str]]] = [
        lambda: _rows(connection),
        lambda: chain.guards(connection),
        lambda: chain.anchored(connection, home),
        lambda: _anchored_rows(ledger),
        lambda: _decisions(ledger),
        lambda: _sound(ledger),
        lambda: kept.missing(ledger),
    ]
    if live:
        checks.append(lambda: files.differing(ledger))
    return list(dict.fromkeys(words for check in checks for words in _tried(check) if words))


def verify_home(home: Home) -> tuple[list[str], int]:
    """Verify the log of a home whatever became of it: one that is gone or unreadable is a finding.

    Returns:
        What is wrong, in words, and the number of the newest row, 0 where none can be read.
    """
    try:
        with reaching.reading(reaching.database(home.path)):
            ledger = Ledger.open_reading(home)
            if ledger is None:
                return [words for words in (anchor.lost(home.path),) if words], 0
            with closing(ledger):
                return verify(ledger), _newest(ledger)
    except PlacetError as error:
        return [str(error).rstrip(".")], 0


def _newest(ledger: Ledger) -> int:
    try:
        return head(ledger)
    except sqlite3.Error:
        return 0  # what is wrong with the table is among the findings


def _tried(check: Callable[[], Sequence[str]]) -> Sequence[str]:
    """What one check finds; that it cannot be made is a finding, and hides no other one."""
    try:
        return check()
    except LedgerError as error:
        return [str(error).rstrip(".")]
    except reaching.FAULTS as error:
        return [f"not everything could be checked: {reaching.fault(error)}"]


def _rows(connection: sqlite3.Connection) -> list[str]:
    sql = "SELECT seq, prev, body, hash FROM audit ORDER BY seq"
    return [chain.broken(connection.execute(sql), 0, chain.chain_id(connection))]


def _anchored_rows(ledger: Ledger) -> list[str]:
    """Every head that the anchor holds, not only the newest; both are walked side by side."""
    rows = ledger.connection.execute("SELECT seq, hash FROM audit ORDER BY seq")
    seq, digest = 0, ""
    for wanted, known in anchor.heads(ledger.home.path):
        while seq < wanted:
            row = rows.fetchone()
            if row is None:
                return []
            seq, digest = row
        if seq == wanted and digest != known:
            return [f"row {seq} is not the one that the anchor remembers: history was rewritten"]
    return []


def _decisions(ledger: Ledger) -> list[str]:
    """Decisions without their event, and events without their decision."""
    lost = ledger.rows(
        "SELECT d.event, d.kind FROM decisions d LEFT JOIN audit a ON a.seq = d.event"
        " WHERE json_extract(a.body, '$.kind') IS NOT d.kind ORDER BY d.event LIMIT 20"
    )
    bare = ledger.rows(
        "SELECT a.seq, json_extract(a.body, '$.kind') FROM audit a"
        " LEFT JOIN decisions d ON d.event = a.seq"
        " WHERE json_extract(a.body, '$.kind') IN (SELECT value FROM json_each(?))"
        " AND d.event IS NULL ORDER BY a.seq LIMIT 20",
        (json.dumps(_DECISION_NAMES),),
    )
    return [f"decision #{seq} ({kind}) has no such row in the log" for seq, kind in lost] + [
        f"row {seq} ({kind}) has no decision beside it" for seq, kind in bare
    ]


_DECISION_NAMES = sorted(kind.value for kind in DECISIONS)


def _sound(ledger: Ledger) -> list[str]:
    """What SQLite itself finds wrong with the file."""
    found = [str(row[0]) for row in ledger.rows("PRAGMA quick_check(5)")]
    return [f"the database file is damaged: {words}" for words in found if words != "ok"]


def accept(ledger: Ledger, details: Mapping[str, object]) -> Event:
    """Accept what is wrong with the log, as a person's act; decisions are possible afterwards.

    The findings go into the event by name, lost guards are put back, the old anchor is kept aside
    and a new one begins at this event.

    Args:
        ledger: A ledger with an open `alarm`.
        details: `actor`, `evidence`, `reason` of the person.

    Raises:
        LedgerError: There is nothing to accept, or the chain cannot be continued.
    """
    found = chain.alarms(ledger.connection, ledger.home.path, TAIL_ROWS)
    if not found:
        raise LedgerError("The log holds together; there is nothing to accept.")
    try:
        event = _accept(ledger, details, found)
    except OSError as error:
        raise LedgerError(
            f"The anchor {anchor_path(ledger)} could not be begun anew: {words_of(error)}."
            " Nothing may be decided before that; mend it, then accept again."
        ) from error
    ledger.alarm = "; ".join(chain.alarms(ledger.connection, ledger.home.path, TAIL_ROWS))
    return event


def _accept(ledger: Ledger, details: Mapping[str, object], found: Sequence[str]) -> Event:
    old = anchor.set_aside(ledger.home.path)
    aside = {} if old is None else {"old_anchor": str(old)}
    with ledger.unguarded():
        _restore_schema(ledger)
        event = append(ledger, Kind.CHAIN_ACCEPTED, {**details, **aside, "accepted": found})
        ledger.pending_heads.clear()
    anchor.begin(ledger.home.path, chain.chain_id(ledger.connection))
    anchor.append(ledger.home.path, [(event.seq, event.hash)])
    return event


def _restore_schema(ledger: Ledger) -> None:
    """Put back what was dropped, empty, and guards that were altered; no table is ever changed."""
    have = dict(ledger.rows("SELECT name, sql FROM sqlite_master"))
    for one in schema.objects():
        if one.kind == "trigger" and have.get(one.name) != one.sql:
            ledger.run(f"DROP TRIGGER IF EXISTS {one.name}")
            ledger.run(one.sql)
        elif one.name not in have:
            ledger.run(one.sql)
            if one.name == "audit_words":
                ledger.run(schema.FILL_WORDS)


def anchor_path(ledger: Ledger) -> Path:
    """Where the head of this log is kept outside the home."""
    return anchor.location(ledger.home.path)
