"""What a person refused, and how a proposal is recognised when it comes back.

A refused value is matched by its fingerprint (`op`), a refused batch by the fingerprint of the
whole (`batch`); the operations of a refused batch are remembered as notes (`part`). A refused
secret keeps a salted fingerprint and a mask, so that neither the text nor a digest that could be
guessed at is stored.
"""

from __future__ import annotations

import hashlib
import hmac
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from placet.store.errors import NotFound
from placet.store.ledger import blobs, decisions
from placet.store.ledger.database import Ledger
from placet.store.model import Past, Proposal, RefusedHit, Subsystem, sha256
from placet.store.text.fingerprint import normal

SIMILAR = 90.0
"""Ratio from which a refusal is called similar."""

POOL = 1000
"""Newest refusals of the target that are compared."""

_WORK = 500_000_000
"""Most character pairs compared for one operation, about 30 ms."""

SHORTEST = 6
"""Fewest characters of a fingerprint by which a person may name a refusal."""

_LENGTHS = 0.8
"""Shorter over longer below which a ratio of `SIMILAR` cannot be reached."""


class Prints(Protocol):
    """What `plan.prints` makes of a proposal."""

    @property
    def operations(self) -> Mapping[int, tuple[str, str, str, str]]:
        """Kind, target, fingerprint and text of each operation, by number."""
        ...

    @property
    def batch(self) -> str | None:
        """Fingerprint of the whole batch, or None where it is not one."""
        ...


@dataclass(frozen=True, slots=True)
class Refusal:
    """One refusal as stored.

    Attributes:
        n: Its number in this ledger, rising.
        fp: Fingerprint, salted for a secret.
        kind: `put`, `drop` or `batch`.
        target: For which target.
        scope: `op`, `batch`, or `part` (a note from a refused batch).
        reason: The person's words.
        decision: Number of the decision.
        at: When, seconds since the epoch.
        until: When it expires, or None.
        lifted: Event that lifted it, or None while it stands.
        hits: How many different records it met.
        normal: The text as compared, or empty for a secret, a batch, or where it was erased.
        text: SHA-256 of the refused text in the blobs, or None.
        mask: What may be shown of a secret.
        secret: Whether it is one.
    """

    n: int
    fp: str
    kind: str
    target: str
    scope: str
    reason: str
    decision: int
    at: float
    until: float | None
    lifted: int | None
    hits: int
    normal: str
    text: str | None
    mask: str
    secret: bool


def add(
    ledger: Ledger,
    *,
    fp: str,
    kind: str,
    target: str,
    decision: int,
    scope: str = "op",
    text: str = "",
    reason: str = "",
    until: float | None = None,
    mask: str = "",
    secret: bool = False,
    at: float | None = None,
) -> str:
    """Refuse a value, inside an open `immediate()` block.

    Args:
        ledger: Where.
        fp: Fingerprint by `text.fingerprint`.
        kind: `put`, `drop` or `batch`.
        target: `str(Target)` it is refused for.
        decision: Number of the decision that refuses it.
        scope: `op`, `batch`, or `part` for the operations of a batch refused as a whole.
        text: The refused text; kept as a blob by the caller beforehand unless `secret`.
        reason: The person's words.
        until: When it expires, seconds since the epoch, or None.
        mask: What may be shown of a secret.
        secret: Whether the text is one: then it is not stored, and everything stored is salted.
            A batch that holds a secret is one too.
        at: When it was refused; now, if not given.

    Returns:
        The fingerprint as stored; for a secret only this one may go into an event.
    """
    stored = salted(ledger, fp) if secret else fp
    key = _word_key(kind, normal(text)) if text else None
    keeps = bool(text) and not secret
    values = (
        *(stored, kind, target, scope),
        salted(ledger, key) if secret and key else key,
        normal(text) if keeps else None,
        sha256(text.encode("utf-8", "surrogatepass")) if keeps else None,
        *(mask, int(secret), reason, decision),
        time.time() if at is None else float(at),
        None if until is None else float(until),
    )
    ledger.run(
        "INSERT INTO refusals(fp, kind, target, scope, word_key, normal, text, mask, secret,"
        f" reason, decision, at, until) VALUES ({', '.join('?' * len(values))})",
        values,
    )
    return stored


def salted(ledger: Ledger, digest: str) -> str:
    """A digest that cannot be guessed at without this ledger's salt."""
    salt = bytes.fromhex(ledger.meta("salt"))
    return hmac.new(salt, digest.encode("ascii"), hashlib.sha256).hexdigest()


def _word_key(kind: str, words: str) -> str:
    """Key of a text without its target, for finding it refused elsewhere."""
    return hashlib.sha256(f"{kind}\0{words}".encode("utf-8", "surrogatepass")).hexdigest()


def lift(ledger: Ledger, fp: str, by: int) -> int:
    """Lift every standing refusal with this fingerprint, plain or as stored.

    Returns:
        How many were lifted; 0 where none stands, which a caller may call NotFound.
    """
    sql = "UPDATE refusals SET lifted = ? WHERE fp IN (?, ?) AND lifted IS NULL"
    return ledger.run(sql, (by, fp, salted(ledger, fp)))


