"""The entry point: a clean process, and `count` before anything heavy (design §10, §12)."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from homes.build import START, HomeBuilder
from rich.console import COLOR_SYSTEMS

from placet.console import __main__
from placet.console.__main__ import COLOUR_SYSTEMS, scrub, trusted_path
from placet.console.commands import count, early


def test_only_looks_survive_the_scrub() -> None:
    """`TEXTUAL_PRESS=a` would approve by itself; the colour system may stay."""
    environment = {
        "TEXTUAL_PRESS": "a",
        "TEXTUAL_DRIVER": "x:y",
        "textual_devtools": "1",
        "TEXTUAL": "1",
        "TEXTUAL_COLOR_SYSTEM": "256",
        "TEXTUAL_ANIMATIONS": "none",
        "TEXTUAL_FPS": "10",
        "TEXTUAL_THEME": "x",
        "PATH": "/bin",
    }
    scrub(environment)
    assert set(environment) == {
        "TEXTUAL_COLOR_SYSTEM",
        "TEXTUAL_ANIMATIONS",
        "TEXTUAL_FPS",
        "PATH",
    }


@pytest.mark.parametrize("word", ["", "TrueColor", "bogus"])
def test_an_unknown_colour_system_is_dropped(word: str) -> None:
    """C10: the framework stops with a traceback on a colour system that it does not know."""
    environment = {"TEXTUAL_COLOR_SYSTEM": word}
    scrub(environment)
    assert environment == {}
    for known in COLOUR_SYSTEMS:
        environment = {"TEXTUAL_COLOR_SYSTEM": known}
        scrub(environment)
        assert environment == {"TEXTUAL_COLOR_SYSTEM": known}
    assert {"auto", *COLOR_SYSTEMS} >= COLOUR_SYSTEMS, "the framework knows each of them"


def test_the_working_directory_is_not_imported_from(tmp_path: Path) -> None:
    """Design §13: a `store/` folder in an agent's directory must not be imported."""
    lib = str(tmp_path / "lib")
    here = str(tmp_path / "here")
    entries = ["", here, lib, f"{here}/../here"]
    assert trusted_path(entries, here, ()) == [lib]
    assert trusted_path(entries, here, (here,)) == [here, lib, f"{here}/../here"]
    assert trusted_path(["", lib], "", ()) == [lib]


@pytest.mark.parametrize("name", ["click", "json", "yaml", "textual", "rapidfuzz", "watchfiles"])
def test_a_planted_module_is_not_run(home: HomeBuilder, tmp_path: Path, name: str) -> None:
    """What lies in the working directory under the name of a library is never run."""
    planted = tmp_path / "agent"
    planted.mkdir()
    (planted / f"{name}.py").write_text("open('ran', 'w').close(); raise SystemExit(9)")
    home.stage_add("a")
    for words in (["count"], ["pending"]):
        script = "from placet.console.__main__ import main; main()"
        done = subprocess.run(
            [sys.executable, "-c", script, "-H", str(home.path), *words],
            cwd=planted,
            stdin=subprocess.DEVNULL,
            capture_output=True,
        )
        if name != "json":  # `-c` itself looks there before we can say anything
            assert done.returncode == 0, done.stderr
            assert not (planted / "ran").exists()


HEAVY = (
    "dataclasses",
    "inspect",
    "placet.store.model",
    "click",
    "textual",
    "rich",
    "yaml",
    "sqlite_utils",
    "watchfiles",
    "rapidfuzz",
    "asyncio",
)


@pytest.mark.parametrize("decided", [False, True], ids=["fresh", "with a ledger"])
def test_count_imports_nothing_heavy(own_home: HomeBuilder, decided: bool) -> None:
    """Budget of `count`: it answers before click is imported."""
    if decided:
        _decide_something(own_home)
    own_home.stage_add("a")
    script = (
        "import sys; sys.argv = ['placet', '-H', sys.argv[1], 'count', '--json']\n"
        "from placet.console.__main__ import main\n"
        "try: main()\n"
        f"finally: print(sorted(set({HEAVY!r}) & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(own_home.path)], capture_output=True, text=True
    )
    assert done.stderr == "[]\n"
    assert json.loads(done.stdout)["memory"] == 1


LATER = (
    "click", "pygments", "rapidfuzz", "sqlite3", "watchfiles", "yaml", "textual.widgets._text_area",
    "placet.console.pages.document", "placet.console.reader", "placet.console.screens.dialogs",
    "placet.console.screens.review", "placet.store.decide", "placet.store.ledger.database",
)  # fmt: skip
"""What the console needs, but not before its first paint (design §15)."""


