"""Finds the skills of a home as Hermes finds them: a folder of that name that holds a SKILL.md.

The home's own skills come first, then the further roots in their order. In addition folders are
found that a symbolic link leads to, which Hermes lists and views but does not write to.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from placet.store.formats import skill
from placet.store.model import Home, HomeConfig, SkillFacts, SkillPlace
from placet.store.plan import skill_books
from placet.store.plan.skill_books import Books

SKIPPED = frozenset(
    {
        *(".git", ".github", ".hub", ".archive", ".venv", "venv", "node_modules", "site-packages"),
        *("__pycache__", ".tox", ".nox", ".pytest_cache", ".mypy_cache", ".ruff_cache"),
    }
)
"""Folders in which Hermes finds no skill, wherever they lie."""

BELOW_LINK = 1
"""How many levels below a symbolic link are searched for skills."""

HEAD_BYTES = 1 << 13
"""How much of a SKILL.md is read for the name that its head declares, in bytes."""


@dataclass(frozen=True, slots=True)
class SkillIndex:
    """Every skill of a home; made once for many proposals.

    Attributes:
        places: By the name of its folder: where Hermes would find it, as far as that is certain.
        every: Every place, those behind links last, else in the order of the search.
        bearers: By every name that a skill goes by: all places that go by it.
        books: What Hermes has on record.
        externals: The further roots.
    """

    places: Mapping[str, SkillPlace]
    every: tuple[SkillPlace, ...]
    bearers: Mapping[str, tuple[SkillPlace, ...]]
    books: Books
    externals: tuple[Path, ...] = field(default=())

    def at(self, folder: Path) -> SkillPlace | None:
        """The place with this folder, or None."""
        return next((place for place in self.every if place.folder == folder), None)

    def facts(self, place: SkillPlace) -> SkillFacts:
        """What Hermes has on record about one skill."""
        external = any(place.real.is_relative_to(root) for root in self.externals)
        return self.books.facts(place, place.outside or external)


def index(home: Home, config: HomeConfig) -> SkillIndex:
    """Search the home's skills, then the further roots; the first of a name wins.

    Args:
        home: Home to look in.
        config: Its configuration, for the further roots.
    """
    ordered = sorted(_places(home, config), key=lambda place: place.linked)
    # roots may lie in each other, and links lead back into them
    every = tuple({(p.folder.name, p.real): p for p in reversed(ordered)}.values())[::-1]
    places: dict[str, SkillPlace] = {}
    bearers: dict[str, tuple[SkillPlace, ...]] = {}
    for place in every:
        places.setdefault(place.folder.name, place)
        for name in place.names:
            bearers[name] = (*bearers.get(name, ()), place)
    return SkillIndex(places, every, bearers, skill_books.of(home), config.external_dirs)


def _places(home: Home, config: HomeConfig) -> Iterator[SkillPlace]:
    for root, outside in ((home.skills, False), *((d, True) for d in config.external_dirs)):
        if outside and not SKIPPED.isdisjoint(root.parts):
            continue  # Hermes looks at the whole path of what it finds
        for folder, real, main, linked in _folders(root):
            name = _head_name(folder / skill.MAIN_FILE, main) if main is not None else ""
            yield SkillPlace(folder, real, root, name, linked, outside)


Stamp = tuple[int, int, int]
"""What changes whenever a file does: inode, change time in nanoseconds, size."""


def _folders(root: Path) -> Iterator[tuple[Path, Path, Stamp | None, bool]]:
    """Yield each folder below `root` that holds a SKILL.md.

    Yields:
        The folder, where it really lies, what its SKILL.md is stamped with (None for no regular
        file), and whether a link leads to it. Below a link only the linked folder and its own
        folders are looked at: a link to `/` must not send the search over the whole disk.
    """
    waiting = [(root, Path(os.path.realpath(root)), -1)]
    while waiting:
        folder, real, below_link = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                found = sorted(entries, key=lambda entry: entry.name)
        except OSError:
            continue  # an unreadable folder hides its skills, as it does from Hermes
        main = next((_looked_at(entry) for entry in found if entry.name == skill.MAIN_FILE), None)
        if folder != root and main is not None:
            regular = stat.S_ISREG(main.st_mode)
            stamp = (main.st_ino, main.st_ctime_ns, main.st_size) if regular else None
            yield folder, real, stamp, below_link >= 0
        if below_link < BELOW_LINK:
            waiting.extend(
                _below(entry, folder, real, below_link)
                for entry in reversed(found)
                if _searched(entry, main is not None)
            )


def _below(
    entry: os.DirEntry[str], folder: Path, real: Path, below_link: int
) -> tuple[Path, Path, int]:
    """A folder to search next, where it really lies, and how many levels below a link it is."""
    if entry.is_symlink():
        return folder / entry.name, Path(os.path.realpath(entry.path)), 0
    return folder / entry.name, real / entry.name, _deeper(below_link)


def _deeper(below_link: int) -> int:
    return below_link + 1 if below_link >= 0 else -1


def _searched(entry: os.DirEntry[str], in_skill: bool) -> bool:
    """Whether skills may lie below; what a skill keeps in its own folders is none."""
    if entry.name in SKIPPED or (in_skill and entry.name in skill.FOLDERS):
        return False
    try:
        return entry.is_dir()
    except OSError:
        return False


def _looked_at(entry: os.DirEntry[str]) -> os.stat_result | None:
    try:
        return entry.stat()
    except OSError:
        return None  # a link that leads nowhere


@lru_cache(maxsize=4096)
def _head_name(main: Path, _stamp: Stamp) -> str:
    """The name in the head of a SKILL.md, read once for each state of the file."""
    try:
        descriptor = os.open(main, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return ""
    try:
        data = os.read(descriptor, HEAD_BYTES)
    except OSError:
        return ""
    finally:
        os.close(descriptor)
    return skill.declared_name(data.decode("utf-8", "replace"))
