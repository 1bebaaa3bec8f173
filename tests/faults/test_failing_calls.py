"""Every changing call fails once, as on a full or dying disk; the promises hold (T01, K05)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from deciding.office import Office
from faults.harness import ERRORS, sample
from faults.test_crash_points import (
    Scene,
    approving,
    approving_a_batch,
    attempt,
    boundaries,
    check,
    creating_a_skill,
    discarding,
    rejecting,
    undoing_an_approval,
)

from placet.store.errors import PlacetError

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
    said: set[str] = set()
    for place, number in enumerate(sample(boundaries(scene), 8)):
        scene.stage.reset()
        ended = attempt(scene, number, ERRORS[place % len(ERRORS)])
        assert not ended.killed
        said.add(str(ended.result).partition(":")[0] if ended.raised else "done")
        check(scene)
    bare = said - {"done", *(kind.__name__ for kind in PlacetError.__subclasses__())}
    assert not bare, f"a bare exception reached the person: {bare}"
    assert said - {"done"}, "the positive: some of these failures are told"
