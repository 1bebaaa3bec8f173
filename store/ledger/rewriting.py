"""What a step of the schema does to rows, where no statement can."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

Rewrite = Callable[[sqlite3.Connection, Path], None]
"""Changes rows inside the step's transaction; is told the real folder of the home."""


def relative_intents(connection: sqlite3.Connection, home: Path) -> None:
    """Keep paths of open intents inside the home; which home each was made in stays unknown.

    Until then they were whole. A path that is not in this home is of the home that this one was
    copied or moved from: its file is called by the path inside the home as well.
    """
    for token, decision, changes in connection.execute(
        "SELECT token, decision, changes FROM intents"
    ).fetchall():
        rows: list[dict[str, Any]] = json.loads(changes)
        first = _first_home(rows, str(home))
        for row in rows:
            row["path"] = _inside(row["path"], first)
        plain: dict[str, Any] = json.loads(decision)
        _relative_move(plain["ruling"], first)
        connection.execute(
            "UPDATE intents SET decision = ?, changes = ? WHERE token = ?",
            (json.dumps(plain, sort_keys=True), json.dumps(rows), token),
        )


def _first_home(rows: list[dict[str, Any]], home: str) -> str:
    """The home that an intent was made in, by where its files lay; this one where none tells."""
    for row in rows:
        path, end = str(row["path"]), f"/{row['name']}"
        if path.endswith(end) and not path.startswith(f"{home}/"):
            return path.removesuffix(end)
    return home


def _inside(path: str, home: str) -> str:
    return path.removeprefix(f"{home}/")


def _relative_move(ruling: dict[str, Any], home: str) -> None:
    """A skill's folder that moves; once it was called `archive` and could go there alone."""
    once: list[str] | None = ruling.pop("archive", None)
    if once:
        ruling["move"] = {"source": once[0], "destination": once[1], "along": []}
    move: dict[str, Any] | None = ruling.setdefault("move", None)
    if move:
        move |= {end: _inside(str(move[end]), home) for end in ("source", "destination")}


REWRITES: Mapping[int, Rewrite] = {1: relative_intents}
"""By the version that the step leads away from."""
