"""Q16, field report 91: a shell without a terminal, a closed standard input, no TERM, and jq."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from homes.build import HomeBuilder

PLACET = f"{sys.executable} -m placet.console"
READS = ("pending", "show {ref}", "diff {ref}", "status", "count", "memory", "refusals", "audit")


def shell(home: HomeBuilder, command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command line as cron does; `placet` stands for the program on this home."""
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "XDG_STATE_HOME", "PYTHONPATH")}
    assert "TERM" not in kept
    return subprocess.run(
        ["/bin/sh", "-c", command.replace("placet", f"{PLACET} -H {home.path}")],
        env={**kept, "HOME": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        start_new_session=True,
        timeout=60,
    )


@pytest.fixture
def filled(home: HomeBuilder) -> HomeBuilder:
    """A home with two proposals, one of which is dead."""
    home.memory("first").stage_add("second", record_id="one")
    home.stage_remove("nowhere", record_id="two")
    return home


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_jq_reads_what_waits(filled: HomeBuilder, tmp_path: Path) -> None:
    """Q16: `placet pending --json | jq` with standard input closed."""
    before = filled.tree()
    words = "placet pending --json <&- | jq -r '.homes[].proposals[] | [.id, .standing] | @csv'"
    done = shell(filled, words, tmp_path)
    assert done.stdout.split() == ['"one","ready"', '"two","dead"'], done.stderr
    assert done.stderr == ""
    each = shell(filled, "placet show one --json <&- | jq -e '.changes[0].after.text'", tmp_path)
    assert json.loads(each.stdout) == "first\n§\nsecond" and each.returncode == 0
    assert filled.tree() == before


@pytest.mark.parametrize("streams", ["<&-", "<&- 2>&-", "</dev/null"])
@pytest.mark.parametrize("verb", READS)
def test_every_read_works_with_closed_streams(
    filled: HomeBuilder, tmp_path: Path, verb: str, streams: str
) -> None:
    """Q16, field report 91: one object on standard output, exit 0, nothing made."""
    before = filled.tree()
    done = shell(filled, f"placet {verb.format(ref='one')} --json {streams}", tmp_path)
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        assert json.loads(line)["schema"] == "placet/1"
    assert done.stdout or verb in ("refusals", "audit"), "no event and no refusal yet"
    assert filled.tree() == before


@pytest.mark.parametrize("streams", ["<&-", "</dev/null", "<&- >&2"])
def test_no_decision_is_made_there(filled: HomeBuilder, tmp_path: Path, streams: str) -> None:
    """Q16: refused with the reason, whatever is typed into the pipe; nothing is made."""
    shown = json.loads(shell(filled, "placet show one --json", tmp_path).stdout)
    before = filled.tree()
    for words in (f"approve one --seen {shown['digest']}", "reject one", "discard two"):
        done = shell(filled, f"placet {words} {streams}", tmp_path)
        assert done.returncode == 1
        assert "no terminal" in done.stderr
    piped = shell(filled, f"yes approve | placet approve one --seen {shown['digest']}", tmp_path)
    assert piped.returncode == 1 and "no terminal" in piped.stderr
    assert filled.tree() == before