def lift_decision(ledger: Ledger, decision: int, by: int) -> tuple[str, ...]:
    """Lift everything that one decision refused; returns the fingerprints."""
    sql = "SELECT fp FROM refusals WHERE decision = ? AND lifted IS NULL ORDER BY n"
    found = tuple(row[0] for row in ledger.rows(sql, (decision,)))
    ledger.run(
        "UPDATE refusals SET lifted = ? WHERE decision = ? AND lifted IS NULL", (by, decision)
    )
    return found


def restore(ledger: Ledger, lifted_by: int) -> int:
    """Let stand again what one event lifted (its undo); returns how many."""
    return ledger.run("UPDATE refusals SET lifted = NULL WHERE lifted = ?", (lifted_by,))


def hit(
    ledger: Ledger,
    fp: str,
    subsystem: Subsystem,
    id: str,  # noqa: A002
    digest: str,
) -> bool:
    """Count that a refused value came back, once for each record's bytes.

    Returns:
        Whether it had not been counted before.
    """
    stored = fp if ledger.row("SELECT 1 FROM refusals WHERE fp = ?", (fp,)) else salted(ledger, fp)
    sql = "INSERT OR IGNORE INTO hits(fp, subsystem, id, sha256, at) VALUES (?, ?, ?, ?, ?)"
    return ledger.run(sql, (stored, subsystem.value, id, digest, time.time())) == 1


_STANDS = "lifted IS NULL AND (until IS NULL OR until > ?)"
_HIT = "fp, kind, target, at, reason, decision, text, mask"


def past(
    ledger: Ledger,
    proposal: Proposal,
    prints: Prints,
    *,
    now: float | None = None,
    similar: bool = True,
) -> Past:
    """Everything the ledger knows that bears on one proposal.

    Args:
        ledger: Of the proposal's home.
        proposal: What is proposed.
        prints: Its fingerprints.
        now: For expiry, seconds since the epoch; the clock if not given.
        similar: Whether to look for similar refusals too, which costs milliseconds and yields
            notes alone; a list of thousands leaves it out, the selected row does not.
    """
    moment = time.time() if now is None else now
    each = prints.operations.items()
    refused = {n: hit for n, (_, _, fp, _) in each if (hit := _by_print(ledger, fp, "op", moment))}
    other = {n: hit for n, p in each if n not in refused if (hit := _elsewhere(ledger, p, moment))}
    batch = _by_print(ledger, prints.batch, "batch", moment) if prints.batch else None
    near = (
        {n: hits for n, p in each if n not in refused if (hits := _similar(ledger, p, moment))}
        if similar
        else {}
    )
    edited = {n: at for n, (_, _, fp, _) in each if (at := _edited(ledger, fp)) is not None}
    back = ledger.row(
        "SELECT put_back FROM proposals WHERE subsystem = ? AND id = ? AND sha256 = ?",
        (proposal.subsystem.value, proposal.id, proposal.sha256),
    )
    return Past(
        refused=refused,
        batch=batch,
        elsewhere=other,
        similar=near,
        edited=edited,
        put_back=back is not None and back[0] is not None,
        vouched=decisions.vouched(ledger),
    )


def any_stands(ledger: Ledger) -> bool:
    """Whether any refusal of this home stands now."""
    return ledger.row(f"SELECT 1 FROM refusals WHERE {_STANDS} LIMIT 1", (time.time(),)) is not None


def standing(ledger: Ledger, fp: str, *, now: float | None = None) -> RefusedHit | None:
    """The newest standing refusal of one operation's fingerprint, or None."""
    return _by_print(ledger, fp, "op", time.time() if now is None else now)


def _by_print(ledger: Ledger, fp: str, scope: str, now: float) -> RefusedHit | None:
    row = ledger.row(
        f"SELECT {_HIT} FROM refusals WHERE fp IN (?, ?) AND scope = ? AND {_STANDS}"
        " ORDER BY n DESC LIMIT 1",
        (fp, salted(ledger, fp), scope, now),
    )
    return _hit(ledger, row) if row else None


def _elsewhere(ledger: Ledger, print_: tuple[str, str, str, str], now: float) -> RefusedHit | None:
    kind, target, _, text = print_
    key = _word_key(kind, normal(text))
    row = ledger.row(
        f"SELECT {_HIT} FROM refusals WHERE word_key IN (?, ?) AND target <> ? AND scope = 'op'"
        f" AND {_STANDS} ORDER BY n DESC LIMIT 1",
        (key, salted(ledger, key), target, now),
    )
    return _hit(ledger, row) if row else None


