"""The console on a real terminal: C01, C02, C08, C09, C10, field reports 116, 117, 119, 121."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import sqlite3
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from terminal.session import Session, opened

pytestmark = pytest.mark.terminal

RESTORED = (b"\x1b[?1049l", b"\x1b[?25h", b"\x1b[?2004l", b"\x1b[?1004l")
"""Alternate screen left, cursor shown, bracketed paste and focus reports off."""

MOUSE = (b"\x1b[?1000h", b"\x1b[?1003h")


@pytest.fixture
def sessions() -> Iterator[list[Session]]:
    """Sessions that are hung up at the end."""
    found: list[Session] = []
    yield found
    for session in found:
        session.close()


def kinds(folder: Path) -> list[str]:
    """Kinds of the events in the home's log."""
    path = folder / "home" / "placet" / "placet.db"
    if not path.exists():
        return []
    with closing(sqlite3.connect(path)) as db:
        rows = db.execute("SELECT body FROM audit ORDER BY seq").fetchall()
    return [json.loads(row[0])["kind"] for row in rows]


def memory(folder: Path) -> str:
    """The text of MEMORY.md."""
    return (folder / "home/memories/MEMORY.md").read_text()


def test_the_main_job_by_plain_keys(tmp_path: Path, sessions: list[Session]) -> None:
    """C01, field report 121: approve, refuse with a reason, edit, undo, quit."""
    console = opened(
        tmp_path, adds=["one", "two", "three"], memory=["a", "b", "c", "d"], columns=80, rows=24
    )
    sessions.append(console)
    console.shows("+ one")
    console.key("a", "a approve")
    console.shows("added 1 to MEMORY.md", "+ two")
    assert memory(tmp_path).endswith("one")
    console.key("R", "R reason")
    console.shows("Refuse, with a reason")
    for character in "not so":
        console.key(character)
    console.key("\r")
    console.shows("refused", "+ three")
    console.key("e", "e edit")
    console.shows("esc shows the diff")
    console.key("!")
    console.key("\x1b")
    console.shows("+ three!")
    console.key("a", "a approve")
    console.until(lambda: kinds(tmp_path)[-1] == "edited", "the edited approval")
    console.shows("Nothing waits")
    console.key("u")
    console.shows("- three!")
    console.key("A", "A approve")
    console.until(lambda: kinds(tmp_path)[-1] == "undone", "the undo")
    assert memory(tmp_path).endswith("one")
    console.key("q")
    assert console.wait() == 0
    assert all(sequence in console.raw for sequence in RESTORED)
    assert kinds(tmp_path) == ["baseline", "approved", "rejected", "edited", "undone"]


HOSTILE = (
    "clip \x1b]52;c;aGk=\x1b\\ clear \x1b[2J\x1b[1;1H[ APPROVED by alice ] "
    "\x1b]0;PWNED\x07 rtl \u202egnp\u202c zero\u200bwidth tag\U000e0069\U000e0067 "
    "c1 \x9b31m nel\x85 ls\u2028 [red]x[/red] [@click=app.quit]x[/]"
)
FORBIDDEN = (
    b"\x1b]52;",
    b"\x1b]0;PWNED",
    b"\x1b[2J\x1b[1;1H",
    *("\u202e", "\u202c", "\u200b", "\U000e0069", "\x9b", "\x85", "\u2028"),
)


def test_hostile_text_never_reaches_the_terminal_raw(
    tmp_path: Path, sessions: list[Session]
) -> None:
    """C02: the bytes on the terminal, on every screen."""
    console = opened(tmp_path, adds=[HOSTILE], columns=120, rows=40)
    sessions.append(console)
    console.shows("held 1")
    console.key("\r")
    console.key("j")
    console.shows("[@click=app.quit]x[/]", "APPROVED by alice")
    assert "^[]52" in console.screen.text()
    console.key("r", "r refuse")
    console.until(lambda: "rejected" in kinds(tmp_path), "the refusal")
    for key, word in (("2", "MEMORY.md"), ("3", "rejected"), ("4", "refused by"), ("5", "Who")):
        console.key(key)
        console.shows(word)
    console.key("q")
    console.wait()
    for found in FORBIDDEN:
        data = found.encode() if isinstance(found, str) else found
        assert data not in console.raw, data


def test_unbracketed_paste_and_enter_storm_decide_nothing(
    tmp_path: Path, sessions: list[Session]
) -> None:
    """C08: as bytes, with and without brackets."""
    console = opened(tmp_path, adds=["one", "two"], columns=100, rows=30)
    sessions.append(console)
    console.shows("+ one", " a approve")
    for data in (b"aaaa\ryyyy", b"\x1b[200~aaaa\ryyyy\x1b[201~", b"\r" * 30, b"a" * 40, b"rrrr"):
        console.write(data)
        end = time.monotonic() + 0.6
        while time.monotonic() < end:
            console.read(0.02)
    assert kinds(tmp_path) == ["baseline"]
    assert len(list((tmp_path / "home/pending/memory").glob("*.json"))) == 2
    console.key("\x1b")
    console.key("a", "a approve")
    console.until(lambda: "approved" in kinds(tmp_path), "a key by itself")


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_restores_the_terminal_and_keeps_decisions(
    tmp_path: Path, sessions: list[Session], number: int, code: int
) -> None:
    """C09, field report 116."""
    console = opened(tmp_path, adds=["one", "two"], columns=100, rows=30)
    sessions.append(console)
    console.shows("+ one")
    console.key("a", "a approve")
    console.shows("added 1")
    console.signal(number)
    assert console.wait() == code
    assert all(sequence in console.raw for sequence in RESTORED)
    assert memory(tmp_path).endswith("one")
    assert kinds(tmp_path) == ["baseline", "approved"]
    with (tmp_path / "home/memories/MEMORY.md.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_an_exception_restores_the_terminal_and_prints_one_line(
    tmp_path: Path, sessions: list[Session]
) -> None:
    """C09: no locals on the screen."""
    console = opened(tmp_path, adds=["one"], fail=True)
    sessions.append(console)
    console.shows("+ one")
    console.key("\x12")
    assert console.wait() == 1
    tail = console.raw.rpartition(b"\x1b[?1049l")[2]
    assert all(sequence in console.raw for sequence in RESTORED)
    assert b"placet stopped: RuntimeError" in tail
    assert b"secret-in-locals" not in console.raw


