"""A writer that ignores every lock, during many swaps (T02, field report 24)."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from placet.store.disk import swap
from placet.store.errors import StalePlan
from placet.store.model import Change

SWAPS = 150


def by_append(path: Path, line: bytes) -> None:
    """`echo >>`"""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND)
    try:
        os.write(descriptor, line)
    finally:
        os.close(descriptor)


def by_rename(path: Path, line: bytes) -> None:
    """What editors do: read, write beside, rename over."""
    other = path.with_name("editor")
    other.write_bytes(path.read_bytes() + line)
    other.rename(path)


class Writer(threading.Thread):
    """Writes numbered lines, about one a millisecond, until it is told to stop."""

    def __init__(self, path: Path, act: Callable[[Path, bytes], None]) -> None:
        super().__init__()
        self.path, self.act = path, act
        self.enough = threading.Event()
        self.lines: list[bytes] = []

    def run(self) -> None:
        """Write, and wait a moment for being told to stop."""
        while not self.enough.wait(0.001):
            line = b"outside %d;" % len(self.lines)
            self.act(self.path, line)
            self.lines.append(line)


@pytest.mark.parametrize("act", [by_append, by_rename])
def test_no_outside_text_is_lost_without_a_kept_copy(
    tmp_path: Path, act: Callable[[Path, bytes], None]
) -> None:
    """T02: every outside line is in the file, in a kept copy, or in a reported late write."""
    path = tmp_path / "MEMORY.md"
    path.write_bytes(b"start;")
    writer = Writer(path, act)
    writer.start()
    written = refused = 0
    blobs: list[bytes] = []
    try:
        for number in range(SWAPS):
            before = path.read_bytes()
            change = Change(path, "MEMORY.md", before, before + b"ours %d;" % number)
            try:
                swap.swap(change, f"t{number}")
                written += 1
            except swap.Foreign as found:
                blobs.append(found.text or b"")
                refused += 1
            except StalePlan:
                refused += 1
    finally:
        writer.enough.set()
        writer.join()
    assert written + refused == SWAPS and written
    late = swap.sweep_displaced(tmp_path, older_than=0.0)
    conflicts = [p.read_bytes() for p in tmp_path.glob(".*conflict*")]
    told = b"".join([*blobs, *(x.data or b"" for x in late), *conflicts])
    now = path.read_bytes()
    assert [line for line in writer.lines if line not in now and line not in told] == []
