"""The log: append-only, chained, anchored outside the home (Q14, Q15, T05)."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from placet.store.errors import LedgerError
from placet.store.ledger import anchor, audit, chain, decisions, files, reaching, schema
from placet.store.ledger.database import Ledger, location
from placet.store.model import Home, Kind, sha256


@pytest.fixture
def place(tmp_path: Path) -> Home:
    """A home directory without anything in it."""
    (tmp_path / "home").mkdir()
    return Home(tmp_path / "home")


@pytest.fixture
def ledger(place: Home) -> Iterator[Ledger]:
    """Its ledger with five rows."""
    with Ledger.open(place, create=True) as made:
        add(made, 5)
        yield made


def add(ledger: Ledger, count: int = 1, kind: Kind = Kind.BASELINE, **body: object) -> int:
    with ledger.immediate():
        for _ in range(count):
            seq = audit.append(ledger, kind, {"actor": "somebody", **body}).seq
    return seq


def shell(place: Home) -> sqlite3.Connection:
    """What a plain `sqlite3` shell is: no settings of ours."""
    return sqlite3.connect(location(place), isolation_level=None)


def rows(place: Home) -> list[tuple[object, ...]]:
    with closing(shell(place)) as connection:
        return connection.execute("SELECT * FROM audit ORDER BY seq").fetchall()


ATTACKS = [
    "UPDATE audit SET body = '{}'",
    "UPDATE audit SET body = '{}' WHERE seq = 2",
    "UPDATE OR REPLACE audit SET seq = 1 WHERE seq = 2",
    "UPDATE OR IGNORE audit SET hash = prev",
    "DELETE FROM audit",
    "DELETE FROM audit WHERE seq = 5",
    "INSERT OR REPLACE INTO audit SELECT 2, prev, '{}', hash FROM audit WHERE seq = 2",
    "INSERT OR REPLACE INTO audit SELECT 2, prev, '{}', hash FROM audit WHERE seq = 5",
    "REPLACE INTO audit(rowid, prev, body, hash) SELECT 2, prev, '{}', hash FROM audit LIMIT 1",
    "INSERT OR REPLACE INTO audit(seq, prev, body, hash)"
    " SELECT NULL, prev, '{}', hash FROM audit WHERE seq = 3",
    "INSERT INTO audit SELECT 2, prev, '{}', hash FROM audit WHERE seq = 2"
    " ON CONFLICT(seq) DO UPDATE SET body = excluded.body",
    "INSERT INTO audit SELECT 99, hash, '{}', hash FROM audit WHERE seq = 5",
    "INSERT INTO audit SELECT -1, hash, '{}', hash FROM audit WHERE seq = 5",
    "INSERT INTO audit SELECT 6, hash, '{}', hash FROM audit WHERE seq = 4",
    "INSERT INTO audit SELECT 6, hash, x'00', hash FROM audit WHERE seq = 5",
]


@pytest.mark.parametrize("recursive", [0, 1])
@pytest.mark.parametrize("attack", ATTACKS)
def test_a_plain_shell_cannot_change_the_log(ledger: Ledger, attack: str, recursive: int) -> None:
    """Q15: UPDATE, DELETE, INSERT OR REPLACE by any key, upsert are refused."""
    before = rows(ledger.home)
    with closing(shell(ledger.home)) as connection:
        connection.execute(f"PRAGMA recursive_triggers = {recursive}")
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute(attack)
    assert rows(ledger.home) == before and len(before) == 5
    assert audit.verify(ledger) == []
    assert add(ledger) == 6


def test_a_row_out_of_the_blue_is_found(ledger: Ledger) -> None:
    """The next link with a forged hash passes the guard; `verify` names it."""
    with closing(shell(ledger.home)) as connection:
        connection.execute(
            'INSERT INTO audit SELECT 6, hash, \'{"kind": "baseline"}\', hash'
            " FROM audit WHERE seq = 5"
        )
    assert audit.verify(ledger)[0].startswith("row 6 was changed")


@pytest.mark.parametrize("seq", [1, 3, 5])
def test_an_edited_row_is_named(ledger: Ledger, seq: int) -> None:
    """Q15: with the triggers dropped, `verify` names the first bad row."""
    place = ledger.home
    ledger.close()
    with closing(shell(place)) as connection:
        connection.execute("DROP TRIGGER audit_no_update")
        connection.execute('UPDATE audit SET body = \'{"kind":"kept"}\' WHERE seq >= ?', (seq,))
    with Ledger.open(place) as again:
        found = audit.verify(again)
        assert found[0] == f"row {seq} was changed after it was written"
        assert any("audit_no_update" in words and "missing" in words for words in found)
        assert f"row {seq}" in again.alarm


def test_altered_guards_are_named(ledger: Ledger) -> None:
    """A trigger of the same name that does nothing is no guard; nor is a table changed later."""
    place = ledger.home
    assert audit.verify(ledger) == []
    with closing(shell(place)) as connection:
        connection.execute("DROP TRIGGER audit_no_delete")
        connection.execute(
            "CREATE TRIGGER audit_no_delete BEFORE DELETE ON audit BEGIN SELECT 1; END"
        )
        connection.execute("ALTER TABLE audit ADD COLUMN note")
    with Ledger.open(place) as again:
        found = " ".join(audit.verify(again))
        assert "`audit_no_delete` was altered" in found and "`audit` was altered" in found
        assert again.alarm


def test_a_cut_tail_is_found_through_the_anchor(ledger: Ledger) -> None:
    """Q15, T05: rows cut off the end leave a chain that holds; the anchor knows better."""
    place = ledger.home
    ledger.close()
    with closing(shell(place)) as connection:
        connection.execute("DROP TRIGGER audit_no_delete")
        connection.execute("DELETE FROM audit WHERE seq > 3")
        connection.execute(schema_text("audit_no_delete"))
    with Ledger.open(place) as again:
        assert "ends at #3, the anchor remembers #5" in again.alarm
        assert again.alarm in audit.verify(again)
        with pytest.raises(LedgerError, match="accept"):
            add(again)
        assert audit.head(again) == 3


def schema_text(name: str) -> str:
    return next(one.sql for one in schema.objects() if one.name == name)


def test_an_old_copy_is_found(ledger: Ledger) -> None:
    """T05: an old copy restored over the database."""
    place = ledger.home
    ledger.close()
    copy = place.path / "copy.db"
    shutil.copy(location(place), copy)
    with Ledger.open(place) as later:
        assert later.alarm == ""
        add(later)
    shutil.copy(copy, location(place))
    with Ledger.open(place) as again:
        assert "old copy" in again.alarm


def test_a_rewritten_history_is_found(ledger: Ledger) -> None:
    """T05: the whole chain computed anew, ending at the same number."""
    place = ledger.home
    ledger.close()
    with closing(shell(place)) as connection:
        connection.execute("DROP TRIGGER audit_no_update")
        prev = chain.chain_id(connection)
        for seq in range(1, 6):
            digest = chain.link(seq, prev, "{}")
            connection.execute(
                "UPDATE audit SET prev = ?, body = '{}', hash = ? WHERE seq = ?",
                (prev, digest, seq),
            )
            prev = digest
        connection.execute(schema_text("audit_no_update"))
    with Ledger.open(place) as again:
        assert "history was rewritten" in again.alarm


@pytest.mark.parametrize("what", ["database", "folder"])
def test_a_deleted_database_is_an_alarm(ledger: Ledger, what: str) -> None:
    """T05: deleted and begun anew, the anchor remembers another chain."""
    place = ledger.home
    ledger.close()
    if what == "folder":
        shutil.rmtree(place.private)
    else:
        for file in place.private.glob("placet.db*"):
            file.unlink()
    with Ledger.open(place, create=True) as again:
        assert "deleted or replaced" in again.alarm
        with pytest.raises(LedgerError), again.immediate():
            raise AssertionError("an alarm is open")
    with Ledger.open(place, create=True) as once_more:
        assert "deleted or replaced" in once_more.alarm, "opening twice does not clear it"


def test_a_person_can_accept_it(ledger: Ledger) -> None:
    """Design §8: event `chain-accepted`, the old anchor kept, decisions possible again."""
    place = ledger.home
    ledger.close()
    shutil.rmtree(place.private)
    old = anchor.location(place.path).read_bytes()
    with Ledger.open(place, create=True) as again:
        words = again.alarm
        event = audit.accept(again, {"actor": "somebody", "reason": "moved the disk"})
        body = audit.body(event)
        assert body["accepted"] == [words] and body["reason"] == "moved the disk"
        assert Path(body["old_anchor"]).read_bytes() == old
        assert again.alarm == ""
        assert add(again) == event.seq + 1
        with pytest.raises(LedgerError, match="nothing to accept"):
            audit.accept(again, {})
    with Ledger.open(place) as later:
        assert later.alarm == "" and audit.verify(later) == []


def test_accepting_puts_the_guards_back(ledger: Ledger) -> None:
    """A broken row stays named by `verify`; the alarm goes, and the guards hold again."""
    place = ledger.home
    ledger.close()
    with closing(shell(place)) as connection:
        connection.execute("DROP TRIGGER audit_no_update")
        connection.execute("UPDATE audit SET body = '{}' WHERE seq = 2")
    with Ledger.open(place) as again:
        audit.accept(again, {"actor": "somebody"})
        assert again.alarm == ""
        with closing(shell(place)) as connection, pytest.raises(sqlite3.IntegrityError):
            connection.execute("UPDATE audit SET body = '{}'")
    with Ledger.open(place) as later:
        assert later.alarm == ""
        assert audit.verify(later) == ["row 2 was changed after it was written"]


def test_a_lost_anchor_begins_anew_with_a_note(ledger: Ledger) -> None:
    """Design §8: database without anchor."""
    place = ledger.home
    ledger.close()
    anchor.location(place.path).unlink()
    with Ledger.open(place) as again:
        assert again.alarm == ""
        assert "no anchor" in again.notes[0]
        seq = audit.head(again)
        assert audit.body(audit.events(again, limit=1)[0])["what"] == "anchor"
        assert anchor.read(place.path) is not None
        assert list(anchor.heads(place.path)) == [(seq, audit.events(again, limit=1)[0].hash)]
    with Ledger.open(place) as later:
        assert later.notes == []


@pytest.mark.parametrize("damage", [b"", b"no json\n", b'{"path": "/"}\n'])
def test_a_damaged_anchor_is_an_alarm(ledger: Ledger, damage: bytes) -> None:
    """It cannot be told whether history holds."""
    place = ledger.home
    ledger.close()
    anchor.location(place.path).write_bytes(damage)
    with Ledger.open(place) as again:
        assert "damaged" in again.alarm
        audit.accept(again, {})
        assert again.alarm == ""


def test_the_anchor_survives_a_torn_line(ledger: Ledger) -> None:
    """A crash in the middle of an append loses that line alone."""
    place = ledger.home
    with anchor.location(place.path).open("ab") as file:
        file.write(b"6 abc")
    assert add(ledger) == 6
    known = anchor.read(place.path)
    assert known is not None and known.seq == 6
    assert [seq for seq, _ in anchor.heads(place.path)] == [1, 2, 3, 4, 5, 6]


def test_every_line_of_the_anchor_counts(ledger: Ledger) -> None:
    """An earlier head that differs is found too, though the newest one fits."""
    path = anchor.location(ledger.home.path)
    data = path.read_bytes()
    assert audit.verify(ledger) == []
    lines = data.split(b"\n")
    path.write_bytes(b"\n".join([*lines[:2], b"2 " + b"0" * 64, *lines[3:]]))
    assert audit.verify(ledger) == [
        "row 2 is not the one that the anchor remembers: history was rewritten"
    ]


def test_the_anchor_lies_outside_and_is_private(ledger: Ledger) -> None:
    """`<home-id>.log` below the state folder, 0600; its first line names home and chain."""
    path = anchor.location(ledger.home.path)
    assert path.parent == Path(os.environ["XDG_STATE_HOME"]) / "placet" / "anchors"
    assert path.name == f"{sha256(os.fsencode(ledger.home.path))[:16]}.log"
    assert path.stat().st_mode & 0o777 == 0o600
    first = json.loads(path.read_bytes().split(b"\n")[0])
    assert first == {"path": str(ledger.home.path), "chain": chain.chain_id(ledger.connection)}


def test_an_unwritable_anchor_does_not_undo_a_decision(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is told after the commit; a failure is a note."""

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(anchor, "append", fail)
        assert add(ledger) == 6
    assert "No space left" in ledger.notes[-1]
    assert add(ledger) == 7
    assert audit.verify(ledger) == []


