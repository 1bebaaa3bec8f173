"""Who runs this process, as the kernel tells it: the chain of parents and the terminal."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

_PROC = Path("/proc")
_MOST = 64
"""Longest chain that is followed; a longer one is no person's terminal."""


@dataclass(frozen=True, slots=True)
class Process:
    """One process of the chain.

    Attributes:
        pid: Its number.
        parent: Number of its parent.
        uid: Real user id of its owner.
        command: Short name as the kernel keeps it.
        started: Start time in clock ticks since boot, or 0 where unknown.
        terminal: Device number of its controlling terminal, or 0.
        variables: Names of its non-empty environment variables; None where they cannot be read.
    """

    pid: int
    parent: int
    uid: int
    command: str
    started: int = 0
    terminal: int = 0
    variables: frozenset[str] | None = None


def ancestry() -> tuple[Process, ...]:
    """This process and its parents, nearest first.

    Raises:
        OSError: The chain cannot be read on this system.
    """
    read = _from_proc if (_PROC / "self" / "stat").exists() else _from_ps
    return tuple(_chain(read))


def _chain(read: Callable[[int], Process]) -> Iterator[Process]:
    pid = os.getpid()
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
    folder = _PROC / str(pid)
    head, _, tail = (folder / "stat").read_bytes().rpartition(b")")
    fields = tail.split()
    return Process(
        pid=pid,
        parent=int(fields[1]),
        uid=folder.stat().st_uid,
        command=head.partition(b"(")[2].decode("utf-8", "backslashreplace"),
        started=int(fields[19]),
        terminal=int(fields[4]),
        variables=_variables(folder / "environ"),
    )


def _variables(path: Path) -> frozenset[str] | None:
    try:
        raw = path.read_bytes()
    except OSError:
        return None
    pairs = (item.partition(b"=") for item in raw.split(b"\0"))
    return frozenset(name.decode("utf-8", "backslashreplace") for name, _, value in pairs if value)


def _from_ps(pid: int) -> Process:
    """Read one process through ps, where there is no /proc; its environment stays unknown."""
    done = subprocess.run(
        ["/bin/ps", "-o", "ppid=,uid=,comm=", "-p", str(pid)],
        capture_output=True,
        timeout=5,
        check=False,
    )
    fields = done.stdout.decode("utf-8", "backslashreplace").split(None, 2)
    if len(fields) < 3:
        raise ProcessLookupError(f"no process {pid}")
    name = Path(fields[2].strip()).name
    return Process(pid=pid, parent=int(fields[0]), uid=int(fields[1]), command=name)


def login_uid() -> int | None:
    """User id of the login session as the kernel keeps it, or None where it keeps none."""
    try:
        number = int((_PROC / "self" / "loginuid").read_bytes())
    except (OSError, ValueError):
        return None
    return None if number == 0xFFFFFFFF else number


def terminal_device(number: int) -> int:
    """Device number of a terminal from the packed form that /proc uses."""
    return os.makedev((number >> 8) & 0xFFF, (number & 0xFF) | ((number >> 12) & 0xFFF00))
