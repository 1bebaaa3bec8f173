"""What was decided and is not yet known to be written: the whole decision, and its changes."""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from placet.store.ledger import blobs, names
from placet.store.ledger.database import Ledger
from placet.store.model import Change, Home, Subsystem, sha256


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
        changes: Each file before and after, with its bytes; `path` is absolute.
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
        json.dumps(intent.decision, sort_keys=True),
        json.dumps([_packed(change) for change in intent.changes]),
    )
    ledger.run(
        f"INSERT INTO intents({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        values,
    )


def open_ones(ledger: Ledger) -> tuple[Intent, ...]:
    """Every open intent, oldest first; also those whose bytes are lost."""
    rows = ledger.rows(f"SELECT {_COLUMNS} FROM intents ORDER BY at, token")
    return tuple(_intent(ledger.home, row) for row in rows)


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
) -> Intent:
    """A new intent with a fresh token, as of now."""
    return Intent(new_token(), time.time(), subsystem, id, digest, name, decision, changes)


def _packed(change: Change) -> dict[str, object]:
    return {
        "path": str(change.path),
        "name": change.name,
        "before": None if change.before is None else sha256(change.before),
        "after": None if change.after is None else sha256(change.after),
        "mode": change.mode,
        "destination": change.destination,
    }


def _intent(home: Home, row: tuple[Any, ...]) -> Intent:
    token, at, subsystem, id_, digest, name, decision, changes = row
    rows: list[dict[str, Any]] = json.loads(changes)
    unpacked = [_unpacked(home, packed) for packed in rows]
    return Intent(
        token,
        at,
        Subsystem(subsystem),
        id_,
        digest,
        names.found(name),
        json.loads(decision),
        tuple(change for change in unpacked if change is not None),
        tuple(Path(p["path"]) for p, c in zip(rows, unpacked, strict=True) if c is None),
    )


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
    path, mode = Path(packed["path"]), packed["mode"]
    return Change(path, packed["name"], before, after, mode, packed["destination"])
