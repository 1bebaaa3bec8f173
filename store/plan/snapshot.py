"""Reads the files that a proposal is about, once; skills are found by `skill_index`.

These two and `skill_books` are the only parts of planning that touch the disk.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from placet.store.disk import read
from placet.store.disk.names import is_passing
from placet.store.formats import skill
from placet.store.model import (
    Action,
    Change,
    FileKind,
    FileState,
    Home,
    HomeConfig,
    Operation,
    Proposal,
    Snapshot,
    Target,
    TargetKind,
)
from placet.store.plan.skill_index import SkillIndex, index

MAX_FILE_BYTES = 16 << 20
"""Largest file of a skill that is read for a plan, in bytes; Hermes itself stops at 1 MiB."""

MAX_TEXT_BYTES = 1 << 20
"""Largest memory file that is read for a plan, in bytes, unless its cap allows for more."""

_ARCHIVE = "skills/.archive/"


def take(proposal: Proposal, config: HomeConfig, skills: SkillIndex | None = None) -> Snapshot:
    """Read what `proposal` is about.

    Args:
        proposal: What is asked for; one without a target gives an empty snapshot.
        config: Configuration of its home.
        skills: Index of the home's skills where one is at hand; else it is made.

    Returns:
        State of every file that the proposal can touch; nothing raises for a bad file.
    """
    target = proposal.target
    if target is None:
        return Snapshot({})
    if target.kind is not TargetKind.SKILL:
        return Snapshot({"": _text_state(proposal.home, target, config)})
    return _skill(proposal, target, skills or index(proposal.home, config))


def of_files(home: Home, target: Target, files: Sequence[Change], config: HomeConfig) -> Snapshot:
    """Read what a decision wrote as it is now, for its inverse (see `inverse.build`).

    Args:
        home: Home it was decided in.
        target: What it landed in.
        files: Every file before and after the decision.
        config: Configuration of the home.

    Returns:
        State of each of those files; for a skill also of every other file of its folder.
    """
    if target.kind is not TargetKind.SKILL:
        return Snapshot({"": _text_state(home, target, config)})
    folder = folder_of(files, target.skill)
    named = {change.path.relative_to(folder).as_posix() for change in files}
    paths = sorted(named.union(_all_files(folder)))
    return Snapshot({path: _entry(folder, path, path in named) for path in paths})


def folder_of(files: Sequence[Change], name: str) -> Path:
    """Return the folder of the skill whose files these are: it holds all of them, and bears its
    name; of several the one whose SKILL.md is among them, else the nearest."""
    around = [p for p in files[0].path.parents if all(c.path.is_relative_to(p) for c in files)]
    named = [folder for folder in around if folder.name == name] or around
    written = {change.path for change in files}
    return next((folder for folder in named if folder / skill.MAIN_FILE in written), named[0])


def file_state(path: Path, limit: int = MAX_FILE_BYTES) -> FileState:
    """Read one file and its identity.

    Args:
        path: Path as the target names it; one symbolic link is followed.
        limit: Most bytes to read.
    """
    return read.read(path, limit)


def _text_state(home: Home, target: Target, config: HomeConfig) -> FileState:
    """Read a memory file or SOUL.md; a character takes at most four bytes."""
    most = max(MAX_TEXT_BYTES, 4 * (config.limit(target) or 0))
    return file_state(home.file(target), most)


def _skill(proposal: Proposal, target: Target, skills: SkillIndex) -> Snapshot:
    home = proposal.home
    others = frozenset(name for name in skills.places if name != target.skill)
    bearers = skills.bearers
    own = _own_folder(proposal, target)
    place = skills.at(own) if own is not None else skills.places.get(target.skill)
    if place is None:
        return replace(_missing(proposal, target, others), bearers=bearers)
    root = place.real
    paths = _paths(proposal, place.folder)
    return Snapshot(
        files={path: _entry(place.folder, path, not _deletes(proposal)) for path in paths},
        folder=place.folder,
        root=root,
        link=root if place.linked else None,
        outside=place.outside or not root.is_relative_to(home.path),
        taken=True,
        others=others,
        place=place,
        bearers=bearers,
        facts=skills.facts(place),
    )


def _own_folder(proposal: Proposal, target: Target) -> Path | None:
    """Return the folder that a person's own change is about; a record knows a name alone."""
    operation = proposal.operations[0] if proposal.operations else None
    if proposal.name or operation is None or not _relative(_below_skills(operation, target)):
        return None
    return proposal.home.skills / _below_skills(operation, target)


