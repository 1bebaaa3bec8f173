"""Skills as they are found: where each one lies, whose it is, and whether it is pinned."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Owner(StrEnum):
    """Where a skill comes from, and so who else changes it."""

    BUNDLED = "bundled"
    HUB = "hub"
    AGENT = "agent"
    YOURS = "yours"
    EXTERNAL = "external"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class SkillPlace:
    """Where a skill was found.

    Attributes:
        folder: Its folder as the home names it.
        real: That folder after resolving links.
        root: The folder of skills that it was found below.
        declared: The name that the head of its SKILL.md gives it, or empty.
        linked: Whether that folder, or one above it in the root, is a symbolic link.
        outside: Whether it was found in a further root, not in the home's own.
    """

    folder: Path
    real: Path
    root: Path
    declared: str = ""
    linked: bool = False
    outside: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names it goes by: its folder's, and that of its head where it is another one."""
        return tuple(dict.fromkeys(name for name in (self.folder.name, self.declared) if name))


@dataclass(frozen=True, slots=True)
class SkillFacts:
    """What Hermes has on record about a skill.

    Attributes:
        owner: Where it comes from.
        source: Where the hub has it from, or empty.
        baseline: Whether a bundled skill can be told from a changed one.
        pin: The name under which a person pinned it, or empty.
        problems: What cannot be told, and why, in words.
        pin_known: Whether it can be told at all that it is not pinned.
    """

    owner: Owner
    source: str = ""
    baseline: bool = True
    pin: str = ""
    problems: tuple[str, ...] = ()
    pin_known: bool = True
