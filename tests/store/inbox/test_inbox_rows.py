"""Order, groups and folding of the queue (design §11)."""

from __future__ import annotations

from pathlib import Path

from homes.build import START, HomeBuilder, add, remove

from placet.store.inbox import FOLDED, Group, grouped
from placet.store.inbox.inbox import Inbox
from placet.store.model import Standing


def inbox(*homes: HomeBuilder) -> Inbox:
    return Inbox([home.home for home in homes], clock=lambda: START + 10_000_000)


def test_the_order_is_fixed(home: HomeBuilder) -> None:
    """Unfinished; ready and warning oldest first; then held, dead, malformed, foreign."""
    home.memory("first")
    home.stage_remove("not there", record_id="dead")
    home.stage_raw("malformed.json", b"{")
    home.stage_add("x" * 3000, record_id="held")
    home.stage_add("c", record_id="young")
    home.stage({"action": "add"}, record_id="foreign", provider="othermem")
    home.stage_add("\u0430dmin may log in", record_id="warns", created_at=START)
    home.stage_add("d", record_id="old", created_at=START - 5)
    home.stage_raw(".busy.json.placet", home.record_path("young").read_bytes())
    view = inbox(home).refresh(home.home)
    assert [row.ref.id for row in view.items] == [
        *("busy", "old", "warns", "young"),
        *("held", "dead", "malformed", "foreign"),
    ]
    found = {group: [row.ref.id for row in rows] for group, rows in grouped(view.items).items()}
    assert found[Group.APPROVABLE] == ["old", "warns", "young"]
    assert found[Group.REFUSED] == [] and list(found)[2:] == list(FOLDED)
    assert view.waiting == 8 and view.oldest == START - 5


def test_identical_proposals_are_one_row(home: HomeBuilder) -> None:
    """Field report 82: 668 records with one text are one row, and none is lost."""
    home.memory("first")
    ids = [home.stage_add("the same") for _ in range(668)]
    other = home.stage_add("the same", target="user")
    view = inbox(home).refresh(home.home)
    assert [(row.ref.id, row.times) for row in view.items] == [(ids[0], 668), (other, 1)]
    assert [ref.id for ref in view.items[0].same] == ids[1:]
    assert len(view.members()) == 669
    for member in view.members()[::100]:
        found = view.find(member.ref)
        assert found is not None and found.ref == member.ref
        assert sorted(one.ref.id for one in found.members) == sorted(
            one.ref.id for one in view.items[-1 if member.ref.id == other else 0].members
        )


def test_what_stands_differently_is_not_folded(home: HomeBuilder) -> None:
    """A batch of one and a plain add of the same text are different requests."""
    home.stage_add("the same")
    home.stage_batch(add("the same"))
    home.stage_batch(add("the same"), remove("gone"))
    view = inbox(home).refresh(home.home)
    assert [row.times for row in view.items] == [1, 1, 1]


def test_a_whole_home_keeps_every_record(home_busy: HomeBuilder) -> None:
    """Field report 102: files in, rows out."""
    view = inbox(home_busy).refresh(home_busy.home)
    names = list((home_busy.path / "pending").glob("*/*.json"))
    assert len(view.members()) == len(names) == view.waiting == 241
    again = inbox(home_busy).refresh(home_busy.home)
    assert [row.ref for row in again.items] == [row.ref for row in view.items]


def test_rows_carry_no_bytes_and_the_looked_at_one_does(home: HomeBuilder) -> None:
    """Ten thousand rows hold no files; `Inbox.plan` gives the whole plan with the same digest."""
    home.memory("first")
    home.stage_add("second")
    box = inbox(home)
    (row,) = box.refresh(home.home).items
    whole = box.plan(row, row.plan.choice)
    assert row.plan.changes == () and whole.changes[0].after == "first\n§\nsecond".encode()
    assert row.plan.digest == whole.digest and row.plan.standing is Standing.READY


def test_a_home_that_is_not_there(tmp_path: Path) -> None:
    """Q18: an empty view, nothing made; the queue appears when the directory does."""
    later = HomeBuilder(tmp_path / "later")
    later.path.rmdir()
    box = inbox(later)
    view = box.refresh(later.home)
    assert not view.exists and not view.items and not later.path.exists()
    later.stage_add("a")
    view = box.refresh(later.home)
    assert view.exists and view.waiting == 1
