"""Standard output and error as they may be found: closed, full, or a pipe whose reader has gone.

Only the standard library is used here, because `placet count` comes this way too.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TextIO, cast


class Lost(Exception):
    """Standard output cannot be written; the text says why. No error of the system, so that
    nobody takes it for one of a file."""


class _Guarded:
    """A stream that goes quiet when its reader has gone, and says in words that it failed.

    Attributes:
        gone: Whether the reader has gone; what is written then goes nowhere.
    """

    def __init__(self, stream: Any) -> None:
        self.gone = False
        self._stream = stream

    def write(self, text: Any) -> int:
        """Write, as the stream would."""
        return int(self._tried(lambda: self._stream.write(text)) or 0)

    def flush(self) -> None:
        """Flush, as the stream would."""
        self._tried(self._stream.flush)

    @property
    def buffer(self) -> _Guarded:
        """The bytes below the text, guarded as well."""
        return _Guarded(self._stream.buffer)

    def _tried(self, act: Callable[[], Any]) -> Any:
        try:
            return act()
        except BrokenPipeError:
            self.gone = True
            _send_nowhere(self._stream)
            return 0
        except UnicodeError:
            raise
        except (OSError, ValueError) as error:
            _send_nowhere(self._stream)
            raise Lost(getattr(error, "strerror", None) or str(error)) from error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def _send_nowhere(stream: Any) -> None:
    """Let what the stream still holds, and all that comes, go nowhere; it could not be written."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        os.dup2(null, stream.fileno())
        os.close(null)


def reader_is_gone() -> bool:
    """Whether nobody reads standard output any more, so that going on printing makes no sense."""
    return isinstance(sys.stdout, _Guarded) and sys.stdout.gone


def say(text: str) -> None:
    """Words to standard error, one line; where that cannot be written there is nobody to tell."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text + "\n")


def guarded(act: Callable[[], int]) -> int:
    """Run the program with its standard streams guarded.

    Args:
        act: The program; returns its exit code.

    Returns:
        Its exit code; 1 where standard output is closed, or could not be written.
    """
    _fill_standard_streams()
    before = cast("TextIO | None", sys.stdout)
    if before is None:
        say("Standard output is closed, so nothing can be answered. Nothing was done.")
        return 1
    _soften(before)
    sys.stdout = cast("TextIO", _Guarded(before))
    try:
        code = act()
        sys.stdout.flush()
        return code
    except Lost as error:
        say(
            f"Standard output cannot be written: {error}. What was printed is not complete; what"
            " was decided before stands, and is in `placet audit`."
        )
        return 1
    finally:
        sys.stdout = before


def _fill_standard_streams() -> None:
    """Put nothing where a stream is closed, so that no file of ours gets its number."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _soften(stream: TextIO) -> None:
    """Never fail at a character that the encoding lacks; ours are chosen by the locale."""
    with suppress(AttributeError, ValueError):
        cast("Any", stream).reconfigure(errors="backslashreplace")
