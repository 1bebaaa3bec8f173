"""The harness sees bugs: three are planted, and each is found (T01)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from deciding.office import Office
from faults.harness import sample
from faults.test_crash_points import Scene, approving, attempt, boundaries, check, rejecting

from placet.store.decide import records
from placet.store.disk import swap
from placet.store.disk.swap import Swapped
from placet.store.ledger import intents
from placet.store.model import Change


def finds_a_bug(scene: Scene, numbers: Iterable[int]) -> bool:
    """Whether a promise is broken at any of these boundaries."""
    for number in numbers:
        scene.stage.reset()
        attempt(scene, number)
        try:
            check(scene)
        except AssertionError:
            return True
    return False


def test_writing_in_place_is_found(
    office: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A torn file: truncate and write instead of exchange."""

    def in_place(change: Change, token: str) -> Swapped:
        del token
        descriptor = os.open(change.path, os.O_WRONLY | os.O_TRUNC)
        try:
            for byte in (change.after or b"")[:8], (change.after or b"")[8:]:
                os.write(descriptor, byte)
        finally:
            os.close(descriptor)
        return Swapped(change, change.path, None, "in place")

    scene = approving(office, tmp_path)
    numbers = boundaries(scene)
    monkeypatch.setattr(swap, "swap", in_place)
    assert finds_a_bug(scene, numbers)


def test_writing_before_the_intent_is_found(
    office: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A change that no decision explains: the file first, the ledger afterwards."""
    scene = approving(office, tmp_path)
    numbers = boundaries(scene)
    plain = intents.add

    def late(ledger: Any, intent: intents.Intent) -> None:
        for change in intent.changes:
            swap.swap(change, intent.token)
        plain(ledger, intent)

    monkeypatch.setattr(intents, "add", late)
    assert finds_a_bug(scene, numbers)


def test_removing_the_record_before_the_commit_is_found(
    office: Office, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A lost proposal: the record leaves before the refusal is kept."""
    scene = rejecting(office, tmp_path)
    numbers = boundaries(scene)
    plain: Callable[..., Any] = records.bytes_of

    def eager(desk: Any, staged: Any) -> Any:
        data = plain(desk, staged)
        records.remove(desk, staged)
        return data

    monkeypatch.setattr(records, "bytes_of", eager)
    assert finds_a_bug(scene, numbers)


def test_without_a_planted_bug_nothing_is_found(office: Office, tmp_path: Path) -> None:
    """The positive: the same loop over the real thing finds nothing."""
    scene = approving(office, tmp_path)
    assert not finds_a_bug(scene, sample(boundaries(scene), 20))
