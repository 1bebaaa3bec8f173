"""List and read the staging folders; what is found there is hostile until shown otherwise."""

from __future__ import annotations

import errno
import hashlib
import os
import stat as modes
from pathlib import Path

from placet.store.errors import words_of
from placet.store.model import MAX_RECORD_BYTES, SAFE_ID, Home, Record, Subsystem
from placet.store.staged import listing
from placet.store.staged.listing import (
    SUFFIX,
    Listing,
    claim_name,
    is_claim,
    is_staged,
    record_name,
)

__all__ = [
    "SUFFIX",
    "Listing",
    "bytes_of",
    "claim_name",
    "is_claim",
    "is_staged",
    "names",
    "read",
    "record_name",
    "safe_id",
    "staged_under",
]

_REASONS = {
    errno.ENOENT: "It is gone: it vanished after it was listed.",
    errno.ELOOP: "It is a symbolic link; a record has to be a file of its own.",
    errno.EACCES: "It cannot be read: permission denied.",
    errno.ENXIO: "It is a socket or device; a record has to be a regular file.",
}


def names(home: Home, subsystem: Subsystem) -> Listing:
    """List one staging folder by names alone, without looking at the files.

    Args:
        home: Home to look in.
        subsystem: Which of its two folders.
    """
    return listing.of(home.pending(subsystem))


def safe_id(name: str) -> str:
    """Return the id of a record by its file name (or claim): the stem, or a digest if unsafe.

    Args:
        name: File name as the folder lists it.
    """
    bare = record_name(name)
    stem = bare.removesuffix(SUFFIX)
    if SAFE_ID.match(stem):
        return stem
    return f"sha256:{hashlib.sha256(os.fsencode(bare)).hexdigest()[:12]}"


def staged_under(home: Home, subsystem: Subsystem, id: str) -> tuple[str, ...]:  # noqa: A002
    """Names of the record with an id, and of its claim, that are there now.

    Args:
        home: Home to look in.
        subsystem: Which of its two folders.
        id: Id as `safe_id` gives it; only a digest needs a listing.
    """
    if not SAFE_ID.match(id):
        return tuple(name for name in names(home, subsystem).names if safe_id(name) == id)
    folder, record = home.pending(subsystem), f"{id}{SUFFIX}"
    both = (record, claim_name(record))
    return tuple(name for name in both if os.path.lexists(folder / name))


def read(home: Home, subsystem: Subsystem, name: str) -> Record:
    """Read one staged file; never raises and never waits.

    Args:
        home: Home it is staged in.
        subsystem: Folder it lies in.
        name: Its file name as listed; a name that leads out of the folder is not opened.

    Returns:
        The record; without bytes and with a problem in words if it is no plain file of at most
        1 MiB.
    """
    raw: bytes | None = None
    problem, modified = "", 0.0
    if "/" in name or "\0" in name or name in (".", ".."):
        problem = "Its name leads out of the folder, so it was not opened."
    else:
        try:
            raw, problem, modified = _read(home.pending(subsystem) / name, None)
        except OSError as broken:
            reason = words_of(broken)
            problem = _REASONS.get(broken.errno or 0, f"It cannot be read: {reason}.")
            modified = _modified(home.pending(subsystem) / name)
    return Record(
        home, subsystem, name, safe_id(name), raw, problem, modified, claimed=is_claim(name)
    )


def bytes_of(folder: int, name: str) -> bytes | None:
    """Bytes of one staged file by the very rules of `read`; None where that gives none.

    Args:
        folder: Descriptor of the staging folder.
        name: Its file name.

    Raises:
        FileNotFoundError: It is gone.
    """
    try:
        return _read(name, folder)[0]
    except FileNotFoundError:
        raise
    except OSError:
        return None


def _read(path: Path | str, folder: int | None) -> tuple[bytes | None, str, float]:
    """Bytes, problem and time of one file; opened without following links or waiting."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    handle = os.open(path, flags, dir_fd=folder)
    try:
        found = os.fstat(handle)
        problem = _unfit(found)
        raw = None if problem else _bytes(handle, found.st_size)
    finally:
        os.close(handle)
    if raw is not None and len(raw) > MAX_RECORD_BYTES:
        return None, _too_large(len(raw)), found.st_mtime
    return raw, problem, found.st_mtime


def _unfit(found: os.stat_result) -> str:
    if modes.S_ISDIR(found.st_mode):
        return "It is a directory; a record has to be a regular file."
    if not modes.S_ISREG(found.st_mode):
        return "It is a FIFO, socket or device; a record has to be a regular file."
    if found.st_nlink > 1:
        return f"It is a hard link with {found.st_nlink} names; a record has one name only."
    return _too_large(found.st_size) if found.st_size > MAX_RECORD_BYTES else ""


def _too_large(size: int) -> str:
    return f"It holds {size:,} bytes or more; records above {MAX_RECORD_BYTES:,} are not read."


def _bytes(handle: int, expected: int) -> bytes:
    """Everything up to one byte past the cap, in however many pieces the file comes.

    What is asked for at once is little more than the expected size: a buffer of the cap's size
    would stay behind each of thousands of records as a page of its own.
    """
    pieces: list[bytes] = []
    left, ask = MAX_RECORD_BYTES + 1, expected + 1
    while left > 0 and (piece := os.read(handle, min(left, ask))):
        pieces.append(piece)
        left -= len(piece)
        ask = max(ask - len(piece), 1 << 16)
    return b"".join(pieces)


def _modified(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0
