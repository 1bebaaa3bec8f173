"""Which bytes the ledger names, and what became of those that are not in the blobs any more."""

from __future__ import annotations

from placet.store.ledger import blobs
from placet.store.ledger.database import Ledger

SHOWN = 20
"""Most missing texts that are named one by one."""

_EVENT = "json_extract(a.body, '$.kind')"
_NAMED = f"""
SELECT decision AS seq, before AS digest FROM operations
UNION SELECT decision, after FROM operations
UNION SELECT decision, proposed FROM operations
UNION SELECT decision, text FROM refusals
UNION SELECT decision, sha256 FROM vouches
UNION SELECT event, sha256 FROM decisions
  WHERE name <> '' AND kind IN ('approved', 'edited', 'rejected', 'discarded')
  AND (SELECT json_extract(a.body, '$.aside') FROM audit a WHERE a.seq = event) IS NULL
UNION SELECT a.seq, json_extract(a.body, '$.sha256') FROM audit a
  WHERE {_EVENT} = 'taken' AND json_extract(a.body, '$.aside') IS NULL
UNION SELECT a.seq, json_extract(a.body, '$.before') FROM audit a WHERE {_EVENT} = 'ungated'
UNION SELECT a.seq, json_extract(a.body, '$.after') FROM audit a WHERE {_EVENT} = 'ungated'
UNION SELECT a.seq, json_extract(a.body, '$.found') FROM audit a WHERE {_EVENT} = 'late-write'
UNION SELECT a.seq, json_extract(f.value, '$.before')
  FROM audit a, json_each(a.body, '$.files') f
UNION SELECT a.seq, json_extract(f.value, '$.after')
  FROM audit a, json_each(a.body, '$.files') f
"""
_ERASED = f"""
SELECT json_extract(a.body, '$.sha256') AS digest, a.seq AS seq FROM audit a
WHERE {_EVENT} = 'erased'
UNION SELECT d.value AS digest, a.seq AS seq FROM audit a, json_each(a.body, '$.digests') d
WHERE {_EVENT} IN ('erased', 'pruned')
"""
_NEVER = """
SELECT d.value AS digest, a.seq AS seq FROM audit a, json_each(a.body, '$.not_kept') d
"""


def missing(ledger: Ledger) -> list[str]:
    """Bytes that an event names, that no event explains, and that are not there, in words."""
    excused = {digest for sql in (_ERASED, _NEVER) for digest, _ in ledger.rows(sql)}
    named = ledger.rows(
        f"SELECT digest, min(seq) FROM ({_NAMED}) WHERE digest IS NOT NULL"
        " GROUP BY digest ORDER BY min(seq), digest"
    )
    lost = [
        (str(digest), seq)
        for digest, seq in named
        if digest not in excused and blobs.get(ledger.home, str(digest)) is None
    ]
    more = [f"and {len(lost) - SHOWN} more texts are missing"] if len(lost) > SHOWN else []
    return [
        f"the bytes {digest[:12]} of #{seq} are missing or damaged, and no `erased` event tells why"
        for digest, seq in lost[:SHOWN]
    ] + more


def why_gone(ledger: Ledger, digest: str) -> str:
    """Why bytes are not in the blobs, to follow "its text": erased, never kept, or missing."""
    for sql, words in ((_ERASED, "was erased (#{})"), (_NEVER, "was never kept (#{})")):
        row = ledger.row(f"SELECT seq FROM ({sql}) WHERE digest = ? ORDER BY seq", (digest,))
        if row is not None:
            return words.format(row[0])
    return "is lost: its bytes are missing from blobs/ or damaged"
