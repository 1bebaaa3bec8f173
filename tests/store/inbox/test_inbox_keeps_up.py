"""Keeping up: what is read and planned again, and what became of records that left."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from homes.build import START, HomeBuilder, staged_result

from placet.store import decide
from placet.store.decide import DemoApprover, Desk
from placet.store.inbox import HomeView, records
from placet.store.inbox.inbox import Inbox
from placet.store.inbox.planner import Planner
from placet.store.model import Choice, Home, Life, Proposal, Sight, Standing, Subsystem
from placet.store.staged import parse
from placet.store.watch import Area, Hint


class Watched:
    """An inbox whose clock the test sets, and which counts what it reads and plans."""

    def __init__(self, home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = START + 10_000_000
        self.read: list[str] = []
        self.planned: list[str] = []
        self.home = home
        self.box = Inbox([home], clock=lambda: self.now)
        understand, plan = parse.understand, Planner.plan

        def reading(record: Any, now: float) -> Proposal:
            self.read.append(record.id)
            return understand(record, now)

        def planning(planner: Planner, proposal: Proposal, *rest: Any, **more: Any) -> Any:
            self.planned.append(proposal.id)
            return plan(planner, proposal, *rest, **more)

        monkeypatch.setattr(parse, "understand", reading)
        monkeypatch.setattr(Planner, "plan", planning)

    def look(self, *hints: Hint, full: bool = False) -> HomeView:
        self.read.clear()
        self.planned.clear()
        return self.box.refresh(self.home, full, hints)

    def hint(self, name: str) -> Hint:
        return Hint(self.home, Area.RECORDS, name, Subsystem.MEMORY)


@pytest.fixture
def watched(home: HomeBuilder, monkeypatch: pytest.MonkeyPatch) -> Watched:
    home.memory("first").user("me")
    return Watched(home.home, monkeypatch)


def ids(view: HomeView) -> list[str]:
    return [row.ref.id for row in view.items]


class TestReading:
    def test_nothing_new_reads_and_plans_nothing(self, home: HomeBuilder, watched: Watched) -> None:
        """Idle with 10,000 waiting costs a listing."""
        home.stage_add("a")
        first = watched.look()
        assert watched.read and watched.planned
        again = watched.look()
        assert not watched.read and not watched.planned
        assert again.items == first.items

    def test_only_the_new_one_is_read(self, home: HomeBuilder, watched: Watched) -> None:
        """C05: one arrives, one is read and planned, with an event or with a listing."""
        home.stage_add("a", record_id="one")
        watched.look()
        home.stage_add("b", record_id="two")
        assert ids(watched.look()) == ["one", "two"]
        assert watched.read == watched.planned == ["two"]
        home.stage_add("c", record_id="three")
        assert ids(watched.look(watched.hint("three.json"))) == ["one", "two", "three"]
        assert watched.read == watched.planned == ["three"]

    def test_an_event_about_nothing_is_harmless(self, home: HomeBuilder, watched: Watched) -> None:
        home.stage_add("a", record_id="one")
        watched.look()
        for name in ("never.json", "../../x.json", "a\0b.json", "x" * 300 + ".json"):
            assert ids(watched.look(watched.hint(name))) == ["one"]

    def test_a_rewritten_record_is_read_though_its_time_and_size_lie(
        self, home: HomeBuilder, watched: Watched
    ) -> None:
        """Q03: same size, same modification time: the change time still tells."""
        home.stage_add("aaaa", record_id="one")
        watched.look()
        place = home.record_path("one")
        before = place.stat()
        place.write_bytes(place.read_bytes().replace(b"aaaa", b"bbbb"))
        os.utime(place, ns=(before.st_atime_ns, before.st_mtime_ns))
        view = watched.look(watched.hint("one.json"))
        assert view.items[0].proposal.operations[0].content == "bbbb"

    def test_every_record_is_looked_at_within_ten_listings(
        self, home: HomeBuilder, watched: Watched
    ) -> None:
        """Events are hints: what no event told is found by tenths."""
        names = [home.stage_add(f"entry {n}") for n in range(25)]
        watched.look()
        for name in names:
            place = home.record_path(name)
            place.write_bytes(place.read_bytes().replace(b"entry", b"other"))
        seen: set[str] = set()
        for _ in range(records.PARTS):
            watched.look()
            seen.update(watched.read)
        assert seen == set(names)

    def test_a_record_in_the_making_settles(self, home: HomeBuilder, watched: Watched) -> None:
        """Field report 130: retried for a grace period, then called damaged; never dropped."""
        home.stage_raw("half.json", b'{"id": ', modified=watched.now)
        view = watched.look()
        assert view.settling and view.items[0].plan.standing is Standing.SETTLING
        watched.now += 5
        view = watched.look()
        assert not view.settling and view.items[0].plan.standing is Standing.MALFORMED

    def test_the_last_good_version_is_kept_while_it_is_written(
        self, home: HomeBuilder, watched: Watched
    ) -> None:
        """Field report 130: a writer that truncates first does not blank the screen."""
        home.stage_add("good", record_id="one")
        watched.look()
        whole = home.record_path("one").read_bytes()
        home.stage_raw("one.json", whole[:20], modified=watched.now)
        (row,) = watched.look(watched.hint("one.json")).items
        assert row.proposal.operations[0].content == "good"
        assert row.plan.standing is Standing.SETTLING and row.plan.digest is None
        home.stage_raw("one.json", whole, modified=watched.now)
        (row,) = watched.look().items
        assert row.plan.standing is Standing.READY

    def test_an_unreadable_folder_is_named_and_the_other_works(
        self, home: HomeBuilder, watched: Watched, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Field report 128."""
        home.stage_add("a", record_id="one")
        home.pending("skills").rmdir()
        (home.path / "pending" / "skills").write_text("a file in the place of a folder")
        view = watched.look()
        assert ids(view) == ["one"] and "skills" in view.problems[0]

    def test_first_rows_come_before_all_are_read(self, home: HomeBuilder) -> None:
        """10,000 records: the oldest are shown at once, the count is right from the start."""
        for number in range(3 * records.SLICE):
            home.stage_add(f"entry {number}")
        box = Inbox([home.home])
        slices = box.slices(home.home)
        first = next(slices)
        view = box.view(home.home)
        assert 0 < len(view.items) < 3 * records.SLICE == view.waiting
        assert first.left == view.unplanned > 0
        assert len(list(slices)) > 2
        assert box.view(home.home).unplanned == 0
        assert len(box.view(home.home).items) == 3 * records.SLICE


