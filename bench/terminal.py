"""A program under a real pseudo-terminal, timed from outside."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence

ESCAPES = re.compile(
    rb"\x1b\[[0-9;?<>=]*[A-Za-z]|\x1b[()][A-Z0-9]|\x1b[=>]|\x1b\][^\x07\x1b]*(\x07|\x1b\\)"
)


class Terminal:
    """One program on one pseudo-terminal.

    Args:
        command: Program and arguments.
        env: Its whole environment.
        size: Columns and rows.
    """

    def __init__(
        self, command: Sequence[str], env: Mapping[str, str], size: tuple[int, int] = (120, 40)
    ) -> None:
        self._master, slave = pty.openpty()
        columns, rows = size
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env=dict(env),
            preexec_fn=_take_terminal,
            close_fds=True,
        )
        os.close(slave)
        self.output = b""

    @property
    def pid(self) -> int:
        """Process id of the program."""
        return self._process.pid

    def text(self) -> bytes:
        """Everything written so far without escape sequences."""
        return ESCAPES.sub(b"", self.output)

    def wait_for(self, marker: bytes, timeout: float = 30.0) -> float:
        """Read until `marker` was written and return the seconds since the program started.

        Raises:
            TimeoutError: The marker did not come in time; the message holds the last output.
        """
        deadline = time.perf_counter() + timeout
        while marker not in self.text():
            if not self._read(deadline - time.perf_counter()):
                raise TimeoutError(f"{marker!r} never came; last output: {self.text()[-400:]!r}")
        return time.perf_counter() - self.started

    def settle(self, quiet: float = 0.4) -> None:
        """Read until nothing is written for `quiet` seconds, at most ten times as long."""
        end = time.perf_counter() + quiet * 10
        while time.perf_counter() < end and self._read(quiet):
            pass

    def key(self, key: bytes, rest: float = 0.03) -> tuple[float, int]:
        """Send one key; return seconds to the first byte and bytes within `rest` seconds after."""
        self.output = b""
        sent = time.perf_counter()
        os.write(self._master, key)
        self._read(2.0)
        first = time.perf_counter() - sent
        while self._read(rest):
            pass
        return first, len(self.output)

    def close(self) -> None:
        """End the program and free the terminal."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                while self._read(0.2):
                    pass
                self._process.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
        os.close(self._master)

    def _read(self, timeout: float) -> bool:
        ready, _, _ = select.select([self._master], [], [], max(0.0, timeout))
        if not ready:
            return False
        try:
            data = os.read(self._master, 1 << 16)
        except OSError:
            return False
        self.output += data
        return bool(data)


def _take_terminal() -> None:
    os.setsid()
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
