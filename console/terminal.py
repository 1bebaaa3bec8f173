"""The terminal itself: whether there is one that will do, and how to survive its loss."""

from __future__ import annotations

import os
import sys
import termios
from collections.abc import Callable, Mapping
from typing import IO, Any

from textual.drivers.linux_driver import LinuxDriver


def refusal(env: Mapping[str, str], *, interactive: bool) -> str:
    """Say why the console cannot open here and what to do instead, or "" if it can.

    Args:
        env: The process environment.
        interactive: Whether standard input and standard error are terminals.
    """
    if not interactive:
        return (
            "The console needs a terminal on standard input and standard error. "
            "Over SSH ask for one: `ssh -t HOST placet`. "
            "`placet pending` and `placet show REF` need none; what decides needs a person at one."
        )
    if env.get("TERM", "") in ("", "dumb", "unknown"):
        return (
            f"This terminal says TERM={env.get('TERM', '') or '(nothing)'}, which cannot draw a "
            "screen. Set TERM to what it really is (for instance `TERM=xterm-256color placet`), or "
            "work line by line: `placet pending`, `placet show REF`, `placet approve REF --seen"
            " DIGEST`."
        )
    return ""


def interactive() -> bool:
    """Whether standard input and standard error are terminals."""
    return os.isatty(0) and os.isatty(2)


def few_colours(env: Mapping[str, str]) -> bool:
    """Whether the terminal has sixteen colours or fewer."""
    if env.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return False
    term = env.get("TERM", "")
    return "256color" not in term and "direct" not in term and term not in ("alacritty", "foot")


def lost() -> bool:
    """Whether the terminal on standard input has gone away."""
    try:
        termios.tcgetattr(0)
    except termios.error:
        return True
    return False


class _Outlives:
    """A text file whose writes may fail without killing the thread that makes them."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file
        self._gone = False

    def _attempt(self, act: Callable[[], object]) -> None:
        if self._gone:
            return
        try:
            act()
        except OSError:  # hung up: the app notices by itself and leaves
            self._gone = True

    def write(self, text: str) -> int:
        """Write, or drop the text once the terminal is gone."""
        self._attempt(lambda: self._file.write(text))
        return len(text)

    def flush(self) -> None:
        """Flush, or do nothing once the terminal is gone."""
        self._attempt(self._file.flush)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file, name)


class TerminalDriver(LinuxDriver):
    """Textual's driver, which survives a terminal that hangs up.

    The stock one loses its writing thread then, and waits for ever for a place in its queue.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)  # pyright: ignore[reportUnknownMemberType]
        assert sys.__stderr__ is not None
        self._file = _Outlives(sys.__stderr__)  # type: ignore[assignment]

    def _run_input_thread(self) -> None:
        try:
            self.run_input_thread()
        except OSError:  # the terminal hung up while we were reading from it
            self._app.call_later(self._app.exit, None, 129)
        except BaseException as error:
            self._app.call_later(self._app._handle_exception, error)  # pyright: ignore
