"""Opening, reading without a trace, versions, transactions (design §8)."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from placet.store.errors import Busy, LedgerError
from placet.store.ledger import anchor, audit, reaching, schema
from placet.store.ledger.database import Ledger, location
from placet.store.model import Home, Kind


@pytest.fixture
def place(tmp_path: Path) -> Home:
    """A home directory without anything in it."""
    (tmp_path / "home").mkdir()
    return Home(tmp_path / "home")


def everything(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def add(ledger: Ledger) -> int:
    with ledger.immediate():
        return audit.append(ledger, Kind.BASELINE, {}).seq


def test_nothing_is_made_by_looking(place: Home) -> None:
    """Q18: read verbs leave no new file anywhere."""
    assert Ledger.open_reading(place) is None
    with pytest.raises(LedgerError, match="nothing was decided"):
        Ledger.open(place)
    assert everything(place.path) == [] and not anchor.folder().exists()
    Ledger.open(place, create=True).close()
    before = everything(place.path)
    assert before == ["placet", "placet/placet.db"]
    with Ledger.open(place) as writing:
        add(writing)
    reading = Ledger.open_reading(place)
    assert reading is not None and audit.head(reading) == 1
    with pytest.raises(sqlite3.OperationalError):
        reading.connection.execute("DELETE FROM meta")
    with pytest.raises(LedgerError), reading.immediate():
        raise AssertionError("a reader does not write")
    reading.close()
    assert everything(place.path) == before


def test_everything_is_private(place: Home) -> None:
    """Design §3: 0700 and 0600, whatever the umask."""
    old = os.umask(0)
    try:
        with Ledger.open(place, create=True) as ledger:
            add(ledger)
            modes = {p.name: stat.S_IMODE(p.stat().st_mode) for p in place.private.iterdir()}
    finally:
        os.umask(old)
    assert stat.S_IMODE(place.private.stat().st_mode) == 0o700
    assert set(modes.values()) == {0o600} and "placet.db" in modes


def test_a_folder_that_cannot_be_written_is_read_all_the_same(
    place: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design §8: immutable where there is no write-ahead log, so that no file is left."""
    with Ledger.open(place, create=True) as ledger:
        add(ledger)
    monkeypatch.setattr(os, "access", lambda *_: False)
    before = everything(place.path)
    reading = Ledger.open_reading(place)
    assert reading is not None
    assert everything(place.path) == before, "not even while it is open"
    assert audit.head(reading) == 1
    reading.close()


def test_readers_see_what_a_writer_just_committed(place: Home) -> None:
    """A reader beside an open writer is never stale."""
    with Ledger.open(place, create=True) as writing:
        reading = Ledger.open_reading(place)
        assert reading is not None
        for seq in (1, 2, 3):
            assert add(writing) == seq and audit.head(reading) == seq
        reading.close()


@pytest.mark.parametrize("what", ["folder", "database"])
def test_a_planted_link_is_not_followed(place: Home, tmp_path: Path, what: str) -> None:
    """The ledger is never written through a link."""
    with Ledger.open(place, create=True) as ledger:
        add(ledger)
    planted = place.private if what == "folder" else location(place)
    planted.rename(tmp_path / "elsewhere")
    planted.symlink_to(tmp_path / "elsewhere")
    for act in (Ledger.open, Ledger.open_reading):
        with pytest.raises(LedgerError, match="left alone"):
            act(place)
    with pytest.raises(LedgerError):
        Ledger.open(place, create=True)


def test_a_file_that_is_no_database_is_an_error_in_words(place: Home) -> None:
    """Nothing is written over it."""
    place.private.mkdir()
    location(place).write_bytes(b"not a database, but long enough to be looked at" * 50)
    with pytest.raises(LedgerError, match="failed"):
        Ledger.open(place, create=True)
    assert location(place).read_bytes().startswith(b"not a database")


