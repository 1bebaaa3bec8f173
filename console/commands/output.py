"""Standard output and error as they may be found: closed, full, or a pipe whose reader has gone.

Only the standard library is used here, because `placet count` comes this way too.
"""

from __future__ import annotations

import io
import os
import select
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TextIO, cast

from placet.console.charset import ascii_only
from placet.store.errors import words_of

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


OK, REFUSED, USAGE, FINDINGS = 0, 1, 2, 3
"""Exit codes (design §12)."""


class _Sink(io.RawIOBase):
    """A descriptor to write to that never fails: what cannot be written goes nowhere.

    Attributes:
        gone: Whether it is a pipe whose reader has gone.
        problem: Why it cannot be written, in words, or empty.
    """

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self.gone = False
        self.problem = ""
        self._descriptor = descriptor

    def write(self, data: ReadableBuffer, /) -> int:
        """Write, and remember why that failed."""
        if not (self.gone or self.problem):
            try:
                return os.write(self._descriptor, data)
            except BrokenPipeError:
                self.gone = True
            except OSError as error:
                self.problem = words_of(error)
        return len(memoryview(data))

    def writable(self) -> bool:
        """It is."""
        return True

    def fileno(self) -> int:
        """The descriptor."""
        return self._descriptor

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return os.isatty(self._descriptor)

    def look(self) -> None:
        """Learn that the reader of a pipe has gone without writing anything."""
        poll = select.poll()
        poll.register(self._descriptor, 0)
        self.gone = self.gone or any(events & select.POLLERR for _, events in poll.poll(0))


_sinks: list[_Sink] = []


def is_unread() -> bool:
    """Whether what was printed so far reaches nobody: the output failed, or its reader has gone."""
    if not _sinks:
        return False
    sys.stdout.flush()
    sink = _sinks[-1]
    with suppress(OSError):
        sink.look()
    return sink.gone or bool(sink.problem)


def say(text: str) -> None:
    """Words to standard error, one line; where that cannot be written there is nobody to tell."""
    if ascii_only(os.environ):
        text = text.encode("ascii", "backslashreplace").decode("ascii")
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text + "\n")


def guarded(act: Callable[[], int]) -> int:
    """Run the program with its standard streams guarded.

    Args:
        act: The program; returns its exit code.

    Returns:
        Its exit code, also where the reader of a pipe has gone; 1 where standard output is closed
        or could not be written.
    """
    _fill_standard_streams()
    before = cast("TextIO | None", sys.stdout)
    if before is None:
        say("Standard output is closed, so nothing can be answered. Nothing was done.")
        return 1
    sink = _Sink(before.fileno())
    _sinks.append(sink)
    sys.stdout = _over(sink, before)
    try:
        code = act()
    finally:
        sys.stdout.flush()
        sys.stdout = before
        _sinks.remove(sink)
    if not sink.problem:
        return code
    say(
        f"Standard output cannot be written: {sink.problem}. What was printed is not complete;"
        " what was decided stands, and is in `placet audit`."
    )
    return 1


def _over(sink: _Sink, before: TextIO) -> io.TextIOWrapper:
    """A text stream like the one before, that never fails at a character its encoding lacks."""
    return io.TextIOWrapper(
        io.BufferedWriter(sink),
        encoding="ascii" if ascii_only(os.environ) else before.encoding,
        errors="backslashreplace",
        line_buffering=sink.isatty(),
    )


def _fill_standard_streams() -> None:
    """Put nothing where a stream is closed, so that no file of ours gets its number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
