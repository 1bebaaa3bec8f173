"""Decisions that write no memory file: one commit, then the record leaves the queue."""

from __future__ import annotations

from collections.abc import Callable

from placet.store.decide import carry, keeping, records
from placet.store.decide.desk import Desk
from placet.store.decide.ruling import Ruling, texts_of
from placet.store.decide.settle import announce, settle
from placet.store.errors import LedgerError, NotWritten, cause_of
from placet.store.model import Done


def decide(
    desk: Desk,
    ruling: Ruling,
    held: records.Held,
    texts: tuple[bytes, ...] = (),
    check: Callable[[], None] | None = None,
) -> Done:
    """Keep the bytes, commit, remove the claimed record.

    Args:
        desk: Whose.
        ruling: The decision; its `staged` is the claim in `held`.
        held: The claim; from the commit on it belongs to the decision.
        texts: Texts that the operations name by digest.
        check: Run inside the transaction before anything is written; may raise.

    Returns:
        The decision that stands; a failure afterwards is told in its notes and left to recovery.
    """
    raw: tuple[bytes, ...] = ()
    if ruling.staged is not None and ruling.staged.kept:
        raw = records.bytes_of(desk, ruling.staged)
    keeping.keep(desk, (*raw, *texts, *texts_of(ruling)))
    with desk.ledger.immediate():
        if check is not None:
            check()
        event = settle(desk, ruling)
    held.kept = True
    notes = [announce(desk, ruling)]
    try:
        if ruling.staged is not None:
            records.remove(desk, ruling.staged)
    except (OSError, NotWritten, LedgerError) as error:
        why = cause_of(error)
        notes.append(f"Decided as #{event.seq}; the record is removed by the next placet: {why}.")
    return carry.done(desk, ruling, (), event, tuple(note for note in notes if note))


def carry_out(desk: Desk, ruling: Ruling) -> Done:
    """Carry out a ruling without files of its own whose last steps must survive a crash."""
    return carry.complete(desk, keeping.open_ruling(desk, ruling, (), ()), ruling)
