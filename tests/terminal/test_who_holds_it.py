"""Who holds the other end of a real terminal, and who may therefore decide there."""

from __future__ import annotations

import json
import os
import pty
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from homes.build import HomeBuilder
from terminal.held import DEADLINE, typed

from placet.store.decide import terminals
from placet.store.decide.terminals import End, Terminal

pytestmark = [
    pytest.mark.terminal,
    pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc"),
]

STATUS = (sys.executable, "-m", "placet.console", "status", "--json")


@pytest.fixture
def environment(tmp_path: Path, home: HomeBuilder) -> dict[str, str]:
    """What a login shell of somebody with this home would hand on; nothing of an agent's."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    own = {"HOME": str(tmp_path), "HERMES_HOME": str(home.path), "TERM": "xterm"}
    return {**kept, **own, "LC_ALL": "C.UTF-8", "XDG_STATE_HOME": str(tmp_path / "state")}


def of(slave: int) -> Terminal:
    """The terminal behind a descriptor."""
    found = os.fstat(slave)
    return Terminal(os.ttyname(slave), found.st_rdev, found.st_dev)


def holders(end: End) -> list[int]:
    """Numbers of the processes at an end."""
    return [holder.chain[0].pid for holder in end.holders]


def elsewhere(work: Callable[[], str]) -> str:
    """What `work` returns in another process, because nobody is taken for their own holder."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, work().encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        said = pipe.read().decode()
    os.waitpid(child, 0)
    return said


def test_the_process_at_the_other_end_is_found() -> None:
    master, slave = pty.openpty()
    found = of(slave)

    def look() -> str:
        os.close(master)
        return json.dumps(holders(terminals.end_of(found)))

    assert json.loads(elsewhere(look)) == [os.getpid()]
    os.close(master)
    assert elsewhere(lambda: json.dumps(holders(terminals.end_of(found)))) == "[]"
    os.close(slave)


def test_a_terminal_of_the_same_number_in_another_instance_is_another_one() -> None:
    """As in a container, whose numbers begin at nought as well."""
    master, slave = pty.openpty()
    found = of(slave)
    other = Terminal(found.name, found.device, found.instance + 1)
    assert elsewhere(lambda: json.dumps(holders(terminals.end_of(found)))) != "[]"
    assert elsewhere(lambda: json.dumps(holders(terminals.end_of(other)))) == "[]"
    os.close(master)
    os.close(slave)


def test_a_holder_that_let_go_is_noticed() -> None:
    master, slave = pty.openpty()
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.read(read, 1)
        os.close(master)
        os.read(read, 1)
        os._exit(0)
    os.close(master)
    (holder,) = terminals.end_of(of(slave)).holders
    assert holder.chain[0].pid == child and terminals.holds_still(holder)
    os.write(write, b"x")
    end = time.monotonic() + DEADLINE
    while terminals.holds_still(holder):
        assert time.monotonic() < end, "not noticed"
    os.write(write, b"x")
    os.waitpid(child, 0)
    os.close(slave)


def test_a_person_at_a_window_may_decide(holder: Path, environment: dict[str, str]) -> None:
    out, code = typed(holder, STATUS, environment)
    said = json.loads(out)
    assert code == 0 and said["may_decide"], out
    assert said["terminal"].startswith(f"terminal held by {holder}")


PROGRAM = "import os, pty, sys; sys.exit(pty.spawn(sys.argv[1:]) and 1)"


@pytest.mark.parametrize(
    "between",
    [
        (sys.executable, "-c", PROGRAM),
        pytest.param(
            ("script", "-qec", " ".join(STATUS), "/dev/null"),
            marks=pytest.mark.skipif(shutil.which("script") is None, reason="there is no script"),
        ),
    ],
    ids=["python", "script"],
)
def test_a_program_between_the_person_and_placet_is_refused(
    holder: Path, environment: dict[str, str], between: tuple[str, ...]
) -> None:
    """Whatever its environment, and however far the agent is that began it."""
    words = between if between[0] == "script" else (*between, *STATUS)
    out, _ = typed(holder, words, environment)
    said = json.loads(out)
    name = "script" if between[0] == "script" else "python"
    assert not said["may_decide"] and f"held by {name}" in said["reason"]
    assert "A person gets a terminal from" in said["reason"]


class Server:
    """A tmux server of its own whose only pane tells again and again who may decide there."""

    def __init__(self, folder: Path, environment: dict[str, str], first: str = "") -> None:
        self.words = ("tmux", "-f", "/dev/null", "-S", str(folder / "tmux"))
        self.environment = environment
        self._said = folder / "said"
        loop = f"{first}while sleep 0.2; do {' '.join(STATUS)} >next && mv next said; done"
        (folder / "loop.sh").write_text(f"cd {folder}\n{loop}\n")
        self.run("new-session", "-d", "-x", "200", "sh", str(folder / "loop.sh"))

    def run(self, *words: str) -> None:
        """Run one tmux command."""
        subprocess.run([*self.words, *words], env=self.environment, check=False)

    def says(self, words: str) -> dict[str, Any]:
        """Wait until the newest answer holds `words`."""
        end = time.monotonic() + DEADLINE
        while True:
            text = self._said.read_text() if self._said.exists() else ""
            if words in text:
                found: dict[str, Any] = json.loads(text)
                return found
            assert time.monotonic() < end, f"not in time: {words}; last: {text}"
            time.sleep(0.05)


@pytest.fixture
def server(tmp_path: Path, environment: dict[str, str]) -> Iterator[Server]:
    """A tmux server."""
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    found = Server(tmp_path, environment)
    yield found
    found.run("kill-server")


def test_in_tmux_a_person_has_to_be_attached(holder: Path, server: Server) -> None:
    """Keys can be sent to a session that nobody looks at; nobody says yes there."""
    server.says("nobody is attached to the tmux")
    child, master = pty.fork()
    if child == 0:
        os.execvpe("tmux", [*server.words, "attach"], server.environment)
    server.says("held by python")
    read, write = os.pipe()
    window = subprocess.Popen(
        [str(holder), str(write), *server.words, "attach"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        pass_fds=(write,),
        env=server.environment,
    )
    said = server.says('"may_decide": true')
    assert "tmux, shown on that of" in said["terminal"] and str(holder) in said["terminal"]
    os.close(master)
    os.close(write)
    window.communicate(b"\x02d")
    os.close(read)
    os.waitpid(child, 0)


def test_a_tmux_that_was_begun_by_an_agent_names_the_way_out(
    tmp_path: Path, environment: dict[str, str]
) -> None:
    """Also in a window from which the variable is gone."""
    if shutil.which("tmux") is None:
        pytest.skip("tmux is not installed")
    server = Server(tmp_path, {**environment, "CLAUDECODE": "1"}, "unset CLAUDECODE; ")
    said = server.says("Claude Code")
    assert "tmux: server" in said["reason"] and "CLAUDECODE" in said["reason"]
    assert "may be gone" in said["reason"] and "tmux kill-server" in said["reason"]
    server.run("kill-server")
