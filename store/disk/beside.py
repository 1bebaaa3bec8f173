"""Small acts on names in one open folder, shared by everything that swaps, claims and sweeps."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

from placet.store.disk import read, rename, write
from placet.store.disk.read import Place, place_of
from placet.store.errors import NotWritten, StalePlan, Unsafe, words_of
from placet.store.model import Change

LIMIT = 1 << 26
"""Largest file that is read back for comparing, in bytes."""

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
OLD = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC

_NO_LINKS = frozenset({errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS})


@contextmanager
def target_of(change: Change, parent: tuple[int, int] | None = None) -> Generator[Place]:
    """The folder of a target, with every system error told as `NotWritten`."""
    try:
        with place_of(change.path, flushable=True) as place:
            if parent not in (None, place.identity):
                raise StalePlan(
                    f"The folder of {change.name} is another one by now; nothing was written."
                )
            yield place
    except OSError as error:
        raise NotWritten(
            f"{change.name} could not be written: {words_of(error)}."
            " What was there is still in place."
        ) from error


def path_of(place: Place, name: str) -> Path:
    """Path of another name in the same folder."""
    return place.real.with_name(name)


def bytes_at(place: Place, name: str) -> bytes | None:
    """Bytes of a regular file, or None where there is no such name.

    Raises:
        OSError: It is not a regular file, too large, or cannot be read.
    """
    try:
        descriptor = os.open(name, OLD, dir_fd=place.folder)
    except FileNotFoundError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", name)
        data = read.read_whole(descriptor, LIMIT)
    finally:
        os.close(descriptor)
    if data is None:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), name)
    return data


def unlink(place: Place, name: str) -> None:
    """Remove a name, if it is there."""
    try:
        os.unlink(name, dir_fd=place.folder)
    except FileNotFoundError:
        # what was to be removed is gone: nothing else is wanted
        pass


def same_file(place: Place, name: str, other: str) -> bool:
    """Whether two names are the same file at this moment."""
    try:
        first = os.stat(name, dir_fd=place.folder, follow_symlinks=False)
        second = os.stat(other, dir_fd=place.folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(first, second)


def link(place: Place, name: str, other: str) -> None:
    """Give a file a second name.

    Raises:
        FileExistsError: The second name is taken.
        Unsafe: This file system can neither exchange names nor link files.
    """
    try:
        os.link(
            name, other, src_dir_fd=place.folder, dst_dir_fd=place.folder, follow_symlinks=False
        )
    except OSError as error:
        if error.errno in _NO_LINKS:
            raise Unsafe(
                f"The file system of {place.real.parent} can neither exchange nor link files;"
                " nothing can be written there safely. It was left alone."
            ) from error
        raise


def rename_new(place: Place, name: str, other: str) -> None:
    """Rename in the folder, never over another file.

    Raises:
        FileExistsError: The new name is taken.
        StalePlan: The file was replaced while it was being moved; it was left alone.
    """
    try:
        rename.noreplace(place.folder, name, place.folder, other)
    except OSError as error:
        if error.errno not in rename.UNSUPPORTED:
            raise
        link(place, name, other)
        if not same_file(place, name, other):
            unlink(place, other)
            raise StalePlan(f"{name} was replaced at the last moment; it was left alone.") from None
        unlink(place, name)


def write_beside(place: Place, name: str, data: bytes, finish: Callable[[int], None]) -> None:
    """Write a new flushed file into the folder; on any failure nothing of it is left.

    Args:
        place: The folder.
        name: Name of the file.
        data: Its bytes.
        finish: Gives the open file what it has besides its bytes: mode, owner, attributes.
    """
    descriptor = os.open(name, NEW, 0o600, dir_fd=place.folder)
    try:
        write.write_all(descriptor, data)
        finish(descriptor)
        write.flush(descriptor)
    except BaseException:
        unlink(place, name)
        raise
    finally:
        os.close(descriptor)
