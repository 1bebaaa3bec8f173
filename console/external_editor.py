"""The person's own editor on a private file; what was typed is never lost."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from placet.console.shown import escape_source, unescape_source
from placet.store.errors import Cancelled, PlacetError, words_of
from placet.store.text.suspect import hidden

FALLBACK = "vi"

MAX_BYTES = 1 << 20
"""Largest text that is read back, in bytes, unless it was larger before."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A text while it is edited.

    Attributes:
        text: The text before.
        path: The private file that holds it.
        escaped: Whether the file holds the escaped form, because something is hidden in it.
    """

    text: str
    path: Path
    escaped: bool


Editor = Callable[[Path], None]
"""Opens a file for the person and returns when they are done."""


def command(env: Mapping[str, str]) -> list[str]:
    """The person's editor as a command.

    Raises:
        Cancelled: The variable cannot be understood.
    """
    wanted = env.get("VISUAL", "").strip() or env.get("EDITOR", "").strip() or FALLBACK
    try:
        return shlex.split(wanted)
    except ValueError as error:
        raise Cancelled(
            f"$VISUAL or $EDITOR cannot be understood ({error}). Nothing was changed."
        ) from error


def editor(env: Mapping[str, str]) -> Editor:
    """The person's editor.

    Args:
        env: Where `VISUAL` and `EDITOR` stand.
    """

    def open_file(path: Path) -> None:
        words = command(env)
        try:
            code = subprocess.call([*words, str(path)])
        except OSError as error:
            raise Cancelled(
                f"The editor {words[0]} could not be started ({words_of(error)}). Nothing was"
                " changed. Set $EDITOR to one that can."
            ) from error
        if code != 0:
            raise Cancelled(f"The editor ended with code {code}. Nothing was changed.")

    return open_file


@contextmanager
def draft(text: str, name: str) -> Generator[Draft]:
    """A private file with a text; removed at the end unless something fails before.

    On any failure the file stays where it holds something typed, and the error says where.

    Args:
        text: What to edit.
        name: Last part of the file's name, for the editor to recognise the kind of text.
    """
    folder = Path(tempfile.mkdtemp(prefix="placet-"))
    path = folder / name
    escaped = bool(hidden(text))
    source = escape_source(text) if escaped else text
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(source.encode("utf-8", "surrogatepass"))
    try:
        yield Draft(text, path, escaped)
    except BaseException as error:
        kept = _kept(path, source)
        if not kept:
            raise
        if isinstance(error, KeyboardInterrupt):
            raise Cancelled(f"Interrupted. Your text is kept in {kept}") from error
        if isinstance(error, PlacetError):
            error.args = (f"{error} Your text is kept in {kept}",)
        else:
            error.add_note(f"Your text is kept in {kept}")
        raise
    _remove(path)


def typed(found: Draft, open_file: Editor) -> str:
    """Let the person edit, and return the text.

    A line end that the editor added at the very end is left out again.

    Raises:
        Cancelled: The editor failed, or the text cannot be read back; it is kept.
    """
    open_file(found.path)
    try:
        source = _read(found).decode("utf-8")
        text = unescape_source(source) if found.escaped else source
    except (OSError, ValueError) as error:
        raise Cancelled(
            f"What you typed cannot be read back: {error} Nothing was changed."
        ) from error
    if text.endswith("\n") and not found.text.endswith("\n"):
        return text[:-1]
    return text


def _read(found: Draft) -> bytes:
    """The bytes of the file, unless there are too many to plan with.

    Raises:
        Cancelled: There are; the file is kept by `draft`.
    """
    limit = max(MAX_BYTES, 2 * len(found.text.encode("utf-8", "surrogatepass")))
    with found.path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise Cancelled(
            f"What you typed holds more than {limit:,} bytes, which is more than can be written to"
            " memory. Nothing was changed."
        )
    return data


def _kept(path: Path, source: str) -> str:
    """Where the typed text is, or empty where nothing was typed (and the file is removed)."""
    try:
        wanted = source.encode("utf-8", "surrogatepass")
        same = path.stat().st_size == len(wanted) and path.read_bytes() == wanted
    except OSError:
        return ""
    if same:
        _remove(path)
        return ""
    return str(path)


def _remove(path: Path) -> None:
    """Remove the folder that was made for the file, with what the editor left beside it."""
    shutil.rmtree(path.parent, ignore_errors=True)
