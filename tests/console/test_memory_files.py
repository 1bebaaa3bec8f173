"""One reading of a memory file for the Memory screen and `placet memory` (field reports 37, 38)."""

from __future__ import annotations

from homes.build import HomeBuilder

from placet.console.memory_files import TARGETS, read
from placet.console.phrases.memory import filled
from placet.store.model import FileKind

MEMORY, SOUL = TARGETS["memory"], TARGETS["soul"]


def test_equal_entries_are_all_there_under_their_numbers(home: HomeBuilder) -> None:
    """`edit-memory memory 3` means the third entry that the console shows."""
    home.write("memories/MEMORY.md", "same\n§\nsame\n§\nother".encode())
    file = read(home.home, MEMORY, 2200)
    assert file.entries == ("same", "same", "other") and file.size == 19
    assert filled(file) == "3 entries, 19 of 2,200 characters"


def test_over_the_limit_and_drift_are_told_apart(home: HomeBuilder) -> None:
    home.write("memories/MEMORY.md", "one\n§\ntwo".encode())
    assert not read(home.home, MEMORY, 9).problem
    assert read(home.home, MEMORY, 8).problem == "over limit by 1 character"
    assert not read(home.home, MEMORY, 8).drift
    home.write("memories/MEMORY.md", "one\n\n§\ntwo\n§\n".encode())
    assert read(home.home, MEMORY, 2200).drift


def test_absent_is_empty_and_unreadable_is_not(home: HomeBuilder) -> None:
    """Field reports 37, 38: unreadable is never empty."""
    absent = read(home.home, MEMORY, 2200)
    assert not absent.exists and absent.readable and not absent.problem
    home.write("memories/MEMORY.md", b"caf\xe9")
    file = read(home.home, MEMORY, 2200)
    assert file.exists and not file.readable
    assert file.problem == "not UTF-8: byte 0xe9 at offset 3"
    assert file.state.kind is FileKind.FILE and file.state.data == b"caf\xe9"


def test_soul_is_one_text(home: HomeBuilder) -> None:
    home.soul("Be kind.\n§\nBe short.\n")
    assert read(home.home, SOUL, None).entries == ("Be kind.\n§\nBe short.\n",)
    assert filled(read(home.home, SOUL, None)) == "1 entry"