def test_every_kind_can_be_written_and_found(ledger: Ledger) -> None:
    """Q14: each kind is a row that a filter finds."""
    for kind in Kind:
        add(ledger, kind=kind, target="memory")
    for kind in Kind:
        assert audit.events(ledger, kind=kind.value), kind
    assert audit.head(ledger) == 5 + len(Kind)


def test_pages_and_filters(ledger: Ledger) -> None:
    """Keyset pages both ways; kind, actor, target with its files, words."""
    add(ledger, 3, target="memory", reason="Größe of the queue")
    add(ledger, 2, target="skill:tidy/SKILL.md", actor="another")
    add(ledger, 1, target="skill:tidyness/SKILL.md", kind=Kind.KEPT)
    seqs = [event.seq for event in audit.events(ledger, limit=4)]
    assert seqs == [11, 10, 9, 8]
    assert [e.seq for e in audit.events(ledger, before=8, limit=2)] == [7, 6]
    assert [e.seq for e in audit.events(ledger, after=8, limit=2)] == [9, 10]
    assert [e.seq for e in audit.events(ledger, target="skill:tidy")] == [10, 9]
    assert [e.seq for e in audit.events(ledger, actor="another")] == [10, 9]
    assert [e.seq for e in audit.events(ledger, kind="kept")] == [11]
    assert [e.seq for e in audit.events(ledger, text="größe que")] == [8, 7, 6]
    assert [e.seq for e in audit.events(ledger, text="größe", after=7)] == [8]
    assert [e.seq for e in audit.events(ledger, text="another tidy", kind="baseline")] == [10, 9]
    for nothing in ('"', "' OR 1", "NOT", "größe AND", "*", "NEAR(a b)", "\0"):
        audit.events(ledger, text=nothing)
    assert audit.events(ledger, text="absent") == ()
    assert audit.get(ledger, 11) is not None and audit.get(ledger, 12) is None


