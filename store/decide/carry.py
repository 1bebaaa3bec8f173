"""An open intent to its end: write the files, commit, let go of the record; or take all back.

The same steps serve the approval itself, recovery after a crash, and retry and cancel: they act on
what lies on the disk and in the ledger, never on what a process remembers.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from placet.store.decide import bookkeeping, records
from placet.store.decide.body import who
from placet.store.decide.desk import Desk
from placet.store.decide.ruling import Move, Ruling, packed, unpacked
from placet.store.decide.settle import announce, settle
from placet.store.disk import swap
from placet.store.disk.swap import Stage
from placet.store.errors import (
    AlreadyDecided,
    Busy,
    LedgerError,
    NotFound,
    NotWritten,
    PlacetError,
    StalePlan,
    Unsafe,
    cause_of,
)
from placet.store.ledger import audit, intents
from placet.store.ledger.intents import Intent, MadeIn
from placet.store.model import Change, Done, Event, Home, Kind, sha256


def ruling_of(desk: Desk, intent: Intent) -> Ruling:
    """The decision that an intent holds."""
    return unpacked(desk.home, intent.decision["ruling"])


def event_of(intent: Intent) -> int | None:
    """Number of the decision where it is made and only the last steps are missing, or None."""
    found = intent.decision["event"]
    return None if found is None else int(found)


def write(intent: Intent, ruling: Ruling) -> dict[str, str]:
    """Put every change of an intent on the disk; what is there already stays.

    Returns:
        How each was written, by name.

    Raises:
        StalePlan: Somebody else's bytes are at a target; nothing of ours is left there.
        Unsafe: A target cannot be replaced safely; nothing of ours is left there.
        NotWritten: The disk failed; the intent stays open.
    """
    if ruling.move is not None:
        return _move(intent, ruling.move)
    methods: dict[str, str] = {}
    try:
        for change in intent.changes:
            methods[change.name] = _write_one(change, intent.token)
    except (StalePlan, Unsafe):
        take_back(intent, ruling)
        raise
    return methods


def _write_one(change: Change, token: str) -> str:
    _make_folder(change)
    found = swap.look(change, token)
    if found.stage is Stage.AFTER:
        return "found written"
    if found.stage is not Stage.BEFORE:
        raise StalePlan(f"{change.name} was written by someone else meanwhile; it was left alone.")
    swap.tidy(change, token)
    return swap.swap(change, token).method


def _make_folder(change: Change) -> None:
    if change.after is not None:
        swap.ensure_folder(change.path.parent)


def _move(intent: Intent, move: Move) -> dict[str, str]:
    """Move a skill's folder, if it holds what was shown of the place where the home has it."""
    leaves = all(change.after is None for change in intent.changes)
    if not moved(move):
        source, destination = Path(move.source), Path(move.destination)
        base = source if leaves else destination
        shown = {
            change.path.relative_to(base).as_posix(): change.before or change.after or b""
            for change in intent.changes
        }
        try:
            swap.move_folder(source, destination, shown, move.along)
        except NotFound as error:
            raise StalePlan(f"{error}") from error
    method = "archived" if leaves else "moved back"
    return {change.name: method for change in intent.changes}


def moved(move: Move) -> bool:
    """Whether a folder is where it goes already."""
    return not os.path.lexists(move.source) and os.path.lexists(move.destination)


def take_back(intent: Intent, ruling: Ruling) -> list[str]:
    """Take out whatever of an intent's bytes is still ours; say what was left alone.

    Raises:
        NotWritten: The disk failed; the intent stays open.
    """
    if ruling.move is not None:
        if moved(ruling.move):
            swap.move(Path(ruling.move.destination), Path(ruling.move.source))
        return []
    notes: list[str] = []
    for change in reversed(intent.changes):
        notes += _take_back_one(change, intent.token)
    return [*notes, *(f"{path.name} was left as it is" for path in intent.lost)]


def _take_back_one(change: Change, token: str) -> list[str]:
    if not change.path.parent.exists():
        return []
    try:
        kept = swap.undo_swap(change, token)
    except StalePlan:
        return [f"{change.name} holds somebody else's bytes and was left alone"]
    left = swap.tidy(change, token)
    return [f"kept beside it: {path.name}" for path in (*left, *((kept,) if kept else ()))]


