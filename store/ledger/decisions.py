"""Decisions, the operations they were made of, and vouches."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from placet.store.errors import AlreadyDecided, NotFound
from placet.store.ledger import names
from placet.store.ledger.database import Ledger
from placet.store.model import STANDING_KINDS, Kind, Subsystem
from placet.store.text import times


@dataclass(frozen=True, slots=True)
class Decision:
    """One row of the decisions.

    Attributes:
        event: Number of its event, written `#12`.
        kind: What was decided.
        at: When, seconds since the epoch.
        actor: Who, as login name.
        target: What it concerns, as `str(Target)`, or empty.
        subsystem: Folder of the proposal, or None where none is concerned.
        id: Id of the proposal, or empty.
        name: File name of the record, or empty for a person's change.
        sha256: SHA-256 of the record's bytes (its blob), or None.
        concerns: Event that it answers: the decision undone, the ungated change kept or reverted.
        ended_by: Event of the undo that ended it, or None while it stands.
    """

    event: int
    kind: Kind
    at: float
    actor: str
    target: str = ""
    subsystem: Subsystem | None = None
    id: str = ""
    name: str = ""
    sha256: str | None = None
    concerns: int | None = None
    ended_by: int | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of a decision; texts are digests into the blobs.

    Attributes:
        n: Its number, from 1.
        action: What was asked for (`Action` value).
        target: Where, as `str(Target)`.
        before: SHA-256 of the text that went, or None.
        after: SHA-256 of the text that came, or None.
        proposed: SHA-256 of the record's own text where the person edited it, or None.
        dropped: Whether it was left out.
        fp: Fingerprint of what was decided about, or None.
        edited_fp: Fingerprint of the proposed form where the person edited it, or None.
    """

    n: int
    action: str
    target: str
    before: str | None = None
    after: str | None = None
    proposed: str | None = None
    dropped: bool = False
    fp: str | None = None
    edited_fp: str | None = None


_COLUMNS = "event, kind, at, actor, target, subsystem, id, name, sha256, concerns, ended_by"
_OPERATION = "n, action, target, before, after, proposed, dropped, fp, edited_fp"


def add(ledger: Ledger, decision: Decision, operations: Iterable[Operation] = ()) -> None:
    """Write a decision beside its event, inside an open `immediate()` block.

    Raises:
        AlreadyDecided: Another decision about the same record bytes stands; the text says who
            made it and when, and the whole block is to be rolled back.
    """
    values = (
        *(decision.event, decision.kind.value, decision.at, decision.actor, decision.target),
        decision.subsystem.value if decision.subsystem else None,
        *(decision.id, names.stored(decision.name), decision.sha256),
        *(decision.concerns, decision.ended_by),
    )
    marks = ", ".join("?" * len(values))
    try:
        ledger.run(f"INSERT INTO decisions({_COLUMNS}) VALUES ({marks})", values)
    except sqlite3.IntegrityError as error:
        raise AlreadyDecided(_who_was_first(ledger, decision)) from error
    for operation in operations:
        _add_operation(ledger, decision.event, operation)


def _add_operation(ledger: Ledger, event: int, operation: Operation) -> None:
    values = (
        *(event, operation.n, operation.action, operation.target),
        *(operation.before, operation.after, operation.proposed),
        *(int(operation.dropped), operation.fp, operation.edited_fp),
    )
    marks = ", ".join("?" * len(values))
    ledger.run(f"INSERT INTO operations(decision, {_OPERATION}) VALUES ({marks})", values)


def _who_was_first(ledger: Ledger, decision: Decision) -> str:
    first = None
    if decision.subsystem and decision.sha256:
        first = standing(ledger, decision.subsystem, decision.id, decision.sha256)
    if first is None:
        return f"Decision #{decision.event} is already written."
    return decided_words(first)


def decided_words(first: Decision) -> str:
    """Who decided, when and what, in one sentence."""
    when = times.utc(first.at)
    return f"Already decided by {first.actor} at {when}: {first.kind.value} (#{first.event})."


def standing(ledger: Ledger, subsystem: Subsystem, id: str, sha256: str) -> Decision | None:  # noqa: A002
    """The decision that stands about these record bytes, or None."""
    names = ", ".join(f"'{kind.value}'" for kind in sorted(STANDING_KINDS))
    row = ledger.row(
        f"SELECT {_COLUMNS} FROM decisions WHERE subsystem = ? AND id = ? AND sha256 = ?"
        f" AND ended_by IS NULL AND kind IN ({names})",
        (subsystem.value, id, sha256),
    )
    return _decision(row) if row else None


def get(ledger: Ledger, event: int) -> Decision | None:
    """The decision with this number, or None."""
    row = ledger.row(f"SELECT {_COLUMNS} FROM decisions WHERE event = ?", (event,))
    return _decision(row) if row else None


