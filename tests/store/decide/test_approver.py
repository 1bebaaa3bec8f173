"""Who may decide: each refusal beside the case that passes."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from placet.store.decide.agents import MARKERS
from placet.store.decide.approver import Approver, DemoApprover, Surroundings
from placet.store.decide.processes import Process, ancestry
from placet.store.decide.terminals import End, Holder, Terminal
from placet.store.errors import NotAllowed
from placet.store.model import Home

Look = Callable[[], Surroundings]

WINDOW = Process(3, 1, os.getuid(), "kitty", executable="/usr/bin/kitty", identity=(1, 2))


def held_by(*holders: Process | Holder) -> End:
    """The other end of some terminal."""
    found = (h if isinstance(h, Holder) else Holder((h,), "9", 5) for h in holders)
    return End(Terminal("/dev/pts/5", os.makedev(136, 5)), tuple(found))


def around(*above: Process, end: End | None = None) -> Look:
    """This very process below others, its terminal held by a window."""

    def look() -> Surroundings:
        own = ancestry()[0]
        clean = Process(own.pid, 2, own.uid, "placet", own.started, own.terminal, frozenset())
        return Surroundings((clean, *above), end or held_by(WINDOW))

    return look


def chain(*variables: str) -> Look:
    """This very process below a shell that holds `variables`."""
    return around(Process(2, 1, os.getuid(), "bash", variables=frozenset(variables)))


def answer(look: Look) -> str:
    try:
        return json.dumps(Approver.here(look).evidence())
    except NotAllowed as refusal:
        return f"refused: {refusal}"


def on_terminal(work: Callable[[], str]) -> str:
    """What `work` returns in a child that owns a terminal."""
    read, write = os.pipe()
    pid, master = pty.fork()
    if pid == 0:
        try:
            for name in MARKERS:
                os.environ.pop(name, None)
            os.write(write, work().encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(pid, 0)
    os.close(master)
    return said


def test_a_person_at_the_terminal_may_decide() -> None:
    """What the event keeps: names are not among what the kernel says."""
    evidence = json.loads(on_terminal(lambda: answer(chain())))
    assert evidence["via"] == "terminal"
    assert evidence["kernel"]["uid"] == os.getuid()
    kernel, stated = evidence["kernel"], evidence["stated"]
    assert kernel["tty"] == "/dev/pts/5" and kernel["holder"] == "read"
    assert [line["pid"] for line in kernel["ancestry"]][1:] == [2]
    assert [line["name"] for line in stated["ancestry"]] == ["placet", "bash"]
    assert kernel["held_by"][0].items() >= {
        ("executable", "/usr/bin/kitty"),
        ("device", 1),
        ("inode", 2),
    }
    assert "bash" not in json.dumps(kernel) and "login" in stated


def test_a_shell_that_exports_hermes_home_may_decide() -> None:
    """Nothing that a person exports is a marker."""
    assert "refused" not in on_terminal(lambda: answer(chain("HERMES_HOME", "PATH")))


@pytest.mark.parametrize("marker", sorted(MARKERS))
def test_a_child_of_a_running_agent_is_refused(marker: str) -> None:
    """The marker stands in the environment of a parent."""
    said = on_terminal(lambda: answer(chain(marker)))
    assert said.startswith("refused") and marker in said and "bash" in said


def test_a_marker_in_the_own_environment_is_refused() -> None:
    """Whatever the chain says."""

    def work() -> str:
        os.environ["CLAUDECODE"] = "1"
        return answer(chain())

    assert "CLAUDECODE" in on_terminal(work)


def test_an_empty_marker_is_refused_as_well() -> None:
    """Who empties it knows that it is there."""

    def work() -> str:
        os.environ["CLAUDECODE"] = ""
        return answer(chain())

    assert "CLAUDECODE" in on_terminal(work)


def test_an_agent_above_is_refused_without_a_marker() -> None:
    """It is known by what it runs."""
    hermes = Process(2, 1, 0, "hermes", arguments=("python3", "/x/bin/hermes", "gateway"))
    said = on_terminal(lambda: answer(around(hermes)))
    assert "hermes above this process is Hermes Agent" in said


def test_a_multiplexer_that_an_agent_started_is_named_with_the_way_out() -> None:
    """The agent may be gone; the server keeps its variable for good."""
    shell = Process(2, 3, 0, "bash", variables=frozenset())
    server = Process(3, 1, 0, "tmux: server", variables=frozenset({"CLAUDECODE"}))
    for look in (around(shell, server), around(shell, end=held_by(server))):
        said = on_terminal(lambda look=look: answer(look))  # type: ignore[misc]
        assert "tmux: server" in said and "Claude Code" in said and "may be gone" in said
        assert "outside this tmux" in said and "tmux kill-server" in said


BEHIND = {
    "python3, and": Process(3, 1, 0, "sshd", executable="/usr/bin/python3"),
    "script, and": Process(3, 1, 0, "login", executable="/usr/bin/script"),
    "sudo, which has no terminal": Process(3, 1, 0, "sudo", executable="/usr/bin/sudo"),
    "is Codex": Process(3, 1, 0, "codex", executable="/opt/codex"),
    "OpenCode (OPENCODE is": Process(3, 1, 0, "window", variables=frozenset({"OPENCODE"})),
}


@pytest.mark.parametrize("words", BEHIND)
def test_who_holds_the_terminal_decides_too(words: str) -> None:
    said = on_terminal(lambda: answer(around(end=held_by(WINDOW, BEHIND[words]))))
    assert said.startswith("refused") and words.replace("python3", "python") in said


def test_an_agent_above_the_holder_is_refused() -> None:
    agent = Process(4, 1, 0, "claude")
    said = on_terminal(lambda: answer(around(end=held_by(Holder((WINDOW, agent), "9", 5)))))
    assert "claude, above the program that holds this terminal, is Claude Code" in said


def mux(*beyond: End) -> Holder:
    """A multiplexer's server, attached from other terminals."""
    server = Process(6, 1, 0, "tmux: server", executable="/usr/bin/tmux")
    return Holder((server,), "7", 5, frozenset(str(n) for n, _ in enumerate(beyond)), beyond)


