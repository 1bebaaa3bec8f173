"""A ledger that is gone, replaced or damaged is said in words, never silence (T05, design §8)."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from placet.store.errors import LedgerError, NotALedger
from placet.store.ledger import anchor, audit, blobs, database, kept, reaching, schema
from placet.store.ledger.database import Ledger, location
from placet.store.model import Home, Kind, sha256


@pytest.fixture
def place(tmp_path: Path) -> Home:
    """A home with a ledger of five rows, closed."""
    (tmp_path / "home").mkdir()
    home = Home(tmp_path / "home")
    with Ledger.open(home, create=True) as ledger, ledger.immediate():
        for _ in range(5):
            audit.append(ledger, Kind.BASELINE, {"actor": "somebody"})
    return home


@pytest.fixture
def ledger(place: Home) -> Iterator[Ledger]:
    with Ledger.open(place) as opened:
        yield opened


def shell(place: Home, *statements: str) -> None:
    with closing(sqlite3.connect(location(place), isolation_level=None)) as connection:
        for statement in statements:
            connection.execute(statement)


def _no_database(place: Home) -> None:
    location(place).unlink()


def _no_folder(place: Home) -> None:
    shutil.rmtree(place.private)


def _emptied(place: Home) -> None:
    location(place).write_bytes(b"")


LOST: list[Callable[[Home], None]] = [_no_database, _no_folder, _emptied]


@pytest.mark.parametrize("lose", LOST)
def test_a_lost_ledger_is_known_from_the_anchor(place: Home, lose: Callable[[Home], None]) -> None:
    """T05: reading asks the anchor also where there is nothing to open."""
    reading = Ledger.open_reading(place)
    assert reading is not None and reading.alarm == ""
    reading.close()
    lose(place)
    assert Ledger.open_reading(place) is None
    assert "up to #5" in database.lost(place) and "deleted or replaced" in database.lost(place)
    anchor.location(place.path).unlink()
    assert database.lost(place) == "", "a home in which nothing was ever decided is no alarm"


def _a_file(place: Home) -> None:
    shutil.rmtree(place.private)
    place.private.write_bytes(b"x")


def _a_dangling_link(place: Home) -> None:
    shutil.rmtree(place.private)
    place.private.symlink_to("/nowhere")


def _another_file(place: Home) -> None:
    location(place).write_bytes(b"not a database, but long enough to be looked at" * 50)


def _a_pipe(place: Home) -> None:
    location(place).unlink()
    os.mkfifo(location(place))


def _version(number: int) -> Callable[[Home], None]:
    return lambda place: shell(place, f"PRAGMA user_version = {number}")


@pytest.mark.parametrize(
    "replace", [_a_file, _a_dangling_link, _another_file, _a_pipe, _version(0), _version(-3)]
)
def test_something_else_in_its_place_is_named(place: Home, replace: Callable[[Home], None]) -> None:
    """T05: a file, a link, a pipe, another file, a version that no placet writes."""
    replace(place)
    with pytest.raises(NotALedger):
        Ledger.open_reading(place)
    with pytest.raises(LedgerError):
        Ledger.open(place, create=True)


def test_every_object_of_the_schema_is_checked(place: Home) -> None:
    """T05: each table, index and guard, dropped alone, is an alarm and a finding."""
    for one in schema.objects():
        if one.name in ("audit", "meta"):
            continue
        copy = Home(place.path.parent / one.name)
        shutil.copytree(place.path, copy.path)
        shell(copy, f"DROP {one.kind} {one.name}")
        reading = Ledger.open_reading(copy)
        assert reading is not None
        with closing(reading):
            assert f"`{one.name}` is missing" in reading.alarm
            assert any(f"`{one.name}` is missing" in words for words in audit.verify(reading))


@pytest.mark.parametrize("table", ["audit", "meta"])
def test_without_its_own_tables_the_log_still_says_so(place: Home, table: str) -> None:
    shell(place, f"DROP TABLE {table}")
    reading = Ledger.open_reading(place)
    assert reading is not None
    with closing(reading):
        assert f"`{table}` is missing" in reading.alarm
        assert any(f"`{table}` is missing" in words for words in audit.verify(reading))


@pytest.mark.parametrize(
    ("statement", "name"),
    [
        ("ALTER TABLE refusals ADD COLUMN note", "refusals"),
        ("CREATE TRIGGER quiet AFTER INSERT ON refusals BEGIN DELETE FROM refusals; END", "quiet"),
        ("CREATE TABLE more(x)", "more"),
    ],
)
def test_a_changed_schema_is_named(ledger: Ledger, statement: str, name: str) -> None:
    """T05: a guard against refusals, put there by somebody else, would lift every one of them."""
    assert audit.verify(ledger) == []
    shell(ledger.home, statement)
    assert any(f"`{name}`" in words for words in audit.verify(ledger))


def test_accepting_puts_dropped_tables_back(place: Home) -> None:
    """What they held is lost, and the finding is in the log; deciding is possible again."""
    shell(place, "DROP TABLE refusals", "DROP TABLE audit_words")
    with Ledger.open(place) as ledger:
        assert "`refusals` is missing" in ledger.alarm
        audit.accept(ledger, {"actor": "somebody"})
        assert ledger.alarm == ""
        assert ledger.rows("SELECT * FROM refusals") == []
        assert len(audit.events(ledger, text="somebody")) == 6, "old rows are found as well"


def test_missing_bytes_are_named_unless_an_event_explains_it(ledger: Ledger) -> None:
    """`rm -r placet/blobs` is found; what a person erased, or was never kept, is not."""
    kept_digest = blobs.put(ledger.home, b"one")
    erased, never = sha256(b"two"), sha256(b"three")
    with ledger.immediate():
        audit.append(
            ledger,
            Kind.BASELINE,
            {
                "files": [{"path": n, "after": d} for n, d in enumerate((kept_digest, erased))],
            },
        )
        body = {"before": None, "after": never, "path": "x", "not_kept": [never]}
        audit.append(ledger, Kind.UNGATED, body)
        audit.append(ledger, Kind.ERASED, {"digests": [erased]})
    assert audit.verify(ledger, live=False) == []
    assert kept.why_gone(ledger, erased) == "was erased (#8)"
    assert kept.why_gone(ledger, never) == "was never kept (#7)"
    shutil.rmtree(blobs.folder(ledger.home))
    (words,) = audit.verify(ledger, live=False)
    assert kept_digest[:12] in words and "#6" in words and "missing" in words
    assert "missing" in kept.why_gone(ledger, kept_digest)


def test_many_missing_texts_add_up(ledger: Ledger) -> None:
    with ledger.immediate():
        rows = [{"path": str(n), "after": sha256(b"%d" % n)} for n in range(kept.SHOWN + 7)]
        audit.append(ledger, Kind.BASELINE, {"files": rows})
    assert audit.verify(ledger)[-1] == "and 7 more texts are missing"


def test_damage_anywhere_is_an_error_in_words(place: Home) -> None:
    """Whatever byte is overwritten, opening and verifying answer in words (C2)."""
    whole = location(place).read_bytes()
    for start in range(0, len(whole), 509):
        location(place).write_bytes(whole[:start] + b"\xff" * 40 + whole[start + 40 :])
        try:
            reading = Ledger.open_reading(place)
        except LedgerError as error:
            assert len(str(error)) < 600
            continue
        if reading is not None:
            with closing(reading):
                audit.verify(reading)


def test_what_a_row_should_not_hold_is_words_too(place: Home) -> None:
    path = location(place)
    for error in (UnicodeDecodeError("utf-8", b"\xff", 0, 1, "x"), KeyError("path"), IndexError()):
        with pytest.raises(LedgerError, match="cannot be read"), reaching.reading(path):
            raise error
    with pytest.raises(ZeroDivisionError), reaching.reading(path):
        raise ZeroDivisionError


def _folder(path: Path) -> None:
    path.mkdir()


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _deep(path: Path) -> None:
    path.write_bytes(b"[" * 60_000 + b"\n")


@pytest.mark.parametrize("make", [_folder, _fifo, _deep])
def test_an_anchor_that_is_no_file_is_an_alarm(place: Home, make: Callable[[Path], None]) -> None:
    """C3: neither a traceback nor a wait; a person can accept it."""
    path = anchor.location(place.path)
    path.unlink()
    make(path)
    reading = Ledger.open_reading(place)
    assert reading is not None
    with closing(reading):
        assert "anchor" in reading.alarm and not reading.alarm.endswith(".")
        assert reading.alarm in audit.verify(reading)
    with Ledger.open(place) as ledger:
        with pytest.raises(LedgerError) as refused, ledger.immediate():
            raise AssertionError("an alarm is open")
        assert ".." not in str(refused.value)
        audit.accept(ledger, {"actor": "somebody"})
        assert ledger.alarm == ""
    shutil.rmtree(place.private)
    assert database.lost(place)


def test_the_version_to_install_is_a_newer_one(place: Home) -> None:
    """D7: never the version that is running."""
    for wrote, wanted in (
        (reaching.program_version(), "Install a newer placet"),
        ("0.0.1", "Install a newer placet"),
        ("unknown", "Install a newer placet"),
        ("99.1", re.escape("Install placet 99.1 or newer")),
    ):
        shell(
            place,
            f"UPDATE meta SET value = '{wrote}' WHERE key = 'placet'",
            "PRAGMA user_version = 99",
        )
        with pytest.raises(LedgerError, match=wanted):
            Ledger.open_reading(place)