def close(
    desk: Desk, intent: Intent, ruling: Ruling, methods: Mapping[str, str], recovered: bool = False
) -> Event:
    """Commit the decision of an intent whose files are written.

    Args:
        desk: Whose.
        intent: The open intent.
        ruling: Its decision.
        methods: How each file was written.
        recovered: Whether this finishes what another process began.

    Raises:
        AlreadyDecided: Another process closed it, or the record bytes were decided before.
    """
    ledger = desk.ledger
    with ledger.immediate():
        if not intents.close(ledger, intent.token):
            raise AlreadyDecided("Another placet finished this decision first.")
        more: dict[str, Any] = {"methods": dict(methods), "token": intent.token}
        event = settle(desk, ruling, intent.changes, more)
        if recovered:
            details = {"concerns": event.seq, "outcome": "finished", "token": intent.token}
            audit.append(ledger, Kind.RECOVERED, {**who(desk), **details})
        if _unfinished(ruling):
            decision = {"ruling": packed(desk.home, ruling), "event": event.seq}
            here = MadeIn.now(desk.home, ruling.lands)
            intents.add(ledger, replace(intent, decision=decision, changes=(), made_in=here))
    return event


def _unfinished(ruling: Ruling) -> bool:
    """Whether steps follow the commit that must survive a crash as well."""
    return bool(ruling.restores or ruling.withdraws or ruling.bookkeeping)


def finish(desk: Desk, intent: Intent, ruling: Ruling) -> tuple[str, ...]:
    """Do what follows the commit: the record leaves, others come back, the books are kept.

    Every step may be repeated after a crash.

    Returns:
        What else to say.
    """
    notes: list[str] = []
    if ruling.staged is not None:
        records.remove(desk, ruling.staged)
    for staged in ruling.restores:
        notes += records.restore(desk, staged)
    for staged in ruling.withdraws:
        records.withdraw(desk, staged)
    if ruling.bookkeeping is not None:
        notes += bookkeeping.apply(desk.home, ruling.bookkeeping, intent.at)
    if _unfinished(ruling):
        with desk.ledger.immediate():
            intents.close(desk.ledger, intent.token)
    failed = announce(desk, ruling)
    return (*notes, failed) if failed else tuple(notes)


def abort(desk: Desk, intent: Intent, ruling: Ruling, why: str, notes: list[str]) -> Event:
    """End an intent without a decision: one commit, then the record goes back to the queue."""
    ledger = desk.ledger
    with ledger.immediate():
        if not intents.close(ledger, intent.token):
            raise AlreadyDecided("Another placet finished this decision first.")
        body: dict[str, Any] = {
            **who(desk),
            "target": ruling.target,
            "ref": ruling.ref,
            "sha256": ruling.sha256,
            "wanted": ruling.kind.value,
            "why": why,
            "notes": notes,
            "token": intent.token,
        }
        event = audit.append(ledger, Kind.ABORTED, body)
    if ruling.staged is not None:
        records.give_back(desk, ruling.staged)
    return event


def stuck(desk: Desk, intent: Intent) -> str:
    """Why nobody but a person can end an intent, and what they can do, or empty."""
    return lost_words(desk, intent) if intent.lost else elsewhere(desk.home, intent)


def elsewhere(home: Home, intent: Intent) -> str:
    """That an intent was made in another home than this one, or empty where it was not.

    What was decided in a home is no decision about its copy, nor about what lies in its place now.
    """
    ruling = unpacked(home, intent.decision["ruling"])
    here = MadeIn.now(home, ruling.lands)
    if intent.made_in.is_same(here):
        return ""
    if intent.made_in.path not in ("", here.path):
        made = f"in {intent.made_in.path}, and this home is {here.path}"
    else:
        made = "before this home was copied here, moved or put in place of another"
    what = ruling.ref if intent.name else f"A change of {ruling.target or 'the queue'}"
    return (
        f"{what} was decided {made}. Nothing of it is written by itself: retry it to have it here"
        f" as well, or cancel it{_where(intent)}."
    )


def lost_words(desk: Desk, intent: Intent) -> str:
    """What is to be said about an intent that nobody can finish."""
    ruling = ruling_of(desk, intent)
    names = ", ".join(path.name for path in intent.lost)
    return (
        f"{ruling.ref or ruling.target} was decided and cannot be written: the bytes for {names}"
        f" are not kept any more. Cancel it{_where(intent)}; the record then goes back to the"
        " queue."
    )


