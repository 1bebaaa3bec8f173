"""A terminal that knows no UTF-8 gets ASCII from the console, screen by screen."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from homes.build import HomeBuilder
from terminal.session import Session

pytestmark = pytest.mark.terminal

FORGED = "\u00db5;5HAPPROVED \u00dd0;title\u00dc \u2192 \u00b7 \u2026"


@pytest.fixture
def sessions() -> Iterator[list[Session]]:
    """Consoles that are hung up afterwards."""
    found: list[Session] = []
    yield found
    for session in found:
        session.close()


def furnished(folder: Path) -> HomeBuilder:
    """A home in which every text is forged."""
    home = HomeBuilder(folder / "h").config().memory("alpha", FORGED).user(FORGED)
    home.stage_add(FORGED, record_id="one", summary=FORGED, origin=FORGED)
    home.stage_remove("alpha")
    home.stage_skill("create", "notes", content=f"---\nname: notes\n---\n{FORGED}\n")
    home.stage_raw("broken.json", FORGED)
    return home


@pytest.mark.parametrize(
    "asked",
    [{"LANG": "de_DE.ISO-8859-1"}, {"LANG": "en_US"}, {"LANG": ""}, {"LC_CTYPE": "POSIX"}],
    ids=str,
)
def test_no_byte_of_a_control_is_sent(
    tmp_path: Path, sessions: list[Session], asked: dict[str, str]
) -> None:
    """0x80 to 0x9F are C1 controls there, and most of UTF-8 has such bytes."""
    home = furnished(tmp_path)
    command = [sys.executable, "-m", "placet.console", "-H", str(home.path)]
    console = Session(command, tmp_path, columns=100, rows=30, **asked)
    sessions.append(console)
    console.shows("waiting", "APPROVED", "scanned")
    for key, words in (
        ("?", "quit"), ("?", ""), (":", ""), ("\x1b", "1 Queue"), ("2", "MEMORY.md"), ("\r", ""),
        ("3", "Audit"), ("4", "Refusals"), ("5", "Check"), ("1", "waiting"), ("j", ""), ("j", ""),
        ("G", ""), ("e", ""), ("\x1b", ""), ("R", ""), ("\x1b", ""), ("/", ""), ("\x1b", ""),
    ):  # fmt: skip
        console.key(key)
        console.shows(*([words] if words else []))
    console.key("q")
    console.wait()
    assert console.raw.isascii(), sorted({bytes([b]) for b in console.raw if b > 0x7F})
    assert b"?5;5H" not in console.raw, "our own signs and badges come before the last net"


def test_where_utf8_is_asked_for_it_is_sent(tmp_path: Path, sessions: list[Session]) -> None:
    """The positive side: the same screen with the letters themselves."""
    home = furnished(tmp_path)
    command = [sys.executable, "-m", "placet.console", "-H", str(home.path)]
    console = Session(command, tmp_path, columns=100, rows=30, LANG="xx_XX.UTF-8")
    sessions.append(console)
    console.shows("\u00db5;5HAPPROVED", "scanned")
    console.key("q")
    assert console.wait() == 0
