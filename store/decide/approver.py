"""Who may decide: a person at the controlling terminal, with no running agent above (design §9)."""

from __future__ import annotations

import os
import pwd
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Self

from placet.store.decide.processes import Process, ancestry, login_uid, terminal_device
from placet.store.errors import NotAllowed
from placet.store.model import Home

MARKERS: Mapping[str, str] = {
    "AI_AGENT": "an agent",
    "AMP_CURRENT_THREAD_ID": "Amp",
    "AUGMENT_AGENT": "Augment",
    "CLAUDECODE": "Claude Code",
    "CLAUDE_CODE_ENTRYPOINT": "Claude Code",
    "CLINE_ACTIVE": "Cline",
    "CODEX_SANDBOX": "Codex",
    "CODEX_SANDBOX_NETWORK_DISABLED": "Codex",
    "CODEX_THREAD_ID": "Codex",
    "CRUSH": "Crush",
    "CURSOR_AGENT": "Cursor",
    "GEMINI_CLI": "Gemini CLI",
    "GOOSE_TERMINAL": "goose",
    "HERMES_CRON_SESSION": "Hermes Agent",
    "HERMES_EXEC_ASK": "Hermes Agent",
    "HERMES_GATEWAY_SESSION": "Hermes Agent",
    "HERMES_INTERACTIVE": "Hermes Agent",
    "HERMES_SESSION_ID": "Hermes Agent",
    "HERMES_SESSION_KEY": "Hermes Agent",
    "HERMES_SESSION_PLATFORM": "Hermes Agent",
    "OPENCLAW_SHELL": "OpenClaw",
    "OPENCODE": "OpenCode",
    "QWEN_CODE": "Qwen Code",
    "ROO_ACTIVE": "Roo Code",
}
"""Variables that a *running* agent hands to its children, never what a person exports for it."""

LEVEL = "L0 same user"
"""The level reached: the agent and the person are the same user."""

LEVEL_MEANING = (
    "L0, same user: the agent runs as this user, so self-approval is made evident, not impossible."
)

_MULTIPLEXERS = ("tmux", "screen", "zellij", "dtach", "abduco")

Chain = tuple[Process, ...]


class Approver:
    """A person who may decide; only the console and the command line make one.

    Attributes:
        via: `terminal` or `demo`; stands in every event.
    """

    via = "terminal"

    def __init__(self, chain: Chain, terminal: str) -> None:
        self._chain = chain
        self._evidence = _evidence(chain, terminal, self.via)

    @classmethod
    def here(cls, look: Callable[[], Chain] = ancestry) -> Self:
        """Return the approver of this terminal.

        Args:
            look: Gives this process and its parents, nearest first.

        Raises:
            NotAllowed: With the one reason why this process may not decide.
        """
        terminal = _require_terminal()
        try:
            chain = look()
        except OSError as error:
            raise NotAllowed(
                f"Nothing is decided here: the processes above this one cannot be read ({error})."
            ) from error
        _refuse_agents(chain, os.environ)
        _require_stdin(chain)
        return cls(chain, terminal)

    def evidence(self) -> dict[str, object]:
        """Who decides, for the event: what the kernel says apart from what is only stated."""
        return self._evidence

    def refusal(self, home: Home) -> str:
        """Why this approver may not decide in `home`, in one sentence, or empty."""
        return ""

    def level_words(self) -> str:
        """The level reached, in the words of the status bar."""
        unknown = sys.platform != "linux"
        return f"{LEVEL}, agents not recognisable" if unknown else LEVEL

    def in_multiplexer(self) -> str:
        """Name of the terminal multiplexer that this runs in, or empty."""
        return _multiplexer(self._chain)


class DemoApprover(Approver):
    """Decides for `demo` and tests, in the one home that it made itself."""

    via = "demo"

    def __init__(self, root: Path, identity: tuple[int, int]) -> None:
        super().__init__(_own_process(), "")
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


def _own_process() -> Chain:
    try:
        return ancestry()
    except OSError:
        return ()  # a demo does not depend on who runs it


def _require_terminal() -> str:
    """Return the name of the controlling terminal, having proved that this is its foreground."""
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
    return _terminal_name()


def _terminal_name() -> str:
    for descriptor in (0, 1, 2):
        try:
            return os.ttyname(descriptor)
        except OSError:
            continue  # this one is redirected; another may still be the terminal
    return "/dev/tty"


def _require_stdin(chain: Chain) -> None:
    """Refuse when the keys would not come from the controlling terminal."""
    reason = "Nothing is decided here: standard input is not this terminal."
    try:
        if not os.isatty(0) or os.tcgetpgrp(0) != os.getpgrp():
            raise NotAllowed(reason)
        device = os.fstat(0).st_rdev
    except OSError as error:
        raise NotAllowed(reason) from error
    own = chain[0].terminal if chain else 0
    if own and device not in (terminal_device(own), os.makedev(5, 0)):
        raise NotAllowed(reason)


def _refuse_agents(chain: Chain, environment: Mapping[str, str]) -> None:
    """Refuse when this process or one above was started by a running agent."""
    own = frozenset(name for name, value in environment.items() if value)
    for place, names in [
        (-1, own),
        *((n, p.variables or frozenset()) for n, p in enumerate(chain)),
    ]:
        found = sorted(names & MARKERS.keys())
        if found:
            who = "this process" if place <= 0 else f"{chain[place].command} above this process"
            raise NotAllowed(
                f"Nothing is decided here: {who} was started by {MARKERS[found[0]]} "
                f"({found[0]} is set), and an agent cannot say yes."
            )


def _multiplexer(chain: Chain) -> str:
    for process in chain:
        name = process.command.lower()
        for known in _MULTIPLEXERS:
            if name.startswith(known):
                return known
    term = os.environ.get("TERM", "")
    return next((known for known in ("tmux", "screen") if term.startswith(known)), "")


def _login(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"


def _evidence(chain: Chain, terminal: str, via: str) -> dict[str, object]:
    uid = os.getuid()
    kernel: dict[str, object] = {
        "uid": uid,
        "euid": os.geteuid(),
        "gid": os.getgid(),
        "login": _login(uid),
        "login_uid": login_uid(),
        "tty": terminal,
        "session": os.getsid(0),
        "ancestry": [_line(process) for process in chain],
    }
    environment = os.environ
    stated: dict[str, object] = {
        "login": environment.get("LOGNAME") or environment.get("USER") or "",
        "ssh": environment.get("SSH_CONNECTION", ""),
        "multiplexer": _multiplexer(chain),
    }
    return {"name": _login(uid), "via": via, "kernel": kernel, "stated": stated}


def _line(process: Process) -> dict[str, object]:
    return {
        "pid": process.pid,
        "command": process.command,
        "uid": process.uid,
        "started": process.started,
        "environment": "not readable" if process.variables is None else "read",
    }
