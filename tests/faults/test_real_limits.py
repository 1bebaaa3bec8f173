"""Limits of the system itself: a file-size limit, a small disk that is full (T01)."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from deciding.office import Office
from faults.harness import Boundaries, run
from faults.test_crash_points import (
    Scene,
    acting,
    approving,
    check,
    rejecting,
    undoing_an_approval,
)
from homes.build import HomeBuilder

from placet.store.decide import DemoApprover
from placet.store.errors import PlacetError

KNOWN = {kind.__name__ for kind in PlacetError.__subclasses__()}


def limited(scene: Scene, size: int) -> str:
    """The decision in a process that may write no file above `size` bytes."""
    found = Boundaries()

    def work() -> int:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
        return acting(scene, found)()

    ended = run(work, found)
    return str(ended.result).partition(":")[0] if ended.raised else "done"


@pytest.mark.parametrize(
    "make", (approving, rejecting, undoing_an_approval), ids=lambda make: make.__name__
)
def test_a_file_size_limit(make: object, office: Office, tmp_path: Path) -> None:
    """T01: told in words, nothing half, and recovery agrees."""
    assert callable(make)
    scene = make(office, tmp_path)
    said = []
    for size in (0, 1_000, 4_000, 30_000, 60_000, 200_000, 1 << 26):
        scene.stage.reset()
        said.append(limited(scene, size))
        check(scene)
    assert said[-1] == "done", "the positive: with room it is done"
    assert said[0] != "done" and set(said) <= KNOWN | {"done"}, said


@pytest.fixture
def small_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file system of one mebibyte; skips where it cannot be mounted."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if os.geteuid() != 0 or subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("a small file system cannot be mounted here")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def test_a_full_disk(small_disk: Path, tmp_path: Path) -> None:
    """T01, K05: with hardly any room left, and again when there is room."""
    approver = DemoApprover.own_home(small_disk / "home")
    office = Office(HomeBuilder(small_disk / "home").config(), approver)
    scene = approving(office, tmp_path)
    filler = small_disk / "filler"
    said = []
    for free in (0, 8, 16, 32, 64, 128, 400):
        scene.stage.reset()
        _fill(filler, free << 10)
        found = Boundaries()
        ended = run(acting(scene, found), found)
        said.append(str(ended.result).partition(":")[0] if ended.raised else "done")
        filler.unlink()
        check(scene)
    assert said[-1] == "done" and said[0] != "done" and set(said) <= KNOWN | {"done"}, said


def _fill(filler: Path, free: int) -> None:
    found = os.statvfs(filler.parent)
    size = found.f_bavail * found.f_frsize - free
    with filler.open("wb") as file:
        file.write(b"\0" * max(0, size))
