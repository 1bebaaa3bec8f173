"""What the system refuses is told in the system's own words, before anything else is."""

from __future__ import annotations

import errno
import os
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from homes.build import HomeBuilder
from homes.reading import memory

from placet.console import guard
from placet.console.commands import deciding
from placet.store.decide import DemoApprover
from placet.store.disk import swap, write
from placet.store.errors import LedgerError
from placet.store.ledger import reaching

Placet = Callable[..., Any]

REFUSALS = (
    errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EPERM, errno.EACCES, errno.EIO, errno.EFBIG,
)  # fmt: skip
CODES = (
    (sqlite3.SQLITE_IOERR, "disk I/O error"),
    (sqlite3.SQLITE_FULL, "database or disk is full"),
    (sqlite3.SQLITE_READONLY, "attempt to write a readonly database"),
    (sqlite3.SQLITE_CANTOPEN, "unable to open database file"),
)


def sqlite_error(code: int, words: str) -> sqlite3.OperationalError:
    """What SQLite raises."""
    error = sqlite3.OperationalError(words)
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize("number", REFUSALS, ids=errno.errorcode.get)
@pytest.mark.parametrize(("code", "words"), CODES)
def test_the_ledger_says_what_the_system_says(
    own: HomeBuilder,
    placet: Placet,
    monkeypatch: pytest.MonkeyPatch,
    number: int,
    code: int,
    words: str,
) -> None:
    """SQLite has a word of its own for each; it stands behind."""
    placet(own, "discard", own.stage_add("first"))

    def refuses(*_: object) -> Path:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(write, "write_temporary", refuses)
    path = own.path / "placet" / "placet.db"
    for block in (reaching.in_words, reaching.reading):
        with pytest.raises(LedgerError) as caught, block(path):
            raise sqlite_error(code, words)
        assert f": {os.strerror(number)} ({words})" in str(caught.value)


def test_what_the_system_would_take_again_keeps_sqlites_words(
    own: HomeBuilder, placet: Placet
) -> None:
    """Nothing is guessed; and damage is no matter of the system."""
    placet(own, "discard", own.stage_add("first"))
    path = own.path / "placet" / "placet.db"
    with pytest.raises(LedgerError, match="failed: disk I/O error"), reaching.in_words(path):
        raise sqlite_error(sqlite3.SQLITE_IOERR, "disk I/O error")
    with pytest.raises(LedgerError, match="failed: malformed"), reaching.in_words(path):
        raise sqlite_error(sqlite3.SQLITE_CORRUPT, "malformed")
    assert sorted(one.name for one in path.parent.iterdir()) == ["blobs", "placet.db"]


@pytest.mark.parametrize("number", REFUSALS, ids=errno.errorcode.get)
def test_a_memory_file_says_what_the_system_says(
    own: HomeBuilder,
    placet: Placet,
    digest: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    number: int,
) -> None:
    """Whatever it is: nobody is told to make room where a file is immutable."""
    own.memory("first")
    ref = own.stage_add("second")
    seen = digest(own, ref)

    def refuses(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number), "MEMORY.md")

    monkeypatch.setattr(swap, "rename_exchange", refuses)
    answer = placet(own, "approve", ref, "--seen", seen)
    assert answer.code == 1 and f"could not be written: {os.strerror(number)}." in answer.err
    assert "room" not in answer.err and "Errno" not in answer.err


@pytest.fixture
def immutable() -> Iterator[Callable[[Path], None]]:
    """Make a file or folder immutable, for the length of the test."""
    made: list[Path] = []

    def make(path: Path) -> None:
        command = ["chattr", "+i", str(path)]
        if os.geteuid() or subprocess.run(command, capture_output=True, check=False).returncode:
            pytest.skip("nothing can be made immutable here")
        made.append(path)

    yield make
    for path in made:
        subprocess.run(["chattr", "-i", str(path)], check=True)


