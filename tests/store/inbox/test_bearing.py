"""In a long queue a verb about one record reads that record and what bears on it."""

from __future__ import annotations

import json
import os

import pytest
from homes.build import HomeBuilder, add

from placet.store.inbox import bearing
from placet.store.inbox.inbox import Inbox
from placet.store.model import Ref, Subsystem


@pytest.fixture
def long(home: HomeBuilder, monkeypatch: pytest.MonkeyPatch) -> HomeBuilder:
    """A home whose queue counts as long."""
    monkeypatch.setattr(bearing, "FEW", 2)
    monkeypatch.setattr(bearing, "NEWEST", 2)
    for number in range(5):
        home.stage_add(f"fact {number}")
    return home


def _on(home: HomeBuilder, record: str) -> list[str]:
    hints = bearing.on_one(home.home, Ref(home.home.label, Subsystem.MEMORY, record))
    return [hint.name.removesuffix(".json") for hint in hints]


def test_of_a_short_queue_everything_is_read(home: HomeBuilder) -> None:
    record = home.stage_add("fact")
    assert _on(home, record) == [] and bearing.newest(home.home) == ()


def test_of_a_long_queue_only_the_record_and_what_asks_for_the_same(long: HomeBuilder) -> None:
    one = long.stage_add("Grüße – twice")
    assert _on(long, one) == [one]
    record = json.loads(long.record_path(one).read_bytes())
    long.stage_raw("twin.json", json.dumps({**record, "id": "twin"}))  # \u escapes this time
    assert set(_on(long, one)) == {one, "twin"}
    inbox, ref = Inbox((long.home,)), Ref(long.home.label, Subsystem.MEMORY, one)
    inbox.refresh(long.home, hints=bearing.on_one(long.home, ref))
    (row,) = inbox.view(long.home).items
    assert {member.ref.id for member in row.members} == {one, "twin"}


def test_a_removal_and_a_batch_are_found_by_their_longest_text(long: HomeBuilder) -> None:
    for stage in (
        lambda: long.stage_remove("an entry to remove"),
        lambda: long.stage_batch(add("short"), add("the longest text of it")),
    ):
        first, second = stage(), stage()
        assert set(_on(long, first)) == {first, second}


def test_what_cannot_be_understood_is_read_alone(long: HomeBuilder) -> None:
    long.stage_raw("broken.json", "{no json")
    assert _on(long, "broken") == ["broken"]


def test_the_newest_are_looked_through_for_repeats(long: HomeBuilder) -> None:
    newest = [long.stage_add(f"newer {number}") for number in range(2)]
    for record in newest:
        os.utime(long.record_path(record))
    found = {hint.name.removesuffix(".json") for hint in bearing.newest(long.home)}
    assert found == set(newest)
