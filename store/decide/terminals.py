"""Who holds the other end of a terminal, as far as this user may read it.

On Linux the terminal's master side is a descriptor of `/dev/ptmx`, and the kernel names its number
in the descriptor's `fdinfo` (`tty-index`; proc_pid_fdinfo(5)). Numbers repeat between instances of
devpts (pts(4)), one a container, so that the instance is compared as well.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from placet.store.decide import agents
from placet.store.decide.processes import (
    PROC,
    Chain,
    ancestry,
    has_proc,
    open_files,
    terminal_device,
)

_FIRST_MAJOR, _LAST_MAJOR = 136, 143
"""Device numbers of pseudo-terminals; a minor has 20 bits, so that today one of them is used."""

_DEEPEST = 8
_CLIENT = re.compile(r"/dev/(?:pts/\d+|tty\w+|console)")


@dataclass(frozen=True, slots=True)
class Terminal:
    """One terminal.

    Attributes:
        name: Path of its device.
        device: Device number, as in `st_rdev`.
        instance: Device of the file system that the device's node lies on; 0 where unknown.
    """

    name: str
    device: int
    instance: int = 0

    @property
    def index(self) -> int | None:
        """Its number among the pseudo-terminals; None for a console of the machine itself."""
        major = os.major(self.device)
        return os.minor(self.device) if _FIRST_MAJOR <= major <= _LAST_MAJOR else None


@dataclass(frozen=True, slots=True)
class Holder:
    """One process at the other end of a terminal.

    Attributes:
        chain: The process and its parents, nearest first.
        descriptor: Number of the descriptor by which it holds the terminal.
        index: Number of the terminal.
        clients: For a multiplexer whose files can be read, the terminals of the people attached;
            None for any other process.
        beyond: The ends that it is held from in turn: of the clients, or of its own terminal.
    """

    chain: Chain
    descriptor: str
    index: int
    clients: frozenset[str] | None = None
    beyond: tuple[End, ...] = ()


@dataclass(frozen=True, slots=True)
class End:
    """The other end of one terminal.

    Attributes:
        terminal: Which terminal.
        holders: Every process found there; none where they may not be read.
        reading: Whether this system shows who holds a terminal at all.
    """

    terminal: Terminal
    holders: tuple[Holder, ...] = ()
    reading: bool = True


class _Master(NamedTuple):
    """One open master side: process, descriptor, number of its terminal, mount that it is from."""

    pid: int
    descriptor: str
    number: int
    mount: int


def end_of(terminal: Terminal) -> End:
    """Find who holds a terminal, and who holds the terminals of those.

    Args:
        terminal: Which terminal.
    """
    if not has_proc():
        return End(terminal, reading=False)
    return _end(terminal, tuple(_masters()), _DEEPEST)


def _end(terminal: Terminal, masters: tuple[_Master, ...], deeper: int) -> End:
    found = [_holder(master, terminal, masters, deeper) for master in _of(terminal, masters)]
    holders = [holder for holder in found if holder is not None]
    device = terminal.device
    elsewhere = [h for h in holders if terminal_device(h.chain[0].terminal) != device]
    return End(terminal, tuple(elsewhere or holders))  # who sits on it has inherited its other end


def _of(terminal: Terminal, masters: tuple[_Master, ...]) -> list[_Master]:
    """Masters of this terminal: for certain, or where no instance can be told, by its number."""
    same = [m for m in masters if m.number == terminal.index and m.pid != os.getpid()]
    told = [(master, _instance(master)) for master in same]
    certain = [m for m, instance in told if instance and instance == terminal.instance]
    return certain or [m for m, instance in told if not (instance and terminal.instance)]


def _holder(
    master: _Master, terminal: Terminal, masters: tuple[_Master, ...], deeper: int
) -> Holder | None:
    try:
        chain = ancestry(master.pid)
    except OSError:
        return None  # it ended while we looked
    clients = clients_of(master.pid) if agents.multiplexer(chain[0]) in ("tmux", "screen") else None
    own = chain[0].terminal
    beyond: list[Terminal] = []
    if clients is not None:
        beyond = [found for name in sorted(clients) if (found := _named(name)) is not None]
    elif own and (device := terminal_device(own)) != terminal.device:
        beyond = [Terminal(f"/dev/pts/{os.minor(device)}", device, terminal.instance)]
    ends = tuple(_end(one, masters, deeper - 1) for one in beyond) if deeper else ()
    return Holder(chain, master.descriptor, master.number, clients, ends)


def clients_of(pid: int) -> frozenset[str] | None:
    """Terminals that a multiplexer's server has open: those of the people attached to it."""
    files = open_files(pid)
    if files is None:
        return None
    return frozenset(name for name in files.values() if _CLIENT.fullmatch(name))


def _named(name: str) -> Terminal | None:
    try:
        found = Path(name).stat()
    except OSError:
        return None  # closed while we looked
    return Terminal(name, found.st_rdev, found.st_dev)


def holds_still(holder: Holder) -> bool:
    """Whether a holder has the terminal by the same descriptor still, for the same people."""
    pid = holder.chain[0].pid
    found = _index(f"{PROC}/{pid}/fdinfo/{holder.descriptor}")
    if found is None or found[0] != holder.index:
        return False
    return holder.clients is None or clients_of(pid) == holder.clients


def _masters() -> Iterator[_Master]:
    with os.scandir(PROC) as entries:
        names = [entry.name for entry in entries if entry.name.isdigit()]
    for name in names:
        for descriptor, link in (open_files(int(name)) or {}).items():
            if PurePosixPath(link).name == "ptmx":
                found = _index(f"{PROC}/{name}/fdinfo/{descriptor}")
                if found is not None:
                    yield _Master(int(name), descriptor, *found)


def _index(path: str) -> tuple[int, int] | None:
    """Number of the terminal and of the mount, as a descriptor's `fdinfo` gives them."""
    try:
        lines = Path(path).read_text("ascii", "replace").splitlines()
    except OSError:
        return None
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    try:
        return int(fields["tty-index"]), int(fields["mnt_id"])
    except (KeyError, ValueError):
        return None


def _instance(master: _Master) -> int:
    """Device of the devpts that a master belongs to, or 0 where that cannot be told."""
    for who in ("self", str(master.pid)):
        for fields in _mounts(who):
            if int(fields[0]) != master.mount:
                continue
            if fields[fields.index("-") + 1] == "devpts":
                major, _, minor = fields[2].partition(":")
                return os.makedev(int(major), int(minor))
            return _beside(who, PurePosixPath(fields[4]))
    return 0


def _mounts(who: str) -> list[list[str]]:
    try:
        text = (PROC / who / "mountinfo").read_text("utf-8", "surrogateescape")
    except OSError:
        return []
    return [line.split() for line in text.splitlines()]


def _beside(who: str, mount: PurePosixPath) -> int:
    """Device of the devpts next to a `ptmx` of its own: the kernel takes the folder `pts` there."""
    folder = mount.parent if mount.name == "ptmx" else mount
    try:
        return Path(f"{PROC}/{who}/root{folder}/pts").stat().st_dev
    except OSError:
        return 0