def require_bytes(desk: Desk, intent: Intent) -> None:
    """Refuse to go on with an intent whose bytes are lost.

    Raises:
        LedgerError: They are; the text says what to do.
    """
    if intent.lost:
        raise LedgerError(f"Nothing was written. {lost_words(desk, intent)}")


def require_no_person(desk: Desk, intent: Intent) -> None:
    """Refuse to go on beside an intent that only a person can end.

    Raises:
        LedgerError: It is one; the text says what to do.
    """
    if words := stuck(desk, intent):
        raise LedgerError(f"Nothing was written. {words}")


def complete(desk: Desk, intent: Intent, ruling: Ruling, recovered: bool = False) -> Done:
    """Write, commit and finish an intent, with the locks held.

    Raises:
        StalePlan: Somebody else wrote a target at the last moment; the intent was aborted.
        Unsafe: A target cannot be replaced safely; the intent was aborted.
        NotWritten: The disk failed; the intent stays open for `retry` and `cancel`.
    """
    try:
        methods = write(intent, ruling)
    except (StalePlan, Unsafe) as error:
        abort(desk, intent, ruling, str(error), [])
        raise
    except NotWritten as error:
        raise _not_written(intent, ruling, error) from error
    try:
        event = close(desk, intent, ruling, methods, recovered)
    except AlreadyDecided:
        if intents.get(desk.ledger, intent.token) is not None:
            take_back(intent, ruling)
            _forget(desk, intent)
        raise
    except (LedgerError, Busy) as error:
        raise _not_on_record(intent, ruling, error) from error
    notes = _finish_safely(desk, intent, ruling, event.seq)
    return done(desk, ruling, intent.changes, event, notes)


def _finish_safely(desk: Desk, intent: Intent, ruling: Ruling, seq: int) -> tuple[str, ...]:
    """The decision stands: a failure afterwards is said and left to recovery."""
    try:
        return finish(desk, intent, ruling)
    except (OSError, NotWritten, LedgerError) as error:
        return (f"Decided as #{seq}; a last step is left to the next placet: {cause_of(error)}.",)


def _forget(desk: Desk, intent: Intent) -> None:
    """Close an intent whose decision cannot be made because another one stands."""
    with desk.ledger.immediate():
        intents.close(desk.ledger, intent.token)


def _where(intent: Intent) -> str:
    """Where a person retries or cancels."""
    row = "on its row in the Queue, or " if intent.name else ""
    return f" ({row}`placet unfinished`, {intent.token})"


def _said(ruling: Ruling) -> str:
    return "Approved" if ruling.kind in (Kind.APPROVED, Kind.EDITED) else "Decided"


def _not_written(intent: Intent, ruling: Ruling, error: NotWritten) -> NotWritten:
    """What a person is told when the disk fails after they said yes."""
    there = ", ".join(_written(intent))
    but = f"; {there} is written already, the rest is not" if there else ", not yet written"
    return NotWritten(
        f"{_said(ruling)}{but}: {error} Nothing is lost: retry or cancel it{_where(intent)}."
    )


def _written(intent: Intent) -> Iterator[str]:
    """Files of an intent that are as it wants them, as far as can be seen."""
    for change in intent.changes:
        try:
            if swap.look(change, intent.token).stage is Stage.AFTER:
                yield change.name
        except (OSError, PlacetError):
            continue  # it cannot be looked at, so nothing is claimed about it


def _not_on_record(intent: Intent, ruling: Ruling, error: Exception) -> NotWritten:
    """What a person is told when the files are written and the ledger fails."""
    names = ", ".join(change.name for change in intent.changes)
    done = f"{_said(ruling)} and written ({names})" if names else _said(ruling)
    undone = "take the change out again" if names else "give it up; no file was changed yet"
    return NotWritten(
        f"{done}, but not yet on record: {cause_of(error)}. Retry to put it on record, or cancel to"
        f" {undone}{_where(intent)}."
    )


def done(
    desk: Desk,
    ruling: Ruling,
    changes: tuple[Change, ...],
    event: Event,
    notes: tuple[str, ...] = (),
) -> Done:
    """The result as the person sees it."""
    files = tuple((c.name, "" if c.after is None else sha256(c.after)) for c in changes)
    return Done(
        ruling.kind, event.seq, desk.home.label, files, str(ruling.details.get("words", "")), notes
    )
