"""The log can be read whatever a row holds: every kind, and bodies that somebody tampered with."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
from homes.build import HomeBuilder

from placet.console.pages.cells import text_of
from placet.console.pages.event_rows import event_cells
from placet.console.reader import Reader
from placet.store.ledger import audit
from placet.store.ledger.database import Ledger
from placet.store.model import Event, Kind

Placet = Callable[..., Any]

WIDE = 200
TAMPERED = ['{"at":"x"}', "[1]", '{"at":1e400}']


def newest(home: HomeBuilder) -> Event:
    """The newest event as the console reads it."""
    return Reader([home.home]).newest(1)[0].event


def tamper(home: HomeBuilder, body: str) -> None:
    """Change the newest row, the guards dropped."""
    with closing(sqlite3.connect(home.path / "placet" / "placet.db")) as database, database:
        found = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'audit'"
        for (name,) in database.execute(found).fetchall():
            database.execute(f"DROP TRIGGER {name}")
        last = "(SELECT max(seq) FROM audit)"
        database.execute(f"UPDATE audit SET body = ? WHERE seq = {last}", (body,))


@pytest.mark.parametrize("body", TAMPERED)
def test_a_tampered_row_is_shown_and_named(own: HomeBuilder, placet: Placet, body: str) -> None:
    """T05, Q15: it is read like any other row, its time unknown; verifying names it."""
    assert placet(own, "discard", own.stage_add("a")).code == 0
    assert "time unknown" not in placet(own, "audit").out
    event = newest(own)
    number = f"default:#{event.seq}"
    tamper(own, body)
    for words in ((), ("--full",)):
        answer = placet(own, "audit", *words)
        assert answer.code == 0 and f"{number}  time unknown  kind unknown" in answer.out
    answer = placet(own, "audit", "--json")
    (row,) = [one for one in answer.objects if one["event"] == number]
    assert answer.code == 0 and row["at"] is None and row["kind"] is None
    answer = placet(own, "audit", "--verify")
    assert answer.code == 3 and f"row {event.seq} was changed" in answer.out
    found = {one.event.seq: one.event for one in Reader([own.home]).newest(99)}
    assert found[event.seq].body == body
    assert "time unknown" in text_of(event_cells(found[event.seq])(WIDE))
    assert "kind unknown" in text_of(event_cells(found[event.seq])(WIDE))


@pytest.mark.parametrize("kind", Kind)
@pytest.mark.parametrize("body", [{}, {"target": "memory", "reason": "because"}])
def test_an_event_of_every_kind_can_be_read(
    own: HomeBuilder, placet: Placet, kind: Kind, body: dict[str, object]
) -> None:
    """Q14: by the log of the command line, by its JSON, and by the row of the console."""
    with Ledger.open(own.home, create=True) as ledger, ledger.immediate():
        event = audit.append(ledger, kind, body)
    answer = placet(own, "audit", "--full", "--kind", kind.value)
    assert answer.code == 0
    assert f"default:#{event.seq}  " in answer.out and f"  {kind.value}  " in answer.out
    answer = placet(own, "audit", "--json", "--kind", kind.value)
    assert answer.code == 0 and answer.objects[-1]["kind"] == kind.value
    assert answer.objects[-1]["event"] == f"default:#{event.seq}"
    row = text_of(event_cells(newest(own), home="default")(WIDE))
    assert f"default:#{event.seq}" in row and kind.value in row