class TestPlanning:
    def test_only_the_touched_target_is_planned_again(
        self, home: HomeBuilder, watched: Watched
    ) -> None:
        """Field report 19: stale is known without a key press; the others are left alone."""
        home.stage_remove("first", record_id="memory")
        home.stage_add("b", target="user", record_id="user")
        watched.look()
        home.memory("other")
        view = watched.look()
        assert watched.planned == ["memory"]
        assert view.find(view.members()[-1].ref)
        standings = {row.ref.id: row.plan.standing for row in view.items}
        assert standings == {"memory": Standing.DEAD, "user": Standing.READY}

    def test_a_skill_is_followed_with_all_its_files(
        self, home: HomeBuilder, watched: Watched
    ) -> None:
        home.skill("tidy", files={"references/a.md": "alpha"})
        home.stage_skill(
            "patch", "tidy", file_path="references/a.md", old_string="alpha", new_string="beta"
        )
        home.stage_skill("delete", "other")
        (first, _) = sorted(watched.look().items, key=lambda row: row.plan.standing)[::-1]
        home.write("skills/tidy/references/a.md", "changed")
        view = watched.look()
        patched = view.find(first.ref) or view.items[0]
        assert {row.plan.standing for row in view.items} == {Standing.DEAD}
        assert patched is not None
        shutil.rmtree(home.path / "skills" / "tidy")
        watched.look()
        assert len(watched.planned) == 2

    def test_the_configuration_is_followed(self, home: HomeBuilder, watched: Watched) -> None:
        """K07: caps are re-read when the file changes."""
        home.stage_add("x" * 100)
        assert watched.look().items[0].plan.standing is Standing.READY
        home.limits(memory=50)
        view = watched.look()
        assert view.items[0].plan.standing is Standing.HELD
        assert view.config.memory_limit == 50

    def test_the_plan_is_of_this_moment(self, home: HomeBuilder, watched: Watched) -> None:
        """Field report 30: read again at decision time even if no event arrived."""
        home.stage_add("a")
        (row,) = watched.look().items
        home.memory("moved")
        assert watched.box.plan(row).changes[0].before == b"moved"

    def test_knock_on_names_who_would_be_left(self, home: HomeBuilder, watched: Watched) -> None:
        """Q09: "approving this makes 4 others stale"."""
        home.memory("anchor", "other")
        for number in range(5):
            home.stage_replace("anchor", f"new {number}")
        home.stage_add("free")
        view = watched.look()
        row = next(row for row in view.items if row.ref.id == "00000001")
        assert [ref.id for ref in watched.box.knock_on(watched.box.plan(row))] == [
            f"0000000{n}" for n in (2, 3, 4, 5)
        ]
        free = view.items[-1]
        assert watched.box.knock_on(watched.box.plan(free)) == ()
        nothing = replace(row.plan.choice, dropped=frozenset({1}))
        assert watched.box.knock_on(watched.box.plan(row, nothing)) == (), "what is shown counts"

    def test_provenance_of_the_selected_row(self, home: HomeBuilder, watched: Watched) -> None:
        """Q17."""
        mine = home.stage_add("a", origin="assistant_tool")
        home.stage_add("b")
        tool = {"role": "tool", "tool_name": "memory", "content": staged_result(mine)}
        home.state_db([{"session": "s1", **tool}])
        one, two = watched.look().items
        found = watched.box.provenance(one)
        assert found is not None and found.session == "s1"
        assert watched.box.provenance(two) is None


