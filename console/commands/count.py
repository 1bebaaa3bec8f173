"""`placet count`: how much waits, answered without any library, for prompts and cron."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Mapping, Sequence
from heapq import nsmallest
from pathlib import Path
from typing import NamedTuple

from placet.console.commands import output
from placet.console.commands.early import Request
from placet.console.phrases.times import age
from placet.store.text.times import moment_in

OLDEST_READ = 64
"""How many records, oldest files first, are opened to learn when the oldest was staged."""

MAX_RECORD_BYTES = 1 << 20
"""Longer records are not opened."""


class Count(NamedTuple):
    """What waits.

    Attributes:
        memory: Records waiting in `pending/memory`, unfinished ones included.
        skills: The same for `pending/skills`.
        oldest_seconds: Age of the oldest record in seconds, or None where nothing waits.
        ungated: Changes of watched files that no decision explains and nobody has judged.
    """

    memory: int
    skills: int
    oldest_seconds: int | None
    ungated: int


def run(asked: Request) -> int:
    """Print the count and return the exit code."""
    answer, problems, refused = count(asked.homes, os.environ, time.time())
    for problem in problems:
        output.say(ascii(problem)[1:-1])
    sys.stdout.write((as_json(answer) if asked.as_json else as_text(answer)) + "\n")
    return output.REFUSED if refused else output.OK


def as_json(answer: Count) -> str:
    """The stable shape of docs/json.md."""
    return json.dumps({"schema": "placet/1", **answer._asdict()})


def as_text(answer: Count) -> str:
    """One short line for a prompt."""
    words = [f"{answer.memory} memory", f"{answer.skills} skills"]
    if answer.oldest_seconds is not None:
        words.append(f"oldest {age(answer.oldest_seconds)}")
    if answer.ungated:
        words.append(f"{answer.ungated} ungated")
    return ", ".join(words)


def count(
    given: Sequence[Path], environment: Mapping[str, str], now: float
) -> tuple[Count, tuple[str, ...], bool]:
    """Count over all homes.

    Args:
        given: Homes named on the command line.
        environment: Where `HERMES_HOME` may stand.
        now: Seconds since the epoch.

    Returns:
        The count; in words what could not be looked at; whether there is no home at all.
    """
    from placet.store.homes import places, roots

    found = roots.roots(given, environment, places.home(environment))
    problems = list(found.problems)
    totals = dict.fromkeys(roots.FOLDERS, 0)
    stamps: list[tuple[float, str]] = []
    ungated = 0
    for home in found.homes:
        for folder in roots.FOLDERS:
            listed, oldest_files = _records(home.path / "pending" / folder, problems)
            totals[folder] += listed
            stamps += oldest_files
        ungated += _ungated(home.path, problems)
    oldest = _oldest(nsmallest(OLDEST_READ, stamps))
    seconds = None if oldest is None else max(0, int(now - oldest))
    answer = Count(totals["memory"], totals["skills"], seconds, ungated)
    return answer, tuple(problems), not found.homes


def _records(folder: Path, problems: list[str]) -> tuple[int, list[tuple[float, str]]]:
    """How many records and claims there are; modification time and path of the oldest files."""
    from placet.store.staged import listing

    found = listing.of(folder)
    if found.problem:
        problems.append(found.problem)
    try:
        place = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return len(found.names), []  # none, or just gone
    try:
        stamps = [(_modified(name, place), name) for name in found.names]
    finally:
        os.close(place)
    oldest = nsmallest(OLDEST_READ, stamps)
    return len(stamps), [(modified, f"{folder}/{name}") for modified, name in oldest]


def _modified(name: str, place: int) -> float:
    """By the folder's descriptor: ten thousand paths would be walked from the root."""
    try:
        return os.stat(name, dir_fd=place, follow_symlinks=False).st_mtime
    except OSError:
        return float("inf")  # gone since it was listed: it counts, and says nothing about age


def _oldest(stamps: Sequence[tuple[float, str]]) -> float | None:
    """When the oldest of these was staged: as the record says, else when its file changed."""
    times = [_created(path, modified) for modified, path in stamps]
    return min((moment for moment in times if moment != float("inf")), default=None)


def _created(path: str, modified: float) -> float:
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        handle = os.open(path, flags)
    except OSError:
        return modified
    try:
        created = moment_in(json.loads(os.read(handle, MAX_RECORD_BYTES))["created_at"])
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return modified  # what is wrong with the record is for `pending` to say
    finally:
        os.close(handle)
    return modified if created is None else created


def _ungated(home: Path, problems: list[str]) -> int:
    """Open ungated changes; a ledger that cannot be read is named."""
    from placet.console.phrases.homes import doubt
    from placet.store.errors import PlacetError
    from placet.store.ledger import glance

    try:
        return glance.ungated(home)
    except PlacetError as error:
        problems.append(f"home {home}: {doubt(str(error))}")
        return 0
