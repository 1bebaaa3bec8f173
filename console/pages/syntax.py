"""Which words of a skill file get an ink of their own: its language line by line, its tokens.

Only inks: no character is added, dropped or moved. Pygments is imported with the first line that is
drawn, and only the lexers of what skills are written in.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from functools import cache, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from placet.store.text import suspect

if TYPE_CHECKING:
    from pygments.lexer import Lexer

LONGEST = 400
"""Characters of the longest line that gets inks; some lexers are quadratic in a line's length."""

PATIENCE = 0.003
"""Seconds after which the rest of a line stays in one ink: no key waits for colours."""

_FENCE = re.compile(r" {0,3}(```+|~~~+)\s*([\w+-]*)")
_SUFFIXES = {
    "md": "markdown",
    "markdown": "markdown",
    "py": "python",
    "sh": "shell",
    "bash": "shell",
    "zsh": "shell",
    "json": "json",
    "yaml": "yaml",
    "yml": "yaml",
    "toml": "toml",
}
_FENCED = {**_SUFFIXES, "python": "python", "shell": "shell", "console": "shell"}


class Token(StrEnum):
    """What a run of characters is in its language; a theme gives each an ink."""

    KEYWORD = "keyword"
    NAME = "name"
    STRING = "string"
    NUMBER = "number"
    COMMENT = "comment"
    HEADING = "heading"
    EMPHASIS = "emphasis"


class Run(NamedTuple):
    """Characters `start` to `end` of a line are a `token`."""

    start: int
    end: int
    token: Token


def languages(name: str, text: str | None) -> tuple[str, ...]:
    """The language of every line of a file, "" where it has none that is known.

    Args:
        name: Name of the file; its ending tells the language.
        text: Its text, split at line feeds only; None is an absent file.
    """
    language = _SUFFIXES.get(name.rpartition(".")[2].lower(), "")
    lines = (text or "").split("\n")
    if language == "markdown":
        return tuple(_in_markdown(lines))
    return (language,) * len(lines)


def _in_markdown(lines: Sequence[str]) -> Iterator[str]:
    """Front matter is YAML, a fenced block what its fence says."""
    front = bool(lines) and lines[0].rstrip() == "---"
    fence, inside = "", ""
    for number, line in enumerate(lines):
        if front:
            front = number == 0 or line.rstrip() != "---"
            yield "yaml"
            continue
        match = _FENCE.match(line)
        if fence and match is not None and match[1].startswith(fence) and not match[2]:
            fence = ""
        elif fence:
            yield inside
            continue
        elif match is not None:
            fence, inside = match[1], _FENCED.get(match[2].lower(), "")
        yield "markdown"


@lru_cache(4096)
def runs(language: str, line: str) -> tuple[Run, ...]:
    """The tokens of one line, from left to right and without overlap.

    A line that is long, or that holds anything hidden, gets none: there the badges are what counts.

    Args:
        language: As `languages` gives it.
        line: One line without its line end.
    """
    if not language or not line or len(line) > LONGEST or suspect.marks(line):
        return ()
    return tuple(_runs(_lexer(language), line, time.perf_counter))


def _runs(lexer: Lexer, line: str, clock: Callable[[], float]) -> Iterator[Run]:
    until = clock() + PATIENCE
    for at, kind, text in lexer.get_tokens_unprocessed(line + "\n"):
        if clock() > until:
            return
        token = _token(str(kind))
        end = min(at + len(text), len(line))
        if token is not None and at < end:
            yield Run(at, end, token)


@cache
def _lexer(language: str) -> Lexer:
    from pygments.lexers import configs, data, markup, python, shell

    lexers: dict[str, type[Lexer]] = {
        "markdown": markup.MarkdownLexer,
        "python": python.PythonLexer,
        "shell": shell.BashLexer,
        "json": data.JsonLexer,
        "yaml": data.YamlLexer,
        "toml": configs.TOMLLexer,
    }
    return lexers[language]()


_TOKENS = {
    "Token.Keyword": Token.KEYWORD,
    "Token.Operator.Word": Token.KEYWORD,
    "Token.Name.Tag": Token.NAME,
    "Token.Name.Attribute": Token.NAME,
    "Token.Name.Function": Token.NAME,
    "Token.Name.Class": Token.NAME,
    "Token.Name.Decorator": Token.NAME,
    "Token.Name.Builtin": Token.NAME,
    "Token.Name.Variable": Token.NAME,
    "Token.Literal.String": Token.STRING,
    "Token.Literal.Number": Token.NUMBER,
    "Token.Literal.Scalar": Token.STRING,
    "Token.Comment": Token.COMMENT,
    "Token.Generic.Heading": Token.HEADING,
    "Token.Generic.Subheading": Token.HEADING,
    "Token.Generic.Strong": Token.EMPHASIS,
    "Token.Generic.Emph": Token.EMPHASIS,
    "Token.Generic.EmphStrong": Token.EMPHASIS,
}


@cache
def _token(kind: str) -> Token | None:
    """The token of a Pygments type: that of its nearest ancestor in the table."""
    while kind:
        if kind in _TOKENS:
            return _TOKENS[kind]
        kind = kind.rpartition(".")[0]
    return None
