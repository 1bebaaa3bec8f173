"""The files that hold memory, as a person reads them: their entries, their size, what is wrong."""

from __future__ import annotations

from dataclasses import dataclass, replace

from placet.console.pages.sides import undecodable
from placet.console.phrases.amounts import counted
from placet.store.formats import section
from placet.store.model import FileKind, FileState, Home, Target, TargetKind
from placet.store.plan.snapshot import file_state

TARGETS = {kind.value: Target(kind) for kind in TargetKind if kind is not TargetKind.SKILL}
"""Targets that are one file, by the word a person types."""


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """One file of a home with its entries.

    Attributes:
        home: Which home.
        target: `memory`, `user` or `soul`.
        state: Its bytes, or why they cannot be read.
        limit: The cap in characters, or None.
        entries: Its entries in their order, equal ones too; SOUL.md is one.
        readable: Whether its text could be read (an absent file can).
        problem: Why it cannot be read, or what is wrong with it, in words.
        drift: Why Hermes refuses every write to it until it is normalised, or empty.
    """

    home: Home
    target: Target
    state: FileState
    limit: int | None
    entries: tuple[str, ...] = ()
    readable: bool = True
    problem: str = ""
    drift: str = ""

    @property
    def exists(self) -> bool:
        """Whether the file is there."""
        return self.state.kind is not FileKind.ABSENT

    @property
    def size(self) -> int:
        """Characters that count against the cap."""
        return section.size(self.entries)


def read(home: Home, target: Target, limit: int | None) -> MemoryFile:
    """Read one of `TARGETS` as it is now.

    Args:
        home: Whose memory.
        target: Which file.
        limit: Its cap in characters; without one neither size nor drift is judged.
    """
    state = file_state(home.file(target))
    found = MemoryFile(home, target, state, limit)
    if not found.exists:
        return found
    if state.data is None:
        return replace(found, readable=False, problem=state.problem)
    try:
        text = state.data.decode("utf-8")
    except UnicodeDecodeError as error:
        return replace(found, readable=False, problem=undecodable(error))
    if target.kind is TargetKind.SOUL:
        return replace(found, entries=(text,) if text else ())
    found = replace(found, entries=tuple(section.parse(text)))
    if limit is None:
        return found
    return replace(found, problem=_over(found, limit), drift=section.drift(text, limit))


def _over(found: MemoryFile, limit: int) -> str:
    if found.size <= limit:
        return ""
    if len(found.entries) == 1:
        return "1 entry, over limit: Hermes blocks it at load"
    return f"over limit by {counted(found.size - limit, 'character')}"
