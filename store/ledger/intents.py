"""What was decided and is not yet known to be written: the whole decision, and its changes."""

from __future__ import annotations

import json
import os
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from placet.store.ledger import blobs, names
from placet.store.ledger.database import Ledger
from placet.store.model import Change, Home, Subsystem, Target, TargetKind, sha256

Pair = tuple[int, int]
"""Device and inode."""


class MadeIn(NamedTuple):
    """Which home an intent was made in; a copy of it, or one at another place, is another home.

    Attributes:
        path: Its real path.
        home: Device and inode of its folder, or None where an older placet did not say.
        folder: The same of the folder that the target lies in, or None where there was none yet.
    """

    path: str
    home: Pair | None
    folder: Pair | None

    @classmethod
    def now(cls, home: Home, target: Target | None) -> MadeIn:
        """The home as it is, with the folder of a target."""
        folder = None if target is None else _pair(_folder(home, target))
        return cls(os.path.realpath(home.path), _pair(home.path), folder)

    def is_same(self, other: MadeIn) -> bool:
        """Whether both are one home, as far as both say."""
        folders = (self.folder, other.folder)
        return (
            self.home is not None
            and self[:2] == other[:2]
            and (None in folders or folders[0] == folders[1])
        )


def _folder(home: Home, target: Target) -> Path:
    """The real folder of a target's files; of skills the one that holds them all."""
    if target.kind is TargetKind.SKILL:
        return home.skills
    return Path(os.path.realpath(home.file(target))).parent


def _pair(folder: Path) -> Pair | None:
    try:
        found = folder.stat()
    except OSError:
        return None
    return (found.st_dev, found.st_ino)


@dataclass(frozen=True, slots=True)
class Intent:
    """One open intent.

    Attributes:
        token: Names it and its files on disk: `.<name>.placet-<token>…`.
        at: When, seconds since the epoch.
        subsystem: Folder of the proposal.
        id: Id of the proposal.
        sha256: SHA-256 of the record's bytes.
        name: File name of the record, or empty for a person's change.
        decision: The whole decision as JSON values: kind, choice, reason, evidence, refusals…
            It may hold digests, never memory text.
        changes: Each file before and after, with its bytes. What lies in the home is kept by its
            path inside it, so that a copy of the home never leads to the first one.
        made_in: Which home it was made in.
        lost: Files of which a side is not kept any more, so that nobody can finish this; such a
            file is not among the changes. A person may cancel it.
    """

    token: str
    at: float
    subsystem: Subsystem
    id: str
    sha256: str
    name: str
    decision: Mapping[str, Any]
    changes: tuple[Change, ...]
    made_in: MadeIn
    lost: tuple[Path, ...] = ()

    @property
    def paths(self) -> tuple[Path, ...]:
        """Every file that it writes."""
        return (*(change.path for change in self.changes), *self.lost)


def new_token() -> str:
    """A fresh token, 12 hexadecimal characters."""
    return secrets.token_hex(6)


def add(ledger: Ledger, intent: Intent) -> None:
    """Write an intent, inside an open `immediate()` block; its bytes are kept already."""
    values = (
        *(intent.token, intent.at, intent.subsystem.value, intent.id, intent.sha256),
        names.stored(intent.name),
        json.dumps({**intent.decision, _MADE_IN: intent.made_in}, sort_keys=True),
        json.dumps([_packed(ledger.home, change) for change in intent.changes]),
    )
    ledger.run(
        f"INSERT INTO intents({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        values,
    )


def open_ones(ledger: Ledger) -> tuple[Intent, ...]:
    """Every open intent, oldest first; also those whose bytes are lost."""
    rows = ledger.rows(f"SELECT {_COLUMNS} FROM intents ORDER BY at, token")
    return tuple(_intent(ledger.home, row) for row in rows)


_MADE_IN = "made_in"
_COLUMNS = "token, at, subsystem, id, sha256, name, decision, changes"


def get(ledger: Ledger, token: str) -> Intent | None:
    """One open intent, or None where it was closed."""
    row = ledger.row(f"SELECT {_COLUMNS} FROM intents WHERE token = ?", (token,))
    return _intent(ledger.home, row) if row else None


def close(ledger: Ledger, token: str) -> bool:
    """Close an intent, inside the block that writes its outcome; False if it was closed before."""
    return ledger.run("DELETE FROM intents WHERE token = ?", (token,)) == 1


def make(
    subsystem: Subsystem,
    id: str,  # noqa: A002
    digest: str,
    name: str,
    decision: Mapping[str, Any],
    changes: tuple[Change, ...],
    made_in: MadeIn,
) -> Intent:
    """A new intent with a fresh token, as of now."""
    token, at = new_token(), time.time()
    return Intent(token, at, subsystem, id, digest, name, decision, changes, made_in)


def inside(home: Home, path: Path) -> str:
    """A path as it is kept: inside the home with forward slashes, whole where it lies elsewhere."""
    return path.relative_to(home.path).as_posix() if path.is_relative_to(home.path) else str(path)


def placed(home: Home, kept: str) -> Path:
    """The path that was kept by `inside`, in the home of today."""
    return home.path / kept


def _packed(home: Home, change: Change) -> dict[str, object]:
    return {
        "path": inside(home, change.path),
        "name": change.name,
        "before": None if change.before is None else sha256(change.before),
        "after": None if change.after is None else sha256(change.after),
        "mode": change.mode,
        "destination": change.destination,
    }


def _intent(home: Home, row: tuple[Any, ...]) -> Intent:
    token, at, subsystem, id_, digest, name, decision, changes = row
    rows: list[dict[str, Any]] = json.loads(changes)
    plain: dict[str, Any] = json.loads(decision)
    made_in = _made_in(plain.pop(_MADE_IN, None))
    unpacked = [_unpacked(home, packed) for packed in rows]
    return Intent(
        token,
        at,
        Subsystem(subsystem),
        id_,
        digest,
        names.found(name),
        plain,
        tuple(change for change in unpacked if change is not None),
        made_in,
        tuple(placed(home, p["path"]) for p, c in zip(rows, unpacked, strict=True) if c is None),
    )


def _made_in(plain: list[Any] | None) -> MadeIn:
    """What an intent says of its home; that of an older placet says nothing that would do."""
    if plain is None:
        return MadeIn("", None, None)
    path, home, folder = plain
    return MadeIn(path, tuple(home) if home else None, tuple(folder) if folder else None)


def _unpacked(home: Home, packed: Mapping[str, Any]) -> Change | None:
    """A change with its bytes, or None where they are not kept any more."""
    before, after = (
        None if digest is None else blobs.get(home, digest)
        for digest in (packed["before"], packed["after"])
    )
    if (before is None) != (packed["before"] is None) or (after is None) != (
        packed["after"] is None
    ):
        return None
    path, mode = placed(home, packed["path"]), packed["mode"]
    return Change(path, packed["name"], before, after, mode, packed["destination"])
