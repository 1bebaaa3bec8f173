"""What Hermes has on record about skills: what it bundled, what came from the hub, what is pinned.

A missing file says nothing about any skill, as to Hermes; one that cannot be read is not taken for
a missing one.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from placet.store.disk import read
from placet.store.model import FileKind, Home, Owner, SkillFacts, SkillPlace

LIMIT = 1 << 24
"""Largest of these files that is read, in bytes."""

BUNDLED, HUB, USAGE = ".bundled_manifest", ".hub/lock.json", ".usage.json"
"""Hermes' files below `skills/`."""

Table = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Books:
    """The three files of one home; None for one that cannot be read.

    Attributes:
        skills: The home's folder of skills.
        bundled: Digest of each bundled skill as Hermes wrote it, by name; empty where unknown.
        hub: What was installed from the hub, by name.
        usage: What was done with each skill, by name.
    """

    skills: Path
    bundled: Table | None
    hub: Table | None
    usage: Table | None

    def facts(self, place: SkillPlace, external: bool) -> SkillFacts:
        """What is on record about one skill.

        Args:
            place: Where it lies.
            external: Whether that is in a further root, wherever it was found.
        """
        owner, source, baseline = self._owner(place, external)
        pin = next((name for name in place.names if _row(self.usage, name).get("pinned")), "")
        files = {BUNDLED: self.bundled, HUB: self.hub, USAGE: self.usage}
        problems = tuple(
            f"skills/{name} cannot be read, so {_UNTOLD[name]} cannot be told"
            for name, table in files.items()
            if table is None
        )
        return SkillFacts(owner, source, baseline, pin, problems, self.usage is not None)

    def _owner(self, place: SkillPlace, external: bool) -> tuple[Owner, str, bool]:
        if external:
            return Owner.EXTERNAL, "", True
        for name, row in (self.hub or {}).items():
            if self._installed(name, row, place):
                source = row.get("identifier")
                return Owner.HUB, source if isinstance(source, str) else "", True
        bundled: Table = self.bundled or {}
        digests = [str(bundled[name]) for name in place.names if name in bundled]
        if digests:
            return Owner.BUNDLED, "", all(digests)
        if None in (self.bundled, self.hub, self.usage):
            return Owner.UNKNOWN, "", True
        rows = [_row(self.usage, name) for name in place.names]
        agents = any(r.get("created_by") == "agent" or r.get("agent_created") is True for r in rows)
        return Owner.AGENT if agents else Owner.YOURS, "", True

    def _installed(self, name: str, row: Table, place: SkillPlace) -> bool:
        """Whether an entry of the hub's list is about this skill: by its folder, else by name."""
        path = row.get("install_path")
        if isinstance(path, str) and path.strip():
            folder = os.path.join(self.skills, path)  # noqa: PTH118 - os.path takes any text
            if os.path.exists(os.path.join(folder, "SKILL.md")):  # noqa: PTH110, PTH118
                return Path(os.path.realpath(folder)) == place.real
        return name in place.names


_UNTOLD = {
    BUNDLED: "whether it is bundled",
    HUB: "whether it came from the hub",
    USAGE: "whether it is pinned or made by the agent",
}


def of(home: Home) -> Books:
    """Read what is on record about the skills of a home; each file once for each state of it."""
    return Books(
        home.skills,
        _table(home.skills / BUNDLED, _manifest),
        _table(home.skills / HUB, _installed),
        _table(home.skills / USAGE, _object),
    )


def _table(path: Path, parse: Callable[[bytes], Table]) -> Table | None:
    try:
        found = path.stat()
    except FileNotFoundError:
        return {}
    except OSError:
        return None
    return _parsed(path, parse, (found.st_ino, found.st_ctime_ns, found.st_size))


@lru_cache(maxsize=64)
def _parsed(path: Path, parse: Callable[[bytes], Table], _stamp: object) -> Table | None:
    state = read.read(path, LIMIT)
    if state.kind is FileKind.ABSENT:
        return {}
    try:
        return None if state.data is None else parse(state.data)
    except (ValueError, RecursionError):
        return None


def _manifest(data: bytes) -> Table:
    lines = (line.strip() for line in data.decode("utf-8").splitlines())
    pairs = (line.partition(":") for line in lines if line)
    return {name.strip(): digest.strip() for name, _, digest in pairs if name.strip()}


def _object(data: bytes) -> Table:
    found: object = json.loads(data.decode("utf-8"))
    if not isinstance(found, dict):
        raise ValueError("no object")
    return cast("Table", found)


def _installed(data: bytes) -> Table:
    listed: object = _object(data).get("installed") or {}
    if not isinstance(listed, dict):
        raise ValueError("no list of what is installed")
    rows = cast("Table", listed)
    return {name: _row(rows, name) for name in rows}


def _row(table: Table | None, name: str) -> Table:
    row = (table or {}).get(name)
    return cast("Table", row) if isinstance(row, dict) else {}
