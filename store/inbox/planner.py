"""Plans of one home's records, worked out again only where something they rest on has changed."""

from __future__ import annotations

import os
from collections.abc import Iterable
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
from placet.store.plan import plan, prints
from placet.store.plan import snapshot as snapshots

Stamp = tuple[object, ...]

FILE_TARGETS = tuple(Target(kind) for kind in (TargetKind.MEMORY, TargetKind.USER, TargetKind.SOUL))


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
        self._skills: snapshots.SkillIndex | None = None

    def look(self, skills: Iterable[str]) -> None:
        """Look at everything that plans rest on, cheaply: by stat, not by reading.

        Args:
            skills: Names of the skills that something staged is about.
        """
        stamp = config.stamp(self._home)
        if stamp != self._config_stamp:
            self._config_stamp = stamp
            self.config = config.read(self._home)
        stamps = {str(target): _file_stamp(self._home.file(target)) for target in FILE_TARGETS}
        wanted = sorted(set(skills))
        self._skills = snapshots.index(self._home, self.config) if wanted else None
        for name in wanted:
            stamps[f"skill:{name}"] = self._skill_stamp(name)
        for name in [name for name in self._files if stamps.get(name) != self._stamps.get(name)]:
            del self._files[name]
        self._stamps = stamps

    def basis(self, proposal: Proposal) -> object:
        """What a plan of this proposal rests on; equal as long as the plan holds."""
        target = proposal.target
        stamp = None if target is None else self._stamps.get(_name(target))
        return (self.config.digest, stamp)

    def plan(self, proposal: Proposal, ledger: Ledger | None, choice: Choice | None = None) -> Plan:
        """Plan one proposal.

        Args:
            proposal: What is asked.
            ledger: What is remembered of this home, or None where nothing is.
            choice: What the person differs in, or None for the default.
        """
        snapshot = self.snapshot(proposal)
        past = Past()
        if ledger is not None and proposal.operations:
            past = refusals.past(ledger, proposal, prints(proposal, snapshot))
        return plan(proposal, snapshot, Context(self.config, past), choice)

    def snapshot(self, proposal: Proposal) -> Snapshot:
        """The files behind a proposal; a memory file is read once for all its proposals."""
        target = proposal.target
        if target is None or target.kind is TargetKind.SKILL:
            return snapshots.take(proposal, self.config, self._skills)
        name = _name(target)
        if name not in self._files:
            self._files[name] = snapshots.take(proposal, self.config)
        return self._files[name]

    def _skill_stamp(self, name: str) -> Stamp:
        """Stamps of every file of a skill, and the names of all others."""
        assert self._skills is not None
        place = self._skills.places.get(name)
        others = hash(frozenset(self._skills.places))
        return (others, *(_tree_stamps(place.folder) if place else ()))


def _name(target: Target) -> str:
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