def test_bodies_never_hold_memory_text(ledger: Ledger) -> None:
    """Design §8: digests, codes, who, when; field report 70."""
    for body in ({"before": "The server"}, {"operations": [{"after": "x"}]}, {"text": "y"}):
        with pytest.raises(ValueError, match="digest"), ledger.immediate():
            audit.append(ledger, Kind.APPROVED, body)
    with ledger.immediate():
        event = audit.append(ledger, Kind.BASELINE, {"operations": [{"after": "0" * 64}]})
    assert event.seq == 6, "nothing of the three before was kept"


def test_a_body_is_canonical(ledger: Ledger) -> None:
    """The same text for the same values; NaN and forged kinds have no place in it."""
    with ledger.immediate():
        event = audit.append(ledger, Kind.BASELINE, {"at": 1.5, "kind": "x", "b": "ü", "a": 1})
    home = json.dumps(str(ledger.home.path))
    made = f'"home":{home},"kind":"baseline","placet":"{reaching.program_version()}"'
    assert event.body == f'{{"a":1,"at":1.5,"b":"\\u00fc",{made}}}'
    with pytest.raises(ValueError), ledger.immediate():
        audit.append(ledger, Kind.BASELINE, {"x": float("nan")})


def test_decisions_and_events_belong_together(ledger: Ledger) -> None:
    """`verify` finds a decision without its event and an event without its decision."""
    seq = add(ledger, kind=Kind.KEPT)
    assert f"row {seq} (kept) has no decision beside it" in audit.verify(ledger)
    with ledger.immediate():
        decisions.add(ledger, decisions.Decision(seq, Kind.KEPT, 1.0, "somebody"))
    assert audit.verify(ledger) == []
    with ledger.immediate():
        decisions.add(ledger, decisions.Decision(seq + 1, Kind.KEPT, 1.0, "somebody"))
    assert f"decision #{seq + 1} (kept) has no such row in the log" in audit.verify(ledger)


