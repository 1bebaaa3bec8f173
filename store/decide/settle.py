"""The one commit that makes a decision stand: event, decision, refusals, last known files."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Mapping
from typing import Any

from placet.store.decide.desk import Desk
from placet.store.decide.ruling import Refused, Ruling, Staged, packed
from placet.store.errors import AlreadyDecided, Busy, cause_of
from placet.store.ledger import audit, decisions, files, proposals, publish, refusals
from placet.store.ledger.database import Ledger
from placet.store.ledger.proposals import Known
from placet.store.model import DECISIONS, Change, Event, Home, Kind, Life, Target, sha256
from placet.store.watched import WATCHED


def settle(
    desk: Desk,
    ruling: Ruling,
    changes: Iterable[Change] = (),
    more: Mapping[str, Any] | None = None,
) -> Event:
    """Write everything that a ruling says, inside an open `immediate()` block.

    Args:
        desk: Whose.
        ruling: The decision.
        changes: Files that were written for it.
        more: What only became known while writing: methods, late writes.

    Returns:
        Its event, whose number is the number of the decision.

    Raises:
        AlreadyDecided: The same record bytes were decided before, or what is to be ended or put
            back was ended or put back meanwhile.
    """
    ledger, written = desk.ledger, tuple(changes)
    again = _to_refuse_again(ledger, ruling)
    body = {**_body(ledger, ruling, written), **({"refused_again": again} if again else {})}
    event = audit.append(ledger, ruling.kind, {**body, **(more or {})})
    if ruling.kind in DECISIONS:
        _decide(ledger, ruling, event)
    _remember_refusals(ledger, ruling, event.seq)
    if ruling.ends is not None:
        _require_standing(ledger, ruling.ends)
        _end(ledger, ruling.ends, event.seq)
    _move_records(ledger, ruling, event.seq)
    _remember_files(desk, written, event.seq)
    return event


def _remember_refusals(ledger: Ledger, ruling: Ruling, seq: int) -> None:
    """What is refused, lifted, met again and vouched for by this decision."""
    _refuse(ledger, ruling, seq)
    for fp in ruling.lifts:
        refusals.lift(ledger, fp, seq)
    if ruling.staged is not None:
        for fp in ruling.hits:
            staged = ruling.staged
            refusals.hit(ledger, fp, staged.subsystem, staged.id, staged.sha256)
    for text, rule in ruling.vouches:
        decisions.vouch(ledger, text, rule, ruling.reason, seq)


def _move_records(ledger: Ledger, ruling: Ruling, seq: int) -> None:
    """Write where every record concerned stands now."""
    if ruling.staged is not None:
        life = Life.TAKEN if ruling.kind is Kind.TAKEN else Life.DECIDED
        mark(ledger, ruling.staged, life, seq)
    for staged in ruling.restores:
        _bring_back(ledger, ruling, staged, seq)
    for staged in ruling.withdraws:
        mark(ledger, staged, Life.DECIDED, seq)


def _remember_files(desk: Desk, written: tuple[Change, ...], seq: int) -> None:
    """Move the last known bytes of watched files on."""
    watched = {path for _, path in watched_files(desk.home)}
    for change in written:
        if change.name in watched:
            digest = None if change.after is None else sha256(change.after)
            files.remember(desk.ledger, change.name, digest, seq)


def mark(ledger: Ledger, staged: Staged, life: Life, seq: int) -> None:
    """Write the stage of life of a record."""
    known = Known(
        staged.subsystem,
        staged.id,
        staged.sha256,
        staged.name,
        staged.origin,
        time.time(),
        life,
        seq,
    )
    proposals.put(ledger, known)


def _bring_back(ledger: Ledger, ruling: Ruling, staged: Staged, seq: int) -> None:
    """Let a record wait again; what a person put back is never taken again."""
    known = proposals.get(ledger, staged.subsystem, staged.id, staged.sha256)
    if ruling.kind is not Kind.PUT_BACK:
        mark(ledger, staged, Life.WAITING, seq)
    elif known is not None and known.life is Life.TAKEN:
        proposals.put_back(ledger, known, seq)
    else:
        raise AlreadyDecided(f"{ruling.ref} was put back meanwhile.")


def watched_files(home: Home) -> tuple[tuple[Target, str], ...]:
    """The watched files that are one file each, with their paths inside the home."""
    targets = tuple(Target(kind) for kind in WATCHED)
    return tuple((t, home.file(t).relative_to(home.path).as_posix()) for t in targets)


def announce(desk: Desk, ruling: Ruling) -> str:
    """Bring the published refusals up to date after the commit; words if that failed."""
    changed = bool(ruling.lifts) or ruling.ends is not None
    if not (changed or ruling.refused):
        return ""
    try:
        publish.publish(desk.ledger, now=time.time(), changed=changed)
    except (OSError, Busy, sqlite3.Error) as error:
        return f"The published refusals could not be brought up to date: {cause_of(error)}."
    return ""


def without_event(home: Home, ruling: Ruling) -> dict[str, Any]:
    """The ruling as an intent keeps it before it has a number."""
    return {"ruling": packed(home, ruling), "event": None}


def _body(ledger: Ledger, ruling: Ruling, changes: tuple[Change, ...]) -> dict[str, Any]:
    body: dict[str, Any] = {**ruling.details, "actor": ruling.actor}
    optional: dict[str, Any] = {
        "target": ruling.target,
        "ref": ruling.ref,
        "sha256": ruling.sha256,
        "reason": ruling.reason,
        "concerns": ruling.concerns if ruling.concerns is not None else ruling.ends,
        "operations": [_operation(row) for row in ruling.operations],
        "files": [_file(change) for change in changes],
        "refuses": [_named(ledger, value) for value in ruling.refused],
        "until": ruling.until,
        "lifts": list(ruling.lifts),
        "met_again": list(ruling.hits),
        "restores": [_record(staged) for staged in ruling.restores],
        "withdraws": [_record(staged) for staged in ruling.withdraws],
        "aside": ruling.staged.aside if ruling.staged else "",
        "not_kept": [s.sha256 for s in (ruling.staged,) if s and not s.kept and not s.aside],
        "vouches": [{"sha256": digest, "rule": rule} for digest, rule in ruling.vouches],
        "twins": list(ruling.twins),
    }
    return {
        **body,
        **{name: value for name, value in optional.items() if value not in (None, "", [])},
    }


def _operation(row: decisions.Operation) -> dict[str, Any]:
    plain = {
        "n": row.n,
        "action": row.action,
        "target": row.target,
        "before": row.before,
        "after": row.after,
        "proposed": row.proposed,
        "dropped": row.dropped,
        "fp": row.fp,
    }
    return {name: value for name, value in plain.items() if value is not None}


def _file(change: Change) -> dict[str, Any]:
    return {
        "path": change.name,
        "before": None if change.before is None else sha256(change.before),
        "after": None if change.after is None else sha256(change.after),
        **({"mode": change.mode} if change.after is None and change.mode is not None else {}),
    }


def _named(ledger: Ledger, value: Refused) -> dict[str, Any]:
    fp = refusals.salted(ledger, value.fp) if value.secret else value.fp
    return {"fp": fp, "kind": value.kind, "target": value.target, "scope": value.scope}


def _record(staged: Staged) -> dict[str, Any]:
    plain = {"ref": f"{staged.subsystem.value}/{staged.id}", "sha256": staged.sha256}
    return {**plain, "aside": staged.aside} if staged.aside else plain


def _decide(ledger: Ledger, ruling: Ruling, event: Event) -> None:
    decision = decisions.Decision(
        event=event.seq,
        kind=ruling.kind,
        at=float(audit.body(event)["at"]),
        actor=ruling.actor,
        target=ruling.target,
        subsystem=ruling.subsystem,
        id=ruling.id,
        name=ruling.staged.name if ruling.staged else "",
        sha256=ruling.sha256,
        concerns=ruling.concerns if ruling.concerns is not None else ruling.ends,
    )
    decisions.add(ledger, decision, ruling.operations)


def _refuse(ledger: Ledger, ruling: Ruling, seq: int) -> None:
    for value in ruling.refused:
        refusals.add(
            ledger,
            fp=value.fp,
            kind=value.kind,
            target=value.target,
            decision=seq,
            scope=value.scope,
            text=value.text,
            reason=ruling.reason,
            until=ruling.until,
            mask=value.mask,
            secret=value.secret,
        )


def _to_refuse_again(ledger: Ledger, ruling: Ruling) -> list[str]:
    """Fingerprints whose refusal comes back because what had lifted it is ended."""
    if ruling.ends is None:
        return []
    found = {
        str(row[0])
        for ended, _ in _chain(ledger, ruling.ends, 0)
        for row in ledger.rows("SELECT fp FROM refusals WHERE lifted = ?", (ended,))
    }
    return sorted(found)


def require_standing(ledger: Ledger, ended: int) -> None:
    """Refuse to end what does not stand, or what would let two decisions stand at once.

    Raises:
        AlreadyDecided: It was ended meanwhile, or what it had ended was ended or decided anew.
    """
    _require_standing(ledger, ended)
    again = decisions.ended_by(ledger, _chain(ledger, ended, 0)[-1][0])
    if again is None or again.subsystem is None or again.sha256 is None:
        return
    first = decisions.standing(ledger, again.subsystem, again.id, again.sha256)
    if first is not None:
        raise AlreadyDecided(
            f"#{ended} cannot be undone: #{again.event} would stand again, and its record was"
            f" decided anew (#{first.event}). Nothing was changed; undo that one first."
        )


def _require_standing(ledger: Ledger, ended: int) -> None:
    found = decisions.get(ledger, ended)
    if found is None or found.ended_by is not None:
        by = "" if found is None else f" by #{found.ended_by}"
        raise AlreadyDecided(f"#{ended} was undone{by} meanwhile; nothing was undone twice.")


def _end(ledger: Ledger, ended: int, by: int) -> None:
    """End a decision and everything it made, and what follows from that down a chain of undos.

    What an ended undo had ended stands again; is that an undo itself, it ends its own decision
    again. So a decision is ended exactly while an undo of it stands.
    """
    for number, cause in _chain(ledger, ended, by):
        refusals.restore(ledger, number)
        refusals.lift_decision(ledger, number, cause)
        decisions.end_vouches(ledger, number, cause)
        decisions.end(ledger, number, cause)
        for again in decisions.reopen(ledger, number):
            _lift_again(ledger, again)


def _chain(ledger: Ledger, ended: int, by: int) -> list[tuple[int, int]]:
    """Every decision that ends because one does, each with the number of what ends it.

    Raises:
        AlreadyDecided: A decision that an undo would have to end again was ended by another one.
    """
    found = [(ended, by)]
    while (again := decisions.ended_by(ledger, found[-1][0])) is not None:
        if again.kind is not Kind.UNDONE or again.concerns is None:
            break
        _require_standing(ledger, again.concerns)
        found.append((again.concerns, again.event))
    return found


def _lift_again(ledger: Ledger, again: int) -> None:
    """A decision that stands again lifts what it had lifted when it was made."""
    first = audit.get(ledger, again)
    for fp in () if first is None else audit.body(first).get("lifts", ()):
        refusals.lift(ledger, str(fp), again)
