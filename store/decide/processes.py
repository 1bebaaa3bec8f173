"""Who runs this process, as the kernel tells it: the chain of parents, what they are and hold."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")
_MOST = 64
"""Longest chain that is followed; a longer one is no person's terminal."""


@dataclass(frozen=True, slots=True)
class Process:
    """One process of a chain.

    Attributes:
        pid: Its number.
        parent: Number of its parent.
        uid: Real user id of its owner.
        command: Short name; the process chooses it.
        started: Start time in clock ticks since boot, or 0 where unknown.
        terminal: Number of its controlling terminal as /proc packs it, or 0.
        variables: Names of the environment variables that it was started with, empty ones too;
            None where they cannot be read.
        arguments: Its command line; the process may rewrite it.
        executable: Path of the file that it runs, or empty where that cannot be read.
        identity: Device and inode of that file, or None.
    """

    pid: int
    parent: int
    uid: int
    command: str
    started: int = 0
    terminal: int = 0
    variables: frozenset[str] | None = None
    arguments: tuple[str, ...] = ()
    executable: str = ""
    identity: tuple[int, int] | None = None


Chain = tuple[Process, ...]
"""A process and its parents, nearest first."""


def has_proc() -> bool:
    """Whether this system shows its processes as files."""
    return (PROC / "self" / "stat").exists()


def ancestry(pid: int | None = None) -> Chain:
    """A process and its parents, nearest first.

    Args:
        pid: Which process; None for this one.

    Raises:
        OSError: The chain cannot be read on this system.
    """
    return tuple(
        _chain(os.getpid() if pid is None else pid, _from_proc if has_proc() else _from_ps)
    )


def _chain(pid: int, read: Callable[[int], Process]) -> Iterator[Process]:
    for step in range(_MOST):
        try:
            process = read(pid)
        except OSError:
            if step == 0:
                raise
            return  # a parent ended while we looked, or belongs to another namespace
        yield process
        if process.parent <= 0:
            return
        pid = process.parent
    raise OSError(f"more than {_MOST} processes above this one")


def _from_proc(pid: int) -> Process:
    """Read one process from /proc; see proc_pid_stat(5) for the places of the numbers."""
    folder = PROC / str(pid)
    name, fields = _stat(folder)
    executable, identity = _executable(folder / "exe")
    return Process(
        pid=pid,
        parent=int(fields[1]),
        uid=_real_uid(folder),
        command=name,
        started=int(fields[19]),
        terminal=int(fields[4]),
        variables=_variables(folder / "environ"),
        arguments=_arguments(folder / "cmdline"),
        executable=executable,
        identity=identity,
    )


def _stat(folder: Path) -> tuple[str, list[bytes]]:
    head, _, tail = (folder / "stat").read_bytes().rpartition(b")")
    return _text(head.partition(b"(")[2]), tail.split()


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "backslashreplace")


def _real_uid(folder: Path) -> int:
    """The user who started it; a program with the set-user-ID bit runs as another one."""
    for line in (folder / "status").read_bytes().splitlines():
        if line.startswith(b"Uid:"):
            return int(line.split()[1])
    raise OSError(f"{folder} names no user")


def _variables(path: Path) -> frozenset[str] | None:
    try:
        raw = path.read_bytes()
    except OSError:
        return None
    return frozenset(_text(name) for item in raw.split(b"\0") if (name := item.partition(b"=")[0]))


def _arguments(path: Path) -> tuple[str, ...]:
    try:
        raw = path.read_bytes()
    except OSError:
        return ()
    return tuple(map(_text, raw.removesuffix(b"\0").split(b"\0"))) if raw else ()


def _executable(path: Path) -> tuple[str, tuple[int, int] | None]:
    try:
        name, found = path.readlink(), path.stat()
    except OSError:
        return "", None
    return _text(os.fsencode(name)), (found.st_dev, found.st_ino)


def _from_ps(pid: int) -> Process:
    """Read one process through ps, where there is no /proc; its environment stays unknown."""
    fields = _ps(pid, "ppid=,uid=,comm=").split(None, 2)
    if len(fields) < 3:
        raise ProcessLookupError(f"no process {pid}")
    path = fields[2].strip()
    return Process(
        pid=pid,
        parent=int(fields[0]),
        uid=int(fields[1]),
        command=path.rpartition("/")[2],
        arguments=tuple(_ps(pid, "args=").split()),
        executable=path if path.startswith("/") else "",
    )


def _ps(pid: int, columns: str) -> str:
    done = subprocess.run(
        ["/bin/ps", "-o", columns, "-p", str(pid)], capture_output=True, timeout=5, check=False
    )
    return _text(done.stdout)


def is_running(process: Process) -> bool:
    """Whether it is this very process that bears the number still."""
    try:
        return int(_stat(PROC / str(process.pid))[1][19]) == process.started
    except OSError:
        return False


def open_files(pid: int) -> dict[str, str] | None:
    """What a process holds open: name of each by its number; None where that cannot be read.

    The names are links of the kernel's; nothing behind them is touched, so that a dead network
    mount holds nobody up.
    """
    try:
        folder = os.open(PROC / str(pid) / "fd", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        with os.scandir(folder) as entries:
            return dict(_links(folder, [entry.name for entry in entries]))
    except OSError:
        return None  # it ended while we looked
    finally:
        os.close(folder)


def _links(folder: int, names: list[str]) -> Iterator[tuple[str, str]]:
    for name in names:
        try:
            yield name, os.readlink(name, dir_fd=folder)
        except OSError:
            continue  # closed while we looked


def login_uid() -> int | None:
    """User id of the login session as the kernel keeps it, or None where it keeps none."""
    try:
        number = int((PROC / "self" / "loginuid").read_bytes())
    except (OSError, ValueError):
        return None
    return None if number == 0xFFFFFFFF else number


def terminal_device(number: int) -> int:
    """Device number of a terminal from the packed form that /proc uses."""
    return os.makedev((number >> 8) & 0xFFF, (number & 0xFF) | ((number >> 12) & 0xFFF00))
