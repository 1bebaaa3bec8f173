"""What was approved and not yet written: look at it, try again, or give it up."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from placet.store.decide import carry
from placet.store.decide.desk import Desk
from placet.store.decide.ruling import Ruling
from placet.store.disk import lock, read, swap
from placet.store.errors import AlreadyDecided
from placet.store.ledger import blobs, intents
from placet.store.ledger.intents import Intent
from placet.store.model import Done, Event


def unfinished(desk: Desk) -> tuple[Intent, ...]:
    """Decisions that are made and not yet written, oldest first."""
    return intents.open_ones(desk.ledger)


def retry(desk: Desk, intent: Intent) -> Done:
    """Try again to write what was approved.

    Raises:
        NotWritten: The disk fails still.
        StalePlan: Somebody wrote the target meanwhile; the record is back in the queue.
        AlreadyDecided: It was finished or cancelled meanwhile.
        LedgerError: Its bytes are lost; it can only be cancelled.
    """
    desk.require_no_alarm()
    carry.require_bytes(desk, intent)
    ruling = carry.ruling_of(desk, intent)
    with _held(desk, intent, ruling):
        return carry.complete(desk, intent, ruling)


def cancel(desk: Desk, intent: Intent) -> Event:
    """Give up what was approved and is not written; the record goes back to the queue.

    A file whose bytes are lost is left as it is, and its displaced one is kept as bytes: what was
    written without a decision shows as an ungated change.

    Raises:
        NotWritten: The disk fails still; nothing was cancelled.
        AlreadyDecided: It was finished or cancelled meanwhile.
    """
    desk.require_no_alarm()
    ruling = carry.ruling_of(desk, intent)
    with _held(desk, intent, ruling):
        for path in intent.lost:
            _keep_displaced(desk, path, intent.token)
        notes = carry.take_back(intent, ruling)
        return carry.abort(desk, intent, ruling, "cancelled by the person", notes)


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
