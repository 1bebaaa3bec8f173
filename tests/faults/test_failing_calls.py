"""Every changing call fails once, as on a full or dying disk; the promises hold (T01, K05)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from deciding.office import Office
from faults.harness import ERRORS, Boundaries, run, sample
from faults.test_crash_points import (
    Scene,
    acting,
    approving,
    approving_a_batch,
    boundaries,
    check,
    creating_a_skill,
    discarding,
    rejecting,
    undoing_an_approval,
)

SCENES = (
    approving,
    approving_a_batch,
    rejecting,
    discarding,
    undoing_an_approval,
    creating_a_skill,
)


@pytest.mark.parametrize("make", SCENES, ids=lambda make: make.__name__)
def test_every_call_fails_once(
    make: Callable[[Office, Path], Scene], office: Office, tmp_path: Path
) -> None:
    """T01, K05: either it raises and nothing is claimed, or it is done; recovery agrees."""
    scene = make(office, tmp_path)
    count = boundaries(scene)
    said: set[str] = set()
    for place, number in enumerate(sample(count, 14)):
        error = ERRORS[place % len(ERRORS)]
        scene.stage.reset()
        ended = run(acting(scene), Boundaries(number, error))
        assert not ended.killed
        said.add(str(ended.result).partition(":")[0] if ended.raised else "done")
        check(scene)
    assert "done" in said or said, "nothing was tried"
    unplanned = {name for name in said if name.endswith("Error") and name != "LedgerError"}
    assert not unplanned, f"a bare exception reached the person: {unplanned}"
