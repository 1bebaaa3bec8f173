"""Hints that something in a home has changed; what is true always comes from a listing."""

from __future__ import annotations

import asyncio
import os
import stat
import time
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from placet.store.model import Home, Subsystem
from placet.store.staged import scan

SCAN_SECONDS = 5.0
"""Longest time between two listings of a home, in seconds, whatever the events say."""

DEBOUNCE_MS = 50
STEP_MS = 20
"""How often the watcher looks for news, in ms: 10 alone would use up the idle budget (measured
0.44 % of a core, against 0.23 %), and 20 still shows what is staged within half of its own."""

WAKE_MS = 1000
ARMED_CHECK_SECONDS = 0.25
RETRY_SECONDS = 1.0

MAX_SKILL_FOLDERS = 4096
"""Skill folders watched one by one; more than this are covered by listings alone."""

SKIPPED_FOLDERS = frozenset({".git", "node_modules", ".archive"})


class Area(StrEnum):
    """Part of a home that a hint is about."""

    SCAN = "scan"
    RECORDS = "records"
    FILES = "files"
    CONFIG = "config"
    SKILLS = "skills"
    LEDGER = "ledger"
    STATE = "state"


class Hint(NamedTuple):
    """One thing that may have changed.

    Attributes:
        home: Home it concerns.
        area: Part of the home; SCAN means: list everything again; STATE tells how we are watching.
        name: File name inside that part; for SKILLS the folder; for STATE the words to show.
        subsystem: For RECORDS: which of the two folders.
    """

    home: Home
    area: Area
    name: str = ""
    subsystem: Subsystem | None = None


EVENTS = "events"
"""Words of the watch state while events arrive besides listings."""

SCAN_ONLY = "scan only"
"""Words of the watch state while there are listings alone."""


@dataclass(frozen=True, slots=True)
class _Place:
    home: Home
    area: Area
    subsystem: Subsystem | None = None
    real_name: str = ""
    name: str = ""


Identity = tuple[int, int]
Places = Mapping[str, tuple[_Place, ...]]


@dataclass(frozen=True, slots=True)
class _Armed:
    """Directories being watched, and the identity of every candidate (None where absent)."""

    places: Places
    identity: Mapping[str, Identity | None]


async def changes(
    homes: Sequence[Home],
    stop: asyncio.Event,
    *,
    poll: bool = False,
    scan_seconds: float = SCAN_SECONDS,
) -> AsyncGenerator[frozenset[Hint], None]:
    """Yield sets of hints until `stop` is set; never raises because of what lies on disk.

    Args:
        homes: Homes to watch; they need not exist yet.
        stop: Ends the stream when set.
        poll: Use listings alone, for file systems that deliver no events.
        scan_seconds: Longest time between two SCAN hints of a home.
    """
    state = ""
    while not stop.is_set():
        armed = await asyncio.to_thread(_arm, homes)
        if poll or not armed.places:
            yield _scans(homes) | _state(homes, SCAN_ONLY, state)
            state = SCAN_ONLY
            await _pause(stop, scan_seconds if armed.places else RETRY_SECONDS)
            continue
        try:
            yield _scans(homes) | _state(homes, EVENTS, state)
            state = EVENTS
            async with aclosing(_events(homes, armed, stop, scan_seconds)) as batches:
                async for hints in batches:
                    yield hints
        except Exception as error:
            # A watcher that cannot start (limits, file system) must not end the console.
            state = f"{SCAN_ONLY}: {type(error).__name__}"
            yield _scans(homes) | _state(homes, state, "")
            await _pause(stop, scan_seconds)


def _scans(homes: Iterable[Home]) -> frozenset[Hint]:
    return frozenset(Hint(home, Area.SCAN) for home in homes)


def _state(homes: Iterable[Home], words: str, before: str) -> frozenset[Hint]:
    if words == before:
        return frozenset()
    return frozenset(Hint(home, Area.STATE, words) for home in homes)


