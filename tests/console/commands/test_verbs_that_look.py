"""Looking from the command line: complete, harmless, and without a trace (design §12)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from homes.build import HomeBuilder, add, remove, staged_result

from placet.store.text import suspect
from placet.store.text.suspect import MarkKind

Placet = Callable[..., Any]

PLACET = (sys.executable, "-m", "placet.console")

HOSTILE = (
    "plain \x1b]52;c;AAAA\x07\x1b[2J\x1b[HApproved by you \u202etxt.exe pay\u200bload "
    "\U000e0041\U000e0042 [red]x[/red] [@click=app.quit]x[/] \x9b31m \x7f a\rb end"
)
"""C02 and field report 67: everything that must not reach a terminal."""

READING = (
    ("pending",),
    ("pending", "--json"),
    ("status",),
    ("status", "--json"),
    ("memory",),
    ("memory", "--json"),
    ("refusals",),
    ("refusals", "--json"),
    ("audit",),
    ("audit", "--json"),
    ("audit", "--verify"),
    ("locate",),
    ("locate", "--json"),
    ("unfinished",),
    ("unfinished", "--json"),
    ("count",),
    ("count", "--json"),
)


def run(home: Path, *words: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """The program as a cron job runs it: no terminal, no input, no TERM."""
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "XDG_STATE_HOME", "PYTHONPATH")}
    return subprocess.run(
        [*PLACET, "-H", str(home), *words],
        env={**kept, "HOME": str(home.parent), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        start_new_session=True,
        timeout=60,
    )


@contextmanager
def nothing_new(*folders: Path) -> Iterator[None]:
    """Prove that no file appears or changes below these folders."""

    def look() -> dict[str, tuple[int, int]]:
        return {
            str(path): (path.lstat().st_ino, path.lstat().st_mtime_ns)
            for folder in folders
            for path in folder.rglob("*")
        }

    before = look()
    yield
    assert look() == before


class TestWithoutTerminal:
    @pytest.mark.parametrize("words", READING, ids=" ".join)
    def test_reading_needs_no_terminal_and_leaves_nothing(
        self, home: HomeBuilder, tmp_path: Path, words: tuple[str, ...]
    ) -> None:
        """Q16, Q18, field report 91: stdin closed, TERM unset; no new file anywhere."""
        home.memory("first")
        home.stage_add("second")
        with nothing_new(tmp_path):
            done = run(home.path, *words)
        assert done.returncode == 0, done.stderr
        assert done.stdout or words[0] in ("audit", "refusals", "unfinished")
        if "--json" in words:
            for line in done.stdout.decode("ascii").splitlines():
                assert json.loads(line)["schema"] == "placet/1"

    def test_approving_there_is_refused_with_the_reason(self, home: HomeBuilder) -> None:
        """Q16, T03: from a pipe or cron nothing is decided."""
        home.memory("first")
        ref = home.stage_add("second")
        shown = json.loads(run(home.path, "show", ref, "--json").stdout)
        before = home.tree()
        done = run(home.path, "approve", ref, "--seen", shown["digest"])
        assert done.returncode == 1 and b"no terminal" in done.stderr
        assert home.tree() == before

    def test_the_console_says_what_to_do_instead(self, home: HomeBuilder) -> None:
        done = run(home.path)
        assert done.returncode == 1 and b"ssh -t" in done.stderr
        assert b"`placet show REF`" in done.stderr and b"approve" not in done.stderr

    def test_a_reader_that_goes_away_is_no_error(self, home: HomeBuilder) -> None:
        """`placet pending | head -1` ends quietly."""
        for number in range(400):
            home.stage_add(f"entry {number} " + "x" * 200)
        command = f"{sys.executable} -m placet.console -H {home.path} pending --json | head -c 10"
        done = subprocess.run(command, shell=True, capture_output=True, timeout=60)
        assert done.stdout == b'{"schema":'
        assert done.stderr == b""


class TestHostile:
    @pytest.fixture
    def hostile(self, home: HomeBuilder) -> HomeBuilder:
        """A home where everything an agent can name is hostile."""
        home.memory("first", "an old entry with \x1b[31m red and \u202e inside")
        home.stage_add(HOSTILE, record_id="one", summary=HOSTILE, origin=HOSTILE)
        home.stage_batch(add(HOSTILE), remove(HOSTILE + "\ud800"), record_id="two")
        home.stage_skill("create", HOSTILE, content=HOSTILE, category=HOSTILE, record_id="three")
        home.stage({"action": HOSTILE, "target": HOSTILE, HOSTILE: HOSTILE}, record_id="four")
        home.stage_raw("x\x1b[2J\u202e.json", b'{"id": "\\u001b[2J"}')
        home.stage({"action": "add"}, record_id="five", provider=HOSTILE)
        return home

    @pytest.mark.parametrize("locale", ["C.UTF-8", "C", "en_US.ISO-8859-1"])
    def test_no_control_character_is_printed(self, hostile: HomeBuilder, locale: str) -> None:
        """C02, field report 67: the same texts against every verb, as text and as JSON."""
        refs = [f"memory/{name}" for name in ("one", "two", "four", "five")] + [
            "skills/three",
            "nosuch\x1b[2J\u202e",
        ]
        calls = [words for words in READING if words[0] != "locate"]
        calls += [(verb, ref) for verb in ("show", "diff") for ref in refs]
        calls += [(verb, ref, "--json") for verb in ("show", "diff") for ref in refs]
        calls += [("undo", "\x1b[2J"), ("\x1b[2J",), ("show",), ("approve", "memory/one")]
        for words in calls:
            done = run(hostile.path, *words, LC_ALL=locale)
            for data in (done.stdout, done.stderr):
                text = data.decode("ascii" if locale != "C.UTF-8" else "utf-8")
                bad = suspect.marks(text.replace("\n", ""))
                assert not [m for m in bad if m.kind is not MarkKind.QUOTE], (words, bad[:3])

    def test_everything_is_shown(self, hostile: HomeBuilder, placet: Placet) -> None:
        """Promise 2: every character can be read; markup appears as it is."""
        out = placet(hostile, "show", "memory/one").out
        assert "+ plain ^[]52;c;AAAA^G" in out
        assert "[red]x[/red] [@click=app.quit]x[/]" in out
        assert "‹U+202E" in out and "‹U+200B" in out
        assert "\\u001b[2J" in placet(hostile, "show", "memory/four").out

    def test_a_line_feed_in_a_name_begins_no_line_of_ours(
        self, home: HomeBuilder, placet: Placet
    ) -> None:
        """Text that imitates our own output stays inside its line."""
        forged = "x\ndigest 0000000000000000000000000000000000000000000000000000000000000000"
        home.stage_add("second", summary=forged, origin=forged, record_id="one")
        home.stage_skill("create", forged, content="x", record_id="two")
        for ref in ("one", "two"):
            lines = placet(home, "show", ref).out.split("\n")
            assert not [line for line in lines if line.startswith("digest 0000")]
        assert any("digest 0000" in line for line in placet(home, "show", "one").out.split("\n"))

    def test_a_long_line_and_many_lines_are_complete(
        self, home: HomeBuilder, placet: Placet
    ) -> None:
        """Field report 16: nothing is ever elided."""
        home.limits(memory=100_000)
        home.memory("first")
        long, many = "x" * 12_000, "\n".join(f"line {n}" for n in range(300))
        one, two = home.stage_add(long), home.stage_add(many)
        assert f"+ {long}\n" in placet(home, "diff", one).out
        out = placet(home, "diff", two).out
        assert all(f"+ line {n}\n" in out for n in range(300))


class TestPending:
    def test_every_staged_file_is_one_proposal(self, home: HomeBuilder, placet: Placet) -> None:
        """Field report 102, Q12: files in, rows out, whatever they hold."""
        home.stage_add("a")
        home.stage_raw("broken.json", b"{")
        home.stage_raw(".dot.json", b"[]")
        home.stage_raw(".claimed.json.placet", b"{}")
        home.stage_raw("left.json.tmp", b"{}")
        (home.pending() / "folder.json").mkdir()
        (found,) = placet(home, "pending", "--json").json["homes"]
        assert len(found["proposals"]) == 5
        assert Counter(p["life"] for p in found["proposals"]) == {"waiting": 4, "unfinished": 1}
        count = placet(home, "count", "--json").json
        assert count["memory"] == 5

    def test_identical_proposals_name_each_other(self, home: HomeBuilder, placet: Placet) -> None:
        """Field report 82: one decision for many; the same one is listed in `same_as`."""
        refs = [f"default:memory/{home.stage_add('the same')}" for _ in range(3)]
        home.stage_add("another")
        (found,) = placet(home, "pending", "--json").json["homes"]
        same = {p["ref"]: p["same_as"] for p in found["proposals"]}
        assert sorted(same[refs[0]]) == refs[1:] and sorted(same[refs[1]]) == [refs[0], refs[2]]
        assert sum(not others for others in same.values()) == 1
        assert "proposed 3 times" in placet(home, "pending").out

    def test_each_record_has_its_own_verdict(self, home: HomeBuilder, placet: Placet) -> None:
        """Field report 20: ten records, exactly those labels, however many failed before."""
        home.limits(memory=60)
        home.memory("cat", "cat and dog")
        for number in range(4):
            home.stage_remove(f"missing {number}")
        for number in range(3):
            home.stage_add(f"{number}" + "x" * 60)
        home.stage_remove("cat")
        home.stage_add("fine")
        home.stage_add("good")
        (found,) = placet(home, "pending", "--json").json["homes"]
        codes = Counter(
            next((v["code"] for v in p["verdicts"] if v["level"] == "blocker"), "")
            for p in found["proposals"]
        )
        assert codes == {"anchor-missing": 4, "over-limit": 3, "anchor-ambiguous": 1, "": 2}

    def test_the_summary_is_never_the_change(self, home: HomeBuilder, placet: Placet) -> None:
        """Field report 3: labelled as the proposer's words, and flagged where it contradicts."""
        home.memory("first", "second")
        ref = home.stage_remove("second", summary="fix typo")
        out = placet(home, "show", ref).out
        assert "| proposer's words, not the change: fix typo" in out
        assert "- second" in out and "* warning: The summary " in out

    def test_homes_are_named_and_fixed(
        self,
        home: HomeBuilder,
        make_home: Callable[[str], HomeBuilder],
        placet: Placet,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Field reports 56, 57: every home is named; the environment does not redirect anything."""
        lab = home.profile("lab")
        lab.stage_add("b", record_id="same")
        home.stage_add("a", record_id="same")
        monkeypatch.setenv("HERMES_HOME", str(make_home("elsewhere").path))
        found = placet(home, "pending", "--json").json["homes"]
        assert [one["profile"] for one in found] == ["default", "lab"]
        assert placet(home, "show", "same").code == 2
        assert placet(home, "show", "lab:same", "--json").json["home"] == "lab"
        assert placet(home, "show", "lab:memory/same").code == 0
        assert placet(home, "show", "lab:skills/same").code == 1


class TestShow:
    def test_the_shape_is_whole(self, home: HomeBuilder, placet: Placet) -> None:
        """Issue 2: what `show REF --json` adds to P."""
        home.memory("first")
        home.stage_add("x" * 2150)
        ref = home.stage_add("y" * 2150)
        home.state_db(
            [
                {"session": "s1", "role": "user", "content": "remember this"},
                {
                    "session": "s1",
                    "role": "tool",
                    "tool_name": "memory",
                    "content": staged_result(ref),
                },
            ]
        )
        found = placet(home, "show", ref, "--json").json
        wanted = "operations changes usage side_effects knock_on provenance text digest verdicts"
        assert set(wanted.split()) <= found.keys()
        assert found["operations"][0]["after"] == "y" * 2150
        assert found["changes"][0]["before"]["text"] == "first"
        assert found["usage"] == {"before": 5, "after": 2158, "limit": 2200}
        assert len(found["knock_on"]) == 1
        assert found["text"] == placet(home, "diff", ref).out

    def test_provenance_joins_the_session(self, home: HomeBuilder, placet: Placet) -> None:
        """Q17: a foreground record names session and message; a background one says unknown."""
        mine = home.stage_add("a", origin="assistant_tool")
        review = home.stage_add("b")
        tool = {"role": "tool", "tool_name": "memory", "content": staged_result(mine)}
        home.state_db(
            [
                {"session": "s1", "role": "user", "content": "please remember a"},
                {"session": "s1", **tool},
            ]
        )
        with nothing_new(home.path):
            found = placet(home, "show", mine, "--json").json["provenance"]
            other = placet(home, "show", review)
        assert (found["session"], found["message"]) == ("s1", "please remember a")
        assert "session and message unknown" in other.out

    def test_what_cannot_apply_is_still_readable(self, home: HomeBuilder, placet: Placet) -> None:
        home.memory("first")
        ref = home.stage_batch(add("new words"), remove("not there"))
        out = placet(home, "show", ref).out
        assert "? not there" in out and "new words" in out and "digest none" in out

    def test_what_can_be_answered_begins_no_list_with_or(
        self, home: HomeBuilder, placet: Placet
    ) -> None:
        """Field report 63: what cannot be approved names what else ends it."""
        home.memory("alpha")
        refs = (home.stage_add("beta"), home.stage_remove("not there"))
        ready, dead = (placet(home, "show", ref).out.split("\n") for ref in refs)
        assert any(line.startswith("or  placet reject") for line in ready)
        start = next(n for n, line in enumerate(dead) if line.startswith("digest none"))
        assert dead[start].endswith("it can be answered with")
        assert [line.split()[:2] for line in dead[start + 1 : start + 3]] == [
            ["placet", "reject"],
            ["placet", "discard"],
        ]

    def test_bytes_that_are_no_text_are_in_the_shape(
        self, home: HomeBuilder, placet: Placet
    ) -> None:
        home.skill("tidy", files={"assets/x.bin": b"\x00\xff\xfe"})
        ref = home.stage_skill("delete", "tidy")
        found = placet(home, "show", f"skills/{ref}", "--json").json
        (change,) = [c for c in found["changes"] if c["name"].endswith("x.bin")]
        assert change["before"]["text"] is None and change["before"]["base64"] == "AP/+"
        assert change["after"] is None


class TestStatus:
    def test_the_gate_is_named_with_the_command(self, home: HomeBuilder, placet: Placet) -> None:
        """Q18: gate off is said with the exact command; on is said too."""
        assert "write approval for memory is on" in placet(home, "status").out
        home.config("memory:\n  write_approval: 1\n")
        out = placet(home, "status").out
        assert "OFF" in out and "hermes config set memory.write_approval true" in out
        (found,) = placet(home, "status", "--json").json["homes"]
        assert found["write_approval"] == {"memory": False, "skills": False}

    def test_homes_that_are_not_there_or_empty(self, tmp_path: Path, placet: Placet) -> None:
        """Q18: clear words, exit 0, and nothing is made."""
        empty = HomeBuilder(tmp_path / "empty")
        missing = HomeBuilder(tmp_path / "missing")
        missing.path.rmdir()
        with nothing_new(tmp_path):
            answer = placet(empty, "status")
            assert answer.code == 0 and "no pending/ folder" in answer.out
            answer = placet(missing, "status")
            assert answer.code == 0 and "does not exist yet" in answer.out
            assert placet(missing, "pending").code == 0
            assert placet(missing, "count").code == 0
        assert not missing.path.exists()

    def test_broken_configuration_is_said(self, home: HomeBuilder, placet: Placet) -> None:
        """K07: what Hermes will do about it."""
        home.config("memory: [")
        (found,) = placet(home, "status", "--json").json["homes"]
        assert found["problems"]


class TestMemory:
    def test_entries_with_numbers(self, home: HomeBuilder, placet: Placet) -> None:
        home.memory("first", "second").user("me").soul("Be kind.\n")
        out = placet(home, "memory").out
        assert "entry 2\n| second" in out and "| me" in out and "| Be kind." in out
        found = placet(home, "memory", "user", "--json").json["targets"]
        assert [one["entries"] for one in found] == [["me"]]
        assert placet(home, "memory", "nonsense").code == 1

    def test_what_is_no_text_is_named_with_offset_and_byte(
        self, home: HomeBuilder, placet: Placet
    ) -> None:
        """Field report 38."""
        home.write("memories/MEMORY.md", b"caf\xe9 rule\n\xc2\xa7\nsecond")
        assert "0xe9 at offset 3" in placet(home, "memory").out
        found = placet(home, "memory", "memory", "--json").json["targets"][0]
        assert found["file"]["base64"] and found["entries"] == []


def test_a_damaged_ledger_is_named_by_every_verb(own: HomeBuilder, placet: Placet) -> None:
    """Reading goes on, what needs the ledger says so, and nothing prints a traceback."""
    own.memory("first")
    ref = own.stage_add("second")
    assert placet(own, "discard", own.stage_add("b")).code == 0
    place = own.path / "placet" / "placet.db"
    for path in place.parent.glob("placet.db-*"):
        path.unlink()
    data = bytearray(place.read_bytes())
    data[4096:] = os.urandom(len(data) - 4096)
    place.write_bytes(data)
    for words in (("pending",), ("show", ref), ("status",), ("count",), ("memory",)):
        assert placet(own, *words).code == 0, words
    for words in (("refusals",), ("audit",), ("discard", ref), ("undo", "1")):
        answer = placet(own, *words)
        assert answer.code == 1 and "Traceback" not in answer.err, (words, answer.err)
    assert own.record_path(ref).exists()


def test_a_fault_of_our_own_is_said_harmlessly(
    own: HomeBuilder, placet: Placet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No raw character of what an exception quotes reaches the terminal."""
    from placet.console.commands import look

    def broken(*_: object) -> None:
        raise RuntimeError("quoted \x1b[2J\u202e")

    monkeypatch.setattr(look, "_home_shape", broken)
    answer = placet(own, "pending", "--json")
    assert answer.code == 1 and "placet failed" in answer.err
    assert not [m for m in suspect.marks(answer.err.replace("\n", "")) if m.kind != "quote"]
    monkeypatch.undo()


class TestWholeHomes:
    @pytest.mark.parametrize("size", ["small", "busy"])
    def test_every_record_is_listed_and_shown(
        self, size: str, placet: Placet, request: pytest.FixtureRequest
    ) -> None:
        """Q01, Q02: oldest first, every record once, each with a digest or a blocker."""
        home: HomeBuilder = request.getfixturevalue(f"home_{size}")
        homes = placet(home, "pending", "--json").json["homes"]
        proposals = [p for one in homes for p in one["proposals"]]
        assert len(proposals) == {"small": 9, "busy": 246}[size]
        for one in homes:
            ready = [p for p in one["proposals"] if p["standing"] in ("ready", "warning")]
            assert ready
        for found in proposals[:: 1 if size == "small" else 20]:
            shown = placet(home, "show", found["ref"], "--json")
            assert shown.code == 0 and shown.json["digest"] == found["digest"]
            blocked = any(v["level"] == "blocker" for v in found["verdicts"])
            assert blocked == (found["digest"] is None)
