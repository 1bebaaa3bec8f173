"""One that fails stops no other of a group, and is told with the rest (field report 4)."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest

from placet.console import demo, demo_home
from placet.console import desks as desks_module
from placet.console.desks import Desks
from placet.store.errors import PlacetError
from placet.store.model import Kind, Sight


@pytest.fixture
def made() -> Iterator[demo.Demo]:
    """A demo home with two more additions."""
    with demo.made() as found:
        for staged in demo_home.ARRIVALS[:2]:
            demo_home.stage_one(found.home, staged, time.time())
        yield found


def desks(made: demo.Demo) -> Desks:
    """The desks of the demo home."""
    opened = Desks(
        [made.home],
        lambda: made.approver,
        lambda path, seconds: None,
        lambda made, of: None,
        lambda: False,
    )
    assert not opened.open().refused
    return opened


def test_the_others_are_decided_and_the_reason_is_told(made: demo.Demo) -> None:
    opened = desks(made)
    first, second, third = (row.proposal for row in demo.waiting(made.home)[:3])
    path = made.home.pending(second.subsystem) / second.name
    path.write_bytes(path.read_bytes() + b"\n")
    wanted = [(proposal, "test") for proposal in (first, second, third)]
    done = opened.discard("default", wanted, Sight())
    assert [one.kind for one in done] == [Kind.DISCARDED, Kind.DISCARDED]
    assert [note for note in done[-1].notes if note.startswith("not done: ")]
    assert path.exists()
    opened.close()


def test_many_are_counted_and_can_be_stopped_between_two(
    made: demo.Demo, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Field report 20: a large dead group; what is not reached stays as it was."""
    monkeypatch.setattr(desks_module, "TELL_SECONDS", 0.0)
    told: list[tuple[int, int]] = []
    opened = Desks(
        [made.home],
        lambda: made.approver,
        lambda path, seconds: None,
        lambda made, of: told.append((made, of)),
        lambda: len(told) == 2,
    )
    assert not opened.open().refused
    four = [row.proposal for row in demo.waiting(made.home)[:4]]
    done = opened.discard("default", [(one, "test") for one in four], Sight())
    assert told == [(1, 4), (2, 4)]
    assert len(done) == 3
    assert "You stopped after 3 of 4" in done[-1].notes[-1]
    left = {row.ref for row in demo.waiting(made.home)}
    assert left >= {four[3].ref} and not left & {one.ref for one in four[:3]}
    opened.close()


def test_if_none_can_be_decided_that_is_an_error(made: demo.Demo) -> None:
    opened = desks(made)
    only = demo.waiting(made.home)[0].proposal
    path = made.home.pending(only.subsystem) / only.name
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(PlacetError):
        opened.reject("default", [only], "no", False, Sight())
    assert path.exists()
    opened.close()
