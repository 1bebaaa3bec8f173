"""Names in the staging folders, and what they mean; no file is looked at.

Only the standard library is used here, because `placet count` comes this way too.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

from placet.store.errors import words_of

SUFFIX = ".json"
"""How the name of a staged record ends; exactly so, as Hermes lists it."""

_CLAIM_SUFFIX = ".placet"
_LONG_CLAIM_SUFFIX = ".plc"
_LONG_NAME = 128
"""Bytes from which a claim must not be longer than the record: names end at 255, on some file
systems at 143."""


class Listing(NamedTuple):
    """Names in one staging folder.

    Attributes:
        names: File names of records and of claims, sorted; temporary files are left out.
        problem: Why the folder cannot be listed, in words, or empty; a missing one is no problem.
    """

    names: tuple[str, ...] = ()
    problem: str = ""


def of(folder: Path) -> Listing:
    """List one staging folder by names alone.

    Args:
        folder: `pending/memory` or `pending/skills` of a home.
    """
    try:
        found = sorted(filter(is_staged, os.listdir(folder)))  # noqa: PTH208 - plain names
    except FileNotFoundError:
        return Listing()
    except OSError as problem:
        return Listing(problem=f"{folder} cannot be listed: {words_of(problem)}.")
    return Listing(tuple(found))


def claim_name(name: str) -> str:
    """Return the name that a record bears while a placet process decides about it.

    It leads back to the record's name, and is not listed by Hermes; that of a long name takes no
    more bytes than the name itself.
    """
    if len(os.fsencode(name)) > _LONG_NAME and name.endswith(SUFFIX):
        return f".{name.removesuffix(SUFFIX)}{_LONG_CLAIM_SUFFIX}"
    return f".{name}{_CLAIM_SUFFIX}"


def is_claim(name: str) -> bool:
    """Whether this is the name of a claimed record."""
    return record_name(name) != name


def record_name(name: str) -> str:
    """Return the name that a claimed record had before; any other name stays as it is."""
    if name.startswith(".") and name.endswith(f"{SUFFIX}{_CLAIM_SUFFIX}"):
        bare = name[1 : -len(_CLAIM_SUFFIX)]
    elif name.startswith(".") and name.endswith(_LONG_CLAIM_SUFFIX):
        bare = f"{name[1 : -len(_LONG_CLAIM_SUFFIX)]}{SUFFIX}"
    else:
        return name
    return bare if claim_name(bare) == name else name


def is_staged(name: str) -> bool:
    """Whether this is the name of a record or of a claimed one."""
    return name.endswith(SUFFIX) or is_claim(name)
