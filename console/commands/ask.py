"""Asking the person at the terminal for a typed word; a pipe or a paste is no answer."""

from __future__ import annotations

import os
import termios

from placet.console.commands import output
from placet.console.shown import spoken
from placet.store.errors import Cancelled, NotAllowed

MAX_ANSWER = 4096
"""Longest answer that is read, in bytes."""


def line(question: str, *, ascii: bool = True) -> str:  # noqa: A002
    """Ask on the controlling terminal and return what was typed, without the line end.

    What was typed before the question appeared is thrown away.

    Raises:
        NotAllowed: There is no controlling terminal.
        Cancelled: The terminal was closed, the person ended the input, or what is asked about
            could not be printed.
    """
    if output.is_unread():
        raise Cancelled(
            "What this asks about could not be printed, so it is not asked. Nothing was decided."
        )
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError as error:
        raise NotAllowed(
            "This asks a person, and there is no controlling terminal. Nothing was decided."
            " Over SSH ask for one: `ssh -t`."
        ) from error
    try:
        termios.tcflush(terminal, termios.TCIFLUSH)
        os.write(terminal, spoken(question, ascii=ascii).encode("utf-8", "backslashreplace") + b" ")
        answer = _read_line(terminal)
    finally:
        os.close(terminal)
    if not answer:
        raise Cancelled("No answer. Nothing was decided.")
    return answer.decode("utf-8", "surrogateescape").rstrip("\n")


def _read_line(terminal: int) -> bytes:
    found = b""
    while not found.endswith(b"\n") and len(found) < MAX_ANSWER:
        piece = os.read(terminal, MAX_ANSWER - len(found))
        if not piece:
            return b""
        found += piece
    return found


def word(expected: str, question: str, *, ascii: bool = True) -> None:  # noqa: A002
    """Ask for one word.

    Raises:
        Cancelled: Anything else was typed.
        NotAllowed: There is no controlling terminal.
    """
    answer = line(f"{question} Type `{expected}` to go on, anything else to stop:", ascii=ascii)
    if answer.strip() != expected:
        raise Cancelled("Stopped. Nothing was decided.")


def reason(question: str, *, ascii: bool = True) -> str:  # noqa: A002
    """Ask for a reason that is not empty.

    Raises:
        Cancelled: None was given.
        NotAllowed: There is no controlling terminal.
    """
    answer = line(question, ascii=ascii).strip()
    if not answer:
        raise Cancelled("A reason is needed for this. Nothing was decided.")
    return answer
