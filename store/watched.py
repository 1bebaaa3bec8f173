"""Changes of watched files that no decision explains, as the ledger and the files tell; read-only.

Kept light, because `placet count` asks this before anything heavy is imported.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from placet.store.disk import read
from placet.store.ledger import audit, blobs, files, intents
from placet.store.ledger.database import Ledger
from placet.store.model import FileKind, Target, TargetKind, Ungated, sha256

MAX_BYTES = 1 << 24
"""Largest watched file that is compared, in bytes."""

WATCHED = (TargetKind.MEMORY, TargetKind.USER, TargetKind.SOUL)
"""Targets that are one file each."""


def ungated(ledger: Ledger) -> tuple[Ungated, ...]:
    """Every open ungated change, oldest first.

    Args:
        ledger: Of which home.

    Returns:
        Those in the log, then those that no placet process has recorded yet (`event` 0).
    """
    return (*_recorded(ledger), *_unrecorded(ledger))


def _recorded(ledger: Ledger) -> Iterator[Ungated]:
    for event in files.open_ungated(ledger):
        body = audit.body(event)
        sides = [body.get(side) for side in ("before", "after")]
        before, after = (blobs.get(ledger.home, str(side)) if side else None for side in sides)
        names = tuple(str(name) for name in body.get("names", ()))
        at = audit.at(event) or 0.0
        yield Ungated(event.seq, ledger.home, str(body.get("path") or ""), at, before, after, names)


def _unrecorded(ledger: Ledger) -> Iterator[Ungated]:
    """Memory files that differ from what was last recorded; the next deciding command records it.

    A file that an open intent may be writing is left to recovery.
    """
    writing = {str(path) for found in intents.open_ones(ledger) for path in found.paths}
    for kind in WATCHED:
        place = ledger.home.file(Target(kind))
        path = place.relative_to(ledger.home.path).as_posix()
        known = files.known(ledger, path)
        if known is None or str(place) in writing:
            continue
        state = read.read(place, MAX_BYTES)
        if state.kind not in (FileKind.FILE, FileKind.ABSENT):
            continue
        if (None if state.data is None else sha256(state.data)) != known[0]:
            before = blobs.get(ledger.home, known[0]) if known[0] else None
            yield Ungated(0, ledger.home, path, _changed(place), before, state.data)


def _changed(place: Path) -> float:
    """When a file, or else its folder, last changed."""
    for path in (place, place.parent):
        try:
            return path.lstat().st_mtime
        except OSError:
            continue  # gone as well: its folder tells
    return 0.0