def _similar(
    ledger: Ledger, print_: tuple[str, str, str, str], now: float
) -> tuple[RefusedHit, ...]:
    """The three most similar standing refusals of the same target and kind."""
    # rapidfuzz takes 30 ms to import and nothing but this needs it
    from placet.store.text.diff import similarity

    kind, target, _, text = print_
    words = normal(text)
    work = _WORK
    found: list[tuple[float, int]] = []
    sql = (
        f"SELECT n, normal FROM refusals WHERE target = ? AND normal IS NOT NULL AND kind = ?"
        f" AND {_STANDS} ORDER BY n DESC LIMIT {POOL}"
    )
    for n, other in ledger.connection.execute(sql, (target, kind, now)):
        short, long = sorted((len(words), len(other)))
        if short < _LENGTHS * long:
            continue
        work -= short * long
        if work < 0:
            break
        ratio = 100.0 if other == words else similarity(words, other)
        if ratio >= SIMILAR:
            found.append((ratio, n))
    best = sorted(found, reverse=True)[:3]
    rows = (ledger.row(f"SELECT {_HIT} FROM refusals WHERE n = ?", (n,)) for _, n in best)
    return tuple(_hit(ledger, row) for row in rows if row)


def _edited(ledger: Ledger, fp: str) -> float | None:
    row = ledger.row(
        "SELECT d.at FROM operations o JOIN decisions d ON d.event = o.decision"
        " WHERE o.edited_fp = ? AND d.ended_by IS NULL ORDER BY o.decision DESC LIMIT 1",
        (fp,),
    )
    return float(row[0]) if row else None


def _hit(ledger: Ledger, row: tuple[Any, ...]) -> RefusedHit:
    fp, kind, target, at, reason, decision, digest, mask = row
    data = blobs.get(ledger.home, str(digest)) if digest else None
    text = str(mask) if data is None else data.decode("utf-8", "surrogatepass")
    return RefusedHit(fp, kind, target, at, reason, decision, text)


_ROW = (
    "n, fp, kind, target, scope, reason, decision, at, until, lifted,"
    " (SELECT count(*) FROM hits h WHERE h.fp = r.fp), coalesce(normal, ''), text, mask, secret"
)


def list_refusals(
    ledger: Ledger,
    *,
    before: int | None = None,
    limit: int = 1000,
    lifted: bool = False,
    parts: bool = False,
) -> tuple[Refusal, ...]:
    """Refusals, the newest first.

    Args:
        ledger: Which ledger.
        before: Only those with a smaller `n`, for the next page.
        limit: Most to return.
        lifted: Whether to include lifted ones.
        parts: Whether to include the notes of refused batches.
    """
    clauses = ["n < ?"] if before is not None else ["n > ?"]
    clauses += [] if lifted else ["lifted IS NULL"]
    clauses += [] if parts else ["scope <> 'part'"]
    sql = f"SELECT {_ROW} FROM refusals r WHERE {' AND '.join(clauses)} ORDER BY n DESC LIMIT ?"
    rows = ledger.rows(sql, (0 if before is None else before, limit))
    return tuple(_refusal(row) for row in rows)


def of_decision(ledger: Ledger, decision: int) -> tuple[Refusal, ...]:
    """Everything that one decision refused, lifted or not."""
    sql = f"SELECT {_ROW} FROM refusals r WHERE decision = ? ORDER BY n"
    return tuple(_refusal(row) for row in ledger.rows(sql, (decision,)))


def beginning(ledger: Ledger, prefix: str) -> tuple[Refusal, ...]:
    """Every standing refusal whose fingerprint begins so, the newest first."""
    sql = f"SELECT {_ROW} FROM refusals r WHERE substr(fp, 1, ?) = ? AND lifted IS NULL"
    rows = ledger.rows(sql + " ORDER BY n DESC", (len(prefix), prefix))
    return tuple(_refusal(row) for row in rows)


def find(ledger: Ledger, prefix: str) -> Refusal:
    """The newest standing refusal whose fingerprint begins so.

    Raises:
        NotFound: None does, or several different ones do, or it is too short to name one.
    """
    if len(prefix) < SHORTEST:
        raise NotFound(f"{prefix} is too short: give at least {SHORTEST} characters of it.")
    rows = beginning(ledger, prefix)
    if len({found.fp for found in rows}) != 1:
        many = "several refusals begin" if rows else "no standing refusal begins"
        raise NotFound(f"{many.capitalize()} with {prefix}; `placet refusals` lists them.")
    return rows[0]


def text_of(ledger: Ledger, refusal: Refusal) -> str | None:
    """The refused text, the mask of a secret, or None where it was erased."""
    if refusal.secret:
        return refusal.mask
    data = blobs.get(ledger.home, refusal.text) if refusal.text else None
    return None if data is None else data.decode("utf-8", "surrogatepass")


def _refusal(row: tuple[Any, ...]) -> Refusal:
    n, fp, kind, target, scope, reason, decision, at, until, lifted, *rest = row
    hits, normal_text, text, mask, secret = rest
    return Refusal(
        n,
        fp,
        kind,
        target,
        scope,
        reason,
        decision,
        at,
        until,
        lifted,
        hits,
        normal_text,
        text,
        mask,
        bool(secret),
    )
