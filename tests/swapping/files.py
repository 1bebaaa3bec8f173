"""A memory file to swap, and what lies beside it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from placet.store.disk import rename, swap
from placet.store.model import Change

BEFORE, AFTER = b"old entry\n\xc2\xa7\nsecond", b"new entry\n\xc2\xa7\nsecond"


def replacing(path: Path, before: bytes | None = BEFORE, after: bytes | None = AFTER) -> Change:
    return Change(path, f"memories/{path.name}", before, after)


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def settled(folder: Path) -> list[str]:
    """Names after a sweep; our own file that was in place for a moment goes only then."""
    assert swap.sweep_displaced(folder, older_than=0.0) == []
    return names(folder)


def no_exchange(monkeypatch: pytest.MonkeyPatch, number: int = errno.EINVAL) -> None:
    """Act like a file system that knows neither of the two renames."""

    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(swap, "rename_exchange", refuse)
    monkeypatch.setattr(rename, "noreplace", refuse)
