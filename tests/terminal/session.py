"""Runs a program under a real pseudo-terminal and reads what it draws."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from terminal.vt import Screen

DEADLINE = 30.0
"""Longest wait for anything, in seconds."""

OPENED = Path(__file__).with_name("opened.py")

REMOVED = ("SSH_CONNECTION", "TMUX", "STY", "NO_COLOR", "COLORTERM", "LC_ALL", "LC_CTYPE")


class Session:
    """One program on one terminal.

    Attributes:
        raw: Everything that it has written.
        screen: What that looks like.
    """

    def __init__(
        self,
        command: list[str],
        folder: Path,
        *,
        columns: int = 80,
        rows: int = 24,
        **env: str,
    ) -> None:
        environment = {k: v for k, v in os.environ.items() if k not in REMOVED}
        environment |= {
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "XDG_STATE_HOME": str(folder / "state"),
            "XDG_CONFIG_HOME": str(folder / "config"),
        } | env
        self.raw = b""
        self.screen = Screen(columns, rows)
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.execvpe(command[0], command, environment)
        self.size(columns, rows)
        os.set_blocking(self.master, False)
        self._status: int | None = None

    # the terminal

    def size(self, columns: int, rows: int) -> None:
        """Resize the terminal."""
        packed = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, packed)
        self.screen.resize(columns, rows)

    def write(self, data: bytes) -> None:
        """Type."""
        os.write(self.master, data)

    def read(self, seconds: float = 0.05) -> None:
        """Take what has been written."""
        if not select.select([self.master], [], [], seconds)[0]:
            return
        try:
            data = os.read(self.master, 65536)
        except OSError:
            return  # the program has ended and its side is closed
        self.raw += data
        self.screen.feed(data.decode("utf-8", "ignore"))

    def until(self, true: Callable[[], object], what: str) -> None:
        """Read until something holds."""
        end = time.monotonic() + DEADLINE
        while not true():
            assert time.monotonic() < end, f"not in time: {what}\n{self.screen.text()}"
            self.read()

    def shows(self, *words: str) -> None:
        """Wait until all of these are on the screen."""
        self.until(lambda: all(word in self.screen.text() for word in words), f"{words}")

    def key(self, key: str, armed: str = "") -> None:
        """Press a key as a person does; with `armed`, once the footer shows that it counts."""
        if armed:
            self.until(lambda: f" {armed}" in self.screen.text(), armed)
        end = time.monotonic() + 0.35
        while time.monotonic() < end:
            self.read(0.02)
        self.write(key.encode())

    # the program

    def signal(self, number: int) -> None:
        """Send it a signal."""
        os.kill(self.pid, number)

    def wait(self) -> int:
        """Its exit code, once it has ended; minus the signal where that ended it."""
        end = time.monotonic() + DEADLINE
        while self._status is None:
            assert time.monotonic() < end, "the program does not end\n" + self.screen.text()
            self.read(0.02)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._status = status
        self.read(0)
        return os.waitstatus_to_exitcode(self._status)

    def close(self) -> None:
        """Hang up, and make sure that it has ended."""
        if self.master >= 0:
            os.close(self.master)
            self.master = -1
        if self._status is None:
            end = time.monotonic() + 5
            while time.monotonic() < end:
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                if pid:
                    self._status = status
                    return
                select.select([], [], [], 0.05)
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)


def opened(folder: Path, *, columns: int = 80, rows: int = 24, **spec: Any) -> Session:
    """The console on a home of its own, waiting for keys.

    Args:
        folder: Where the home and everything else goes.
        columns: Width in cells.
        rows: Height in cells.
        spec: What is in the home (see `opened.py`), and `env` for the environment.
    """
    env = spec.pop("env", {})
    path = folder / "spec.json"
    path.write_text(json.dumps(spec))
    command = [sys.executable, str(OPENED), str(folder), str(path)]
    session = Session(command, folder, columns=columns, rows=rows, **env)
    session.shows("1 Queue", "scanned" if columns >= 60 else "Queue")
    return session