def operations(ledger: Ledger, event: int) -> tuple[Operation, ...]:
    """The operations of a decision, in order."""
    sql = f"SELECT {_OPERATION} FROM operations WHERE decision = ? ORDER BY n"
    return tuple(_operation(row) for row in ledger.rows(sql, (event,)))


def answers(ledger: Ledger, event: int) -> tuple[Decision, ...]:
    """Standing decisions that answer an event: its undo, its keep, its revert."""
    sql = f"SELECT {_COLUMNS} FROM decisions WHERE concerns = ? AND ended_by IS NULL ORDER BY event"
    return tuple(_decision(row) for row in ledger.rows(sql, (event,)))


def ended_by(ledger: Ledger, event: int) -> Decision | None:
    """The decision that the undo with this number has ended, or None."""
    row = ledger.row(f"SELECT {_COLUMNS} FROM decisions WHERE ended_by = ?", (event,))
    return _decision(row) if row else None


def newest(ledger: Ledger, *, limit: int = 100, standing_only: bool = True) -> tuple[Decision, ...]:
    """The newest decisions first."""
    where = " WHERE ended_by IS NULL" if standing_only else ""
    sql = f"SELECT {_COLUMNS} FROM decisions{where} ORDER BY event DESC LIMIT ?"
    return tuple(_decision(row) for row in ledger.rows(sql, (limit,)))


def with_print(ledger: Ledger, fp: str) -> tuple[tuple[Decision, Operation], ...]:
    """Decisions, newest first, with an operation of this fingerprint that was not left out.

    Names the decision whose text an ungated change carries.
    """
    sql = "SELECT decision, n FROM operations WHERE fp = ? AND dropped = 0 ORDER BY decision DESC"
    found: list[tuple[Decision, Operation]] = []
    for event, n in ledger.rows(sql + " LIMIT 20", (fp,)):
        decision = get(ledger, event)
        if decision is not None:
            found += [(decision, o) for o in operations(ledger, event) if o.n == n]
    return tuple(found)


def end(ledger: Ledger, event: int, by: int) -> None:
    """End a decision by an undo, inside an open `immediate()` block.

    Raises:
        NotFound: There is no such decision, or it was ended before.
    """
    sql = "UPDATE decisions SET ended_by = ? WHERE event = ? AND ended_by IS NULL"
    if ledger.run(sql, (by, event)) != 1:
        raise NotFound(f"Decision #{event} does not stand any more; nothing was undone.")


def reopen(ledger: Ledger, by: int) -> tuple[int, ...]:
    """Let stand again what the undo `by` had ended, vouches included (an undo that is undone).

    Returns:
        Numbers of the decisions that stand again.

    Raises:
        AlreadyDecided: The same record bytes were decided anew meanwhile.
    """
    events = tuple(row[0] for row in ledger.rows(_ENDED_BY, (by,)))
    try:
        ledger.run("UPDATE decisions SET ended_by = NULL WHERE ended_by = ?", (by,))
        ledger.run("UPDATE vouches SET ended_by = NULL WHERE ended_by = ?", (by,))
    except sqlite3.IntegrityError as error:
        raise AlreadyDecided(
            f"What #{by} undid was decided anew meanwhile; nothing was changed."
        ) from error
    return events


_ENDED_BY = "SELECT event FROM decisions WHERE ended_by = ? ORDER BY event"


def vouch(ledger: Ledger, sha256: str, rule: str, reason: str, decision: int) -> None:
    """Remember that a person vouched for exactly this text.

    Args:
        ledger: Where, inside an open `immediate()` block.
        sha256: SHA-256 of the text's UTF-8 bytes.
        rule: Id of the rule that hit.
        reason: The person's words.
        decision: Number of the `vouched` event.
    """
    ledger.run(
        "INSERT INTO vouches(sha256, rule, reason, decision) VALUES (?, ?, ?, ?)",
        (sha256, rule, reason, decision),
    )


def end_vouches(ledger: Ledger, decision: int, by: int) -> int:
    """Take back the vouches of a decision; returns how many."""
    sql = "UPDATE vouches SET ended_by = ? WHERE decision = ? AND ended_by IS NULL"
    return ledger.run(sql, (by, decision))


def vouched(ledger: Ledger) -> frozenset[str]:
    """SHA-256 of every text that a person vouches for."""
    sql = "SELECT DISTINCT sha256 FROM vouches WHERE ended_by IS NULL"
    return frozenset(row[0] for row in ledger.rows(sql))


def _decision(row: tuple[Any, ...]) -> Decision:
    event, kind, at, actor, target, subsystem, id_, name, digest, concerns, ended_by = row
    folder = Subsystem(subsystem) if subsystem else None
    known = (folder, id_ or "", names.found(name), digest, concerns, ended_by)
    return Decision(event, Kind(kind), at, actor, target, *known)


def _operation(row: tuple[Any, ...]) -> Operation:
    n, action, target, before, after, proposed, dropped, fp, edited_fp = row
    return Operation(n, action, target, before, after, proposed, bool(dropped), fp, edited_fp)
