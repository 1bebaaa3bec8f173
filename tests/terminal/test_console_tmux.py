"""C01 through tmux: plain letters are enough; field reports 117, 121."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from terminal.session import DEADLINE, OPENED

pytestmark = [
    pytest.mark.terminal,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]


TYPING = 0.06
QUIET = 0.3
"""Seconds between two typed keys, and before the one that decides."""


class Tmux:
    """One tmux server of its own with the console in its only pane."""

    def __init__(self, folder: Path, **spec: object) -> None:
        self.folder = folder
        self._socket = str(folder / "tmux")
        (folder / "spec.json").write_text(json.dumps(spec))
        env = {"XDG_STATE_HOME": str(folder / "state"), "XDG_CONFIG_HOME": str(folder / "config")}
        words = [f"{k}={v}" for k, v in env.items()]
        command = shlex.join(
            ["env", *words, sys.executable, str(OPENED), str(folder), str(folder / "spec.json")]
        )
        self.run("new-session", "-d", "-x", "80", "-y", "24", "-s", "placet", command)

    def run(self, *words: str) -> str:
        """Run one tmux command."""
        environment = {k: v for k, v in os.environ.items() if k != "TMUX"} | {"LANG": "C.UTF-8"}
        done = subprocess.run(
            ["tmux", "-f", "/dev/null", "-u", "-S", self._socket, *words],
            env=environment,
            capture_output=True,
            check=False,
        )
        return done.stdout.decode("utf-8", "ignore")

    def screen(self) -> str:
        """What stands on the screen."""
        return self.run("capture-pane", "-p", "-t", "placet")

    def shows(self, *words: str) -> None:
        """Wait until all of these are on the screen."""
        self.until(lambda: all(word in self.screen() for word in words), str(words))

    def until(self, so: Callable[[], bool], what: str) -> None:
        """Wait until something is so."""
        end = time.monotonic() + DEADLINE
        while not so():
            assert time.monotonic() < end, f"not in time: {what}\n{self.screen()}"

    def key(self, key: str, armed: str = "") -> None:
        """Press a key; with `armed`, once the footer shows that it counts: without brackets."""
        if armed:
            self.shows(f" {armed}")
        self.run("send-keys", "-t", "placet", key)

    def type(self, text: str) -> None:
        """Type as a person does: what comes faster than that counts as pasted."""
        for character in text:
            self.key(character)
            time.sleep(TYPING)
        time.sleep(QUIET)

    def kinds(self) -> list[str]:
        """Kinds of the events in the home's log."""
        from terminal.test_console_pty import kinds

        return kinds(self.folder)


@pytest.fixture
def tmux(tmp_path: Path) -> Iterator[Tmux]:
    """The console inside tmux."""
    found = Tmux(tmp_path, adds=["one", "two"], memory=["alpha"])
    yield found
    found.run("kill-server")


def test_approve_refuse_and_undo_with_plain_letters(tmux: Tmux, tmp_path: Path) -> None:
    """C01, field report 121; the console says that others can type here (design §9)."""
    tmux.shows("+ one")
    tmux.key("a", "a approve")
    tmux.shows("added 1 to MEMORY.md", "+ two")
    tmux.key("r", "r refuse")
    tmux.shows("refused")
    tmux.key("u")
    tmux.shows("No file changes")
    tmux.key("a", "a approve")
    tmux.shows("+ two")
    assert tmux.kinds() == ["baseline", "approved", "rejected", "undone"]
    tmux.key("5")
    tmux.shows("other programs of this user can type here")
    tmux.key("q")


@pytest.fixture
def batched(tmp_path: Path) -> Iterator[Tmux]:
    """The console inside tmux, with a batch behind two additions."""
    found = Tmux(tmp_path, adds=["one", "two"], batches=[["first", "second", "third"]])
    yield found
    found.run("kill-server")


def test_reason_edit_and_drop_with_plain_letters(batched: Tmux, tmp_path: Path) -> None:
    """C01 at 80×24: refuse with a reason, edit inline, drop an operation, undo it."""
    tmux = batched
    tmux.shows("+ one")
    tmux.key("R", "R reason")
    tmux.shows("Refuse, with a reason")
    tmux.type("untrue")
    tmux.key("Enter")
    tmux.shows("refused default", "+ two")
    tmux.key("e", "e edit")
    tmux.shows("esc")
    tmux.key("!")
    tmux.key("Escape")
    tmux.shows("+ two!")
    tmux.key("a", "a approve")
    tmux.shows("+ first")
    for key in ("]", "]"):
        tmux.key(key)
    tmux.shows("operation 2 of 3")
    tmux.key("Space")
    tmux.shows("left out")
    for key, seen in (("G", "proposer's words"), ("g", "background review")):
        tmux.key(key)
        tmux.shows(seen)
    tmux.key("a", "a approve")
    tmux.shows("Nothing waits")
    memory = tmp_path / "home" / "memories" / "MEMORY.md"
    entries = memory.read_bytes().decode().split("\n§\n")
    assert entries[:2] == ["alpha", "two!"]
    assert len(entries) == 4
    assert set(entries[2:]) < {"first", "second", "third"}
    tmux.key("u")
    tmux.key("A", "A approve")
    tmux.shows("type memory")
    tmux.type("memory")
    tmux.key("Enter")
    tmux.until(lambda: tmux.kinds()[-1] == "undone", "the undo")
    assert memory.read_bytes().decode() == "alpha\n§\ntwo!"
    assert tmux.kinds() == ["baseline", "rejected", "edited", "approved", "undone"]


def test_sent_text_decides_nothing(tmux: Tmux, tmp_path: Path) -> None:
    """C08 through tmux: a whole line sent at once."""
    tmux.shows("+ one", " a approve")
    tmux.run("send-keys", "-t", "placet", "-l", "aaaa")
    tmux.run("send-keys", "-t", "placet", "-l", "rrrrAAAA")
    said = ("press again", "nothing was decided")
    tmux.until(lambda: any(words in tmux.screen() for words in said), "the reason")
    assert tmux.kinds() == ["baseline"]


def test_detached_and_resized_it_stays_correct(tmux: Tmux, tmp_path: Path) -> None:
    """Field report 117."""
    tmux.shows("+ one")
    tmux.run("resize-window", "-t", "placet", "-x", "40", "-y", "10")
    tmux.shows("2 Memory >")
    tmux.run("resize-window", "-t", "placet", "-x", "120", "-y", "40")
    tmux.shows("scanned", "+ one")
    tmux.key("a", "a approve")
    tmux.shows("added 1 to MEMORY.md")
    assert tmux.kinds() == ["baseline", "approved"]
    assert (tmp_path / "home/memories/MEMORY.md").read_text() == "alpha\n§\none"
