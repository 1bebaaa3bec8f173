"""`placet` without a verb: open the console, or say why it cannot open here."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from placet.console.charset import ascii_only
from placet.console.commands import output
from placet.console.shown import spoken


def open_console(given: Sequence[Path], *, poll: bool = False, mouse: bool | None = None) -> int:
    """Open the console and return its exit code; `REFUSED` without a terminal or a home.

    Args:
        given: Homes named with `-H`.
        poll: Watch by listing alone.
        mouse: Whether to take the mouse; None leaves it to the preferences and to SSH.
    """
    if no_terminal():
        return output.REFUSED
    from placet.console import app
    from placet.store.homes import places
    from placet.store.homes.find import find

    found = find(given, os.environ, places.home(os.environ))
    if not found.homes:
        for problem in found.problems:
            output.say(spoken(problem, ascii=ascii_only(os.environ)))
        return output.REFUSED
    return app.run(found, poll=poll, mouse=mouse)


def no_terminal(instead: str = "") -> bool:
    """Whether there is no terminal that will do; says so, and what else to run.

    Args:
        instead: A further sentence: what can be run without one.
    """
    from placet.console import terminal

    reason = terminal.refusal(os.environ, interactive=terminal.interactive())
    if reason:
        output.say(spoken(f"{reason} {instead}".rstrip(), ascii=ascii_only(os.environ)))
    return bool(reason)
