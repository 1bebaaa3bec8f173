"""Bytes before rows: what a commit names is on the disk before the commit."""

from __future__ import annotations

from placet.store.decide import records
from placet.store.decide.desk import Desk
from placet.store.decide.ruling import Ruling, texts_of
from placet.store.decide.settle import without_event
from placet.store.errors import LedgerError, words_of
from placet.store.ledger import blobs, intents
from placet.store.ledger.intents import Intent, MadeIn
from placet.store.model import Change


def keep(desk: Desk, many: tuple[bytes, ...]) -> tuple[str, ...]:
    """Put bytes into the blobs before the commit that names them; returns their SHA-256 in order.

    Raises:
        LedgerError: The disk failed; nothing was decided.
    """
    try:
        return blobs.put_all(desk.home, many)
    except OSError as error:
        raise LedgerError(
            f"The texts could not be kept: {words_of(error)}. Nothing was decided."
        ) from error


def open_ruling(
    desk: Desk, ruling: Ruling, changes: tuple[Change, ...], texts: tuple[bytes, ...]
) -> Intent:
    """Keep every byte, then commit the intent: from here on the decision is carried out.

    Args:
        desk: Whose.
        ruling: The decision; it names a proposal.
        changes: Files it writes.
        texts: Texts that its operations name by digest.
    """
    if ruling.subsystem is None or ruling.sha256 is None:
        raise ValueError("an intent needs the proposal that it is about")
    raw: tuple[bytes, ...] = ()
    if ruling.staged is not None and ruling.staged.kept:
        raw = records.bytes_of(desk, ruling.staged)
    sides = tuple(side for c in changes for side in (c.before, c.after) if side is not None)
    keep(desk, (*sides, *texts, *texts_of(ruling), *raw))
    name = ruling.staged.name if ruling.staged else ""
    intent = intents.make(
        ruling.subsystem,
        ruling.id,
        ruling.sha256,
        name,
        without_event(desk.home, ruling),
        changes,
        MadeIn.now(desk.home, ruling.lands),
    )
    with desk.ledger.immediate():
        intents.add(desk.ledger, intent)
    return intent
