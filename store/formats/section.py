"""Memory files: entries joined by a line that holds only `§`, read and written as Hermes does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from placet.store.model import SideEffect

DELIMITER = "\n§\n"
"""What stands between two entries."""


def universal(text: str) -> str:
    """Return `text` with CRLF and lone CR as LF, as Hermes reads it."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parse(text: str) -> list[str]:
    """Split a memory file into its entries, exactly as Hermes does on reload.

    Args:
        text: The whole file, decoded; any line ends. A byte order mark stays in the first entry.

    Returns:
        Stripped entries in order, empty ones dropped, duplicates kept (see `unique`).
    """
    pieces = (piece.strip() for piece in universal(text).split(DELIMITER))
    return [piece for piece in pieces if piece]


def unique(entries: Iterable[str]) -> list[str]:
    """Keep the first of equal entries, in order, as Hermes does before it changes anything."""
    return list(dict.fromkeys(entries))


def render(entries: Iterable[str]) -> str:
    """Join entries into the text of a memory file; no entry gives an empty file."""
    return DELIMITER.join(entries)


def size(entries: Sequence[str]) -> int:
    """Return the size of the file in characters (code points), which is what the cap counts."""
    return sum(map(len, entries)) + len(DELIMITER) * max(0, len(entries) - 1)


def drift(text: str, limit: int) -> str:
    """Tell whether a rewrite would change more than it names, and by which rule.

    Args:
        text: The whole file, decoded.
        limit: Cap of the file in characters; one entry above it is drift too.

    Returns:
        Empty if the file holds to the format, else one sentence for a person.
    """
    entries = parse(text)
    stripped = universal(text).strip()
    if stripped and stripped != render(entries):
        return _uneven(stripped)
    longest = max(map(len, entries), default=0)
    if longest > limit:
        number = 1 + [len(entry) for entry in entries].index(longest)
        return (
            f"Entry {number} holds {longest:,} characters, more than the {limit:,} of the whole "
            "file, as when a plain Markdown file takes the place of a list of entries."
        )
    return ""


def would_split(entry: str) -> str:
    """Tell why an entry would be read back as something else than itself (D6).

    Args:
        entry: Text of one entry; white space at its ends does not count, Hermes drops it.

    Returns:
        Empty if it survives between any neighbours, else the reason as one sentence.
    """
    text = entry.strip()
    if "\r" in text:
        return "It holds a carriage return, which is read back as a line feed."
    if DELIMITER in text:
        parts = len(parse(text))
        if parts == 1:
            return "A line of it holds only “§”, so a part of it would be lost when read back."
        return f"A line of it holds only “§”, so it would fall apart into {parts} entries."
    if text.endswith("\n§"):
        return "It ends in a line that holds only “§”, so it would swallow the next boundary."
    return ""


def side_effects(text: str) -> tuple[SideEffect, ...]:
    """Name what rewriting this file changes besides any operation (K04).

    Args:
        text: The whole file, decoded.

    Returns:
        One item each for line ends, edges, white space around delimiters, and duplicates.
    """
    entries = parse(text)
    plain = universal(text)
    found: list[SideEffect] = []
    if plain != text:
        found.append(SideEffect("line-endings", "Line endings will change from CR to LF."))
    if plain != plain.strip():
        found.append(SideEffect("edges", "Blank text at the ends of the file will be dropped."))
    if plain.strip() != render(entries):
        found.append(SideEffect("delimiters", "White space or empty entries beside “§” will go."))
    dropped = len(entries) - len(unique(entries))
    if dropped:
        words = "1 duplicate entry" if dropped == 1 else f"{dropped} duplicate entries"
        found.append(SideEffect("duplicates", f"{words} will be dropped."))
    return tuple(found)


def _uneven(stripped: str) -> str:
    """Words for the first piece of a file that would not be written back as it stands."""
    for number, piece in enumerate(stripped.split(DELIMITER), start=1):
        if not piece.strip():
            return f"Piece {number} between two “§” lines is empty and would be dropped."
        if piece != piece.strip():
            return f"White space beside the “§” line at entry {number} would be dropped."
    return "The file would not be written back as it stands."
