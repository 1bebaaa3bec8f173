"""A ledger that is gone, a full output, odd words: said, with the right exit code, no traceback."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from homes.build import HomeBuilder, add

from placet.store.ledger import anchor, blobs

Placet = Callable[..., Any]


def database(home: HomeBuilder) -> Path:
    return home.path / "placet" / "placet.db"


def _delete(home: HomeBuilder) -> None:
    for path in database(home).parent.glob("placet.db*"):
        path.unlink()


def _delete_folder(home: HomeBuilder) -> None:
    shutil.rmtree(home.path / "placet")


def _empty(home: HomeBuilder) -> None:
    _delete(home)
    database(home).write_bytes(b"")


def _replace_folder(home: HomeBuilder) -> None:
    _delete_folder(home)
    (home.path / "placet").write_bytes(b"")


def _set_version(number: int) -> Callable[[HomeBuilder], None]:
    import sqlite3

    def act(home: HomeBuilder) -> None:
        connection = sqlite3.connect(database(home), isolation_level=None)
        connection.execute(f"PRAGMA user_version = {number}")
        connection.close()

    return act


LOSSES = [_delete, _delete_folder, _empty, _replace_folder, _set_version(0), _set_version(-7)]


@pytest.mark.parametrize("lose", LOSSES)
def test_a_lost_ledger_is_an_alarm_everywhere(
    own: HomeBuilder, placet: Placet, lose: Callable[[HomeBuilder], None]
) -> None:
    """T05, C4: verify ends with 3, pending and status say it, reads go on, nothing is decided."""
    waiting = own.stage_add("waits")
    assert placet(own, "discard", own.stage_add("a")).code == 0
    assert placet(own, "audit", "--verify").code == 0
    assert placet(own, "pending", "--json").json["homes"][0]["alarm"] is None
    lose(own)
    answer = placet(own, "audit", "--verify", "--json")
    assert answer.code == 3 and len(answer.json["findings"]) == 1
    for words in ("pending", "status"):
        answer = placet(own, words)
        assert answer.code == 0 and "! ledger: " in answer.out and "--verify" in answer.out
        assert placet(own, words, "--json").json["homes"][0]["alarm"]
    assert placet(own, "show", waiting).code == 0 and placet(own, "diff", waiting).code == 0
    for words in ("audit", "refusals"):
        answer = placet(own, words)
        assert answer.code == 1 and "Traceback" not in answer.err and answer.err.strip()
    answer = placet(own, "discard", waiting)
    assert answer.code == 1 and "Traceback" not in answer.err
    assert own.record_path(waiting).exists()


def test_missing_bytes_are_found_and_named(
    own: HomeBuilder, placet: Placet, person: Any, digest: Callable[..., str]
) -> None:
    """A2: `rm -r placet/blobs` is a finding; undo and the log say "missing", never "erased"."""
    own.memory("first")
    ref = own.stage_replace("first", "second")
    assert placet(own, "approve", ref, "--seen", digest(own, ref)).code in (0, 1)
    person.says = ["approve", "memory"]
    if own.record_path(ref).exists():
        assert placet(own, "approve", ref, "--seen", digest(own, ref)).code == 0
    assert "[the text" not in placet(own, "audit").out
    shutil.rmtree(blobs.folder(own.home))
    answer = placet(own, "audit", "--verify")
    assert answer.code == 3 and "missing" in answer.out
    assert "[the text is lost" in placet(own, "audit").out
    answer = placet(own, "undo", "2")
    assert answer.code == 1 and "missing" in answer.err and "erased" not in answer.err


@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo], ids=["folder", "pipe"])
def test_an_anchor_that_is_no_file(
    own: HomeBuilder, placet: Placet, make: Callable[[Path], None]
) -> None:
    """C3: an alarm, said once; queue and difference stay readable."""
    waiting = own.stage_add("waits")
    assert placet(own, "discard", own.stage_add("a")).code == 0
    path = anchor.location(own.path.resolve())
    path.unlink()
    make(path)
    for words in (("pending",), ("status",), ("show", waiting), ("diff", waiting), ("count",)):
        assert placet(own, *words).code == 0
    assert "anchor" in placet(own, "pending").out
    assert placet(own, "audit", "--verify").code == 3
    answer = placet(own, "discard", waiting)
    assert answer.code == 1 and answer.err.count(str(path)) == 1, "D6: the alarm is said once"
    assert ".." not in answer.err


def test_an_alarm_is_said_once_before_anything_is_asked(
    own: HomeBuilder, placet: Placet, person: Any, digest: Callable[..., str]
) -> None:
    """D6."""
    ref = own.stage_add("a")
    seen = digest(own, ref)
    assert placet(own, "discard", own.stage_add("b")).code == 0
    anchor.location(own.path.resolve()).write_bytes(b"")
    for words in (("approve", ref, "--seen", seen), ("reject", ref), ("undo", "2"), ("lift", "#2")):
        answer = placet(own, *words)
        assert answer.code == 1, words
        assert answer.err.count("damaged") == 1 or words[0] == "lift", (words, answer.err)
        assert ".." not in answer.err
    assert person.asked == []


class TestLift:
    """D1."""

    @pytest.mark.parametrize("word", ["", "a", "default:", "abcde", "not hexadecimal", "%"])
    def test_too_little_names_nothing(
        self, own: HomeBuilder, placet: Placet, person: Any, word: str
    ) -> None:
        assert placet(own, "reject", own.stage_add("the staging box")).code == 0
        answer = placet(own, "lift", word)
        assert answer.code == 2 and "6 characters" in answer.err
        assert person.asked == []

    def test_it_shows_what_it_lifts(self, own: HomeBuilder, placet: Placet, person: Any) -> None:
        assert placet(own, "reject", own.stage_add("the \x1b[2J staging box")).code == 0
        fingerprint = placet(own, "refusals", "--json").objects[0]["fingerprint"]
        answer = placet(own, "lift", fingerprint[:6].upper())
        assert answer.code == 1 and "staging box" in answer.out and "\x1b" not in answer.out
        assert "memory" in person.asked[0]
        person.says = ["lift"]
        assert placet(own, "lift", fingerprint[:6]).code == 0
        assert placet(own, "refusals").out.startswith("home default: 0 refusals")

    def test_a_decision_that_refuses_nothing(
        self, own: HomeBuilder, placet: Placet, person: Any
    ) -> None:
        assert placet(own, "reject", own.stage_add("the staging box")).code == 0
        answer = placet(own, "lift", "#1")
        assert answer.code == 1 and "refuses nothing" in answer.err and person.asked == []
        person.says = ["lift"]
        assert "staging box" in placet(own, "lift", "#2").out

    def test_a_batch_says_its_parts(self, own: HomeBuilder, placet: Placet, person: Any) -> None:
        assert placet(own, "reject", own.stage_batch(add("four"), add("five"))).code == 0
        answer = placet(own, "lift", "#2")
        assert "four" in answer.out and "five" in answer.out and person.asked


def test_words_of_the_system_are_words(own: HomeBuilder, placet: Placet, tmp_path: Path) -> None:
    """D5: neither `None` nor `[Errno 0]`."""
    ref = own.stage_add("a")
    (tmp_path / "elsewhere").mkdir()
    (own.path / "placet").symlink_to(tmp_path / "elsewhere")
    (own.path / "state.db").mkdir()
    answers = [placet(own, "discard", ref), placet(own, "show", ref), placet(own, "status")]
    for answer in answers:
        said = answer.out + answer.err
        assert "None" not in said and "Errno" not in said
    assert answers[0].code == 1
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("content", [" ", "  \n ", "\t", "\u00a0", "\u3000\n", "\n", ""])
def test_blank_content_is_shown_as_asked_for(
    own: HomeBuilder, placet: Placet, content: str
) -> None:
    """D9: what changes nothing is still shown, every blank of it."""
    ref = own.stage_add(content)
    for verb in ("show", "diff"):
        out = placet(own, verb, ref).out
        assert "new text" in out, out
        after = out.partition("new text")[2].split("\n")
        shown = [line for line in after if line.startswith("+")]
        assert len(shown) == content.count("\n") + 1
        assert f"({len(content)} blank character" in out


def test_a_named_home_that_is_refused_ends_with_1(placet: Placet, own: HomeBuilder) -> None:
    """D11."""
    odd = HomeBuilder.__new__(HomeBuilder)
    odd.path = Path("/etc/passwd")
    for words in (
        ("pending",),
        ("pending", "--json"),
        ("status",),
        ("count",),
        ("memory",),
        ("locate",),
        ("refusals",),
        ("audit",),
        ("audit", "--verify"),
        ("show", "x"),
    ):
        answer = placet(odd, *words)
        assert answer.code == 1, words
        assert "Traceback" not in answer.err
        assert placet([odd, own], *words).code == (1 if words[0] == "show" else 0)
    assert "is not a directory" in placet(odd, "pending").err


PLACET = f"{sys.executable} -m placet.console"


class TestOutput:
    """C5, C6: closed, full, or nobody reading."""

    VERBS = (
        "count",
        "count --json",
        "pending",
        "pending --json",
        "status",
        "memory",
        "locate",
        "refusals",
        "audit",
        "audit --json",
        "audit --verify",
        "--help",
        "show {ref}",
        "diff {ref} --json",
    )

    def run(self, home: HomeBuilder, verb: str, tail: str, **more: str) -> Any:
        line = f"{PLACET} -H {home.path} {verb} {tail}"
        line = f"{PLACET} --help {tail}" if verb == "--help" else line
        return subprocess.run(
            ["bash", "-c", f"set -o pipefail; {line}"],
            capture_output=True,
            timeout=60,
            env={**os.environ, **more},
        )

    @pytest.mark.parametrize("verb", VERBS)
    def test_every_way(self, own: HomeBuilder, placet: Placet, verb: str) -> None:
        assert placet(own, "discard", own.stage_add("b")).code == 0
        verb = verb.format(ref=own.stage_add("a"))
        assert self.run(own, verb, ">/dev/null").returncode == 0
        for tail in (">&-", ">/dev/full"):
            done = self.run(own, verb, tail)
            assert done.returncode == 1, (tail, done.stderr)
            assert b"tandard output" in done.stderr and b"Traceback" not in done.stderr
            assert done.stderr.count(b"\n") == 1
        for more in ({}, {"LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}):
            done = self.run(own, verb, "| head -c0", **more)
            assert (done.returncode, done.stderr) == (0, b""), done.stderr

    def test_closed_streams_are_nobody_else_s(self, own: HomeBuilder) -> None:
        """With all three closed no file of ours may get their numbers."""
        own.stage_add("a")
        done = self.run(own, "pending", "<&- >&- 2>&-")
        assert done.returncode == 1
        done = self.run(own, "pending", "<&- 2>&-")
        assert done.returncode == 0 and done.stdout

    def test_following_ends_with_its_reader(self, own: HomeBuilder, placet: Placet) -> None:
        assert placet(own, "discard", own.stage_add("b")).code == 0
        done = self.run(own, "audit --follow", "| head -n1")
        assert done.returncode == 0 and done.stdout.count(b"\n") == 1


def test_an_editor_that_leaves_too_much(
    own: HomeBuilder, placet: Placet, editor: Callable[[str], Path]
) -> None:
    """E: three million bytes are not planned, and are kept in a named file."""
    ref = own.stage_add("a")
    editor("t = 'x' * 3_000_000")
    answer = placet(own, "edit", ref)
    assert answer.code == 1 and "1,048,576 bytes" in answer.err
    kept = Path(answer.err.strip().rpartition("kept in ")[2])
    assert kept.stat().st_size == 3_000_000
    shutil.rmtree(kept.parent)


def test_the_log_reads_well(own: HomeBuilder, placet: Placet, digest: Callable[..., str]) -> None:
    """One line an event; everything else with --full or --json."""
    own.memory("first")
    ref = own.stage_add("second")
    assert placet(own, "approve", ref, "--seen", digest(own, ref)).code == 0
    assert placet(own, "reject", own.stage_add("x"), "--reason", "out of\ndate").code == 0
    lines = placet(own, "audit").out.splitlines()
    assert len(lines) == 3
    assert f"approved  added 1 to MEMORY.md (memory/{ref})" in lines[1]
    assert "reason: out of" in lines[2] and "rejected" in lines[2]
    full = placet(own, "audit", "--full").out
    assert set(lines) < set(full.splitlines()) and "who (kernel)" in full


def test_a_giant_limit_is_a_problem_in_words(own: HomeBuilder, placet: Placet) -> None:
    """C1: every reading verb goes on."""
    ref = own.stage_add("a")
    assert "memory_char_limit" not in placet(own, "pending").out
    own.config("memory:\n  memory_char_limit: 0x" + "f" * 9000 + "\n")
    for words in (("pending",), ("status",)):
        answer = placet(own, *words)
        assert answer.code == 0 and "memory_char_limit is a number of 36,000 bits" in answer.out
    assert placet(own, "show", ref).code == 0 and placet(own, "memory").code == 0
