"""Names of the files that placet makes beside a target while it replaces it, and after."""

from __future__ import annotations

import hashlib
import os
import re

DISPLACED = re.compile(
    r"\.(?P<name>.+)\.placet-(?P<token>[A-Za-z0-9_-]+)\.(?P<digest>[0-9a-f]{16})", re.DOTALL
)
"""A displaced file, by the name of its target, its decision, and the start of its digest."""

_TEMPORARY = re.compile(r"\..+\.placet-[A-Za-z0-9_-]+\.new", re.DOTALL)


def displaced_name(name: str, token: str, before: bytes) -> str:
    """Name of the displaced file; holds its digest, so that any process can judge it later."""
    return f".{_short(name)}.placet-{token}.{hashlib.sha256(before).hexdigest()[:16]}"


def displaced_start(name: str, token: str) -> str:
    """What the names of all files that one decision displaced at a target begin with."""
    return f".{_short(name)}.placet-{token}."


def temporary_name(name: str, token: str) -> str:
    """Name of a new file that is not in its place yet."""
    return f".{_short(name)}.placet-{token}.new"


def conflict_name(name: str, token: str) -> str:
    """Name of a third version that slipped in while two were exchanged back."""
    return f".{_short(name)}.placet-conflict-{token}"


def is_passing(name: str) -> bool:
    """Whether a file of this name is placet's own for a while, and no part of what it lies in.

    A third version that is kept (`conflict_name`) is somebody's text, so it is none.
    """
    return bool(DISPLACED.fullmatch(name) or _TEMPORARY.fullmatch(name))


def _short(name: str) -> str:
    """A name that leaves room for our additions within the 255 bytes of a file name."""
    raw = os.fsencode(name)
    if len(raw) <= 160:
        return name
    digest = hashlib.sha256(raw).hexdigest()[:12]
    return f"{raw[:120].decode('utf-8', 'ignore')}~{digest}"
