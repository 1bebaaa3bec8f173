"""The last bytes of every watched file that the log knows of, and the ungated changes since."""

from __future__ import annotations

import hashlib
from collections.abc import Container
from pathlib import Path

from placet.store.disk import read
from placet.store.ledger import glance, intents, names
from placet.store.ledger.database import Ledger
from placet.store.model import Event, FileKind

_LIMIT = 1 << 24


def known(ledger: Ledger, path: str) -> tuple[str | None, int] | None:
    """What the log last recorded of a file.

    Args:
        ledger: Which log.
        path: Path inside the home, with forward slashes.

    Returns:
        The SHA-256 (None where it was absent) and the event's number; None if never recorded.
    """
    row = ledger.row("SELECT sha256, seq FROM files WHERE path = ?", (names.stored(path),))
    return (row[0], row[1]) if row else None


def all_known(ledger: Ledger) -> dict[str, tuple[str | None, int]]:
    """The same for every recorded file, by path inside the home."""
    rows = ledger.rows("SELECT path, sha256, seq FROM files ORDER BY path")
    return {names.found(path): (digest, seq) for path, digest, seq in rows}


def remember(ledger: Ledger, path: str, sha256: str | None, seq: int) -> None:
    """Move the last known bytes of a file on, inside an open `immediate()` block.

    Args:
        ledger: Which log.
        path: Path inside the home, with forward slashes.
        sha256: Digest of its bytes now, or None where it is absent.
        seq: The event that says so.
    """
    ledger.run(
        "INSERT OR REPLACE INTO files(path, sha256, seq) VALUES (?, ?, ?)",
        (names.stored(path), sha256, seq),
    )


def open_ungated(ledger: Ledger) -> tuple[Event, ...]:
    """Ungated changes that no standing `kept` or `reverted` answers yet, oldest first."""
    sql = f"SELECT a.seq, a.prev, a.body, a.hash {glance.OPEN_UNGATED} ORDER BY a.seq"
    return tuple(Event(*row) for row in ledger.rows(sql))


def differing(ledger: Ledger) -> list[str]:
    """Live files that are not what the log last recorded of them, in words.

    A file as an open intent found it, or as it is to leave it, is explained by that.
    """
    explained = {
        (change.path, side)
        for intent in intents.open_ones(ledger)
        for change in intent.changes
        for side in (change.before, change.after)
    }
    return [
        words
        for path, (digest, seq) in all_known(ledger).items()
        if (words := _difference(ledger.home.path / path, path, digest, seq, explained))
    ]


def _difference(
    place: Path,
    path: str,
    digest: str | None,
    seq: int,
    explained: Container[tuple[Path, bytes | None]],
) -> str:
    state = read.read(place, _LIMIT)
    absent = state.kind is FileKind.ABSENT
    if state.data is None and not absent:
        return f"{path} cannot be compared with #{seq}: {state.problem}"
    found = None if state.data is None else hashlib.sha256(state.data).hexdigest()
    if found == digest or (place, state.data) in explained:
        return ""
    if absent:
        return f"{path} is gone; #{seq} last recorded it"
    return f"{path} is not what #{seq} last recorded of it"
