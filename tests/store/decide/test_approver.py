"""Who may decide (T03, field reports 48, 52, 53): each refusal beside the case that passes."""

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

from placet.store.decide.approver import MARKERS, Approver, DemoApprover
from placet.store.decide.processes import Process, ancestry
from placet.store.errors import NotAllowed
from placet.store.model import Home


def chain(*variables: str) -> Callable[[], tuple[Process, ...]]:
    """A chain of this very process below a shell that holds `variables`."""

    def look() -> tuple[Process, ...]:
        own = ancestry()[0]
        clean = Process(own.pid, 2, own.uid, "placet", own.started, own.terminal, frozenset())
        return (clean, Process(2, 1, own.uid, "bash", variables=frozenset(variables)))

    return look


def answer(look: Callable[[], tuple[Process, ...]]) -> str:
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
    """T03: the positive, and what the event keeps (field report 52)."""
    evidence = json.loads(on_terminal(lambda: answer(chain())))
    assert evidence["via"] == "terminal"
    assert evidence["kernel"]["uid"] == os.getuid()
    assert evidence["kernel"]["tty"].startswith("/dev/pts/")
    assert [line["command"] for line in evidence["kernel"]["ancestry"]] == ["placet", "bash"]
    assert "login" in evidence["stated"]


def test_a_shell_that_exports_hermes_home_may_decide() -> None:
    """T03: nothing that a person exports is a marker."""
    assert "refused" not in on_terminal(lambda: answer(chain("HERMES_HOME", "PATH")))


@pytest.mark.parametrize("marker", sorted(MARKERS))
def test_a_child_of_a_running_agent_is_refused(marker: str) -> None:
    """Field report 53: the marker stands in the environment of a parent."""
    said = on_terminal(lambda: answer(chain(marker)))
    assert said.startswith("refused") and marker in said and "bash" in said


def test_a_marker_in_the_own_environment_is_refused() -> None:
    """T03: whatever the chain says."""

    def work() -> str:
        os.environ["CLAUDECODE"] = "1"
        return answer(chain())

    assert "CLAUDECODE" in on_terminal(work)


def test_an_unreadable_chain_fails_closed() -> None:
    """Design §9: no proof, no decision."""

    def look() -> tuple[Process, ...]:
        raise OSError("no /proc here")

    assert "no /proc here" in on_terminal(lambda: answer(look))


def test_without_a_terminal_it_is_refused() -> None:
    """T03: a pipe, cron, a tool call: a new session has no controlling terminal."""
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
    """T03: `yes | placet`, also where another terminal is put on standard input."""

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
    """T03: a job put behind the shell does not decide."""

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
    """Design §9: an existing directory is refused, another home is not decided in."""
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
