"""Editing a text in the person's own editor; what it holds never reaches a terminal raw."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from placet.console.shown import escape_source, unescape_source

Run = Callable[[list[str]], int]
"""Runs the editor on this terminal and returns its exit code."""


class EditorFailed(Exception):
    """The editor could not be used; the text says why, and nothing was changed."""


def editor_command(env: Mapping[str, str]) -> list[str]:
    """The person's editor as a command, `vi` where none is named."""
    return shlex.split(env.get("VISUAL") or env.get("EDITOR") or "vi")


def run_here(command: list[str]) -> int:
    """Run a command on this terminal."""
    return subprocess.run(command, check=False).returncode


def edit_outside(text: str, env: Mapping[str, str], run: Run = run_here) -> str | None:
    """Let a person edit a text in their editor.

    Args:
        text: The real text.
        env: The environment, for $VISUAL and $EDITOR.
        run: Runs the editor.

    Returns:
        The text afterwards, or None where it was left as it was.

    Raises:
        EditorFailed: The editor did not end well, or its text cannot be read back.
    """
    source = escape_source(text)
    ended = text.endswith("\n")
    with tempfile.TemporaryDirectory(prefix="placet-") as folder:
        path = Path(folder) / "text.md"
        _write(path, source if ended else source + "\n")
        try:
            code = run([*editor_command(env), str(path)])
        except (OSError, ValueError) as error:
            raise EditorFailed(f"the editor could not be started: {error}") from error
        if code != 0:
            raise EditorFailed(f"the editor ended with {code}; nothing was changed")
        typed = _read(path)
    if not ended and typed.endswith("\n"):
        typed = typed[:-1]
    if typed == source:
        return None
    try:
        return unescape_source(typed)
    except ValueError as error:
        raise EditorFailed(f"what was saved cannot be read back: {error}") from error


def _write(path: Path, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(text.encode("utf-8"))


def _read(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise EditorFailed(f"what was saved cannot be read: {error}") from error
