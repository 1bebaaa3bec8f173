"""The lock that placet and Hermes both take (format §1.4, field reports 26 and 92)."""

from __future__ import annotations

import fcntl
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from placet.store.disk import lock
from placet.store.errors import Busy, Cancelled, Unsafe
from placet.store.model import Home, Target, TargetKind

HOLD = (
    "import fcntl, sys; f = open(sys.argv[1], 'a+'); fcntl.flock(f, fcntl.LOCK_EX);"
    "print('held', flush=True); sys.stdin.read()"
)


@pytest.fixture
def held_elsewhere(tmp_path: Path) -> Iterator[tuple[Path, subprocess.Popen[bytes]]]:
    """A lock file held by another process exactly as Hermes holds it."""
    path = tmp_path / "MEMORY.md.lock"
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert other.stdout is not None and other.stdin is not None
    assert other.stdout.readline() == b"held\n"
    yield path, other
    other.stdin.close()
    other.wait()
    other.stdout.close()


def test_the_names_are_those_of_hermes(tmp_path: Path) -> None:
    """Design §6 step 2: beside the link for memory files, our own for the others."""
    home = Home(tmp_path)
    assert lock.lock_path(home, Target(TargetKind.USER)) == tmp_path / "memories" / "USER.md.lock"
    assert lock.lock_path(home, Target(TargetKind.SOUL)).name == "soul.lock"
    skill = Target(TargetKind.SKILL, "tidy", "SKILL.md")
    assert lock.lock_path(home, skill) == tmp_path / "placet" / "locks" / "skills.lock"


def test_a_missing_lock_file_is_made_as_hermes_makes_it(tmp_path: Path) -> None:
    """Format §1.2: 0644, empty, never deleted."""
    path = tmp_path / "memories" / "MEMORY.md.lock"
    with lock.held([path]):
        assert stat.S_IMODE(path.stat().st_mode) == 0o644
        with path.open("rb") as other, pytest.raises(BlockingIOError):
            fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert path.read_bytes() == b""
    with path.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)


def test_waiting_is_bounded_shown_and_names_the_holder(
    held_elsewhere: tuple[Path, subprocess.Popen[bytes]],
) -> None:
    """Field report 92: who waits is shown, and it gives up cleanly at its limit."""
    path, other = held_elsewhere
    seen: list[tuple[Path, float]] = []
    with (
        pytest.raises(Busy, match=f"process {other.pid}"),
        lock.held([path], wait_seconds=0.1, waiting=lambda *now: seen.append(now)),
    ):
        raise AssertionError("the lock was not free")
    assert seen and all(told == path for told, _ in seen)
    assert not other.poll()


def test_waiting_can_be_cancelled(held_elsewhere: tuple[Path, subprocess.Popen[bytes]]) -> None:
    """Field report 92: cancellable."""
    path, _ = held_elsewhere
    with pytest.raises(Cancelled), lock.held([path], cancelled=lambda: True):
        raise AssertionError("the lock was not free")


def test_it_goes_on_when_the_other_lets_go(
    held_elsewhere: tuple[Path, subprocess.Popen[bytes]],
) -> None:
    """The positive of the two above, on the same fixture."""
    path, other = held_elsewhere
    assert other.stdin is not None
    stdin = other.stdin

    def let_go(*_: object) -> None:
        stdin.close()

    with lock.held([path], waiting=let_go):
        pass


def test_several_locks_are_taken_in_path_order(tmp_path: Path) -> None:
    """Design §6 step 2; all are free again when one cannot be had."""
    paths = [tmp_path / name for name in ("b.lock", "a.lock", "c.lock")]
    with (
        lock.held(paths),
        pytest.raises(Busy, match=r"a\.lock"),
        lock.held(paths, wait_seconds=0.0),
    ):
        pass
    with lock.held([paths[2]]):
        with pytest.raises(Busy, match=r"c\.lock"), lock.held(paths, wait_seconds=0.0):
            pass
        with lock.held(paths[:2], wait_seconds=0.0):
            pass


def test_a_link_or_a_pipe_is_never_followed(tmp_path: Path) -> None:
    """A lock on another file would exclude nobody."""
    real, link, pipe = (tmp_path / name for name in ("real", "link.lock", "pipe.lock"))
    real.write_bytes(b"")
    link.symlink_to(real)
    os.mkfifo(pipe)
    for path in (link, pipe):
        with pytest.raises(Unsafe), lock.held([path]):
            pass
    with lock.held([real]):
        pass


def test_a_lock_file_swapped_meanwhile_is_taken_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lock on a deleted file excludes nobody either."""
    path = tmp_path / "x.lock"
    real = fcntl.flock
    calls: list[int] = []

    def swapped(descriptor: int, how: int) -> None:
        if not calls:
            path.unlink()
        calls.append(1)
        real(descriptor, how)

    monkeypatch.setattr(lock.fcntl, "flock", swapped)
    with lock.held([path]), path.open("rb") as other, pytest.raises(BlockingIOError):
        real(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
    assert len(calls) == 2