def test_a_closed_terminal_ends_the_program(tmp_path: Path, sessions: list[Session]) -> None:
    """C09: a dropped line; nothing spins, no lock stays, what was decided is kept."""
    console = opened(tmp_path, adds=["one", "two"])
    sessions.append(console)
    console.shows("+ one")
    console.key("a", "a approve")
    console.shows("added 1")
    os.close(console.master)
    console.master = -1
    end = time.monotonic() + 15
    while time.monotonic() < end:
        pid, status = os.waitpid(console.pid, os.WNOHANG)
        if pid:
            console._status = status
            break
        time.sleep(0.05)
    assert console._status is not None
    assert kinds(tmp_path) == ["baseline", "approved"]
    assert memory(tmp_path) == "alpha\n§\none"
    assert [place.name for place in (tmp_path / "home/pending/memory").iterdir()] == [
        "00000002.json"
    ]
    with (tmp_path / "home/memories/MEMORY.md.lock").open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_resizing_leaves_a_correct_screen(tmp_path: Path, sessions: list[Session]) -> None:
    """C10, field report 117: 40×10 and back, working keys."""
    console = opened(tmp_path, adds=["one", "two"], columns=80, rows=24)
    sessions.append(console)
    console.shows("+ one")
    console.size(40, 10)
    console.signal(signal.SIGWINCH)
    console.shows("2 waiting", "MEMORY.md")
    console.size(3, 3)
    console.signal(signal.SIGWINCH)
    console.read(0.3)
    console.size(100, 30)
    console.signal(signal.SIGWINCH)
    console.shows("+ one", "scanned")
    console.key("a", "a approve")
    console.shows("added 1")
    assert memory(tmp_path) == "alpha\n§\none"
    assert kinds(tmp_path) == ["baseline", "approved"]
    console.key("q")
    assert console.wait() == 0


@pytest.mark.parametrize(
    ("env", "mouse"), [({}, True), ({"SSH_CONNECTION": "192.0.2.1 1 192.0.2.2 22"}, False)]
)
def test_the_mouse_is_off_over_ssh(
    tmp_path: Path, sessions: list[Session], env: dict[str, Any], mouse: bool
) -> None:
    """Field report 116: native selection works over SSH."""
    console = opened(tmp_path, adds=["one"], env=env)
    sessions.append(console)
    console.shows("+ one")
    console.key("q")
    assert console.wait() == 0
    assert all(sequence in console.raw for sequence in MOUSE) is mouse
    assert any(sequence in console.raw for sequence in MOUSE) is mouse


@pytest.mark.parametrize(
    "env",
    [
        {"NO_COLOR": "1"},
        {"TERM": "xterm"},
        {"TERM": "linux"},
        {"TERM": "tmux-256color"},
        {"LANG": "C", "PYTHONUTF8": "0"},
        {"COLORTERM": "truecolor"},
    ],
    ids=lambda env: "-".join(f"{k}={v}" for k, v in env.items()),
)
def test_signs_carry_the_meaning_on_every_terminal(
    tmp_path: Path, sessions: list[Session], env: dict[str, str]
) -> None:
    """C10, field reports 119, 120: NO_COLOR, 16 and 256 colours, ASCII."""
    console = opened(tmp_path, adds=["one"], removes=["alpha"], env=env, columns=100, rows=30)
    sessions.append(console)
    console.shows("+ one")
    console.key("a", "a approve")
    console.until(lambda: "approved" in kinds(tmp_path), "the decision")
    console.shows("- alpha")
    if env.get("LANG") == "C":
        body = console.screen.text()
        assert body.isascii(), [c for c in body if not c.isascii()]
    console.key("q")
    assert console.wait() == 0


def test_no_terminal_that_will_do_is_said(tmp_path: Path, sessions: list[Session]) -> None:
    """C10: TERM=dumb draws nothing and says what to do instead."""
    home = tmp_path / "h"
    home.mkdir()
    command = [sys.executable, "-m", "placet.console", "-H", str(home)]
    console = Session(command, tmp_path, TERM="dumb")
    sessions.append(console)
    assert console.wait() == 1
    assert b"TERM=dumb" in console.raw
    assert b"\x1b[?1049h" not in console.raw


def test_the_real_command_opens_and_quits(tmp_path: Path, sessions: list[Session]) -> None:
    """Field report 87: no running agent, no configuration; it shows what waits."""
    from homes.build import HomeBuilder

    home = HomeBuilder(tmp_path / "h").config().memory("alpha")
    home.stage_add("beta")
    command = [sys.executable, "-m", "placet.console", "-H", str(home.path)]
    console = Session(command, tmp_path, TEXTUAL_PRESS="a")
    sessions.append(console)
    console.shows("waiting 1", "+ beta")
    console.key("q")
    assert console.wait() == 0
    assert home.read("memories/MEMORY.md") == b"alpha"
    assert all(sequence in console.raw for sequence in RESTORED)
