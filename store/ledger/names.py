"""File names as the database keeps them: text, or bytes where a name is not UTF-8."""

from __future__ import annotations

import os


def stored(name: str) -> str | bytes:
    """A name or path as it can be bound to a statement.

    Args:
        name: As the system's listing gives it; bytes that are no UTF-8 are lone surrogates.
    """
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return os.fsencode(name)
    return name


def found(value: str | bytes) -> str:
    """The name that was `stored`."""
    return os.fsdecode(value)
