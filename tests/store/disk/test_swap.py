"""Swapping a target: what was shown is what is written, or nothing is (K05, design §6)."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from swapping.files import AFTER, BEFORE, names, replacing, settled

from placet.store.disk import beside, rename, swap
from placet.store.disk.read import place_of
from placet.store.errors import NotWritten, StalePlan, Unsafe


def test_replace_exchanges_and_keeps_what_came_out(target: Path) -> None:
    """Design §6 step 5: the displaced file stays beside the target."""
    done = swap.swap(replacing(target), "12")
    assert done.method == "exchange"
    assert target.read_bytes() == AFTER
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert done.displaced is not None
    assert done.displaced.name.startswith(".MEMORY.md.placet-12")
    assert done.displaced.read_bytes() == BEFORE
    assert len(names(target.parent)) == 2


def test_new_file_is_private_and_never_replaces(tmp_path: Path) -> None:
    """D3, K08: a new file is 0600 and as safe as a replacement."""
    path = tmp_path / "USER.md"
    done = swap.swap(replacing(path, None, AFTER), "1")
    assert (done.method, done.displaced) == ("noreplace", None)
    assert path.read_bytes() == AFTER
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(StalePlan):
        swap.swap(replacing(path, None, b"other"), "2")
    assert path.read_bytes() == AFTER
    assert names(tmp_path) == ["USER.md"]


def test_removal_goes_aside(target: Path) -> None:
    """K08: a removal keeps the bytes beside it."""
    done = swap.swap(replacing(target, BEFORE, None), "3")
    assert done.method == "aside"
    assert not target.exists()
    assert done.displaced is not None and done.displaced.read_bytes() == BEFORE


@pytest.mark.parametrize("after", [AFTER, None])
def test_other_bytes_than_shown_are_left_alone(target: Path, after: bytes | None) -> None:
    """Field report 24: never merged, never overwritten."""
    target.write_bytes(b"somebody else")
    with pytest.raises(StalePlan):
        swap.swap(replacing(target, BEFORE, after), "4")
    assert target.read_bytes() == b"somebody else"
    assert names(target.parent) == ["MEMORY.md"]


def test_another_folder_than_shown_is_stale(target: Path) -> None:
    """The parent's identity is part of what was shown."""
    found = target.parent.stat()
    with pytest.raises(StalePlan):
        swap.swap(replacing(target), "4", parent=(found.st_dev, found.st_ino + 1))
    assert target.read_bytes() == BEFORE
    swap.swap(replacing(target), "4", parent=(found.st_dev, found.st_ino))
    assert target.read_bytes() == AFTER


