"""The locks that placet and Hermes both take: `flock(LOCK_EX)` on a file beside the target.

`lockf` does not exclude Hermes, so it is never used.
"""

from __future__ import annotations

import fcntl
import os
import stat
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import ExitStack, contextmanager
from pathlib import Path

from placet.store.disk import write
from placet.store.errors import Busy, Cancelled, Unsafe
from placet.store.model import Home, Target, TargetKind

WAIT_SECONDS = 5.0
"""How long a deciding process waits for a lock."""

_FIRST_PAUSE = 0.002
_LONGEST_PAUSE = 0.05
_FLAGS = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def lock_path(home: Home, target: Target) -> Path:
    """The lock file of a target: Hermes' own for memory files, placet's for the others."""
    if target.kind in (TargetKind.MEMORY, TargetKind.USER):
        file = home.file(target)
        return file.with_name(file.name + ".lock")
    name = "soul.lock" if target.kind is TargetKind.SOUL else "skills.lock"
    return home.private / "locks" / name


@contextmanager
def held(
    paths: Iterable[Path],
    *,
    wait_seconds: float = WAIT_SECONDS,
    cancelled: Callable[[], bool] | None = None,
    waiting: Callable[[Path, float], None] | None = None,
) -> Generator[None]:
    """Hold the locks of all these files, taken in path order, until the block ends.

    Args:
        paths: Lock files; a missing one is made (0644, as Hermes does), and its folder (0700).
        wait_seconds: Bound for all of them together.
        cancelled: Asked while waiting; True gives up.
        waiting: Told the file and the seconds waited so far, at most every 50 ms.

    Raises:
        Busy: A lock was not free in time; the text names the file and, where known, who holds it.
        Cancelled: The person gave up.
        Unsafe: A lock file is not a regular file; a link is never followed.
        OSError: A lock file cannot be made or opened.
    """
    start = time.monotonic()
    with ExitStack() as stack:
        for path in sorted(set(paths)):
            descriptor = _acquire(path, start, wait_seconds, cancelled, waiting)
            stack.callback(os.close, descriptor)
        yield


def _acquire(
    path: Path,
    start: float,
    wait_seconds: float,
    cancelled: Callable[[], bool] | None,
    waiting: Callable[[Path, float], None] | None,
) -> int:
    pause = _FIRST_PAUSE
    while True:
        descriptor = _try(path)
        if descriptor is not None:
            return descriptor
        spent = time.monotonic() - start
        if waiting is not None:
            waiting(path, spent)
        if cancelled is not None and cancelled():
            raise Cancelled(f"Gave up waiting for {path.name}; nothing was decided.")
        if spent >= wait_seconds:
            raise Busy(_busy_words(path, spent))
        time.sleep(min(pause, max(0.0, wait_seconds - spent)))
        pause = min(pause * 2, _LONGEST_PAUSE)


def _try(path: Path) -> int | None:
    """Take the lock now, or None; also None if the file was swapped while we took it."""
    descriptor = _open(path)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if _still_there(path, descriptor):
            return descriptor
    except BlockingIOError:
        # somebody else holds it: the caller waits
        pass
    except BaseException:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return None


def _open(path: Path) -> int:
    try:
        descriptor = _open_or_make(path)
    except OSError as error:
        if path.is_symlink():
            raise Unsafe(f"The lock file {path} is a link; it is not followed.") from error
        raise
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return descriptor
    os.close(descriptor)
    raise Unsafe(f"The lock file {path} is not a regular file; nothing was decided.")


def _open_or_make(path: Path) -> int:
    try:
        return os.open(path, _FLAGS, 0o644)
    except FileNotFoundError:
        write.private_folder(path.parent)
        return os.open(path, _FLAGS, 0o644)
    except PermissionError as refused:
        # a lock file that only its owner may write can still be locked by a reader
        try:
            return os.open(path, _FLAGS & ~(os.O_RDWR | os.O_CREAT) | os.O_RDONLY)
        except FileNotFoundError:
            raise refused from None


def _still_there(path: Path, descriptor: int) -> bool:
    try:
        found = os.stat(path, follow_symlinks=False)
    except FileNotFoundError:
        return False
    return os.path.samestat(found, os.fstat(descriptor))


def _busy_words(path: Path, spent: float) -> str:
    holder = _holder(path)
    by = f" by process {holder}" if holder else ""
    return (
        f"{path} is held{by} for more than {spent:.1f} s; nothing was decided."
        " Wait for it to finish, then try again."
    )


def _holder(path: Path) -> int | None:
    """Process that holds the lock, where the system tells (Linux), for the words alone."""
    try:
        found = os.stat(path, follow_symlinks=False)
        with open("/proc/locks", "rb") as file:
            lines = file.read().split(b"\n")
    except OSError:
        return None
    device = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}".encode()
    for line in lines:
        fields = line.split()
        if len(fields) > 5 and fields[1] == b"FLOCK" and fields[5] == device:
            return int(fields[4])
    return None
