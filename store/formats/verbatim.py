"""SOUL.md and other files whose text is one whole and is kept character for character."""

from __future__ import annotations

from collections.abc import Iterable


def parse(text: str) -> list[str]:
    """Return the whole text as one entry, or none where it is empty."""
    return [text] if text else []


def render(entries: Iterable[str]) -> str:
    """Return the text again; the exact inverse of `parse`."""
    return "".join(entries)
