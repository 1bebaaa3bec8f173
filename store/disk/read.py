"""Reading a file so that what was read, and where, is certain.

A path is resolved once; from then on only folder descriptors are used, so that a link swapped in
meanwhile is refused and not followed.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from placet.store.errors import words_of
from placet.store.model import FileKind, FileState

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_SEARCH = _FOLDER | getattr(os, "O_PATH", 0)
_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Place:
    """A name in an open folder.

    Attributes:
        path: Path as it was asked for.
        real: Path after resolving links.
        folder: Descriptor of the real parent folder.
        identity: Device and inode of that folder.
    """

    path: Path
    real: Path
    folder: int
    identity: tuple[int, int]

    @property
    def name(self) -> str:
        """The last part of the real path."""
        return self.real.name


@contextmanager
def place_of(path: Path, *, follow: bool = True, flushable: bool = False) -> Generator[Place]:
    """Open the folder that really holds a path, one component after the other.

    Args:
        path: Absolute path; the file itself may be missing.
        follow: Whether a link at the very end is followed; links on the way always are, once.
        flushable: Whether the descriptor is for fsync too, which asks for read permission.

    Raises:
        OSError: The folder is missing, cannot be searched, or a link was swapped in meanwhile.
    """
    real = _resolve(path, follow)
    descriptor = open_folder(real.parent, flushable=flushable)
    try:
        found = os.fstat(descriptor)
        yield Place(path, real, descriptor, (found.st_dev, found.st_ino))
    finally:
        os.close(descriptor)


def _resolve(path: Path, follow: bool) -> Path:
    if follow:
        return Path(os.path.realpath(path))
    return Path(os.path.realpath(path.parent)) / path.name


def open_folder(real: Path, *, flushable: bool = False) -> int:
    """Open a folder by its resolved path without following any link.

    Returns:
        A descriptor that the caller closes.

    Raises:
        OSError: A component is missing, not a folder, a link, or not allowed.
    """
    descriptor = os.open(real.anchor, _SEARCH)
    parts = real.parts[1:]
    for number, part in enumerate(parts, 1):
        flags = _FOLDER if flushable and number == len(parts) else _SEARCH
        try:
            deeper = os.open(part, flags, dir_fd=descriptor)
        finally:
            os.close(descriptor)
        descriptor = deeper
    return descriptor


def read(path: Path, limit: int, *, follow_once: bool = True) -> FileState:
    """Read a file as a whole with its identity; every failure is a state, never an exception.

    Args:
        path: Absolute path.
        limit: Most bytes to read.
        follow_once: Whether the path itself may be a link.

    Returns:
        What was found; only FILE carries bytes, and only a missing name is ABSENT.
    """
    try:
        with place_of(path, follow=follow_once) as place:
            return _read_at(place, limit)
    except FileNotFoundError:
        return FileState(path, _resolve(path, follow_once), FileKind.ABSENT)
    except OSError as error:
        return _unreadable(path, path, error)


def _read_at(place: Place, limit: int) -> FileState:
    try:
        descriptor = os.open(place.name, _FILE, dir_fd=place.folder)
    except FileNotFoundError:
        return FileState(place.path, place.real, FileKind.ABSENT, parent=place.identity)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EMLINK, errno.ENXIO):
            return _special(place, "a link" if error.errno != errno.ENXIO else "a socket")
        return _unreadable(place.path, place.real, error, place.identity)
    try:
        return _read_open(place, descriptor, limit)
    except OSError as error:
        return _unreadable(place.path, place.real, error, place.identity)
    finally:
        os.close(descriptor)


def _special(place: Place, what: str) -> FileState:
    problem = f"{place.path.name} is {what}, not a regular file; it is not read"
    return FileState(
        place.path, place.real, FileKind.SPECIAL, parent=place.identity, problem=problem
    )


def _read_open(place: Place, descriptor: int, limit: int) -> FileState:
    found = os.fstat(descriptor)
    if stat.S_ISDIR(found.st_mode):
        problem = f"{place.path.name} is a folder, not a file"
        return FileState(
            place.path, place.real, FileKind.DIRECTORY, parent=place.identity, problem=problem
        )
    if not stat.S_ISREG(found.st_mode):
        return _special(place, "a pipe or a device")
    data = read_whole(descriptor, limit)
    if data is None:
        return FileState(
            place.path,
            place.real,
            FileKind.TOO_LARGE,
            mode=stat.S_IMODE(found.st_mode),
            parent=place.identity,
            problem=f"{place.path.name} holds more than {limit:,} bytes",
        )
    return FileState(
        place.path,
        place.real,
        FileKind.FILE,
        data,
        stat.S_IMODE(found.st_mode),
        place.identity,
        unsafe=unsafe(place, descriptor),
    )


def read_whole(descriptor: int, limit: int) -> bytes | None:
    """All bytes of an open file from its start, or None where there are more than `limit`."""
    pieces: list[bytes] = []
    size = 0
    while size <= limit:
        piece = os.pread(descriptor, min(1 << 20, limit + 1 - size), size)
        if not piece:
            return b"".join(pieces)
        pieces.append(piece)
        size += len(piece)
    return None


def _unreadable(
    path: Path, real: Path, error: OSError, parent: tuple[int, int] | None = None
) -> FileState:
    words = words_of(error)
    problem = f"{path.name} cannot be read: {words}; it is not treated as empty"
    return FileState(path, real, FileKind.UNREADABLE, parent=parent, problem=problem)


def unsafe(place: Place, descriptor: int) -> str:
    """Why an open file cannot be replaced without breaking something, or empty.

    A replacement gives the name a new file: that would part it from its other names, and cannot
    be done to a mount point or for an owner that we cannot keep.
    """
    found = os.fstat(descriptor)
    if found.st_nlink > 1:
        return (
            f"{place.path.name} has {found.st_nlink} names (hard links); replacing it would part"
            " them. Make it a file of its own, or a symbolic link"
        )
    if found.st_dev != place.identity[0] or _mount(descriptor) != _mount(place.folder):
        return f"{place.path.name} is mounted by itself; it cannot be replaced as a whole"
    user = os.geteuid()
    if user and found.st_uid != user:
        return f"{place.path.name} belongs to another user (uid {found.st_uid})"
    if user and found.st_gid not in (os.getegid(), *os.getgroups()):
        return f"{place.path.name} belongs to a group that you are not in (gid {found.st_gid})"
    return ""


def _mount(descriptor: int) -> str:
    """Id of the mount that an open file lies on, where the system tells (Linux)."""
    if sys.platform != "linux":
        return ""
    try:
        with open(f"/proc/self/fdinfo/{descriptor}", "rb") as file:
            lines = file.read().split(b"\n")
    except OSError:
        # without /proc the device numbers, compared by the caller, have to do
        return ""
    return next((line.decode() for line in lines if line.startswith(b"mnt_id:")), "")
