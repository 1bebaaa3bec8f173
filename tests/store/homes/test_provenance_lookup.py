"""Records are joined to the session that staged them, reading only and within the deadline."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from homes.build import START, HomeBuilder, staged_result

from placet.store.homes import provenance

TALK: list[dict[str, Any]] = [
    {"session": "s0", "role": "user", "content": "another session"},
    {"session": "s1", "role": "user", "content": "older question"},
    {"session": "s1", "role": "user", "content": "remember the port", "source": "telegram"},
    {"session": "s1", "role": "assistant", "content": "I will."},
    {
        "session": "s1",
        "role": "tool",
        "tool_name": "memory",
        "content": staged_result("abcd0001"),
    },
    {"session": "s1", "role": "user", "content": "later"},
    {"session": "s1", "role": "tool", "tool_name": "web", "content": staged_result("abcd0002")},
]


@pytest.mark.parametrize("wal", [False, True])
def test_foreground_record_is_joined_to_its_message(home: HomeBuilder, wal: bool) -> None:
    """Q17; and reading leaves no file (design §8)."""
    home.state_db(TALK, wal=wal)
    before = sorted(os.listdir(home.path))
    found = provenance.find_session(home.home, "abcd0001", 5.0)
    assert (found.session, found.message, found.at, found.problem) == (
        "s1",
        "remember the port",
        START + 4,
        "",
    )
    assert sorted(os.listdir(home.path)) == before


def test_background_record_says_unknown(home: HomeBuilder) -> None:
    """Q17: what another tool printed proves nothing, and an unknown id is unknown."""
    home.state_db(TALK)
    for record_id in ("abcd0002", "ffff0000", "abcd000_", "%"):
        found = provenance.find_session(home.home, record_id, 5.0)
        assert found.session == "" and found.problem.startswith("unknown")
    assert provenance.find_session(home.home, "abcd0001", 5.0).session == "s1"


@pytest.fixture
def live_writer(home: HomeBuilder) -> Iterator[sqlite3.Connection]:
    home.state_db(TALK[:4], wal=True)
    writer = sqlite3.connect(home.path / "state.db")
    writer.execute(
        "INSERT INTO messages(session_id, role, content, tool_name, timestamp)"
        " VALUES ('s1', 'tool', ?, 'memory', ?)",
        (staged_result("abcd0009"), START),
    )
    writer.commit()
    yield writer
    writer.close()


def test_live_database_is_read_through_its_log(
    home: HomeBuilder, live_writer: sqlite3.Connection
) -> None:
    """Design §8: with a writer at work the newest rows are still in the -wal file."""
    before = sorted(os.listdir(home.path))
    assert provenance.find_session(home.home, "abcd0009", 5.0).session == "s1"
    assert sorted(os.listdir(home.path)) == before
    live_writer.execute("UPDATE sessions SET title = 'still writable'")
    live_writer.commit()


def test_log_left_by_a_crash_stays_as_it_is(
    home: HomeBuilder, live_writer: sqlite3.Connection, tmp_path: Path
) -> None:
    """Design §8: neither checkpointed nor given a -shm file."""
    other = HomeBuilder(tmp_path / "crashed")
    for name in ("state.db", "state.db-wal"):
        shutil.copy(home.path / name, other.path / name)
    before = other.tree()
    provenance.find_session(other.home, "abcd0001", 5.0)
    assert other.tree() == before


def test_without_the_index_the_rows_are_scanned(home: HomeBuilder) -> None:
    home.state_db(TALK)
    with sqlite3.connect(home.path / "state.db") as database:
        database.execute("DROP TRIGGER messages_fts_trigram_insert")
        database.execute("DROP TABLE messages_fts_trigram")
    assert provenance.find_session(home.home, "abcd0001", 5.0).session == "s1"


def test_running_out_of_time_is_an_answer(home: HomeBuilder) -> None:
    """Design §8: "not found in time" is a value."""
    home.state_db(TALK * 3000)
    found = provenance.find_session(home.home, "abcd0001", 0.0)
    assert found.problem == "unknown: not found in time"
    assert provenance.find_session(home.home, "abcd0001", 30.0).session == "s1"


@pytest.mark.parametrize("data", [b"", b"no database at all", b"SQLite format 3\0" + b"\xff" * 500])
def test_broken_database_is_words(home: HomeBuilder, data: bytes) -> None:
    home.write("state.db", data)
    assert provenance.find_session(home.home, "abcd0001").problem.startswith("unknown")


def test_no_database_no_file(home: HomeBuilder) -> None:
    before = home.tree()
    assert "no session database" in provenance.find_session(home.home, "abcd0001").problem
    os.mkfifo(home.path / "state.db")
    words = provenance.find_session(home.home, "abcd0001").problem
    assert "regular" in words and "Errno" not in words
    (home.path / "state.db").unlink()
    assert home.tree() == before


def test_path_with_odd_characters(tmp_path: Path) -> None:
    home = HomeBuilder(tmp_path / "a?b#c%20 d").state_db(TALK)
    assert provenance.find_session(home.home, "abcd0001", 5.0).session == "s1"


def test_hostile_types_do_not_raise(home: HomeBuilder) -> None:
    home.state_db([{"session": "s1", "role": "user", "content": "x"}])
    with sqlite3.connect(home.path / "state.db") as database:
        database.execute(
            "INSERT INTO messages(session_id, role, content, tool_name, timestamp) VALUES"
            " ('s1', 'tool', CAST(? AS TEXT), 'memory', 'noon')",
            (staged_result("abcd0003").encode() + b"\xff",),
        )
    assert provenance.find_session(home.home, "abcd0003", 5.0).problem.startswith("unknown")


def test_real_session_database(home_small: HomeBuilder) -> None:
    """Q17 on a database that Hermes made; reading leaves every byte and file as it was."""
    before = home_small.tree()
    found = provenance.find_session(home_small.home, "0cd58cc6", 5.0)
    assert (found.source, found.problem) == ("cli", "")
    assert "CI runs on Linux" in found.message
    assert provenance.find_session(home_small.home, "e52fec14", 5.0).problem.startswith("unknown")
    assert home_small.tree() == before
