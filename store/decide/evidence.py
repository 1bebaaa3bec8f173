"""Who decides, for the event: facts of the kernel apart from what anybody may choose.

A process chooses its name and its arguments, and whoever starts it its environment. The file that
it runs, by path, device and inode, its number, owner and start are the kernel's; whether this user
can replace that file is told with it.
"""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator
from pathlib import Path

from placet.store.decide import agents
from placet.store.decide.processes import Chain, Process, login_uid, open_files
from placet.store.decide.terminals import End, Holder


def of(chain: Chain, end: End, via: str) -> dict[str, object]:
    """The evidence as JSON values.

    Args:
        chain: This process and its parents.
        end: The other end of its terminal.
        via: `terminal` or `demo`.
    """
    login = _login(os.getuid())
    behind = list(_trail(end))
    kernel: dict[str, object] = {
        "uid": os.getuid(),
        "euid": os.geteuid(),
        "gid": os.getgid(),
        "login": login,
        "login_uid": login_uid(),
        "tty": end.terminal.name,
        "session": os.getsid(0),
        "ancestry": [_facts(process) for process in chain],
    }
    if via == "terminal":
        kernel["held_by"] = [{"tty": tty, **_facts(one.chain[0])} for tty, one in behind]
        kernel["holder"] = _how(end)
    environment = os.environ
    stated: dict[str, object] = {
        "login": environment.get("LOGNAME") or environment.get("USER") or "",
        "ssh": environment.get("SSH_CONNECTION", ""),
        "multiplexer": multiplexer(chain),
        "ancestry": [_names(process) for process in chain],
        "held_by": [_names(one.chain[0]) for _, one in behind],
        "likely_holder": _likely(chain, end) if via == "terminal" else "",
    }
    return {"name": login, "via": via, "kernel": kernel, "stated": stated}


def multiplexer(chain: Chain) -> str:
    """Name of the multiplexer that the chain leads through, or empty."""
    found = next((name for one in chain if (name := agents.multiplexer(one))), "")
    term = os.environ.get("TERM", "")
    return found or next((known for known in ("tmux", "screen") if term.startswith(known)), "")


def _trail(end: End) -> Iterator[tuple[str, Holder]]:
    """Every holder of a terminal, and of the terminals that it is shown on in turn."""
    for holder in end.holders:
        yield end.terminal.name, holder
        for further in holder.beyond:
            yield from _trail(further)


def _how(end: End) -> str:
    """How much is known of who holds the terminal."""
    if end.holders:
        return "read"
    if not end.reading:
        return "not readable on this system"
    return "a console" if end.terminal.index is None else "not readable for this user"


def _likely(chain: Chain, end: End) -> str:
    """Name of the nearest parent that may hold the terminal: not on it, and not to be read."""
    if end.holders or not chain:
        return ""
    above = (p for p in chain if p.terminal != chain[0].terminal and open_files(p.pid) is None)
    return next((process.command for process in above), "")


def _facts(process: Process) -> dict[str, object]:
    device, inode = process.identity or (None, None)
    facts: dict[str, object] = {
        "pid": process.pid,
        "uid": process.uid,
        "started": process.started,
        "executable": process.executable or "not readable",
        "device": device,
        "inode": inode,
        "environment": "not readable" if process.variables is None else "read",
    }
    return {**facts, "replaceable": True} if _replaceable(process) else facts


def _replaceable(process: Process) -> bool:
    """Whether this user, who may be the agent, can put another program in the file's place."""
    path = Path(process.executable)
    if not process.executable or os.getuid() == 0:
        return False
    return os.access(path, os.W_OK) or os.access(path.parent, os.W_OK)


def _names(process: Process) -> dict[str, object]:
    names: dict[str, object] = {"pid": process.pid, "name": process.command}
    given = agents.runs(process)
    return {**names, "runs": given} if given else names


def _login(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"uid {uid}"
