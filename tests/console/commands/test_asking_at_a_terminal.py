"""Asking for a word on the controlling terminal itself, and the whole verb there."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from homes.build import HomeBuilder
from terminal.held import typed

PLACET = (sys.executable, "-m", "placet.console")
DEADLINE = 30.0


def at_a_terminal(
    words: Sequence[str],
    feeds: Sequence[tuple[bytes, bytes]],
    environment: dict[str, str],
) -> tuple[str, int]:
    """Run a program on a terminal of its own and type an answer when its question appears."""
    child, terminal = pty.fork()
    if child == 0:
        os.execve(words[0], list(words), environment)
    waiting, out, deadline = list(feeds), b"", time.monotonic() + DEADLINE
    while time.monotonic() < deadline:
        if not select.select([terminal], [], [], 0.2)[0]:
            continue
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        out += piece
        if waiting and waiting[0][0] in out:
            os.write(terminal, waiting.pop(0)[1])
    os.close(terminal)
    return out.decode(), os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def environment(home: Path) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "XDG_STATE_HOME", "PYTHONPATH")}
    return {**kept, "HOME": str(home), "LC_ALL": "C.UTF-8", "TERM": "xterm"}


ASKING = (
    "import time\n"
    "from placet.console.commands import ask\n"
    "print('READY', flush=True); time.sleep(0.3)\n"
    "ask.word('approve', 'Question?'); print('said')"
)


@pytest.mark.parametrize(
    ("answer", "code"), [(b"approve\n", 0), (b"approve it\n", 1), (b"\n", 1), (b"\x04", 1)]
)
def test_only_the_word_counts(tmp_path: Path, answer: bytes, code: int) -> None:
    words = [sys.executable, "-c", ASKING]
    out, status = at_a_terminal(words, [(b"stop:", answer)], environment(tmp_path))
    assert ("said" in out.split("stop:")[1]) == (code == 0)
    assert (status == 0) == (code == 0)


def test_what_was_typed_before_the_question_is_no_answer(tmp_path: Path) -> None:
    """C08: keys in the buffer decide nothing; the question is answered after it was asked."""
    words = [sys.executable, "-c", ASKING]
    feeds = [(b"READY", b"approve\n"), (b"stop:", b"no\n")]
    out, status = at_a_terminal(words, feeds, environment(tmp_path))
    assert status != 0 and "\nsaid" not in out
    feeds = [(b"READY", b"no\n"), (b"stop:", b"approve\n")]
    assert at_a_terminal(words, feeds, environment(tmp_path))[1] == 0


def test_a_pipe_is_no_terminal(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ASKING],
        input=b"approve\n",
        capture_output=True,
        start_new_session=True,
        env=environment(tmp_path),
    )
    assert done.returncode != 0 and b"no controlling terminal" in done.stderr


@pytest.mark.terminal
def test_a_person_approves_rejects_and_takes_back(
    holder: Path, home: HomeBuilder, tmp_path: Path
) -> None:
    """The main job at a real terminal, with the real approver; the log names who holds it."""
    home.memory("first", "second", "third")
    own = environment(tmp_path)
    ref = home.stage_replace("second", "2")
    other = home.stage_add("never")

    def call(*words: str, says: Sequence[tuple[bytes, bytes]] = ()) -> tuple[str, int]:
        return typed(holder, [*PLACET, "-H", str(home.path), *words], own, says)

    out, code = call("show", ref, "--json")
    shown = json.loads(out)
    out, code = call("approve", ref, "--seen", shown["digest"], says=[(b"stop:", b"approve\n")])
    assert code == 0, out
    assert home.read("memories/MEMORY.md") == "first\n§\n2\n§\nthird".encode()
    out, code = call("reject", other, "--reason", "no", "--json")
    event = json.loads(out)["event"]
    out, code = call("undo", event, says=[(b"stop:", b"undo\n")])
    assert code == 0, out
    assert home.record_path(other).exists()
    out, code = call("audit")
    assert code == 0 and f"terminal held by {holder}" in " ".join(out.split())
