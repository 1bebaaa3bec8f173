"""The demo: a telling queue, thrown away afterwards; the same job in plain text (issue: demo)."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from placet.console import demo
from placet.console.commands.root import run
from placet.store import decide
from placet.store.decide import Desk
from placet.store.model import Action, Code, Standing


def test_the_queue_tells_what_the_job_is() -> None:
    """One of each: plain, halving, stale, over the limit, skills, hidden, false alarm, repeat."""
    with demo.made() as made:
        rows = demo.waiting(made.home)
        assert Counter(row.plan.standing for row in rows) == {
            Standing.READY: 5,
            Standing.WARNING: 1,
            Standing.HELD: 3,
            Standing.DEAD: 1,
            Standing.REFUSED: 1,
        }
        codes = {verdict.code for row in rows for verdict in row.plan.verdicts}
        assert codes >= {
            Code.KEEPS_UNDER_HALF,
            Code.ANCHOR_MISSING,
            Code.OVER_LIMIT,
            Code.HIDDEN_CHARACTERS,
            Code.THREAT,
            Code.REFUSED_BEFORE,
        }
        actions = {operation.action for row in rows for operation in row.proposal.operations}
        assert actions >= {Action.ADD, Action.REPLACE, Action.CREATE, Action.PATCH}
        with Desk.open(made.home, made.approver) as desk:
            assert [change.path for change in decide.notice(desk)] == ["memories/MEMORY.md"]


@pytest.mark.parametrize("words", [(), ("demo",)], ids=["console", "demo"])
def test_without_a_terminal_both_doors_refuse_alike(words: tuple[str, ...]) -> None:
    """Design §11, §12: what to do instead, exit code 1; the demo in words needs none."""
    command = [sys.executable, "-m", "placet.console"]
    done = subprocess.run([*command, *words], stdin=subprocess.DEVNULL, capture_output=True)
    assert done.returncode == 1 and b"ssh -t" in done.stderr and not done.stdout
    assert (b"demo --plain" in done.stderr) is bool(words)
    plain = subprocess.run([*command, "demo", "--plain"], stdin=subprocess.DEVNULL, text=True,
                           capture_output=True)  # fmt: skip
    assert plain.returncode == 0 and "== " in plain.stdout


def test_nothing_of_it_stays() -> None:
    before = os.environ.get("XDG_STATE_HOME")
    with demo.made() as made:
        folder = made.home.path.parent
        assert folder.exists()
        assert os.environ["XDG_STATE_HOME"] != before
    assert not folder.exists()
    assert os.environ.get("XDG_STATE_HOME") == before


def test_proposals_arrive_while_it_is_open() -> None:
    with demo.made() as made:
        waiting = len(demo.waiting(made.home))
        with demo.arriving(made.home, pause=0.01):
            deadline = time.monotonic() + 20
            while len(demo.waiting(made.home)) < waiting + 2 and time.monotonic() < deadline:
                pass
            assert len(demo.waiting(made.home)) >= waiting + 2


def test_plain_needs_no_terminal_and_ends_well(tmp_path: Path) -> None:
    env = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    done = subprocess.run(
        [sys.executable, "-m", "placet.console", "demo", "--plain"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=env,
        cwd=tmp_path,
        check=False,
    )
    text = done.stdout.decode()
    assert done.returncode == 0, done.stderr.decode()
    for said in ("+ Prefers metric units.", "✓" if "✓" in text else "ok", "0 findings", "reverted"):
        assert said in text
    assert not list(tmp_path.iterdir())


def test_without_a_terminal_it_says_what_to_do(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo"]) == 1
    assert "placet demo --plain" in capsys.readouterr().err
