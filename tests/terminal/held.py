"""Terminals that a person could sit at: held by a program of its own, below no agent and no Python.

Whoever decides needs such a terminal, also in a test. The program is compiled, because there is no
other way: an interpreter at the other end is refused, and nothing switches that off.
"""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

DEADLINE = 30.0
"""Longest wait for anything, in seconds."""

Feeds = Sequence[tuple[bytes, bytes]]
"""What is typed once something has appeared, in order."""

AtATerminal = Callable[..., tuple[str, int]]


@pytest.fixture(scope="session")
def holder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program that holds a terminal."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("there is no C compiler to make a terminal with")
    made = tmp_path_factory.mktemp("holder") / "terminal-window"
    source = Path(__file__).with_name("holder.c")
    subprocess.run([compiler, "-o", str(made), str(source), "-lutil"], check=True)
    return made


def typed(
    holder: Path, words: Sequence[str], environment: Mapping[str, str], feeds: Feeds = ()
) -> tuple[str, int]:
    """Run a program on a terminal that `holder` holds, and type answers as questions appear.

    Returns:
        What it wrote, and its exit code.
    """
    read, write = os.pipe()
    process = subprocess.Popen(
        [str(holder), str(write), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        pass_fds=(write,),
        env=dict(environment),
    )
    os.close(write)
    assert process.stdin is not None and process.stdout is not None
    waiting, out, end = list(feeds), b"", time.monotonic() + DEADLINE
    with process, os.fdopen(read, "rb") as status:
        while time.monotonic() < end:
            if not select.select([process.stdout], [], [], 0.2)[0]:
                continue
            piece = os.read(process.stdout.fileno(), 65536)
            if not piece:
                break
            out += piece
            if waiting and waiting[0][0] in out:
                process.stdin.write(waiting.pop(0)[1])
                process.stdin.flush()
        process.stdin.close()
        return out.decode(), int(status.read() or b"-1")
