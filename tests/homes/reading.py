"""Reads staged records through the product, for tests about what became of them."""

from __future__ import annotations

from pathlib import Path

from homes.build import START, HomeBuilder

from placet.store.model import Code, Home, Level, Proposal, Record, Subsystem
from placet.store.staged import parse, scan

NOW = START + 1e6
"""A time long after every staged file, so that nothing is settling."""


def read_all(home: HomeBuilder, subsystem: Subsystem = Subsystem.MEMORY) -> dict[str, Proposal]:
    """Every staged file of one folder as a proposal, by file name."""
    return {
        name: parse.understand(scan.read(home.home, subsystem, name), NOW)
        for name in scan.names(home.home, subsystem).names
    }


def only(home: HomeBuilder, subsystem: Subsystem = Subsystem.MEMORY) -> Proposal:
    """The one staged file as a proposal."""
    (found,) = read_all(home, subsystem).values()
    return found


def codes(proposal: Proposal, level: Level | None = None) -> list[Code]:
    """Codes of the verdicts, of one level where given."""
    return [v.code for v in proposal.verdicts if level in (None, v.level)]


def words(proposal: Proposal) -> str:
    """Everything the verdicts say."""
    return " ".join(v.message for v in proposal.verdicts)


def record(raw: bytes | None, modified: float, problem: str = "") -> Record:
    """A memory record that lies nowhere."""
    home = Home(Path("/h"))
    return Record(home, Subsystem.MEMORY, "a.json", "a", raw, problem, modified)


def memory(home: HomeBuilder) -> list[str]:
    """The entries of MEMORY.md."""
    return (home.read("memories/MEMORY.md") or b"").decode().split("\n§\n")


def identity(home: HomeBuilder) -> tuple[int, int, bytes | None]:
    """What stays the same while nobody writes MEMORY.md."""
    found = (home.path / "memories" / "MEMORY.md").stat()
    return found.st_ino, found.st_mtime_ns, home.read("memories/MEMORY.md")
