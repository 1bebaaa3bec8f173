"""What was approved and not yet written: look at it, try again, or give it up."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from placet.store.decide import carry
from placet.store.decide.desk import Desk
from placet.store.decide.ruling import Ruling
from placet.store.disk import lock
from placet.store.errors import AlreadyDecided
from placet.store.ledger import intents
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
    """
    desk.require_no_alarm()
    ruling = carry.ruling_of(desk, intent)
    with _held(desk, intent, ruling):
        return carry.complete(desk, intent, ruling)


def cancel(desk: Desk, intent: Intent) -> Event:
    """Give up what was approved and is not written; the record goes back to the queue.

    Raises:
        NotWritten: The disk fails still; nothing was cancelled.
        AlreadyDecided: It was finished or cancelled meanwhile.
    """
    desk.require_no_alarm()
    ruling = carry.ruling_of(desk, intent)
    with _held(desk, intent, ruling):
        notes = carry.take_back(intent, ruling)
        return carry.abort(desk, intent, ruling, "cancelled by the person", notes)


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