async def _pause(stop: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(stop.wait(), seconds)
    except TimeoutError:
        return


async def _events(
    homes: Sequence[Home], armed: _Armed, stop: asyncio.Event, scan_seconds: float
) -> AsyncGenerator[frozenset[Hint], None]:
    """Yield hints from file events until a watched directory is replaced, appears or goes."""
    from watchfiles import awatch  # pyright: ignore[reportUnknownVariableType] - its stop_event

    scanned = checked = time.monotonic()
    logs: dict[Path, tuple[int, int] | None] = {}
    watcher = awatch(
        *armed.places,
        watch_filter=None,
        debounce=DEBOUNCE_MS,
        step=STEP_MS,
        stop_event=stop,
        rust_timeout=min(WAKE_MS, max(1, int(scan_seconds * 1000))),
        yield_on_timeout=True,
        recursive=False,
        ignore_permission_denied=True,
    )
    async with aclosing(watcher) as batches:
        async for batch in batches:
            now = time.monotonic()
            hints = _written(hints_of((path for _, path in batch), armed.places), logs)
            if now - scanned >= scan_seconds:
                scanned = now
                hints |= _scans(homes)
            if hints:
                yield hints
            if any(path in armed.identity for _, path in batch):
                # An inode number may be used again at once: the event alone tells of a new folder.
                return
            if any(hint.area is Area.SKILLS for hint in hints):
                if (await asyncio.to_thread(_arm, homes)).identity != armed.identity:
                    return
            elif hints or now - checked >= ARMED_CHECK_SECONDS:
                checked = now
                if await asyncio.to_thread(_moved, armed):
                    return


def _written(hints: frozenset[Hint], logs: dict[Path, tuple[int, int] | None]) -> frozenset[Hint]:
    """Leave out hints at a log that was only read: a reader closes its file as a writer does, so
    that reading because of an event would bring the next one.

    Args:
        hints: What the events say.
        logs: Time of change in nanoseconds and size in bytes of each log as last hinted at.
    """
    kept: set[Hint] = set()
    for hint in hints:
        if hint.area is Area.LEDGER:
            path = hint.home.private / hint.name
            stamp = _stamp(path)
            if logs.get(path, ()) == stamp:
                continue
            logs[path] = stamp
        kept.add(hint)
    return frozenset(kept)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size)


def _moved(armed: _Armed) -> bool:
    """Whether a watched directory was replaced or went, or an awaited one appeared."""
    return any(_directory(path) != identity for path, identity in armed.identity.items())


def hints_of(paths: Iterable[str], places: Places) -> frozenset[Hint]:
    """Translate paths of events into hints; files nobody reads are left out."""
    found: set[Hint] = set()
    for path in paths:
        if path in places:
            found.update(Hint(place.home, Area.SCAN) for place in places[path])
        folder, _, name = path.rpartition("/")
        for place in places.get(folder, ()):
            hint = _hint(place, folder, name)
            if hint is not None:
                found.add(hint)
    return frozenset(found)


def _hint(place: _Place, folder: str, name: str) -> Hint | None:
    match place.area:
        case Area.RECORDS:
            if scan.is_staged(name):
                return Hint(place.home, Area.RECORDS, name, place.subsystem)
        case Area.FILES if place.real_name:
            if name == place.real_name:
                return Hint(place.home, Area.FILES, place.name)
        case Area.FILES:
            if name in ("MEMORY.md", "USER.md", "SOUL.md"):
                return Hint(place.home, Area.FILES, name)
            if name == "config.yaml":
                return Hint(place.home, Area.CONFIG, name)
            if name in ("memories", "pending", "skills", "profiles", "memory"):
                return Hint(place.home, Area.SCAN)
        case Area.SKILLS:
            if not name.endswith((".lock", ".tmp")) and name not in SKIPPED_FOLDERS:
                return Hint(place.home, Area.SKILLS, folder)
        case Area.LEDGER:
            if name == "placet.db-wal":
                return Hint(place.home, Area.LEDGER, name)
        case _:
            pass
    return None


def _arm(homes: Sequence[Home]) -> _Armed:
    """Find every directory worth watching, with its identity."""
    places: dict[str, tuple[_Place, ...]] = {}
    identity: dict[str, Identity | None] = {}
    for home in homes:
        for path, place in _places(home):
            identity[path] = _directory(path)
            known = places.get(path, ())
            if identity[path] is not None and place not in known:
                places[path] = (*known, place)
    return _Armed(places, identity)


def _directory(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)  # noqa: PTH116 - called for every folder of every check
    except OSError:
        return None
    if not stat.S_ISDIR(found.st_mode) or not os.access(path, os.R_OK | os.X_OK):
        return None
    return (found.st_dev, found.st_ino)


def _places(home: Home) -> Iterable[tuple[str, _Place]]:
    files = _Place(home, Area.FILES)
    yield str(home.path), files
    yield str(home.memories), files
    yield str(home.path / "pending"), files
    for subsystem in Subsystem:
        yield str(home.pending(subsystem)), _Place(home, Area.RECORDS, subsystem)
    for target in (home.memories / "MEMORY.md", home.memories / "USER.md", home.path / "SOUL.md"):
        if target.is_symlink():
            folder, _, name = os.path.realpath(target).rpartition("/")
            yield folder, _Place(home, Area.FILES, None, name, target.name)
    yield str(home.private), _Place(home, Area.LEDGER)
    yield str(home.skills), _Place(home, Area.SKILLS)
    for folder in skill_folders(home.skills):
        yield folder, _Place(home, Area.SKILLS)


def skill_folders(root: Path) -> Iterable[str]:
    """Folders below `root` that may hold a skill's files, without version control and archives."""
    for count, (folder, names, _) in enumerate(os.walk(root)):
        if count >= MAX_SKILL_FOLDERS:
            return
        names[:] = sorted(name for name in names if name not in SKIPPED_FOLDERS)
        yield folder
