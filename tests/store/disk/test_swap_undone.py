"""Taking a swap back, and what becomes of the displaced file (design §6)."""

from __future__ import annotations

from pathlib import Path

import pytest
from swapping.files import AFTER, BEFORE, names, replacing, settled

from placet.store.disk import swap
from placet.store.errors import StalePlan


@pytest.mark.parametrize("sides", [(BEFORE, AFTER), (None, AFTER), (BEFORE, None)])
def test_undo_brings_everything_back(
    target: Path, sides: tuple[bytes | None, bytes | None]
) -> None:
    """Recovery and a failed group take a change back from what lies on the disk."""
    before, after = sides
    if before is None:
        target.unlink()
    change = replacing(target, before, after)
    assert swap.look(change, "19").stage is swap.Stage.BEFORE
    swap.swap(change, "19")
    assert swap.look(change, "19").stage is swap.Stage.AFTER
    assert swap.undo_swap(change, "19") is None
    assert swap.look(change, "19").stage is swap.Stage.BEFORE
    assert (target.read_bytes() if target.exists() else None) == before
    assert settled(target.parent) == ([] if before is None else ["MEMORY.md"])


def test_undo_after_the_sweep_writes_the_old_bytes_again(target: Path) -> None:
    """The displaced file may be gone by then; its bytes are in the change."""
    change = replacing(target)
    done = swap.swap(change, "20")
    assert done.displaced is not None
    swap.forget(done.displaced)
    swap.undo_swap(change, "20")
    assert target.read_bytes() == BEFORE


def test_undo_leaves_foreign_bytes_alone(target: Path) -> None:
    """Recovery never guesses."""
    change = replacing(target)
    swap.swap(change, "21")
    target.write_bytes(b"somebody else")
    assert swap.look(change, "21").stage is swap.Stage.OTHER
    with pytest.raises(StalePlan):
        swap.undo_swap(change, "21")
    assert target.read_bytes() == b"somebody else"


def test_a_foreign_displaced_file_is_recognised(target: Path) -> None:
    """Crash right after the exchange that displaced somebody else's text."""
    change = replacing(target)
    done = swap.swap(change, "22")
    assert done.displaced is not None
    done.displaced.write_bytes(b"foreign")
    assert swap.look(change, "22").stage is swap.Stage.FOREIGN
    swap.undo_swap(change, "22")
    assert target.read_bytes() == b"foreign"


def test_tidy_removes_only_what_is_ours(target: Path) -> None:
    """Crash while the new file was being written: the cut-off copy goes, anything else stays."""
    change = replacing(target)
    side = target.with_name(swap.displaced_name(target.name, "23", BEFORE))
    side.write_bytes(AFTER[:4])
    assert swap.tidy(change, "23") == ()
    assert names(target.parent) == ["MEMORY.md"]
    side.write_bytes(b"not ours")
    assert swap.tidy(change, "23") == (side,)
    assert side.read_bytes() == b"not ours"


def test_the_sweep_reports_a_late_writer(target: Path) -> None:
    """Design §6: re-hashed after two seconds; changed → reported, kept until it is forgotten."""
    held = target.open("ab", buffering=0)
    done = swap.swap(replacing(target), "24")
    assert done.displaced is not None
    assert swap.sweep_displaced(target.parent) == []
    assert done.displaced.exists(), "too young to be removed"
    held.write(b"late")
    held.close()
    (late,) = swap.sweep_displaced(target.parent, older_than=0.0)
    assert (late.target, late.token, late.data) == (target, "24", BEFORE + b"late")
    assert late.displaced.exists()
    swap.forget(late.displaced)
    assert names(target.parent) == ["MEMORY.md"]


def test_the_sweep_removes_what_nobody_touched(target: Path) -> None:
    """The ordinary case, also below a skill folder."""
    done = swap.swap(replacing(target), "25")
    assert done.displaced is not None
    assert swap.sweep_displaced(target.parent.parent, older_than=0.0) == []
    assert done.displaced.exists(), "folders below are left out unless asked for"
    assert swap.sweep_displaced(target.parent.parent, older_than=0.0, below=True) == []
    assert names(target.parent) == ["MEMORY.md"]
