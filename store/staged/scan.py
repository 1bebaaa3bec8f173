"""List and read the staging folders; what is found there is hostile until shown otherwise."""

from __future__ import annotations

import errno
import hashlib
import os
import stat as modes
from dataclasses import dataclass
from pathlib import Path

from placet.store.model import MAX_RECORD_BYTES, SAFE_ID, Home, Record, Subsystem

SUFFIX = ".json"
"""How the name of a staged record ends; exactly so, as Hermes lists it."""

_CLAIM_SUFFIX = ".placet"
_LONG_CLAIM_SUFFIX = ".plc"
_LONG_NAME = 128
"""Bytes from which a claim must not be longer than the record: names end at 255, on some file
systems at 143."""

_REASONS = {
    errno.ENOENT: "It is gone: it vanished after it was listed.",
    errno.ELOOP: "It is a symbolic link; a record has to be a file of its own.",
    errno.EACCES: "It cannot be read: permission denied.",
    errno.ENXIO: "It is a socket or device; a record has to be a regular file.",
}


@dataclass(frozen=True, slots=True)
class Listing:
    """Names in one staging folder.

    Attributes:
        names: File names of records and of claims, sorted; temporary files are left out.
        problem: Why the folder cannot be listed, in words, or empty; a missing one is no problem.
    """

    names: tuple[str, ...] = ()
    problem: str = ""


def names(home: Home, subsystem: Subsystem) -> Listing:
    """List one staging folder by names alone, without looking at the files.

    Args:
        home: Home to look in.
        subsystem: Which of its two folders.
    """
    folder = home.pending(subsystem)
    try:
        found = sorted(filter(is_staged, _entries(folder)))
    except FileNotFoundError:
        return Listing()
    except OSError as problem:
        return Listing(problem=f"{folder} cannot be listed: {problem.strerror or problem}.")
    return Listing(tuple(found))


def claim_name(name: str) -> str:
    """Return the name that a record bears while a placet process decides about it.

    It leads back to the record's name, and is not listed by Hermes; that of a long name takes no
    more bytes than the name itself.
    """
    if len(os.fsencode(name)) > _LONG_NAME and name.endswith(SUFFIX):
        return f".{name.removesuffix(SUFFIX)}{_LONG_CLAIM_SUFFIX}"
    return f".{name}{_CLAIM_SUFFIX}"


def is_claim(name: str) -> bool:
    """Whether this is the name of a claimed record."""
    return record_name(name) != name


def record_name(name: str) -> str:
    """Return the name that a claimed record had before; any other name stays as it is."""
    if name.startswith(".") and name.endswith(f"{SUFFIX}{_CLAIM_SUFFIX}"):
        bare = name[1 : -len(_CLAIM_SUFFIX)]
    elif name.startswith(".") and name.endswith(_LONG_CLAIM_SUFFIX):
        bare = f"{name[1 : -len(_LONG_CLAIM_SUFFIX)]}{SUFFIX}"
    else:
        return name
    return bare if claim_name(bare) == name else name


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
            reason = broken.strerror or str(broken)
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


def _entries(folder: Path) -> list[str]:
    """Names by the cheapest call there is: 10,000 of them take milliseconds."""
    with os.scandir(folder) as entries:
        return [entry.name for entry in entries]


def is_staged(name: str) -> bool:
    """Whether this is the name of a record or of a claimed one."""
    return name.endswith(SUFFIX) or is_claim(name)


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
