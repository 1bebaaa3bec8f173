"""How far a change of an open intent came, and the temporary files that it left."""

from __future__ import annotations

import os
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from placet.store.disk.beside import bytes_at, path_of, same_file, target_of, unlink
from placet.store.disk.names import displaced_name, temporary_name
from placet.store.model import Change


class Stage(StrEnum):
    """How far a change of an open intent came; for recovery."""

    BEFORE = "before"
    AFTER = "after"
    FOREIGN = "foreign"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Found:
    """What lies at a target of an open intent.

    Attributes:
        stage: BEFORE: not written. AFTER: written. FOREIGN: written, and what came out is not what
            was shown, so it is to be swapped back. OTHER: somebody else's bytes; never guess.
        target: Bytes at the target, or None where absent.
        displaced: Bytes of the displaced file, or None where there is none.
    """

    stage: Stage
    target: bytes | None
    displaced: bytes | None


def look(change: Change, token: str) -> Found:
    """Tell how far a change of an open intent came; reads only.

    Raises:
        NotWritten: The place cannot be read; the intent stays open.
    """
    if not Path(os.path.realpath(change.path)).parent.exists():
        return Found(_stage(change, None, None), None, None)
    with target_of(change) as place:
        target = bytes_at(place, place.name)
        side = None
        if change.before is not None:
            side = bytes_at(place, displaced_name(place.name, token, change.before))
    return Found(_stage(change, target, side), target, side)


def _stage(change: Change, target: bytes | None, side: bytes | None) -> Stage:
    if target == change.before:
        return Stage.BEFORE
    if target != change.after:
        return Stage.OTHER
    return Stage.AFTER if side in (None, change.before) else Stage.FOREIGN


def tidy(change: Change, token: str) -> tuple[Path, ...]:
    """Remove temporary files of an open intent whose target still is as before.

    Only whole or cut-off copies of our own bytes, and second names of the target, are removed.

    Returns:
        What holds something else and was left where it is.
    """
    left: list[Path] = []
    with target_of(change) as place:
        names = [temporary_name(place.name, token)]
        if change.before is not None:
            names.append(displaced_name(place.name, token, change.before))
        for name in names:
            data = bytes_at(place, name)
            if data is None:
                continue
            ours = change.after is not None and change.after.startswith(data)
            if ours or same_file(place, place.name, name):
                unlink(place, name)
            else:
                left.append(path_of(place, name))
    return tuple(left)
