"""Plans of one home's records, worked out again only where something they rest on has changed."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from placet.store.homes import config
from placet.store.ledger import refusals
from placet.store.ledger.database import Ledger
from placet.store.model import (
    Choice,
    Context,
    Home,
    HomeConfig,
    Past,
    Plan,
    Proposal,
    Snapshot,
    Target,
    TargetKind,
)
from placet.store.plan import plan, prints, skill_index
from placet.store.plan import snapshot as snapshots

Stamp = tuple[object, ...]

FILE_TARGETS = tuple(Target(kind) for kind in (TargetKind.MEMORY, TargetKind.USER, TargetKind.SOUL))


@dataclass(frozen=True, slots=True)
class Moved:
    """What plans are to be made again for.

    Attributes:
        everything: Whether all of them are.
        targets: Else the targets by name, a skill without its path.
    """

    everything: bool = False
    targets: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return self.everything or bool(self.targets)

    def __or__(self, other: Moved) -> Moved:
        return Moved(self.everything or other.everything, self.targets | other.targets)

    def covers(self, proposal: Proposal) -> bool:
        """Whether the plan of this proposal is to be made again."""
        target = proposal.target
        return self.everything or (target is not None and name_of(target) in self.targets)


class Planner:
    """Plans against the files of one home as they are now.

    Attributes:
        config: Hermes' configuration as last read.
    """

    def __init__(self, home: Home) -> None:
        self.config: HomeConfig = config.read(home)
        self._home = home
        self._config_stamp: object = config.stamp(home)
        self._stamps: dict[str, Stamp] = {}
        self._files: dict[str, Snapshot] = {}
        self._skills: skill_index.SkillIndex | None = None

    def look(self, skills: Iterable[str]) -> Moved:
        """Look at everything that plans rest on, cheaply: by stat, not by reading.

        Args:
            skills: Names of the skills that something staged is about.

        Returns:
            What moved since the look before.
        """
        stamp, before = config.stamp(self._home), self.config.digest
        if stamp != self._config_stamp:
            self._config_stamp = stamp
            self.config = config.read(self._home)
        stamps = {str(target): _file_stamp(self._home.file(target)) for target in FILE_TARGETS}
        wanted = sorted(set(skills))
        self._skills = skill_index.index(self._home, self.config) if wanted else None
        every = hash(self._skills.every) if self._skills is not None else 0
        for name in wanted:
            stamps[f"skill:{name}"] = self._skill_stamp(name, every)
        names = stamps.keys() | self._stamps.keys()
        moved = {name for name in names if stamps.get(name) != self._stamps.get(name)}
        for name in moved:
            self._files.pop(name, None)
        self._stamps = stamps
        return Moved(self.config.digest != before, frozenset(moved))

    def plan(
        self,
        proposal: Proposal,
        ledger: Ledger | None,
        choice: Choice | None = None,
        *,
        similar: bool = False,
    ) -> Plan:
        """Plan one proposal.

        Args:
            proposal: What is asked.
            ledger: What is remembered of this home, or None where nothing is.
            choice: What the person differs in, or None for the default.
            similar: Whether to look for similar refusals, which costs milliseconds.
        """
        snapshot = self.snapshot(proposal)
        past = Past()
        if ledger is not None and proposal.operations:
            made = prints(proposal, snapshot)
            past = refusals.past(ledger, proposal, made, similar=similar)
        return plan(proposal, snapshot, Context(self.config, past), choice)

    def snapshot(self, proposal: Proposal) -> Snapshot:
        """The files behind a proposal; a memory file is read once for all its proposals."""
        target = proposal.target
        if target is None or target.kind is TargetKind.SKILL:
            return snapshots.take(proposal, self.config, self._skills)
        name = name_of(target)
        if name not in self._files:
            self._files[name] = snapshots.take(proposal, self.config)
        return self._files[name]

    def _skill_stamp(self, name: str, every: int) -> Stamp:
        """Stamps of every file of a skill, what is on record about it, and all that there are."""
        assert self._skills is not None
        place = self._skills.places.get(name)
        facts = self._skills.facts(place) if place else None
        return (every, facts, *(_tree_stamps(place.folder) if place else ()))


def name_of(target: Target) -> str:
    """Name of what is looked at as one: a file, or a whole skill."""
    return f"skill:{target.skill}" if target.kind is TargetKind.SKILL else str(target)


def _file_stamp(path: Path) -> Stamp:
    """Identity and change time of a file and of what a link to it leads to."""
    return (_stat(path, follow=False), _stat(path, follow=True))


def _tree_stamps(folder: Path) -> Iterable[object]:
    for parent, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(files):
            path = Path(parent) / name
            yield (str(path), _stat(path, follow=False))


def _stat(path: Path, *, follow: bool) -> object:
    try:
        found = path.stat(follow_symlinks=follow)
    except OSError as error:
        return error.errno
    return (found.st_dev, found.st_ino, found.st_ctime_ns, found.st_size, found.st_mode)