def test_a_newer_database_is_refused_with_the_version_to_install(place: Home) -> None:
    """Design §8: everything can still be looked at; no decision."""
    Ledger.open(place, create=True).close()
    with closing(sqlite3.connect(location(place))) as connection:
        connection.execute("UPDATE meta SET value = '9.9' WHERE key = 'placet'")
        connection.execute(f"PRAGMA user_version = {schema.version() + 1}")
        connection.commit()
    for act in (Ledger.open, Ledger.open_reading):
        with pytest.raises(LedgerError, match=r"Install placet 9\.9 or newer"):
            act(place)


def test_an_older_database_migrates_step_by_step(
    place: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each step is one transaction; a failing one leaves the step before, and the rows."""
    with Ledger.open(place, create=True) as ledger:
        add(ledger)
    good = ("CREATE TABLE second(x)",)
    bad = ("CREATE TABLE third(x)", "CREATE TABLE third(x)")
    today = schema.version()
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, good, bad))
    with pytest.raises(LedgerError):
        Ledger.open(place)
    with closing(sqlite3.connect(location(place))) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (today + 1,)
        names = [row[0] for row in connection.execute("SELECT name FROM sqlite_master")]
    assert "second" in names and "third" not in names
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS[:-1], ("CREATE TABLE third(x)",)))
    with Ledger.open(place) as again:
        assert again.rows("SELECT * FROM third") == []
        assert audit.head(again) == 1 and audit.verify(again) == []


def test_a_block_is_all_or_nothing(place: Home) -> None:
    """An exception in the block rolls everything back; the next one works."""
    with Ledger.open(place, create=True) as ledger:
        with pytest.raises(ZeroDivisionError), ledger.immediate():
            audit.append(ledger, Kind.BASELINE, {})
            ledger.set_meta("x", "y")
            raise ZeroDivisionError
        assert (audit.head(ledger), ledger.meta("x")) == (0, "")
        assert add(ledger) == 1
        with pytest.raises(RuntimeError):
            ledger.run("DELETE FROM meta")


def test_another_writer_is_waited_for_with_a_bound(
    place: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design §8: busy timeout, then words."""
    monkeypatch.setattr(reaching, "BUSY_SECONDS", 0.05)
    with Ledger.open(place, create=True) as ledger, Ledger.open(place) as other:
        with other.immediate(), pytest.raises(Busy, match="another placet"):
            add(ledger)
        assert add(ledger) == 1


def test_a_full_disk_is_told_and_keeps_nothing(place: Home) -> None:
    """T01 from the ledger's side: nothing of the block is kept, and later it works again."""
    with Ledger.open(place, create=True) as ledger:
        pages = ledger.rows("PRAGMA page_count")[0][0]
        ledger.connection.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(LedgerError, match="full"), ledger.immediate():
            for number in range(2000):
                ledger.set_meta(f"key {number}", "x" * 100)
        ledger.connection.execute("PRAGMA max_page_count = 1000000")
        assert ledger.meta("key 0") == ""
        assert add(ledger) == 1


def test_a_database_replaced_while_open_is_noticed(place: Home, tmp_path: Path) -> None:
    """T05: deciding on with the deleted file would leave no trace."""
    with Ledger.open(place, create=True) as ledger:
        add(ledger)
        location(place).rename(tmp_path / "away.db")
        with pytest.raises(LedgerError, match="replaced"):
            add(ledger)
        (tmp_path / "away.db").rename(location(place))
        assert add(ledger) == 2


def test_it_flushes_every_commit(place: Home) -> None:
    """Design §8: write-ahead log with full flushes."""
    with Ledger.open(place, create=True) as ledger:
        found = {
            name: ledger.rows(f"PRAGMA {name}")[0][0]
            for name in ("journal_mode", "synchronous", "busy_timeout", "secure_delete")
        }
    assert found == {
        "journal_mode": "wal",
        "synchronous": 2,
        "busy_timeout": 5000,
        "secure_delete": 1,
    }


def test_the_tables_use_nothing_that_sqlite_3_34_lacks() -> None:
    """Design §8: no STRICT, no RETURNING, no `->`; types are held by CHECK."""
    text = "\n".join(statement for step in schema.MIGRATIONS for statement in step).upper()
    assert "STRICT" not in text and "->" not in text and "RETURNING" not in text
    assert "CHECK(TYPEOF" in text
