"""Staging folders are listed by names alone and read without trusting anything in them."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest
from homes.build import START, HomeBuilder

from placet.store.model import MAX_RECORD_BYTES, Subsystem
from placet.store.staged import scan

MEMORY = Subsystem.MEMORY


def test_lists_what_hermes_lists_and_claims(home: HomeBuilder) -> None:
    """format.md §2.4: dot files too, exact ending only, no temporary names; design §6: claims."""
    folder = home.pending()
    wanted = ["a.json", ".x.json", ".json", ".b.json.placet", "..c.json.placet"]
    for name in (*wanted, "x.json.tmp", "X.JSON", ".MEMORY.md.placet-3", "b.json.placet", "j"):
        (folder / name).write_bytes(b"{}")
    (folder / "dir.json").mkdir()
    os.mkfifo(folder / "fifo.json")
    (folder / "link.json").symlink_to("/nowhere")
    listing = scan.names(home.home, MEMORY)
    assert list(listing.names) == sorted([*wanted, "dir.json", "fifo.json", "link.json"])
    assert listing.problem == ""


def test_missing_folder_is_no_problem_and_is_not_made(home: HomeBuilder) -> None:
    """Q18."""
    assert scan.names(home.home, MEMORY) == scan.Listing()
    assert not (home.path / "pending").exists()
    home.stage_add("x")
    assert len(scan.names(home.home, MEMORY).names) == 1


def test_folder_that_cannot_be_listed_is_words(home: HomeBuilder) -> None:
    home.write("pending/memory", b"a file in its place")
    assert "cannot be listed" in scan.names(home.home, MEMORY).problem


def test_ten_thousand_names_are_listed_whole(home: HomeBuilder) -> None:
    """Design §15, 10,000 waiting: by names, no file is opened."""
    folder = home.pending()
    for number in range(10_000):
        os.mkfifo(folder / f"{number:08x}.json")
    assert len(scan.names(home.home, MEMORY).names) == 10_000


def test_a_name_that_no_claim_bears_is_none() -> None:
    """Each record has one claim name, and only that is one."""
    for name in (".a.plc", f".{'n' * 200}.json.placet", "a.json.placet", "n" * 200 + ".plc"):
        assert not scan.is_claim(name) and not scan.is_staged(name)
        assert scan.record_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        *("a.json", ".x.json", "ä b.json", "x.json.json", os.fsdecode(b"\xff.json")),
        *("n" * (size - 5) + ".json" for size in (128, 129, 248, 255)),
        "." * 250 + ".json",
    ],
)
def test_claim_names_go_there_and_back(name: str) -> None:
    """Design §6 step 1; within the 255 bytes of a file name."""
    claimed = scan.claim_name(name)
    assert scan.is_claim(claimed) and not claimed.endswith(".json")
    assert len(os.fsencode(claimed)) <= 255 and scan.is_staged(claimed)
    assert scan.record_name(claimed) == name
    assert not scan.is_claim(name) and scan.record_name(name) == name
    assert scan.safe_id(claimed) == scan.safe_id(name)


def test_ids_that_are_unsafe_become_digests(home: HomeBuilder) -> None:
    """Design §2, Q12, field report 55."""
    assert scan.safe_id("e52fec14.json") == "e52fec14"
    assert scan.safe_id("x" * 64 + ".json") == "x" * 64
    odd = ["x" * 65, ".x", "", "a b", "a\n", "ä", "a.b", "..", "\udcff", "a\u202eb"]
    made = [scan.safe_id(f"{stem}.json") for stem in odd]
    assert all(found.startswith("sha256:") and len(found) == 19 for found in made)
    assert len(set(made)) == len(odd)


def test_reads_bytes_and_time(home: HomeBuilder) -> None:
    home.stage_raw("a.json", b"{\xff", modified=START)
    record = scan.read(home.home, MEMORY, "a.json")
    assert (record.raw, record.problem, record.modified, record.id, record.claimed) == (
        b"{\xff",
        "",
        START,
        "a",
        False,
    )
    (home.pending() / "a.json").rename(home.pending() / ".a.json.placet")
    claim = scan.read(home.home, MEMORY, ".a.json.placet")
    assert (claim.raw, claim.id, claim.claimed) == (b"{\xff", "a", True)


def test_what_is_no_plain_file_is_words(home: HomeBuilder, tmp_path: Path) -> None:
    """Field report 55: symlinks, hard links, directories, FIFOs, sockets are refused and listed."""
    folder = home.pending()
    outside = tmp_path / "secret.json"
    outside.write_bytes(b"{}")
    (folder / "sym.json").symlink_to(outside)
    os.link(outside, folder / "hard.json")
    (folder / "dir.json").mkdir()
    os.mkfifo(folder / "fifo.json")
    bound = socket.socket(socket.AF_UNIX)
    old = Path.cwd()
    os.chdir(folder)  # the path of a socket has to be short
    try:
        bound.bind("sock.json")
    finally:
        os.chdir(old)
        bound.close()
    words = {
        name: scan.read(home.home, MEMORY, name) for name in scan.names(home.home, MEMORY).names
    }
    assert sorted(words) == ["dir.json", "fifo.json", "hard.json", "sock.json", "sym.json"]
    assert all(record.raw is None and record.problem for record in words.values())
    assert "symbolic link" in words["sym.json"].problem
    assert "hard link" in words["hard.json"].problem
    assert words["sym.json"].modified > 0


def test_size_cap(home: HomeBuilder) -> None:
    """Field report 72: 60 MiB are not read; exactly 1 MiB is."""
    place = home.stage_raw("big.json", b"")
    os.truncate(place, 60 << 20)
    record = scan.read(home.home, MEMORY, "big.json")
    assert record.raw is None and "62,914,560" in record.problem
    os.truncate(place, MAX_RECORD_BYTES)
    assert len(scan.read(home.home, MEMORY, "big.json").raw or b"") == MAX_RECORD_BYTES


@pytest.mark.parametrize("name", ["../victim.json", "/etc/hosts", "..", ".", "a\0.js", "a/b.json"])
def test_names_are_never_paths(home: HomeBuilder, name: str) -> None:
    """Q12, format.md §2.4 arg-traversal."""
    home.write("pending/victim.json", b"{}")
    record = scan.read(home.home, MEMORY, name)
    assert record.raw is None and "out of the folder" in record.problem


def test_vanished_and_overlong_names_are_words(home: HomeBuilder) -> None:
    home.pending()
    assert "gone" in scan.read(home.home, MEMORY, "a.json").problem
    assert scan.read(home.home, MEMORY, "x" * 400 + ".json").problem


def test_name_that_is_not_utf8(home: HomeBuilder) -> None:
    folder = home.pending()
    with open(os.fsencode(folder) + b"/\xff.json", "wb") as file:
        file.write(b"{}")
    (name,) = scan.names(home.home, MEMORY).names
    assert scan.read(home.home, MEMORY, name).raw == b"{}"


def test_reading_changes_nothing(home: HomeBuilder) -> None:
    """Q18."""
    home.stage_add("x")
    before = home.tree()
    for name in scan.names(home.home, MEMORY).names:
        scan.read(home.home, MEMORY, name)
    assert home.tree() == before
