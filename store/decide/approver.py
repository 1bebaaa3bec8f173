"""Who may decide: a person at the terminal, with no running agent above or behind it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple, Self

from placet.store.decide import agents, evidence, terminals
from placet.store.decide.processes import (
    Chain,
    Process,
    ancestry,
    is_running,
    open_files,
    terminal_device,
)
from placet.store.decide.terminals import End, Holder, Terminal
from placet.store.errors import NotAllowed
from placet.store.model import Home

LEVEL = "L0 same user"
"""The level reached: the agent and the person are the same user."""

LEVEL_MEANING = (
    "L0, same user: the agent runs as this user. What is recognised as an agent is refused; one"
    " that sets out to imitate you is not."
)

_RELAYS = frozenset(("doas", "machinectl", "run0", "runuser", "su", "sudo", "systemd-run"))
"""Programs that pass on what is typed at a terminal of their own."""

_A_TERMINAL = (
    "A person gets a terminal from a terminal window, from `ssh -t`, or from tmux or screen:"
    " run placet there."
)


class Surroundings(NamedTuple):
    """What lies around this process.

    Attributes:
        chain: This process and its parents, nearest first.
        end: The other end of its terminal.
    """

    chain: Chain
    end: End


def surroundings() -> Surroundings:
    """Read what lies around this process.

    Raises:
        OSError: The processes above cannot be read.
    """
    chain = ancestry()
    return Surroundings(chain, terminals.end_of(_terminal(chain)))


class Approver:
    """A person who may decide; only the console and the command line make one.

    Attributes:
        via: `terminal` or `demo`; stands in every event.
    """

    via = "terminal"

    def __init__(self, around: Surroundings, look: Callable[[], Surroundings]) -> None:
        self._look = look
        self._take(around)

    def _take(self, around: Surroundings) -> None:
        self._around = around
        self._evidence = evidence.of(around.chain, around.end, self.via)

    @classmethod
    def here(cls, look: Callable[[], Surroundings] = surroundings) -> Self:
        """Return the approver of this terminal.

        Args:
            look: Reads what lies around this process.

        Raises:
            NotAllowed: With the one reason why this process may not decide.
        """
        _require_foreground()
        return cls(_allowed(look), look)

    def require_still(self) -> None:
        """Look again whether the same processes hold the terminal, and all around where not.

        Raises:
            NotAllowed: Somebody holds it now who may not decide.
        """
        if not all(map(_is_as_before, self._around.end.holders)):
            self._take(_allowed(self._look))

    def evidence(self) -> dict[str, object]:
        """Who decides, for the event: what the kernel says apart from what is only stated."""
        return self._evidence

    def refusal(self, home: Home) -> str:
        """Why this approver may not decide in `home`, in one sentence, or empty."""
        return next(_agents_at_work(self._around, home), "")

    def level_words(self) -> str:
        """The level reached, in the words of the status bar."""
        return LEVEL if self._around.end.reading else f"{LEVEL}, agents known by name alone"

    def in_multiplexer(self) -> str:
        """Name of the terminal multiplexer that this runs in, or empty."""
        return evidence.multiplexer(self._around.chain)


class DemoApprover(Approver):
    """Decides for `demo` and tests, in the one home that it made itself."""

    via = "demo"

    def __init__(self, root: Path, identity: tuple[int, int]) -> None:
        super().__init__(_own_process(), _own_process)
        self._root = root
        self._identity = identity

    @classmethod
    def own_home(cls, path: Path) -> DemoApprover:
        """Make the directory `path` and return an approver for it alone.

        Raises:
            NotAllowed: The path exists, or cannot be made.
        """
        try:
            path.mkdir(mode=0o700)
        except OSError as error:
            raise NotAllowed(
                f"A demo decides only in a home of its own, and {path} cannot be made: "
                f"{error.strerror}."
            ) from error
        root = path.resolve(strict=True)
        return cls(root, _identity(root))

    def require_still(self) -> None:
        """Pass: a demo does not depend on who runs it."""

    def refusal(self, home: Home) -> str:
        """Why this approver may not decide in `home`: it is not the one it made."""
        if _identity(self._root) == self._identity and home.path.is_relative_to(self._root):
            return ""
        return f"The demo decides only in {self._root}, which it made itself."

    def level_words(self) -> str:
        """The level reached, in the words of the status bar."""
        return "demo"


def _identity(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return (0, 0)
    return (found.st_dev, found.st_ino)


def _own_process() -> Surroundings:
    try:
        chain = ancestry()
    except OSError:
        chain = ()
    return Surroundings(chain, End(Terminal("", 0), reading=sys.platform == "linux"))


def _require_foreground() -> None:
    """Prove that there is a controlling terminal, and that this is its foreground."""
    try:
        descriptor = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        raise NotAllowed(
            "Nothing is decided here: there is no terminal. Run placet in a terminal "
            "(over SSH: ssh -t)."
        ) from error
    try:
        if os.tcgetpgrp(descriptor) != os.getpgrp():
            raise NotAllowed(
                "Nothing is decided here: placet runs in the background of this terminal."
            )
    finally:
        os.close(descriptor)


def _terminal(chain: Chain) -> Terminal:
    """The controlling terminal, by the node that one of the standard streams has open."""
    own = terminal_device(chain[0].terminal) if chain else 0
    for descriptor in (0, 1, 2):
        try:
            found, name = os.fstat(descriptor), os.ttyname(descriptor)
        except OSError:
            continue  # this one is redirected; another may still be the terminal
        if found.st_rdev == own or not own:
            return Terminal(name, found.st_rdev, found.st_dev)
    return Terminal("/dev/tty", own)


def _allowed(look: Callable[[], Surroundings]) -> Surroundings:
    """What lies around this process, where nothing there forbids to decide.

    Raises:
        NotAllowed: With the one reason why this process may not decide.
    """
    try:
        around = look()
    except OSError as error:
        raise NotAllowed(
            f"Nothing is decided here: the processes above this one cannot be read ({error})."
        ) from error
    reason = _above(around.chain) or _keys_from_elsewhere(around.chain) or _held_by(around.end)
    if reason:
        raise NotAllowed(f"Nothing is decided here: {reason}")
    return around


def _keys_from_elsewhere(chain: Chain) -> str:
    """Why the keys would not come from the controlling terminal, or empty."""
    reason = "standard input is not this terminal."
    try:
        if not os.isatty(0) or os.tcgetpgrp(0) != os.getpgrp():
            return reason
        device = os.fstat(0).st_rdev
    except OSError:
        return reason
    own = chain[0].terminal if chain else 0
    elsewhere = own and device not in (terminal_device(own), os.makedev(5, 0))
    return reason if elsewhere else ""


def _above(chain: Chain) -> str:
    """Why an agent is, or was, above this process, or empty."""
    for process in chain[1:]:
        if name := agents.agent(process):
            return f"{process.command} above this process is {name}, and an agent cannot say yes."
    own = min(os.environ.keys() & agents.MARKERS.keys(), default="")
    for process in reversed(chain[1:]):
        if found := agents.marker(process):
            return _started(f"{process.command} above this process", process, found)
    found = own or (agents.marker(chain[0]) if chain else "")
    return _started("this process", None, found) if found else ""


def _started(who: str, process: Process | None, marker: str) -> str:
    """That something bears the mark of an agent which may be gone, and the way out."""
    name = agents.MARKERS[marker]
    server = agents.multiplexer(process) if process else ""
    if server:
        restart = "`tmux kill-server`" if server == "tmux" else "end it and start it anew"
        way = (
            f"That agent may be gone by now, but {server} keeps the variable for good. Decide in"
            f" a terminal outside this {server}, or restart its server ({restart})."
        )
    else:
        way = f"If {name} is gone by now, decide in a terminal that it did not open."
    return (
        f"{who} was started by {name} ({marker} is in its environment), and an agent cannot say"
        f" yes. {way}"
    )


def _held_by(end: End) -> str:
    """Why the holders of a terminal are no person's, or empty; what cannot be read is none."""
    return next((words for holder in end.holders if (words := _holding(holder))), "")