def _below_skills(operation: Operation, target: Target) -> str:
    return "/".join(part for part in (*operation.category.split("/"), target.skill) if part)


def _missing(proposal: Proposal, target: Target, others: frozenset[str]) -> Snapshot:
    """Read where a new skill would be made; nothing is read under a name that is not allowed."""
    operation = proposal.operations[0] if proposal.operations else None
    if operation is None or operation.action not in (Action.CREATE, Action.RESTORE):
        return Snapshot({}, others=others)
    below = _below_skills(operation, target)
    if operation.action is Action.RESTORE:
        allowed = _relative(below)  # it stood there before, whatever its name
    else:
        allowed = not any(skill.valid_name(part) for part in below.split("/"))
    if not allowed:
        return Snapshot({}, others=others)
    folder = proposal.home.skills / below
    return Snapshot(
        files={path: _entry(folder, path) for path in _paths(proposal, folder)},
        folder=folder,
        taken=os.path.lexists(folder),
        others=others,
        archived=_archived(proposal.home, operation),
    )


def _archived(home: Home, operation: Operation) -> dict[str, FileState] | None:
    """Read the folder in the archive that could come back, if there is one."""
    found = operation.archived
    if found is None or not (_relative(found.path) and found.path.startswith(_ARCHIVE)):
        return None
    folder = home.path / found.path
    link = str(folder.readlink()) if folder.is_symlink() else ""
    if link != found.link or not folder.is_dir():
        return None
    return {path: _entry(folder, path, follow=False) for path in _all_files(folder)}


def _paths(proposal: Proposal, folder: Path) -> list[str]:
    """Return the paths inside the skill that the proposal can touch."""
    wanted = {skill.MAIN_FILE}
    for operation in proposal.operations:
        if operation.action is Action.DELETE:
            return sorted(_all_files(folder))
        if operation.action is Action.RESTORE:
            wanted.update(path for path, _, _ in operation.files if _relative(path))
        elif operation.path and not skill.valid_path(operation.path):
            wanted.add(operation.path)
    return sorted(wanted)


def _relative(path: str) -> bool:
    parts = PurePosixPath(path).parts
    return bool(parts) and not path.startswith("/") and ".." not in parts


def _entry(folder: Path, path: str, follow: bool = True) -> FileState:
    full = folder.joinpath(*path.split("/"))
    if not follow and full.is_symlink():
        problem = f"{full.name} is a link to {full.readlink()}"
        return FileState(full, full, FileKind.SPECIAL, problem=problem)
    return file_state(full)


def _deletes(proposal: Proposal) -> bool:
    return any(operation.action is Action.DELETE for operation in proposal.operations)


def _all_files(folder: Path) -> Iterator[str]:
    """Yield every file of a folder, links as such; the links are moved along, never followed.

    What placet itself leaves there for a while is no part of the skill. A folder that cannot be
    read is yielded by its own name.
    """
    unread: list[OSError] = []
    for parent, folders, files in os.walk(folder, onerror=unread.append, followlinks=False):
        base = Path(parent)
        linked = [name for name in folders if (base / name).is_symlink()]
        for name in (*files, *linked):
            if not is_passing(name):
                yield (base / name).relative_to(folder).as_posix()
    for error in unread:
        if Path(error.filename) != folder:
            yield Path(error.filename).relative_to(folder).as_posix()
