"""Failures of placet itself, told in words that stay harmless whatever they quote."""

from __future__ import annotations

import sqlite3
import traceback

from placet.console.commands import output
from placet.console.phrases.homes import doubt
from placet.console.shown import plain
from placet.store.errors import words_of

INTERRUPTED = 130

STANDS = (
    "What was decided before stands, and is in `placet audit`; what was begun is finished or taken"
    " back by the next deciding command."
)


def told(error: BaseException) -> int:
    """Say what failed and what stands; returns the exit code."""
    if isinstance(error, KeyboardInterrupt):
        output.say("Interrupted. What was decided before is in `placet audit`.")
        return INTERRUPTED
    if isinstance(error, sqlite3.Error):
        _say(doubt(f"The ledger cannot be read: {error}"))
        return output.REFUSED
    if isinstance(error, OSError):
        named = f" ({error.filename})" if error.filename else ""
        _say(f"The system refused something: {words_of(error)}{named}. {STANDS}")
        return output.REFUSED
    for entry in traceback.format_exception(error):
        for line in entry.rstrip("\n").split("\n"):
            _say(line)
    output.say(f"placet failed; this is a fault of its own. {STANDS}")
    return output.REFUSED


def _say(line: str) -> None:
    output.say(plain(line, ascii=True))
