"""The entry point: clean the process first, then the console or a verb."""

from __future__ import annotations

import os
import sys
from collections.abc import MutableMapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

COLOUR_SYSTEM = "TEXTUAL_COLOR_SYSTEM"

KEPT_TEXTUAL = frozenset({COLOUR_SYSTEM, "TEXTUAL_ANIMATIONS", "TEXTUAL_FPS"})
"""Variables of the framework that change how it looks; every other one could press keys."""

COLOUR_SYSTEMS = frozenset({"auto", "standard", "256", "truecolor", "windows"})
"""The framework fails on any other word."""

FIXED_SIZE = ("COLUMNS", "LINES")
"""An exported size would win over the terminal's own, so that resizing went unnoticed."""


def scrub(environment: MutableMapping[str, str]) -> None:
    """Drop every variable that could drive the interface before the framework is imported.

    Args:
        environment: The process environment, changed in place.
    """
    for name in [name for name in environment if name.upper().startswith("TEXTUAL")]:
        if name not in KEPT_TEXTUAL:
            del environment[name]
    if environment.get(COLOUR_SYSTEM) not in COLOUR_SYSTEMS:
        environment.pop(COLOUR_SYSTEM, None)
    for name in FIXED_SIZE:
        environment.pop(name, None)


def trusted_path(entries: list[str], folder: str, roots: tuple[str, ...]) -> list[str]:
    """Leave the working directory out of the import path: an agent may write there.

    Args:
        entries: `sys.path` as found.
        folder: The working directory, or "" where it is gone.
        roots: Folders of the interpreter itself, which stay even when one works inside them.
    """
    here = os.path.realpath(folder) if folder else ""
    own = any(here == root or here.startswith(root + os.sep) for root in roots)
    return [
        entry for entry in entries if entry and (own or not here or os.path.realpath(entry) != here)
    ]


def _working_directory() -> str:
    try:
        return os.getcwd()  # noqa: PTH109 - pathlib costs time that `count` does not have
    except OSError:
        return ""


def main() -> None:
    """Run placet."""
    sys.exit(_run())


def _run() -> int:
    scrub(os.environ)
    roots = tuple(os.path.realpath(root) for root in {sys.prefix, sys.base_prefix})
    sys.path[:] = trusted_path(sys.path, _working_directory(), roots)
    from placet.console import charset
    from placet.console.commands import output

    charset.uncoerce(os.environ)
    return output.guarded(lambda: _verb(sys.argv[1:]))


def _verb(arguments: list[str]) -> int:
    from placet.console.commands import early

    asked = early.request(arguments)
    if asked is None:
        from placet.console.commands.root import run

        return run(arguments)
    if asked.verb:
        from placet.console.commands import count

        return count.run(asked)
    return console(asked.homes)


def console(homes: tuple[Path, ...]) -> int:
    """Open the console and return the exit code.

    Args:
        homes: Homes named with `-H`.
    """
    from placet.console.commands.screen import open_console

    try:
        return open_console(homes)
    except (Exception, KeyboardInterrupt) as error:
        from placet.console.commands import failures

        return failures.told(error)


if __name__ == "__main__":
    main()