def test_the_first_paint_waits_for_nothing_that_it_does_not_need() -> None:
    script = (
        "import sys, placet.console.__main__, placet.console.commands.early\n"
        "import placet.console.commands.screen, placet.console.app, placet.console.screens.queue\n"
        f"print(sorted(set({LATER!r}) & set(sys.modules)))\n"
        f"import importlib; [importlib.import_module(name) for name in {LATER!r}]"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("[]\n", "")


@pytest.fixture
def own_home(tmp_path: Path) -> HomeBuilder:
    return HomeBuilder(tmp_path / "own").config().memory("first")


def _decide_something(home: HomeBuilder) -> None:
    from placet.store.ledger.database import Ledger

    with Ledger.open(home.home, create=True):
        pass


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (ValueError("a\x1b]52;c;x\x07\u202e"), 1, "placet failed; this is a fault of its own"),
        (sqlite3.DatabaseError("\x1b[2J"), 1, "The ledger cannot be read: "),
        (KeyboardInterrupt(), 130, "Interrupted"),
    ],
)
def test_a_console_that_cannot_open_says_so_harmlessly(
    error: BaseException,
    code: int,
    words: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """C02: whatever the failure quotes, nothing of it reaches the terminal raw."""

    def fails(_: object) -> int:
        raise error

    monkeypatch.setattr("placet.console.commands.screen.open_console", fails)
    assert __main__.console(()) == code
    said = capsys.readouterr().err
    assert words in said
    assert isinstance(error, KeyboardInterrupt) or "\\x1b" in said
    assert not {"\x1b", "\x07", "\u202e"} & set(said)


class TestRequest:
    @pytest.mark.parametrize(
        ("words", "homes"),
        [
            (["count"], []),
            (["-H", "a", "count"], ["a"]),
            (["--home=a", "-Hb", "--home", "c", "count", "--json"], ["a", "b", "c"]),
        ],
    )
    def test_count_is_recognised(self, words: list[str], homes: list[str]) -> None:
        asked = early.request(words)
        assert asked is not None
        assert [str(home) for home in asked.homes] == homes
        assert asked.as_json == ("--json" in words)

    @pytest.mark.parametrize(
        ("words", "homes"),
        [([], []), (["-H", "a", "-Hb"], ["a", "b"]), (["-H", "count"], ["count"])],
    )
    def test_the_console_is_recognised(self, words: list[str], homes: list[str]) -> None:
        asked = early.request(words)
        assert asked == early.Request(tuple(Path(home) for home in homes))

    @pytest.mark.parametrize(
        "words",
        [
            ["pending"],
            ["count", "--help"],
            ["count", "pending"],
            ["--poll", "count"],
            ["-H"],
        ],
    )
    def test_everything_else_is_left_alone(self, words: list[str]) -> None:
        assert early.request(words) is None


class TestCount:
    def test_it_adds_up_homes_and_names_the_oldest(self, home: HomeBuilder) -> None:
        """Field report 86."""
        lab = home.profile("lab")
        home.stage_add("a")
        lab.stage_add("b", created_at=START - 86_400)
        lab.stage_skill("create", "tidy", content="x")
        home.stage_raw(".busy.json.placet", b"{}")
        answer, problems, _ = count.count([home.path], {}, START + 86_400)
        assert answer == count.Count(3, 1, 2 * 86_400, 0) and not problems
        assert count.as_text(answer) == "3 memory, 1 skills, oldest 2 d"

    @pytest.mark.parametrize(
        "raw",
        [b"", b"[]", b"{", b'{"created_at": "x"}', b'{"created_at": 1e999}', b"\xff", b"[" * 9999],
    )
    def test_a_record_that_says_no_time_has_its_file_s(self, home: HomeBuilder, raw: bytes) -> None:
        home.stage_raw("x.json", raw, modified=START)
        answer, _, _ = count.count([home.path], {}, START + 60)
        assert (answer.memory, answer.oldest_seconds) == (1, 60)

    def test_what_is_no_file_counts_and_never_blocks(self, home: HomeBuilder) -> None:
        os.mkfifo(home.pending() / "fifo.json")
        (home.pending() / "folder.json").mkdir()
        (home.pending() / "link.json").symlink_to("/dev/zero")
        answer, _, _ = count.count([home.path], {}, START)
        assert answer.memory == 3

    def test_nothing_waits(self, home: HomeBuilder) -> None:
        answer, _, _ = count.count([home.path], {}, START)
        assert answer == count.Count(0, 0, None, 0)
        assert json.loads(count.as_json(answer))["oldest_seconds"] is None
        assert count.as_text(answer) == "0 memory, 0 skills"

    def test_ungated_is_what_the_store_says(self, own_home: HomeBuilder) -> None:
        """The light look counts what `watched.ungated` tells, recorded or not."""
        from placet.store.decide import DemoApprover, Desk, notice
        from placet.store.ledger.database import Ledger
        from placet.store.watched import ungated

        def both() -> tuple[int, int]:
            ledger = Ledger.open_reading(own_home.home)
            assert ledger is not None
            with ledger:
                return count.count([own_home.path], {}, START)[0].ungated, len(ungated(ledger))

        place = own_home.path.with_name("demo")
        approver = DemoApprover.own_home(place)
        own_home = HomeBuilder(place).memory("first")
        with Desk.open(own_home.home, approver) as desk:
            assert both() == (0, 0)
            own_home.memory("second")
            assert both() == (1, 1)
            notice(desk)
            (own_home.path / "SOUL.md").write_bytes(b"soul")
            assert both() == (2, 2)
            (own_home.path / "memories" / "MEMORY.md").unlink()
            assert both() == (3, 3)

    def test_a_lost_ledger_is_named(self, own_home: HomeBuilder) -> None:
        """T05: it would otherwise say that nothing is ungated."""
        _decide_something(own_home)
        assert count.count([own_home.path], {}, START)[1] == ()
        (own_home.path / "placet" / "placet.db").unlink()
        (words,) = count.count([own_home.path], {}, START)[1]
        assert "deleted or replaced" in words


def test_an_exported_size_does_not_hide_the_terminals_own() -> None:
    """Field report 117: a shell that exports COLUMNS must not freeze the size of the screen."""
    environment = {"COLUMNS": "80", "LINES": "24", "TERM": "xterm"}
    scrub(environment)
    assert environment == {"TERM": "xterm"}
