"""What a process is by what it runs, and by what it was started with."""

from __future__ import annotations

import pytest

from placet.store.decide import agents
from placet.store.decide.processes import Process


def process(executable: str, *arguments: str, command: str = "", **more: object) -> Process:
    """A process that runs a file with arguments."""
    name = command or executable.rpartition("/")[2]
    given = arguments or (executable,)
    return Process(7, 1, 1000, name, executable=executable, arguments=given, **more)  # type: ignore[arg-type]


PYTHON = "/usr/bin/python3.12"
NODE = "/usr/bin/node"

AGENTS = [
    process(PYTHON, "python3", "/home/me/.local/bin/hermes", "gateway", "run"),
    process(PYTHON, "python3", "-m", "hermes_cli.main", "gateway", "run"),
    process(PYTHON, "python3", "-Xutf8", "-X", "dev", "-um", "gateway.run"),
    process(PYTHON, "python3", "-m", "cron.scheduler"),
    process(PYTHON, "/x/venv/bin/python", "-W", "ignore", "run_agent.py"),
    process(PYTHON, "python", "/x/site-packages/hermes_cli/main.py"),
    process("/bin/bash", "bash", "/usr/local/bin/hermes", "chat"),
    process("", "hermes", command="hermes"),
    process(NODE, "node", "/x/node_modules/@anthropic-ai/claude-code/cli.js"),
    process(NODE, "node", "--max-old-space-size=8192", "/usr/local/bin/gemini"),
    process("/home/me/.local/share/claude/versions/2.0.1", "claude", command="claude"),
    process(NODE, "claude", command="claude"),
    process("/opt/codex/codex", "codex", "exec"),
    process("/usr/bin/bun", "bun", "run", "/x/opencode/opencode.ts"),
]

OTHERS = [
    process("/bin/bash", "-bash"),
    process("/usr/bin/tmux", "tmux", command="tmux: server"),
    process("/usr/sbin/cron", "cron", "-f"),
    process(PYTHON, "python3", "/home/hermes/bin/terminator"),
    process(PYTHON, "python3", "/home/me/cron/backup.py"),
    process(PYTHON, "python3", "-m", "http.server", "gateway"),
    process(PYTHON, "python3", "-c", "import hermes_cli"),
    process(PYTHON, "python3", "."),
    process(PYTHON, "python3"),
    process("/usr/bin/vim", "vim", "hermes"),
    process("/usr/share/code/code", "code", "--type=utility"),
    process("/usr/share/cursor/cursor", "cursor"),
    process("/home/me/.hermes/hermes-agent/venv/bin/python3", "python3", "/x/bin/placet"),
]


@pytest.mark.parametrize("one", AGENTS, ids=lambda one: " ".join(one.arguments))
def test_an_agent_is_known_by_what_it_runs(one: Process) -> None:
    assert agents.agent(one)


@pytest.mark.parametrize("one", OTHERS, ids=lambda one: " ".join(one.arguments))
def test_what_a_person_runs_is_no_agent(one: Process) -> None:
    assert not agents.agent(one)


TYPING = [
    process(PYTHON, "python3", "x.py"),
    process(PYTHON, "python3", "-c", "import pty"),
    process(PYTHON, "/usr/sbin/sshd", "-D", command="sshd"),
    process("/usr/bin/perl", "perl", "-e", "x"),
    process("/usr/bin/expect", "expect", "-f", "x"),
    process("/usr/bin/script", "script", "-qec", "placet"),
    process("/usr/bin/script (deleted)", "login"),
    process("/bin/busybox", "script", command="script"),
    process("/usr/bin/socat", "socat", "-"),
    process("/usr/bin/zsh", "zsh", "-c", "zpty"),
    process(NODE, "node", "agent.js"),
]

TERMINALS = [
    process("/usr/sbin/sshd", "sshd: me@pts/0"),
    process("/usr/bin/tmux", "tmux", command="tmux: server"),
    process("/usr/bin/mosh-server", "mosh-server"),
    process("/usr/libexec/gnome-terminal-server"),
    process("/usr/bin/kitty"),
    process("/usr/bin/wezterm-gui"),
    process("/usr/bin/emacs-gtk", "emacs"),
    process("/usr/bin/konsole"),
    process(PYTHON, "/usr/bin/python3", "/usr/bin/terminator"),
    process(PYTHON, "/usr/bin/python3", "/usr/bin/guake"),
    process(PYTHON, "/usr/bin/python3", "-m", "jupyterlab"),
    process(PYTHON, "/usr/bin/python3", "/usr/bin/cockpit-bridge"),
    process(NODE, "node", "/x/.vscode-server/out/bootstrap-fork", "--type=ptyHost"),
    process("/x/jbr/bin/java", "java", "-cp", "x.jar", "com.intellij.idea.Main"),
    process("/usr/share/code/code", "code", "--type=utility"),
]


@pytest.mark.parametrize("one", TYPING, ids=lambda one: " ".join(one.arguments))
def test_a_program_that_types_by_itself_holds_no_persons_terminal(one: Process) -> None:
    assert agents.types_by_itself(one)


@pytest.mark.parametrize("one", TERMINALS, ids=lambda one: " ".join(one.arguments))
def test_what_people_type_into_holds_a_terminal(one: Process) -> None:
    assert not agents.types_by_itself(one)


def test_an_empty_marker_is_a_marker() -> None:
    marked = process("/bin/bash", variables=frozenset({"PATH", "HERMES_RPC_SOCKET"}))
    assert agents.marker(marked) == "HERMES_RPC_SOCKET"
    assert not agents.marker(process("/bin/bash", variables=frozenset({"HERMES_HOME"})))
    assert not agents.marker(process("/bin/bash"))
