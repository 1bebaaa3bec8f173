"""What a process is: a running agent, a program that types by itself, or anything else.

All of it but the executable's path is a name that the process, or whoever started it, has chosen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from placet.store.decide.processes import Process

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
    "HERMES_KANBAN_TASK": "Hermes Agent",
    "HERMES_RPC_DIR": "Hermes Agent",
    "HERMES_RPC_SOCKET": "Hermes Agent",
    "HERMES_RPC_TOKEN": "Hermes Agent",
    "HERMES_SESSION_ID": "Hermes Agent",
    "HERMES_SESSION_KEY": "Hermes Agent",
    "HERMES_SESSION_PLATFORM": "Hermes Agent",
    "OPENCLAW_SHELL": "OpenClaw",
    "OPENCODE": "OpenCode",
    "QWEN_CODE": "Qwen Code",
    "ROO_ACTIVE": "Roo Code",
}
"""Variables that a *running* agent hands to its children, never what a person exports for it."""

_PROGRAMS: Mapping[str, str] = {
    "amp": "Amp",
    "auggie": "Augment",
    "claude": "Claude Code",
    "claude-code": "Claude Code",
    "clawdbot": "OpenClaw",
    "cline": "Cline",
    "codex": "Codex",
    "crush": "Crush",
    "cursor-agent": "Cursor",
    "gemini": "Gemini CLI",
    "gemini-cli": "Gemini CLI",
    "goose": "goose",
    "goosed": "goose",
    "hermes": "Hermes Agent",
    "hermes-acp": "Hermes Agent",
    "hermes-agent": "Hermes Agent",
    "openclaw": "OpenClaw",
    "opencode": "OpenCode",
    "opencode-ai": "OpenCode",
    "qwen": "Qwen Code",
    "qwen-code": "Qwen Code",
    "roo": "Roo Code",
}
"""Agents by the names of their programs, and of their packages where an interpreter runs them."""

_MODULES: Mapping[str, str] = dict.fromkeys(
    ("acp_adapter", "batch_runner", "hermes_cli", "mcp_serve", "run_agent", "tui_gateway"),
    "Hermes Agent",
)
"""Agents by a part of the path of what an interpreter runs; words that mean nothing elsewhere."""

_WHOLE_MODULES: Mapping[str, str] = dict.fromkeys(
    ("cron", "cron/scheduler", "gateway", "gateway/run"), "Hermes Agent"
)
"""Agents by all of a module's name, or by the last two parts of a script's path."""

_INTERPRETERS = frozenset(
    (
        *("awk", "beam.smp", "bun", "deno", "dotnet", "expect", "gawk"),
        *("guile", "java", "julia", "lua", "luajit", "mono", "node"),
        *("nodejs", "perl", "php", "pypy", "python", "ruby", "tclsh"),
        *("wish", "zsh"),
    )
)
"""Programs that do whatever a text tells them; zsh among them, because it can hold terminals."""

_RECORDERS = frozenset(
    (
        *("asciinema", "empty", "rlwrap", "script", "scriptlive", "socat", "sshpass"),
        *("ttyrec", "unbuffer"),
    )
)
"""Programs that put any other program behind a terminal of theirs."""

_TERMINALS = frozenset(
    (
        *("cockpit", "cockpit-bridge", "guake", "jupyter", "jupyter-lab", "jupyter-notebook"),
        *("jupyter-server", "jupyterhub-singleuser", "jupyterlab", "jupyter_server", "kitty"),
        *("notebook", "terminator", "wetty"),
    )
)
"""Terminals for people that an interpreter runs, by script or module."""

_TERMINAL_ARGUMENTS = ("--type=ptyHost", "com.intellij.", "com.jetbrains.")
"""What the arguments of an editor's terminal begin with: VS Code's server, JetBrains."""

MULTIPLEXERS = ("tmux", "screen", "zellij", "dtach", "abduco")

_VALUED = frozenset(
    (
        *("-W", "-X", "-r", "--require", "--import", "--loader", "-C"),
        *("--conditions", "-cp", "-classpath", "-O", "-o", "--rcfile", "--init-file"),
    )
)
"""Options of interpreters whose value is the next argument."""

_CODE = frozenset(("-c", "-e", "-p", "--eval", "--print"))
_VERBS = frozenset(("run", "x", "exec"))
_MODULE_OPTION = re.compile("-[A-Za-z]*m")
_VERSION = re.compile(r"[\d.]+(t|-dbg)?$")


def agent(process: Process) -> str:
    """Name of the agent that a process is by what it runs, or empty."""
    tables = ((_PROGRAMS, _names(process)), (_MODULES, _parts(process)))
    for table, names in (*tables, (_WHOLE_MODULES, _ends(process))):
        if found := next((table[name] for name in names if name in table), ""):
            return found
    return ""


def marker(process: Process) -> str:
    """The first variable of a running agent that a process was started with, or empty."""
    return min((process.variables or frozenset[str]()) & MARKERS.keys(), default="")


def multiplexer(process: Process) -> str:
    """Name of the multiplexer that a process is, or empty."""
    name = process.command.lower()
    return next((known for known in MULTIPLEXERS if name.startswith(known)), "")


def types_by_itself(process: Process) -> str:
    """Why a terminal that this process holds is no person's, in words, or empty."""
    name = program(process)
    if name in _RECORDERS:
        return f"{name} can put any program behind a terminal"
    if name not in _INTERPRETERS or _is_terminal(process):
        return ""
    return f"{name} runs whatever program it is given, so that nobody may be typing"


def program(process: Process) -> str:
    """Name of the program without its version: of the file it runs where that can be read."""
    name = PurePosixPath(process.executable.removesuffix(" (deleted)")).name.lower()
    if name in ("", "busybox", "toybox"):
        name = process.command
    return _VERSION.sub("", name) or name


def runs(process: Process) -> str:
    """The script or module that an interpreter was told to run, or empty."""
    return next(_given(process), "") if program(process) in _INTERPRETERS | _SHELLS else ""


_SHELLS = frozenset(("ash", "bash", "dash", "fish", "ksh", "sh"))


def _names(process: Process) -> Iterator[str]:
    """Everything that a process is called by, or the package or script that it runs."""
    yield program(process)
    yield process.command
    if process.arguments:
        yield process.arguments[0].removeprefix("-").rpartition("/")[2]
    given = runs(process)
    yield PurePosixPath(given).stem
    if "/node_modules/" in given:
        yield from given.rpartition("/node_modules/")[2].split("/")


def _parts(process: Process) -> tuple[str, ...]:
    """The path of what an interpreter runs, without its suffix, a module's dots as slashes."""
    given = runs(process)
    path = given if "/" in given else given.removesuffix(".py").replace(".", "/")
    found = PurePosixPath(path)
    return (*found.parts[:-1], found.stem)


def _ends(process: Process) -> Iterator[str]:
    parts = _parts(process)
    yield "/".join(parts[-2:])


def _given(process: Process) -> Iterator[str]:
    rest = iter(process.arguments[1:])
    for word in rest:
        if word in _CODE:
            return
        if word in _VALUED:
            next(rest, "")
        elif _MODULE_OPTION.fullmatch(word):
            yield next(rest, "")
        elif not word.startswith("-") and word not in _VERBS:
            yield word


def _is_terminal(process: Process) -> bool:
    named = {*_parts(process)[:1], *_parts(process)[-1:]}
    return not _TERMINALS.isdisjoint(named) or any(
        word.startswith(_TERMINAL_ARGUMENTS) for word in process.arguments
    )