def intruding(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Let somebody else act right before the exchange."""
    real = rename.exchange
    calls: list[int] = []

    def late(*given: Any) -> None:
        if not calls:
            act()
        calls.append(1)
        real(*given)

    monkeypatch.setattr(swap, "rename_exchange", late)


def test_a_writer_at_the_last_moment_keeps_his_text(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Field report 26: a writer that ignores the lock is found at the exchange; swapped back."""

    def editor() -> None:
        other = target.with_name("edited")
        other.write_bytes(b"from vim")
        other.rename(target)

    intruding(monkeypatch, editor)
    with pytest.raises(swap.Foreign) as caught:
        swap.swap(replacing(target), "5")
    assert (caught.value.kept, caught.value.text) == (None, b"from vim")
    assert target.read_bytes() == b"from vim"
    assert settled(target.parent) == ["MEMORY.md"]


def test_an_append_at_the_last_moment_is_kept(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same through `echo >>`."""

    def append() -> None:
        with target.open("ab") as file:
            file.write(b"appended")

    intruding(monkeypatch, append)
    with pytest.raises(swap.Foreign):
        swap.swap(replacing(target), "5")
    assert target.read_bytes() == BEFORE + b"appended"


def test_a_third_version_is_kept_beside(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """T02: whatever slips in between the two exchanges has a kept copy."""
    real = rename.exchange
    texts = iter((b"first foreign", b"second foreign"))

    def late(*given: Any) -> None:
        other = target.with_name("edited")
        other.write_bytes(next(texts))
        other.rename(target)
        real(*given)

    monkeypatch.setattr(swap, "rename_exchange", late)
    with pytest.raises(swap.Foreign) as caught:
        swap.swap(replacing(target), "6")
    kept = caught.value.kept
    assert kept is not None and kept.read_bytes() == b"second foreign"
    assert target.read_bytes() == b"first foreign"


STEPS = ["open", "write", "fchmod", "fsync", "rename_exchange"]


def failing(monkeypatch: pytest.MonkeyPatch, step: str, nth: int, number: int) -> list[int]:
    """Let the nth call of one step fail; returns a list that grows with each call."""
    owner: Any = swap if step == "rename_exchange" else rename if step == "noreplace" else os
    real = getattr(owner, step)
    calls: list[int] = []

    def fail(*given: Any, **named: Any) -> Any:
        calls.append(1)
        if len(calls) == nth:
            raise OSError(number, os.strerror(number))
        return real(*given, **named)

    monkeypatch.setattr(owner, step, fail)
    return calls


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT])
@pytest.mark.parametrize("step", [*STEPS, "noreplace"])
@pytest.mark.parametrize("change", ["replace", "create", "remove"])
def test_every_failing_step_leaves_the_old_bytes(
    target: Path, change: str, step: str, number: int
) -> None:
    """K05: a write that fails at any step raises and leaves the old bytes."""
    sides = {"replace": (BEFORE, AFTER), "create": (None, AFTER), "remove": (BEFORE, None)}
    before, after = sides[change]
    for nth in range(1, 60):
        target.write_bytes(BEFORE)
        if before is None:
            target.unlink()
        with pytest.MonkeyPatch.context() as patch:
            calls = failing(patch, step, nth, number)
            try:
                done = swap.swap(replacing(target, before, after), f"n{nth}")
            except (NotWritten, Unsafe):
                done = None
            reached = len(calls) >= nth
        now = target.read_bytes() if target.exists() else None
        if not reached:
            assert done is not None and now == after
            return
        assert done is None, f"call {nth} of {step} failed and was not reported"
        assert now == before
        assert settled(target.parent) == ([] if before is None else ["MEMORY.md"])
    raise AssertionError("the step never ran out of calls")


@pytest.mark.parametrize("sides", [(BEFORE, AFTER), (None, AFTER)])
def test_failing_again_and_again_leaves_the_old_bytes(
    target: Path, sides: tuple[bytes | None, bytes | None]
) -> None:
    """K05, design §6 "retry": the folder cannot be flushed, three times, then it can."""
    before, after = sides
    if before is None:
        target.unlink()
    change = replacing(target, before, after)
    for _ in range(3):
        with pytest.MonkeyPatch.context() as patch:
            failing(patch, "fsync", 2, errno.EIO)
            with pytest.raises(NotWritten):
                swap.swap(change, "again")
        assert swap.look(change, "again").stage is swap.Stage.BEFORE
        assert swap.tidy(change, "again") == ()
    swap.swap(change, "again")
    assert target.read_bytes() == AFTER
    assert settled(target.parent) == ["MEMORY.md"]


def test_a_short_write_is_completed(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """K05: the system may write less than asked for."""
    real = os.write
    monkeypatch.setattr(os, "write", lambda f, data: real(f, bytes(data)[:3]))
    swap.swap(replacing(target), "12")
    assert target.read_bytes() == AFTER


def test_long_names_fit(tmp_path: Path) -> None:
    """A file name of 255 bytes still has room for ours beside it."""
    path = tmp_path / ("ü" * 127)
    path.write_bytes(BEFORE)
    done = swap.swap(replacing(path), "26")
    assert path.read_bytes() == AFTER
    assert done.displaced is not None
    assert swap.sweep_displaced(tmp_path, older_than=0.0) == []
    assert names(tmp_path) == [path.name]


def test_a_folder_in_place_of_the_file_is_refused(target: Path) -> None:
    """Field report 39: a directory is neither empty nor absent."""
    target.unlink()
    target.mkdir()
    with pytest.raises(Unsafe, match="not a regular file"):
        swap.swap(replacing(target), "27")
    with pytest.raises(StalePlan):
        swap.swap(replacing(target, None, AFTER), "28")
    assert target.is_dir() and names(target.parent) == ["MEMORY.md"]


def test_bytes_at_refuses_what_is_no_file(tmp_path: Path) -> None:
    """A pipe with the name of a displaced file is an error, never read and never empty."""
    os.mkfifo(tmp_path / "pipe")
    with place_of(tmp_path / "pipe", follow=False) as place:
        with pytest.raises(OSError, match="not a regular file"):
            beside.bytes_at(place, "pipe")
        assert beside.bytes_at(place, "nothing") is None
