"""Where memory lies: homes, their configuration, and what a change can land in."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from placet.store.model.words import Subsystem, TargetKind


@dataclass(frozen=True, slots=True, order=True)
class Target:
    """What a change lands in: `memory`, `user`, `soul` or `skill:<name>/<path>`.

    Attributes:
        kind: Which of the four.
        skill: Name of the skill, or empty.
        path: Path inside the skill with forward slashes, empty for the skill as a whole.
    """

    kind: TargetKind
    skill: str = ""
    path: str = ""

    def __str__(self) -> str:
        if self.kind is not TargetKind.SKILL:
            return self.kind.value
        return f"skill:{self.skill}/{self.path}" if self.path else f"skill:{self.skill}"

    @property
    def word(self) -> str:
        """The word a person types to confirm a high-impact change here."""
        return self.skill if self.kind is TargetKind.SKILL else self.kind.value


@dataclass(frozen=True, slots=True)
class Home:
    """Directory of one agent's memory.

    Attributes:
        path: Real path of the home.
        label: Short name, unique among the homes of this run: profile name, `default`, or the path.
    """

    path: Path
    label: str = "default"

    def pending(self, subsystem: Subsystem) -> Path:
        """Folder of the staged records of one subsystem."""
        return self.path / "pending" / subsystem.value

    @property
    def memories(self) -> Path:
        """Folder of MEMORY.md and USER.md."""
        return self.path / "memories"

    @property
    def skills(self) -> Path:
        """Folder of the skills."""
        return self.path / "skills"

    @property
    def config(self) -> Path:
        """Hermes' own configuration file."""
        return self.path / "config.yaml"

    @property
    def private(self) -> Path:
        """placet's own folder in the home, mode 0700."""
        return self.path / "placet"

    @property
    def state_db(self) -> Path:
        """Hermes' session database, read for provenance only."""
        return self.path / "state.db"

    def file(self, target: Target) -> Path:
        """Path of the file behind `memory`, `user` or `soul`.

        Raises:
            ValueError: The target is a skill, whose folder has to be searched for.
        """
        match target.kind:
            case TargetKind.MEMORY:
                return self.memories / "MEMORY.md"
            case TargetKind.USER:
                return self.memories / "USER.md"
            case TargetKind.SOUL:
                return self.path / "SOUL.md"
            case TargetKind.SKILL:
                raise ValueError("a skill has no fixed path")


@dataclass(frozen=True, slots=True)
class Gate:
    """Hermes' write approval, one switch per subsystem."""

    memory: bool = False
    skills: bool = False


@dataclass(frozen=True, slots=True)
class HomeConfig:
    """What placet reads from Hermes' config.yaml.

    Attributes:
        memory_limit: Cap of MEMORY.md in characters.
        user_limit: Cap of USER.md in characters.
        gate: Write approval as Hermes computes it.
        memory_enabled: Whether the memory target is switched on.
        user_enabled: Whether the user target is switched on.
        provider: External memory provider, or empty.
        external_dirs: Further skill roots, real paths in the order in which Hermes searches them.
        inline_shell: Whether Hermes runs the commands that a SKILL.md holds when it is viewed, or
            None where that cannot be told.
        problems: Sentences about what is wrong with the file and what Hermes will do about it.
        digest: Changes whenever any of the above does.
    """

    memory_limit: int = 2200
    user_limit: int = 1375
    gate: Gate = Gate()
    memory_enabled: bool = True
    user_enabled: bool = True
    provider: str = ""
    external_dirs: tuple[Path, ...] = ()
    inline_shell: bool | None = False
    problems: tuple[str, ...] = ()
    digest: str = ""

    def limit(self, target: Target) -> int | None:
        """Cap of a target in characters, or None where there is none."""
        return {TargetKind.MEMORY: self.memory_limit, TargetKind.USER: self.user_limit}.get(
            target.kind
        )

    def enabled(self, target: Target) -> bool:
        """Whether the target is switched on."""
        flags = {TargetKind.MEMORY: self.memory_enabled, TargetKind.USER: self.user_enabled}
        return flags.get(target.kind, True)