@pytest.fixture
def desk(tmp_path: Path) -> Callable[[], Desk]:
    """Desks of a home that may be decided in."""
    approver = DemoApprover.own_home(tmp_path / "own")
    return lambda: Desk.open(HomeBuilder(tmp_path / "own").config().home, approver)


@pytest.fixture
def own(desk: Callable[[], Desk], tmp_path: Path) -> HomeBuilder:
    return HomeBuilder(tmp_path / "own").config().memory("first")


class TestDeciding:
    def test_what_we_decided_leaves_with_its_event(
        self, own: HomeBuilder, desk: Callable[[], Desk]
    ) -> None:
        """C05: one decided elsewhere leaves with who did it."""
        own.stage_add("a", record_id="one")
        box = Inbox([own.home])
        (row,) = box.refresh(own.home).items
        with desk() as opened:
            done = decide.discard(opened, [row.proposal])[0]
        view = box.refresh(own.home)
        assert not view.items
        (left,) = view.left
        assert left.event == done.event and left.words.startswith("discarded by")
        assert box.refresh(own.home).left == ()

    def test_what_vanished_is_to_be_resolved(
        self, own: HomeBuilder, desk: Callable[[], Desk]
    ) -> None:
        """Q13: no decision, no taking: the console has it resolved under the lock."""
        own.stage_add("a", record_id="one")
        own.stage_add("b", record_id="two")
        box = Inbox([own.home])
        box.refresh(own.home)
        own.record_path("one").unlink()
        view = box.refresh(own.home)
        assert ids(view) == ["two"]
        (left,) = view.left
        assert left.event is None and left.proposal.id == "one"
        with desk() as opened:
            assert decide.resolve(opened, left.proposal).seq > 0
        own.record_path("two").unlink()
        view = box.refresh(
            own.home, hints=[Hint(own.home, Area.RECORDS, "two.json", Subsystem.MEMORY)]
        )
        assert [left.proposal.id for left in view.left] == ["two"] and not view.items

    def test_a_claim_is_unfinished_and_no_record_hides(self, own: HomeBuilder) -> None:
        """Design §6: scans list claims as unfinished; given back, the row waits again."""
        own.stage_add("a", record_id="one")
        box = Inbox([own.home])
        box.refresh(own.home)
        place = own.record_path("one")
        claim = place.with_name(".one.json.placet")
        place.rename(claim)
        view = box.refresh(own.home)
        assert [(row.ref.id, row.life) for row in view.items] == [("one", Life.UNFINISHED)]
        assert not view.left and view.waiting == 1
        claim.rename(place)
        hints = [
            Hint(own.home, Area.RECORDS, name, Subsystem.MEMORY)
            for name in (".one.json.placet", "one.json")
        ]
        view = box.refresh(own.home, hints=hints)
        assert [(row.ref.id, row.life) for row in view.items] == [("one", Life.WAITING)]
        assert not view.left
        own.stage_raw(".one.json.placet", place.read_bytes())
        assert box.refresh(own.home).waiting == 2

    def test_a_refusal_changes_how_others_stand(
        self, own: HomeBuilder, desk: Callable[[], Desk]
    ) -> None:
        """Q05: the repeat is recognised at the next look; other targets are not planned again."""
        first, second = own.stage_add("Use port 8080."), own.stage_add("use  port 8080")
        foreground = own.stage_add("Use port 8080", origin="assistant_tool")
        box = Inbox([own.home])
        view = box.refresh(own.home)
        row = next(member for member in view.members() if member.ref.id == first)
        with desk() as opened:
            done = decide.reject(opened, row.proposal)
        view = box.refresh(own.home)
        standings = {member.ref.id: member.plan.standing for member in view.members()}
        assert standings == {second: Standing.REFUSED, foreground: Standing.WARNING}
        with desk() as opened:
            decide.lift(opened, done.event)
        view = box.refresh(own.home)
        assert {m.plan.standing for m in view.members()} == {Standing.READY}

    def test_a_refusal_that_expires_is_noticed(
        self, own: HomeBuilder, desk: Callable[[], Desk]
    ) -> None:
        """Field report 77: after its time the same text arrives normally, without any event."""
        import time

        now = time.time()
        clock = [now]
        first, second = own.stage_add("Use port 8080."), own.stage_add("use  port 8080")
        box = Inbox([own.home], clock=lambda: clock[0])
        row = next(m for m in box.refresh(own.home).members() if m.ref.id == first)
        with desk() as opened:
            decide.reject(opened, row.proposal, until=now + 0.05)
        deadline = time.monotonic() + 10
        while time.time() < now + 0.05 and time.monotonic() < deadline:
            box.refresh(own.home)
        clock[0] = time.time()
        (left,) = box.refresh(own.home).items
        assert left.ref.id == second and left.plan.standing is Standing.READY

    def test_taken_records_are_listed_with_their_bytes(
        self, own: HomeBuilder, desk: Callable[[], Desk]
    ) -> None:
        first, second = own.stage_add("Use port 8080."), own.stage_add("use  port 8080")
        raw = own.record_path(second).read_bytes()
        box = Inbox([own.home])
        members = box.refresh(own.home).members()
        with desk() as opened:
            decide.reject(opened, next(m for m in members if m.ref.id == first).proposal)
            view = box.refresh(own.home)
            decide.take(opened, [m.proposal for m in view.members()])
        view = box.refresh(own.home)
        (taken,) = view.taken
        assert (taken.ref.id, taken.raw) == (second, raw) and not view.items
        assert ["repeats what was refused" in left.words for left in view.left] == [True]

    def test_ungated_changes_are_seen_before_and_after_they_are_recorded(
        self, own: HomeBuilder, desk: Callable[[], Desk]
    ) -> None:
        """Q13: a reader sees it though no placet process has written it down yet."""
        box = Inbox([own.home])
        assert box.refresh(own.home).ungated == ()
        with desk():
            pass
        own.memory("first", "sneaked in")
        (change,) = box.refresh(own.home).ungated
        assert (change.event, change.path) == (0, "memories/MEMORY.md")
        assert change.before == b"first"
        with desk() as opened:
            decide.notice(opened)
        (change,) = box.refresh(own.home).ungated
        assert change.event > 0
        with desk() as opened:
            decide.keep(opened, change.event)
        assert box.refresh(own.home).ungated == ()

    def test_a_choice_is_planned_without_touching_the_row(
        self, own: HomeBuilder, desk: Callable[[], Desk]
    ) -> None:
        from homes.build import add

        own.stage_batch(add("one"), add("two"))
        box = Inbox([own.home])
        (row,) = box.refresh(own.home).items
        plan = box.plan(row, Choice(frozenset({2})))
        assert plan.changes[0].after == "first\n§\none".encode()
        assert plan.digest != row.plan.digest
        with desk() as opened:
            decide.approve(opened, row.proposal, plan.choice, plan.digest or "", Sight())
        assert own.read("memories/MEMORY.md") == "first\n§\none".encode()

    def test_a_newer_ledger_leaves_the_queue_readable(
        self, own: HomeBuilder, desk: Callable[[], Desk]
    ) -> None:
        """Design §8: queue and diffs stay readable, with the reason."""
        import sqlite3

        with desk():
            pass
        own.stage_add("a")
        database = sqlite3.connect(own.path / "placet" / "placet.db")
        database.execute("PRAGMA user_version = 99")
        database.close()
        view = Inbox([own.home]).refresh(own.home)
        assert view.items[0].plan.standing is Standing.READY
        assert "newer" in view.problems[0]

    @pytest.mark.parametrize("where", ["head", "middle"])
    def test_a_damaged_ledger_leaves_the_queue_readable(
        self, own: HomeBuilder, desk: Callable[[], Desk], where: str
    ) -> None:
        """A database that cannot be read is named; nothing hides behind it."""
        own.stage_add("a", record_id="one")
        with desk() as opened:
            other = own.stage_add("b")
            box = Inbox([own.home])
            members = box.refresh(own.home).members()
            decide.reject(opened, next(m for m in members if m.ref.id == other).proposal)
        for path in (own.path / "placet").glob("placet.db-*"):
            path.unlink()
        place = own.path / "placet" / "placet.db"
        data = bytearray(place.read_bytes())
        start = 0 if where == "head" else 4096
        data[start : start + 200_000] = os.urandom(len(data[start : start + 200_000]))
        place.write_bytes(data)
        view = Inbox([own.home]).refresh(own.home)
        assert ids(view) == ["one"] and any(
            "cannot be read" in words for words in (*view.problems, view.alarm)
        )
        assert view.items[0].plan.standing is Standing.READY
        again = box.refresh(own.home)
        assert again.problems or again.alarm

    def test_reading_leaves_no_file(self, own: HomeBuilder, desk: Callable[[], Desk]) -> None:
        """Q18."""
        own.stage_add("a")
        with desk():
            pass
        before = own.tree()
        box = Inbox([own.home])
        (row,) = box.refresh(own.home).items
        box.plan(row)
        box.knock_on(box.plan(row))
        assert own.tree() == before


def test_what_is_on_record_about_a_skill_is_looked_at_again(watched: Watched) -> None:
    """A pin, or another skill of that name, that comes while a deletion waits; a view does not."""
    home = HomeBuilder(watched.home.path)
    home.skill("card")
    record = home.stage_skill("delete", "card")

    def standing() -> Standing:
        (item,) = watched.look().items
        return item.plan.standing

    assert standing() is Standing.WARNING
    home.write("skills/.usage.json", '{"card": {"view_count": 1}}')
    assert standing() is Standing.WARNING and watched.planned == []
    home.write("skills/.usage.json", '{"card": {"pinned": true}}')
    assert standing() is Standing.HELD and watched.planned == [record]
    home.write("skills/.usage.json", "{}")
    assert standing() is Standing.WARNING
    home.skill("card", category="misc")
    assert standing() is Standing.HELD