def test_a_multiplexer_is_followed_to_those_attached_to_it() -> None:
    """Nobody there, or nobody but a program: refused. One person is enough."""
    program = held_by(BEHIND["python3, and"])
    assert "nobody is attached to the tmux" in on_terminal(
        lambda: answer(around(end=held_by(mux())))
    )
    assert "held by python" in on_terminal(lambda: answer(around(end=held_by(mux(program)))))
    attended = held_by(mux(program, held_by(WINDOW)))
    assert "refused" not in on_terminal(lambda: answer(around(end=attended)))


def test_a_holder_that_cannot_be_read_is_said_so() -> None:
    """A normal login over SSH: its server runs as root."""
    unread = json.loads(on_terminal(lambda: answer(around(end=held_by()))))
    assert unread["kernel"]["holder"] == "not readable for this user"
    console = End(Terminal("/dev/tty1", os.makedev(4, 1)))
    assert "a console" in on_terminal(lambda: answer(around(end=console)))
    elsewhere = End(Terminal("/dev/ttys001", 0), reading=False)
    assert "not readable on this system" in on_terminal(lambda: answer(around(end=elsewhere)))


def test_a_running_agent_is_known_by_what_it_has_open(tmp_path: Path) -> None:
    """The session database of the home, or a lock among what is staged."""
    home = Home(tmp_path.resolve())
    (tmp_path / "pending").mkdir()
    keeper = Process(os.getpid(), 1, 0, "keeper")

    def refusals() -> str:
        below, behind = (
            Approver(look(), look)
            for look in (around(keeper), around(end=held_by(mux(held_by(keeper)))))
        )
        return f"{below.refusal(home)}|{behind.refusal(home)}"

    assert on_terminal(refusals) == "|"
    for name in ("state.db", "state.db-wal", "pending/memory.lock"):
        with (tmp_path / name).open("w"):
            above, behind = on_terminal(refusals).split("|")
            assert name in above and above == behind


def test_a_terminal_that_changed_hands_is_looked_at_again() -> None:
    """A decision comes later than the start: another process may hold the terminal by then."""
    found = [held_by(WINDOW), held_by(BEHIND["python3, and"])]

    def work() -> str:
        approver = Approver.here(lambda: around(end=found[0])())
        found.pop(0)
        try:
            approver.require_still()
        except NotAllowed as refusal:
            return str(refusal)
        return "not refused"

    assert "held by python" in on_terminal(work)


def test_an_unreadable_chain_fails_closed() -> None:
    """No proof, no decision."""

    def look() -> Surroundings:
        raise OSError("no /proc here")

    assert "no /proc here" in on_terminal(lambda: answer(look))


def test_without_a_terminal_it_is_refused() -> None:
    """A pipe, cron, a tool call: a new session has no controlling terminal."""
    code = "from placet.store.decide import Approver\nApprover.here()"
    done = subprocess.run(
        [sys.executable, "-c", code],
        stdin=subprocess.DEVNULL,
        start_new_session=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0 and "there is no terminal" in done.stderr


def test_keys_from_elsewhere_are_refused() -> None:
    """`yes | placet`, also where another terminal is put on standard input."""

    def piped() -> str:
        read, _ = os.pipe()
        os.dup2(read, 0)
        return answer(chain())

    def foreign() -> str:
        master, slave = pty.openpty()
        os.dup2(slave, 0)
        first = answer(chain())
        os.dup2(master, 0)
        return first + answer(chain())

    assert "standard input is not this terminal" in on_terminal(piped)
    assert on_terminal(foreign).count("standard input is not this terminal") == 2


def test_the_background_is_refused() -> None:
    """A job put behind the shell does not decide."""

    def work() -> str:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            signal.signal(signal.SIGTTOU, signal.SIG_IGN)
            os.setpgid(0, 0)
            os.write(write, answer(chain()).encode())
            os._exit(0)
        os.close(write)
        said = os.read(read, 1 << 16).decode()
        os.waitpid(child, 0)
        return said

    assert "background" in on_terminal(work)


def test_the_real_chain_reaches_the_first_process() -> None:
    """The chain is this process and its parents, with start times and names."""
    found = ancestry()
    assert found[0].pid == os.getpid() and found[1].pid == os.getppid()
    assert all(process.started or process.pid == 1 for process in found)
    assert found[0].variables


def test_a_demo_decides_only_in_the_home_it_made(tmp_path: Path) -> None:
    """An existing directory is refused, another home is not decided in."""
    with pytest.raises(NotAllowed, match="cannot be made"):
        DemoApprover.own_home(tmp_path)
    approver = DemoApprover.own_home(tmp_path / "own")
    assert approver.refusal(Home((tmp_path / "own").resolve())) == ""
    assert approver.refusal(Home((tmp_path / "own" / "profiles" / "lab").resolve())) == ""
    assert "which it made itself" in approver.refusal(Home(tmp_path.resolve()))
    assert approver.evidence()["via"] == "demo"
    (tmp_path / "own").rename(tmp_path / "away")
    (tmp_path / "own").mkdir()
    assert "which it made itself" in approver.refusal(Home((tmp_path / "own").resolve()))