@pytest.mark.parametrize("name", ["placet/placet.db", "placet/blobs", "memories", "pending/memory"])
def test_an_immutable_place(
    own: HomeBuilder,
    placet: Placet,
    digest: Callable[..., str],
    immutable: Callable[[Path], None],
    name: str,
) -> None:
    """For real: not permitted is neither a full disk, nor a missing file, nor an I/O error."""
    own.memory("first")
    assert placet(own, "discard", own.stage_add("other")).code == 0
    ref = own.stage_add("second")
    seen = digest(own, ref)
    immutable(own.path / name)
    answer = placet(own, "approve", ref, "--seen", seen)
    assert answer.code == 1 and "Operation not permitted" in answer.err
    assert memory(own) == ["first"] and own.record_path(ref).exists()


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HomeBuilder]:
    """A home on a file system of two mebibytes."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(disk)]
    if os.geteuid() or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a small file system cannot be mounted here")
    approver = DemoApprover.own_home(disk / "own")
    monkeypatch.setattr(deciding, "approver", lambda: approver)
    yield HomeBuilder(disk / "own").config()
    subprocess.run(["umount", "-l", str(disk)], check=True)


@pytest.mark.parametrize("free", [0, 16 << 10, 32 << 10, 64 << 10, 128 << 10])
def test_a_full_disk(
    small: HomeBuilder, placet: Placet, digest: Callable[..., str], free: int
) -> None:
    """No space left is what is said; all can still be read; with room again it is approved."""
    small.memory("first")
    assert placet(small, "discard", small.stage_add("other")).code == 0
    ref, no = small.stage_add("second"), small.stage_add("third")
    seen = digest(small, ref)
    filler = small.path.parent / "filler"
    found = os.statvfs(small.path)
    filler.write_bytes(bytes(found.f_bavail * found.f_frsize - free))
    for words in (("approve", ref, "--seen", seen), ("reject", no)):
        answer = placet(small, *words)
        assert answer.code == 1 and "No space left on device" in answer.err, answer
    for verb in ("pending", "audit", "refusals", "status", "unfinished"):
        answer = placet(small, verb)
        assert answer.code == 0 and "cannot be read" not in answer.out + answer.err, answer
    filler.unlink()
    left = placet(small, "unfinished", "--json").objects
    again = ("unfinished", "retry", ref) if left else ("approve", ref, "--seen", seen)
    assert placet(small, *again).code == 0 and memory(small) == ["first", "second"]
    assert placet(small, "reject", no).code == 0
    assert placet(small, "audit", "--verify").code == 0


def test_a_file_system_that_is_mounted_read_only(small: HomeBuilder, placet: Placet) -> None:
    """It is no matter of permissions."""
    ref = small.stage_add("second")
    assert placet(small, "discard", small.stage_add("other")).code == 0
    disk = str(small.path.parent)
    subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
    answer = placet(small, "discard", ref)
    assert answer.code == 1 and "Read-only file system" in answer.err
    assert "Read-only file system" in placet(small, "status").out
    subprocess.run(["mount", "-o", "remount,rw", disk], check=True)
    assert placet(small, "discard", ref).code == 0


def test_what_nobody_expected_says_it_too(
    own: HomeBuilder, placet: Placet, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A refusal of the system is no fault of placet's, at the command line and in the console."""
    error = OSError(errno.EDQUOT, os.strerror(errno.EDQUOT), "some/place")

    def refuses(*_: object) -> None:
        raise error

    monkeypatch.setattr("placet.console.commands.place.memory_files.read", refuses)
    answer = placet(own, "memory")
    assert answer.code == 1 and answer.err.startswith("The system refused something: Disk quota")
    assert "some/place" in answer.err and "Traceback" not in answer.err
    assert guard.report(error, None).startswith("Disk quota exceeded (OSError) at ")
    assert "SQLITE_FULL" in guard.report(sqlite3_full(), tmp_path)


def sqlite3_full() -> sqlite3.OperationalError:
    """As raised by SQLite itself."""
    with sqlite3.connect(":memory:") as db:
        db.execute("PRAGMA max_page_count = 1")
        with pytest.raises(sqlite3.OperationalError) as caught:
            db.execute("CREATE TABLE t(x)")
    return caught.value
