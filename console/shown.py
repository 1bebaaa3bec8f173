"""The one way from a text that nobody vouches for to a screen: escape it before layout.

What is suspicious is decided in `store/text/suspect.py`; how it is drawn is decided here. Nothing
is dropped or replaced: each piece knows which characters it stands for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from placet.console.charset import in_ascii
from placet.store.text import suspect
from placet.store.text.suspect import MarkKind

ARROW = "→"
DOT = "·"
LINE_END = "␊"


class Piece(NamedTuple):
    """A run of text that may go to a terminal as it is.

    Attributes:
        text: What to draw.
        suspect: Whether it stands for characters that must not be drawn; it gets a look of its
            own, which no content can have.
        start: First character of the source that it stands for.
        end: Character after the last one.
        blank: Whether it makes white space visible: a tab, trailing blanks, a line end.
    """

    text: str
    suspect: bool
    start: int
    end: int
    blank: bool = False


Shown = tuple[Piece, ...]
"""A text made harmless, from left to right."""

_SIMPLE = re.compile(r"[ -~]*[!-~]\Z|\Z")
_TRAILING = re.compile(r" +(?=\n|\Z)")
_LINE_END = re.compile(r"\n")
_BLANKS = re.compile(r" +")
_NAMED_ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\\": "\\\\"}
_ESCAPE = re.compile(r"\\(?:([tnr\\])|x([0-9A-Fa-f]{2})|u\{([0-9A-Fa-f]{1,6})\}|)")
_UNNAMED = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}
_NOT_ASCII_OR_BACKSLASH = re.compile(r"[^ -\[\]-~]")


def show(text: str, *, ascii: bool = False, invisibles: bool = False) -> Shown:  # noqa: A002
    """Escape everything in a text that must not reach a terminal, and make blanks at its end seen.

    Args:
        text: One line, or several; a line end inside is drawn as a mark of its own.
        ascii: Whether the terminal can draw ASCII only: everything else becomes `\\u{202E}`, and
            a backslash two.
        invisibles: Whether every blank is to be drawn as a mark, not only those at a line's end.

    Returns:
        Pieces whose spans cover the text without gap or overlap; a piece that is neither suspect
        nor blank is drawn as the characters themselves, except in ASCII.
    """
    simple = not invisibles and not (ascii and "\\" in text) and _SIMPLE.match(text)
    if simple:
        return (Piece(text, False, 0, len(text)),) if text else ()
    return tuple(_pieces(text, ascii, invisibles))


def plain(text: str, *, ascii: bool = False) -> str:  # noqa: A002
    """Escape a text for a place that has no looks: a title, a message, a name, a pipe.

    Args:
        text: Any text; a line end becomes `␊`, so that the result is one line.
        ascii: Whether only ASCII can be drawn.
    """
    return "".join(piece.text for piece in show(text, ascii=ascii))


def spoken(words: str, *, ascii: bool = False) -> str:  # noqa: A002
    """Escape our own words, which may quote others, for a place that has no looks.

    Args:
        words: One line of words; a line end becomes `␊`.
        ascii: Whether only ASCII can be drawn; our own signs are then put plainly.
    """
    return plain(in_ascii(words) if ascii else words, ascii=ascii)


def escape_source(text: str) -> str:
    r"""Write a text so that a stock editor keeps it: `\u{202E}`, `\x1b`, `\t` and `\\`.

    Line ends stay; `unescape_source` gives the very same text back.
    """
    parts: list[str] = []
    at = 0
    for mark in suspect.marks(text):
        if mark.kind is not MarkKind.QUOTE:
            parts.append(text[at : mark.start].replace("\\", "\\\\"))
            parts.extend(_escaped(char) for char in text[mark.start : mark.end])
            at = mark.end
    parts.append(text[at:].replace("\\", "\\\\"))
    return "".join(parts)


def unescape_source(source: str) -> str:
    """Turn what `escape_source` wrote, and a person edited, back into the text.

    Raises:
        ValueError: A backslash begins no escape; the text says where and what to write.
    """
    return _ESCAPE.sub(_unescaped, source)


def _unescaped(match: re.Match[str]) -> str:
    letter, byte, code = match.groups()
    if letter:
        return _UNNAMED[letter]
    number = int(byte or code or "110000", 16)
    if number <= 0x10FFFF:
        return chr(number)
    line = match.string.count("\n", 0, match.start()) + 1
    column = match.start() - match.string.rfind("\n", 0, match.start())
    written = plain(match.string[match.start() : max(match.end(), match.start() + 2)])
    raise ValueError(
        f"Line {line}, column {column}: `{written}` is no escape. Nothing was changed. "
        "Write two backslashes for a backslash, or a form such as \\t, \\x1b or \\u{202E}."
    )


def _escaped(char: str) -> str:
    if char in _NAMED_ESCAPES:
        return _NAMED_ESCAPES[char]
    code = ord(char)
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{{{code:X}}}"


def _pieces(text: str, ascii_only: bool, invisibles: bool) -> Iterator[Piece]:
    at = 0
    for mark in _all_marks(text, ascii_only, invisibles):
        if mark.start > at:
            yield Piece(text[at : mark.start], False, at, mark.start)
        yield mark
        at = mark.end
    if at < len(text):
        yield Piece(text[at:], False, at, len(text))


def _all_marks(text: str, ascii_only: bool, invisibles: bool) -> list[Piece]:
    """Everything that is not drawn as itself, in order."""
    badges = suspect.marks(text)
    if ascii_only:
        badges = tuple(mark for mark in badges if mark.kind is not MarkKind.QUOTE)
    found = [_badge(text, mark, ascii_only) for mark in badges]
    found += _white_space(text, ascii_only, invisibles)
    if ascii_only:
        found += _rest_in_ascii(text, found)
    found.sort(key=lambda piece: piece.start)
    return found


def _badge(text: str, mark: suspect.Mark, ascii_only: bool) -> Piece:
    start, end, kind, label = mark
    chars = text[start:end]
    tab = chars == "\t"
    if ascii_only:
        drawn = "".join(map(_escaped, chars))
    elif tab:
        drawn = ARROW
    elif kind is MarkKind.CONTROL:
        drawn = "^" + chr(ord(chars) ^ 0x40)
    else:
        drawn = f"‹{label}›"
    return Piece(drawn, not tab, start, end, tab)


def _white_space(text: str, ascii_only: bool, invisibles: bool) -> list[Piece]:
    dot, line_end = ("\\x20", "\\n") if ascii_only else (DOT, LINE_END)
    pattern = _BLANKS if invisibles else _TRAILING
    found = [
        Piece(dot * (m.end() - m.start()), False, m.start(), m.end(), True)
        for m in pattern.finditer(text)
    ]
    found += [Piece(line_end, False, m.start(), m.end(), True) for m in _LINE_END.finditer(text)]
    return found


def _rest_in_ascii(text: str, done: list[Piece]) -> list[Piece]:
    taken = {at for piece in done for at in range(piece.start, piece.end)}
    return [
        Piece(_escaped(m.group()), False, m.start(), m.end())
        for m in _NOT_ASCII_OR_BACKSLASH.finditer(text)
        if m.start() not in taken
    ]
