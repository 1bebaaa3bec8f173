"""Find the homes of this run; fixed at start and never looked up again (design §3)."""

from __future__ import annotations

import errno
import os
import pwd
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from placet.store.homes.roots import PROFILE_NAME, ROOT_LABEL, roots
from placet.store.model import Home

__all__ = ["PROFILE_NAME", "ROOT_LABEL", "Found", "find", "owner", "read_only_reason"]


@dataclass(frozen=True, slots=True)
class Found:
    """The homes of this run.

    Attributes:
        homes: Each home once, roots before their profiles, in the order given.
        problems: Sentences about what is missing or unusable, each with what to do next.
    """

    homes: tuple[Home, ...]
    problems: tuple[str, ...] = ()


def find(given: Sequence[Path], env: Mapping[str, str], user_home: Path | None) -> Found:
    """Find the homes of this run without creating anything.

    Args:
        given: Paths of `-H`, in order; they win over everything else.
        env: Environment, read for `HERMES_HOME`.
        user_home: Home directory of the user, for `~`; None where the system names none.
    """
    found = roots(given, env, user_home)
    return Found(tuple(Home(*root) for root in found.homes), found.problems)


def owner(home: Home) -> int | None:
    """Return the user id that owns the home, or None where it does not exist."""
    return _owner(home.path)


def read_only_reason(home: Home) -> str:
    """Tell why nothing can be decided in this home: one or two sentences, or empty if it can.

    Args:
        home: Home to look at; nothing is created or changed.
    """
    uid = owner(home)
    if uid is None:
        return f"{home.path} does not exist yet, and placet does not make it: nothing to decide."
    for place in (home.path, home.memories, home.private):
        other = _owner(place)
        if other is not None and other != os.geteuid():
            return _foreign(home, place, other)
    for place in (home.path, home.private):
        if place.exists() and not os.access(place, os.W_OK | os.X_OK):
            return f"{place} cannot be written by this user{_why(place)}: it is shown read-only."
    return ""


def _why(place: Path) -> str:
    """What refuses it where that is not its permissions."""
    try:
        mounted = os.statvfs(place).f_flag & os.ST_RDONLY
    except OSError:
        return ""
    return f" ({os.strerror(errno.EROFS)})" if mounted else ""


def _owner(place: Path) -> int | None:
    try:
        return place.stat().st_uid
    except OSError:
        return None


def _foreign(home: Home, place: Path, uid: int) -> str:
    try:
        name = pwd.getpwuid(uid).pw_name
    except KeyError:
        name = f"'#{uid}'"
    return (
        f"{place} belongs to {name}, not to this user: everything is read-only and nothing is "
        f"created. To decide, run `sudo -u {name} placet -H {home.path}`."
    )
