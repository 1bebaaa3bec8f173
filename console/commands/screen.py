"""`placet` without a verb: open the console, or say why it cannot open here."""

from __future__ import annotations

from pathlib import Path

from placet.console.commands.run import REFUSED, Run


def open_console(run: Run, *, poll: bool, mouse: bool | None) -> int:
    """Open the console and return its exit code.

    Args:
        run: This invocation.
        poll: Watch by listing alone.
        mouse: Whether to take the mouse; None leaves it to the preferences and to SSH.
    """
    from placet.console import terminal

    reason = terminal.refusal(run.environment, interactive=terminal.interactive())
    if reason:
        run.note(reason)
        return REFUSED
    from placet.console import app

    return app.run(run.found, Path.home(), poll=poll, mouse=mouse)
