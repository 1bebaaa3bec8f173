"""Bytes of a staged record to plain JSON values, bounded and without surprises."""

from __future__ import annotations

import codecs
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from typing import cast

MAX_DEPTH = 64
"""Deepest nesting that is parsed; a record as Hermes writes it needs five levels."""

_BRACKETS = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_LONE = re.compile("[\ud800-\udfff]")


class NotJson(ValueError):
    """The bytes are no JSON document; the message is one sentence for a person.

    Attributes:
        unfinished: Whether a writer who is still at work could explain it.
    """

    def __init__(self, message: str, unfinished: bool = True) -> None:
        super().__init__(message)
        self.unfinished = unfinished


def decode(raw: bytes) -> tuple[object, tuple[str, ...]]:
    """Parse a record as Hermes does, the last of equal keys winning.

    Args:
        raw: Bytes of the record, at most 1 MiB.

    Returns:
        The value, and every key that one object holds more than once.

    Raises:
        NotJson: Empty, not UTF-8, with a byte order mark, too deep, or not JSON.
    """
    if not raw.strip():
        raise NotJson("The record is empty.")
    if raw.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise NotJson(
            "The record starts with a byte order mark; Hermes 0.19 skips it, later versions "
            "read it.",
            unfinished=False,
        )
    if _depth(raw) > MAX_DEPTH:
        raise NotJson(f"The record is nested more than {MAX_DEPTH} levels deep.", unfinished=False)
    repeated: list[str] = []
    try:
        value = json.loads(raw.decode("utf-8"), object_pairs_hook=_noting(repeated))
    except UnicodeDecodeError as problem:
        raise NotJson(f"The record is not UTF-8: byte {problem.start} is wrong.") from None
    except json.JSONDecodeError as problem:
        where = f"line {problem.lineno}, column {problem.colno}"
        raise NotJson(f"The record is not JSON: {problem.msg} at {where}.") from None
    except ValueError as problem:  # a number of thousands of digits
        raise NotJson(f"The record is not JSON that can be read: {problem}.", False) from None
    return value, tuple(dict.fromkeys(repeated))


def table(value: object) -> Mapping[str, object] | None:
    """A JSON value as an object, or None where it is something else."""
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else None


def writable(value: object) -> bool:
    """Whether every string inside can be written as UTF-8, that is, holds no lone surrogate."""
    if isinstance(value, str):
        return value.isascii() or not _LONE.search(value)
    inside = table(value)
    if inside is not None:
        return all(writable(part) for pair in inside.items() for part in pair)
    return not isinstance(value, list) or all(map(writable, cast("list[object]", value)))


def printable(text: str) -> str:
    r"""Write lone surrogates out as `\udXXX`, so that the text can be stored and shown."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def in_full(value: object) -> str:
    """A JSON value on one line, whole, for a sentence that has to show it."""
    return printable(json.dumps(value, ensure_ascii=False))


def _depth(raw: bytes) -> int:
    """Deepest nesting, found without a stack; strings are skipped whole."""
    if raw.count(b"[") + raw.count(b"{") <= MAX_DEPTH:
        return 0
    depth = deepest = 0
    for found in _BRACKETS.finditer(raw):
        match found[0]:
            case b"[" | b"{":
                depth += 1
                deepest = max(deepest, depth)
            case b"]" | b"}":
                depth -= 1
            case _:
                pass
    return deepest


def _noting(repeated: list[str]) -> Callable[[list[tuple[str, object]]], dict[str, object]]:
    """A hook that builds objects as usual and notes the keys given more than once."""

    def build(pairs: list[tuple[str, object]]) -> dict[str, object]:
        built = dict(pairs)
        if len(built) != len(pairs):
            uses = Counter(key for key, _ in pairs)
            repeated.extend(printable(key) for key, times in uses.items() if times > 1)
        return built

    return build
