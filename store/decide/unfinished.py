"""What was decided and not yet written: look at it, try again, or give it up."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from placet.store.decide import carry
from placet.store.decide.desk import Desk
from placet.store.decide.ruling import Ruling, unpacked
from placet.store.disk import lock, read, swap
from placet.store.errors import AlreadyDecided, PlacetError
from placet.store.ledger import blobs, intents
from placet.store.ledger.database import Ledger, looking
from placet.store.ledger.intents import Intent
from placet.store.model import Done, Home, Kind


@dataclass(frozen=True, slots=True)
class Unfinished:
    """A decision that is made and not yet written, for people to see.

    Attributes:
        intent: What `retry` and `cancel` take.
        kind: What was decided.
        ref: `subsystem/id` of the staged record, or empty for a person's own change.
        target: `str(Target)`, or empty.
        files: Names of the files that it writes.
        event: Number of the decision where only its last steps are missing, or None.
        elsewhere: That it was made in another home than this one, in words, or empty.
    """

    intent: Intent
    kind: Kind
    ref: str
    target: str
    files: tuple[str, ...]
    event: int | None
    elsewhere: str = ""


def unfinished_in(ledger: Ledger) -> tuple[Unfinished, ...]:
    """Every one of a home, oldest first, for looking alone."""
    return tuple(_seen(ledger, intent) for intent in intents.open_ones(ledger))


def unfinished_at(home: Home) -> tuple[Unfinished, ...]:
    """The same for those who have no ledger open; none where it cannot be read."""
    try:
        with looking(home) as ledger:
            return () if ledger is None else unfinished_in(ledger)
    except PlacetError:
        return ()


def _seen(ledger: Ledger, intent: Intent) -> Unfinished:
    ruling = unpacked(ledger.home, intent.decision["ruling"])
    files = (*(change.name for change in intent.changes), *(path.name for path in intent.lost))
    ref = ruling.ref if intent.name else ""
    elsewhere = carry.elsewhere(ledger.home, intent)
    event = carry.event_of(intent)
    return Unfinished(intent, ruling.kind, ref, ruling.target, files, event, elsewhere)


def unfinished(desk: Desk) -> tuple[Intent, ...]:
    """Decisions that are made and not yet written, oldest first."""
    return intents.open_ones(desk.ledger)


def retry(desk: Desk, intent: Intent) -> Done:
    """Try again to write what was decided, or to do the last steps of what is written.

    Raises:
        NotWritten: The disk fails still.
        StalePlan: Somebody wrote the target meanwhile; the record is back in the queue.
        AlreadyDecided: It was finished or cancelled meanwhile.
        LedgerError: Its bytes are lost; it can only be cancelled.
    """
    desk.require_may_decide()
    carry.require_bytes(desk, intent)
    ruling = carry.ruling_of(desk, intent)
    seq = carry.event_of(intent)
    with _held(desk, intent, ruling):
        if seq is None:
            return carry.complete(desk, intent, ruling)
        notes = carry.finish(desk, intent, ruling)
        return Done(
            ruling.kind, seq, desk.home.label, (), f"finished the last steps of #{seq}", notes
        )


def cancel(desk: Desk, intent: Intent) -> Done:
    """Give up what was decided and is not written; the record goes back to the queue.

    A file whose bytes are lost is left as it is, and its displaced one is kept as bytes: what was
    written without a decision shows as an ungated change.

    Raises:
        NotWritten: The disk fails still; nothing was cancelled.
        AlreadyDecided: It was finished or cancelled meanwhile, or is written but for last steps.
    """
    desk.require_may_decide()
    ruling = carry.ruling_of(desk, intent)
    seq = carry.event_of(intent)
    if seq is not None:
        raise AlreadyDecided(
            f"#{seq} is decided and written; only its last steps are missing. Nothing was given up:"
            f" retry finishes them, and undo takes #{seq} back."
        )
    with _held(desk, intent, ruling):
        for path in intent.lost:
            _keep_displaced(desk, path, intent.token)
        notes = carry.take_back(intent, ruling)
        event = carry.abort(desk, intent, ruling, "cancelled by the person", notes)
    waits = " waits again" if ruling.staged is not None else " is not made"
    what = ruling.ref or f"the change of {ruling.target or 'the queue'}"
    return Done(
        Kind.ABORTED, event.seq, desk.home.label, (), f"given up: {what}{waits}", tuple(notes)
    )


def _keep_displaced(desk: Desk, path: Path, token: str) -> None:
    """Keep what an intent displaced: it may be the last copy of the lost bytes."""
    for displaced in swap.displaced_by(path, token):
        state = read.read(displaced, swap.LIMIT)
        if state.data is not None:
            blobs.put(desk.home, state.data)


@contextmanager
def _held(desk: Desk, intent: Intent, ruling: Ruling) -> Generator[None, None, None]:
    """Hold the lock of an intent's target, without finishing the intent on the way."""
    target = ruling.lands
    paths = [] if target is None else [lock.lock_path(desk.home, target)]
    with lock.held(paths):
        if intents.get(desk.ledger, intent.token) is None:
            raise AlreadyDecided(
                f"The decision {intent.token} was finished or cancelled meanwhile."
            )
        yield
