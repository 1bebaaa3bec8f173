"""Bytes by their digest: all memory text that is remembered lies here, once, and can be erased."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path

from placet.store.disk import write
from placet.store.ledger.database import Ledger
from placet.store.model import Home, sha256

_NAME = re.compile(r"[0-9a-f]{64}\Z")


def folder(home: Home) -> Path:
    """Folder of the blobs of a home."""
    return home.private / "blobs"


def put(home: Home, data: bytes) -> str:
    """Keep bytes, durable, before the transaction that names them.

    Returns:
        Their SHA-256.

    Raises:
        OSError: They could not be written; nothing is left behind.
    """
    return put_all(home, (data,))[0]


def put_all(home: Home, many: tuple[bytes, ...]) -> tuple[str, ...]:
    """Keep several byte strings with one flush of the folder; returns their SHA-256 in order."""
    place = folder(home)
    write.private_folder(place)
    new = [data for data in dict.fromkeys(many) if get(home, sha256(data)) is None]
    for data in new:
        write.replace_own(place / sha256(data), data, flush_folder=False)
    if new:
        write.fsync_dir(place)
    return tuple(sha256(data) for data in many)


def get(home: Home, digest: str) -> bytes | None:
    """The bytes of a digest, or None where they were erased, never kept, or do not match it."""
    if not _NAME.match(digest):
        return None
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(folder(home) / digest, flags)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read()
    finally:
        os.close(descriptor)
    return data if sha256(data) == digest else None


def erase(ledger: Ledger, digest: str) -> bool:
    """Forget a text for good: its blob, and the copy that similar refusals are found by.

    The fingerprints stay, so what was refused stays refused. The caller writes the `erased` event
    in the same `immediate()` block and calls `ledger.checkpoint()` after it, so that no copy is
    left in the write-ahead log.

    Returns:
        Whether there was anything to erase.
    """
    blanked = ledger.run(
        "UPDATE refusals SET normal = NULL WHERE text = ? AND normal IS NOT NULL", (digest,)
    )
    if not _NAME.match(digest):
        return bool(blanked)
    try:
        os.unlink(folder(ledger.home) / digest)
    except FileNotFoundError:
        return bool(blanked)
    write.fsync_dir(folder(ledger.home))
    return True
