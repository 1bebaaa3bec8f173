"""Which bytes the ledger names, and what became of those that are not in the blobs any more."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, cast

from placet.store.ledger import blobs
from placet.store.ledger.database import Ledger
from placet.store.model import PERSON, Kind

SHOWN = 20
"""Most missing texts that are named one by one."""

_RECORDS = frozenset({Kind.APPROVED, Kind.EDITED, Kind.REJECTED, Kind.DISCARDED, Kind.TAKEN})
"""Kinds of which the record's own bytes are kept."""

_ERASED = """
SELECT a.seq AS seq, json_extract(a.body, '$.sha256') AS digest FROM audit a
WHERE json_extract(a.body, '$.kind') = 'erased'
UNION SELECT a.seq, d.value FROM audit a, json_each(a.body, '$.digests') d
WHERE json_extract(a.body, '$.kind') IN ('erased', 'pruned')
"""
_NEVER = """
SELECT a.seq AS seq, d.value AS digest FROM audit a, json_each(a.body, '$.not_kept') d
"""


def named(body: Mapping[str, Any]) -> Iterator[str]:
    """Digests of all bytes that an event names as kept.

    Args:
        body: Body of the event.
    """
    kind = body.get("kind")
    rows = [row for name in ("files", "operations", "vouches") for row in _rows(body.get(name))]
    if kind in (Kind.UNGATED, Kind.LATE_WRITE):
        rows.append({name: body.get(name) for name in ("before", "after", "found")})
    if kind in _RECORDS and not body.get("aside") and body.get("origin") != PERSON:
        rows.append({"sha256": body.get("sha256")})
    rows.append({"before": body.get("usage_before")})
    never = set(body.get("not_kept", ()))
    for row in rows:
        for name in ("before", "after", "proposed", "found", "sha256"):
            digest = row.get(name)
            if digest and digest not in never:
                yield str(digest)


def _rows(value: object) -> list[dict[str, Any]]:
    """The objects of a list; none where somebody put something else into the row of the log."""
    found = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("dict[str, Any]", row) for row in found if isinstance(row, dict)]


def missing(ledger: Ledger) -> list[str]:
    """Bytes that an event names, that no event explains, and that are not there, in words."""
    first = _first_named(ledger)
    excused = {digest for sql in (_ERASED, _NEVER) for _, digest in ledger.rows(sql)}
    lost = [
        (digest, seq)
        for digest, seq in first.items()
        if digest not in excused and blobs.get(ledger.home, digest) is None
    ]
    more = [f"and {len(lost) - SHOWN} more texts are missing"] if len(lost) > SHOWN else []
    return [
        f"the bytes {digest[:12]} of #{seq} are missing or damaged, and no `erased` event tells why"
        for digest, seq in lost[:SHOWN]
    ] + more


def _first_named(ledger: Ledger) -> dict[str, int]:
    """Every digest with the first event that names it, in the order of the log."""
    first: dict[str, int] = {}
    for seq, body in ledger.connection.execute("SELECT seq, body FROM audit ORDER BY seq"):
        for digest in named(json.loads(body)):
            first.setdefault(digest, seq)
    sql = "SELECT text, decision FROM refusals WHERE text IS NOT NULL ORDER BY n"
    for digest, seq in ledger.connection.execute(sql):
        first.setdefault(digest, seq)
    return first


def gone(ledger: Ledger, body: Mapping[str, Any]) -> str:
    """What became of bytes that one event names and that are not there, or empty."""
    lost = [digest for digest in named(body) if blobs.get(ledger.home, digest) is None]
    return ", ".join(dict.fromkeys(why_gone(ledger, digest) for digest in lost))


def why_gone(ledger: Ledger, digest: str) -> str:
    """Why bytes are not in the blobs, to follow "its text": erased, never kept, or missing."""
    for sql, words in ((_ERASED, "was erased (#{})"), (_NEVER, "was never kept (#{})")):
        row = ledger.row(f"SELECT seq FROM ({sql}) WHERE digest = ? ORDER BY seq", (digest,))
        if row is not None:
            return words.format(row[0])
    return "is lost: its bytes are missing from blobs/ or damaged"