def _holding(holder: Holder) -> str:
    process = holder.chain[0]
    if reason := _agent_behind(holder.chain):
        return reason
    name = agents.program(process)
    if why := agents.types_by_itself(process):
        return f"this terminal is held by {name}, and {why}. {_A_TERMINAL}"
    if name in _RELAYS and not process.terminal:
        return f"this terminal is held by {name}, which has no terminal itself. {_A_TERMINAL}"
    if holder.clients is not None and not holder.clients:
        return f"nobody is attached to the {name} that this terminal is in. Attach to it first."
    beyond = [_held_by(end) for end in holder.beyond]
    return beyond[0] if beyond and all(beyond) else ""


def _agent_behind(chain: Chain) -> str:
    for place, process in enumerate(chain):
        where = "above the program that holds" if place else "which holds"
        who = f"{process.command}, {where} this terminal,"
        if name := agents.agent(process):
            return f"{who} is {name}, and an agent cannot say yes."
    for place, process in reversed([*enumerate(chain)]):
        where = "above the program that holds" if place else "which holds"
        if found := agents.marker(process):
            return _started(f"{process.command}, {where} this terminal,", process, found)
    return ""


def _is_as_before(holder: Holder) -> bool:
    known = is_running(holder.chain[0]) and terminals.holds_still(holder)
    return known and all(_is_as_before(next_) for end in holder.beyond for next_ in end.holders)


def _agents_at_work(around: Surroundings, home: Home) -> Iterator[str]:
    """Words about each process above or behind that has open what a running agent has open."""
    marks = {f"{home.state_db}{end}" for end in ("", "-wal", "-shm")}
    pending = f"{home.path / 'pending'}/"
    for process in _everyone(around.chain[1:], around.end.holders):
        for name in (open_files(process.pid) or {}).values():
            if name in marks or (name.startswith(pending) and name.endswith(".lock")):
                yield (
                    f"Nothing is decided here: {process.command} (process {process.pid}), above"
                    f" this process or behind its terminal, has {name} open as a running agent"
                    " has, and an agent cannot say yes."
                )


def _everyone(chain: Chain, holders: Iterable[Holder]) -> Iterator[Process]:
    yield from chain
    for holder in holders:
        yield from holder.chain
        for end in holder.beyond:
            yield from _everyone((), end.holders)
