"""Kills, or fails, a process at its n-th call that changes anything (reliability notes, crash §5).

A boundary is every call of the system or of SQLite that can leave something behind. The child of a
fork counts them and ends, or raises, at the chosen one; the parent then looks at what is left.
"""

from __future__ import annotations

import errno
import os
import pickle
import shutil
import sqlite3
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from placet.store.disk import rename

KILLED = 137
CALLS = (
    "open", "write", "pwrite", "rename", "replace", "link", "unlink", "remove", "mkdir", "rmdir",
    "fsync", "fdatasync", "fchmod", "chmod", "fchown", "ftruncate", "setxattr", "removexattr",
)  # fmt: skip
_QUIET = ("SELECT", "PRAGMA", "EXPLAIN")
FULL = os.environ.get("PLACET_FAULTS") == "full"
"""Whether every boundary is tried, which takes minutes; else a fixed sample."""


@dataclass
class Boundaries:
    """Counts boundaries and breaks at one of them.

    Attributes:
        at: Number of the boundary that breaks, from 1; 0 never breaks.
        error: What is raised there instead of ending the process, or None.
        count: How many were met.
    """

    at: int = 0
    error: int | None = None
    count: int = 0

    def meet(self, what: str) -> None:
        """One more boundary."""
        self.count += 1
        if self.count != self.at:
            return
        if self.error is None:
            os._exit(KILLED)
        if what == "sql":
            full = sqlite3.OperationalError("database or disk is full")
            full.sqlite_errorcode = sqlite3.SQLITE_FULL
            raise full
        raise OSError(self.error, os.strerror(self.error), what)


def install(found: Boundaries) -> None:
    """Let every changing call of this process meet a boundary first; never taken back."""
    for name in CALLS:
        setattr(os, name, _guarded(getattr(os, name), name, found))
    rename._rename = _guarded(rename._rename, "renameat2", found)
    plain = sqlite3.connect

    class Counted(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            if not sql.lstrip().upper().startswith(_QUIET):
                found.meet("sql")
            return super().execute(sql, *values)

    sqlite3.connect = lambda *a, **k: plain(*a, **{**k, "factory": Counted})  # type: ignore[assignment]


def _guarded(call: Callable[..., Any], name: str, found: Boundaries) -> Callable[..., Any]:
    def guarded(*given: Any, **named: Any) -> Any:
        if name != "open" or _writes(given, named):
            found.meet(name)
        return call(*given, **named)

    return guarded


def _writes(given: tuple[Any, ...], named: dict[str, Any]) -> bool:
    flags = named.get("flags", given[1] if len(given) > 1 else 0)
    return bool(flags & (os.O_CREAT | os.O_TRUNC))


@dataclass(frozen=True)
class Ended:
    """How a child ended.

    Attributes:
        killed: Whether it was killed at its boundary.
        count: Boundaries it met, where it lived to tell.
        result: What the work returned, or the exception it raised, as text.
        raised: Whether it raised.
    """

    killed: bool
    count: int = 0
    result: Any = None
    raised: bool = False


def run(work: Callable[[], Any], found: Boundaries) -> Ended:
    """Do `work` in a child whose n-th boundary breaks."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        _child(work, found, write)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    if status == KILLED:
        return Ended(killed=True)
    assert status == 0 and said, f"the child ended with {status}"
    ended: Ended = pickle.loads(said)
    return ended


def _child(work: Callable[[], Any], found: Boundaries, write: int) -> None:
    """The whole life of a child; it never returns."""
    tell = os.write
    try:
        install(found)
        try:
            result, raised = work(), False
        except Exception as error:
            result, raised = f"{type(error).__name__}: {error}", True
        answer = Ended(False, found.count, result, raised)
        tell(write, pickle.dumps(answer))
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


class Stage:
    """Folders that are put back as they were before every run; all that stay keep their identity.

    Attributes:
        folders: Which.
    """

    def __init__(self, *folders: Path, label: str = "copy") -> None:
        self.folders = folders
        self._copies = [folder.with_name(f"{folder.name}.{label}") for folder in folders]
        for folder, copy in zip(folders, self._copies, strict=True):
            shutil.copytree(folder, copy, symlinks=True)

    def reset(self) -> None:
        """Put every folder's content back."""
        for folder, copy in zip(self.folders, self._copies, strict=True):
            _empty(folder, copy)
            shutil.copytree(copy, folder, symlinks=True, dirs_exist_ok=True)

    def forget(self) -> None:
        """Remove the copies."""
        for copy in self._copies:
            shutil.rmtree(copy)


def _empty(folder: Path, copy: Path) -> None:
    """Remove everything but the folders that the copy has as well."""
    for entry in os.scandir(folder):
        if not entry.is_dir(follow_symlinks=False):
            os.unlink(entry.path)
        elif (copy / entry.name).is_dir() and not (copy / entry.name).is_symlink():
            _empty(Path(entry.path), copy / entry.name)
        else:
            shutil.rmtree(entry.path)


def sample(numbers: range, most: int) -> list[int]:
    """At most `most` of these numbers, spread evenly; all of them where `FULL`."""
    everything = list(numbers)
    if FULL or len(everything) <= most:
        return everything
    step = len(everything) / most
    return sorted({everything[int(number * step)] for number in range(most)} | {everything[-1]})


ERRORS = (errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT)
