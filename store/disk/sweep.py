"""Displaced files: kept beside their target for a while, looked at once more, removed."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from placet.store.disk import beside, names
from placet.store.disk.read import Place, place_of

SWEEP_SECONDS = 2.0
"""How long a displaced file stays, so that a late writer is noticed."""

_SKIPPED = frozenset({".git", "node_modules", ".archive"})


@dataclass(frozen=True, slots=True)
class LateWrite:
    """A displaced file that somebody changed after it was displaced.

    Attributes:
        target: Path of the file it was displaced from, as far as the name tells.
        displaced: Where it lies.
        token: Decision that displaced it.
        data: Its bytes now, or None where they cannot be read.
    """

    target: Path
    displaced: Path
    token: str
    data: bytes | None


def sweep_displaced(
    folder: Path, older_than: float = SWEEP_SECONDS, *, below: bool = False
) -> list[LateWrite]:
    """Remove displaced files that are old enough and unchanged; report the changed ones.

    To be called under the lock of the folder's targets, after recovery of its open intents. A
    changed file stays until the caller has kept its bytes and calls `forget`.

    Args:
        folder: Folder of the targets.
        older_than: Age in seconds since the last change of the file.
        below: Whether to look into the folders below too (skills).
    """
    late: list[LateWrite] = []
    for place, name in _displaced(folder, below):
        found = names.DISPLACED.fullmatch(name)
        if found is None or _age(place, name) < older_than:
            continue
        data = _bytes(place, name)
        if data is not None and hashlib.sha256(data).hexdigest()[:16] == found["digest"]:
            beside.unlink(place, name)
            continue
        target = beside.path_of(place, found["name"])
        late.append(LateWrite(target, beside.path_of(place, name), found["token"], data))
    return late


def displaced_by(path: Path, token: str) -> list[Path]:
    """What one decision displaced at a path, where it still lies."""
    real = Path(os.path.realpath(path))
    start = names.displaced_start(real.name, token)
    try:
        there = os.listdir(real.parent)
    except OSError:
        return []  # the folder is gone, and everything in it
    found = (name for name in sorted(there) if name.startswith(start))
    return [real.with_name(name) for name in found if names.DISPLACED.fullmatch(name)]


def forget(displaced: Path) -> None:
    """Remove a displaced file whose bytes were kept, or that is not needed."""
    with place_of(displaced, follow=False) as place:
        beside.unlink(place, place.name)


def _displaced(folder: Path, below: bool) -> Iterator[tuple[Place, str]]:
    for root, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if below and name not in _SKIPPED]
        ours = [name for name in files if names.DISPLACED.fullmatch(name)]
        if not ours:
            continue
        with place_of(Path(root) / ours[0], follow=False) as place:
            yield from ((place, name) for name in ours)


def _age(place: Place, name: str) -> float:
    """Seconds since the file was last touched in any way; a clock set back counts as old."""
    try:
        changed = os.stat(name, dir_fd=place.folder, follow_symlinks=False).st_ctime
    except FileNotFoundError:
        return -1.0
    age = time.time() - changed
    return age if age >= 0 else SWEEP_SECONDS


def _bytes(place: Place, name: str) -> bytes | None:
    try:
        return beside.bytes_at(place, name)
    except OSError:
        # reported as changed: what cannot be read is never removed
        return None
