"""Why the system refuses a database, in its own words: SQLite knows them and does not tell."""

from __future__ import annotations

import os
from pathlib import Path

from placet.store.disk import write
from placet.store.errors import words_of

_PROBE = 1 << 16
"""Bytes that are written to learn whether there is room: about what one short commit needs."""

_FLAGS = os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_COMPANIONS = ("", "-wal", "-shm", "-journal")


def of_reading(path: Path) -> str:
    """What the system says to reading a database, or empty where it does not refuse it."""
    return _asked(path, os.O_RDONLY)


def of_writing(path: Path) -> str:
    """What the system says to writing a database, or empty where it takes everything now.

    A small file beside it is made for that, and removed again.
    """
    if reason := _asked(path, os.O_RDWR):
        return reason
    try:
        write.write_temporary(path, bytes(_PROBE), 0o600).unlink()
    except OSError as error:
        return words_of(error)
    return ""


def _asked(path: Path, mode: int) -> str:
    try:
        for end in _COMPANIONS:
            place = f"{path}{end}"
            if not end or os.path.lexists(place):
                os.close(os.open(place, mode | _FLAGS))
    except OSError as error:
        return words_of(error)
    return ""