def test_live_files_are_compared(ledger: Ledger) -> None:
    """`verify` names a file that is not what was last recorded."""
    file = ledger.home.path / "SOUL.md"
    file.write_bytes(b"soul")
    odd = os.fsdecode(b"skills/\xff.md")
    with ledger.immediate():
        files.remember(ledger, "SOUL.md", sha256(b"soul"), 5)
        files.remember(ledger, odd, None, 5)
    assert files.known(ledger, odd) == (None, 5)
    assert set(files.all_known(ledger)) == {"SOUL.md", odd}
    assert audit.verify(ledger) == []
    file.write_bytes(b"changed")
    assert audit.verify(ledger) == ["SOUL.md is not what #5 last recorded of it"]
    assert audit.verify(ledger, live=False) == []
    file.unlink()
    assert audit.verify(ledger) == ["SOUL.md is gone; #5 last recorded it"]


def _append_many(path: str, count: int) -> None:
    with Ledger.open(Home(Path(path))) as mine:
        for _ in range(count):
            add(mine)


def test_concurrent_appenders_lose_nothing(ledger: Ledger) -> None:
    """Field reports 134, 135: the head is read inside the transaction that appends."""
    context = multiprocessing.get_context("fork")
    path = str(ledger.home.path)
    ledger.close()
    workers = [context.Process(target=_append_many, args=(path, 60)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert [worker.exitcode for worker in workers] == [0] * 4
    with Ledger.open(Home(Path(path))) as again:
        assert audit.head(again) == 5 + 4 * 60
        assert audit.verify(again) == []
        known = anchor.read(again.home.path)
        assert known is not None and known.seq == 245
