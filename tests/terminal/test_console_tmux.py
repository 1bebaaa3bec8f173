"""C01 through tmux: plain letters are enough; field reports 117, 121."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from terminal.session import DEADLINE, OPENED

pytestmark = [
    pytest.mark.terminal,
    pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed"),
]


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

    def shows(self, *words: str) -> None:
        """Wait until all of these are on the screen."""
        end = time.monotonic() + DEADLINE
        while True:
            text = self.run("capture-pane", "-p", "-t", "placet")
            if all(word in text for word in words):
                return
            assert time.monotonic() < end, f"not in time: {words}\n{text}"

    def key(self, key: str, armed: str = "") -> None:
        """Press a key; with `armed`, once the footer shows that it counts: without brackets."""
        if armed:
            self.shows(f" {armed}")
        self.run("send-keys", "-t", "placet", key)

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


def test_sent_text_decides_nothing(tmux: Tmux, tmp_path: Path) -> None:
    """C08 through tmux: a whole line sent at once."""
    tmux.shows("+ one", " a approve")
    tmux.run("send-keys", "-t", "placet", "-l", "aaaa")
    tmux.run("send-keys", "-t", "placet", "-l", "rrrrAAAA")
    tmux.shows("press again")
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
