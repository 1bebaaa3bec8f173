"""Writing our own files, and new ones, so that they survive a power cut whole or not at all."""

from __future__ import annotations

import fcntl
import os
import secrets
import stat
import sys
from pathlib import Path

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC


def flush(descriptor: int) -> None:
    """Flush a file or folder to the disk itself.

    Raises:
        OSError: The flush failed. It is never tried twice: a second one may succeed though the
            data is lost, so the file has to be thrown away.
    """
    if sys.platform == "darwin":
        try:
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
            return
        except OSError:
            # some file systems know only the plain call
            pass
    os.fsync(descriptor)


def fsync_dir(folder: Path) -> None:
    """Make the names in a folder durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        flush(descriptor)
    finally:
        os.close(descriptor)


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte, however many calls that takes."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def write_temporary(path: Path, data: bytes, mode: int) -> Path:
    """Write flushed bytes to a new file beside `path` and return where.

    Raises:
        OSError: It could not be written; nothing is left behind.
    """
    temporary = path.with_name(f".{path.name[:80]}.placet-{secrets.token_hex(8)}.new")
    descriptor = os.open(temporary, _NEW, 0o600)
    try:
        write_all(descriptor, data)
        os.fchmod(descriptor, mode)
        flush(descriptor)
    except BaseException:
        os.unlink(temporary)
        raise
    finally:
        os.close(descriptor)
    return temporary


def write_new(path: Path, data: bytes, mode: int = 0o600) -> None:
    """Create a file with these bytes, durable and never in the place of another.

    Args:
        path: Where; its folder exists.
        data: All of its bytes.
        mode: Permission bits, not narrowed by the umask.

    Raises:
        FileExistsError: The name is taken; it was left alone.
        OSError: It could not be written; nothing is left behind.
    """
    temporary = write_temporary(path, data, mode)
    try:
        os.link(temporary, path, follow_symlinks=False)
    finally:
        os.unlink(temporary)
    try:
        fsync_dir(path.parent)
    except OSError:
        os.unlink(path)
        raise


def replace_own(path: Path, data: bytes, mode: int = 0o600, *, flush_folder: bool = True) -> None:
    """Replace one of placet's own files as a whole, or create it.

    Args:
        path: Which file.
        data: All of its bytes.
        mode: Permission bits.
        flush_folder: Whether to make the name durable too; a caller with several files in one
            folder does that once at the end.

    Raises:
        OSError: It could not be written; the old file is unchanged. If only the last flush failed,
            the new one is in place, whole, but a power cut could still bring the old one back.
    """
    temporary = write_temporary(path, data, mode)
    try:
        os.rename(temporary, path)
    except BaseException:
        os.unlink(temporary)
        raise
    if flush_folder:
        fsync_dir(path.parent)


def append(path: Path, line: bytes, mode: int = 0o600) -> None:
    """Add one line to one of placet's own files with a single flushed write, under its lock.

    Args:
        path: The file; made if missing.
        line: Bytes that end with a line end.
        mode: Permission bits of a new file.
    """
    flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, mode)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        write_all(descriptor, line)
        flush(descriptor)
    finally:
        os.close(descriptor)


def private_folder(folder: Path, mode: int = 0o700) -> None:
    """Make one of placet's own folders, parents included, durable.

    Raises:
        NotADirectoryError: Something else, a link included, has the name.
    """
    if not folder.parent.exists():
        private_folder(folder.parent, mode)
    try:
        os.mkdir(folder, mode)
    except FileExistsError:
        if not stat.S_ISDIR(os.lstat(folder).st_mode):
            raise NotADirectoryError(f"{folder} is not a folder") from None
        return
    os.chmod(folder, mode)
    fsync_dir(folder.parent)
