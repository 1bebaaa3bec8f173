"""Memory may have changed since something was proposed: that is said (field report 29)."""

from __future__ import annotations

import time
from pathlib import Path

from homes.build import HomeBuilder, add

from placet.console import demo, demo_home
from placet.console.phrases.provenance import base_words, entries_moved
from placet.console.reader import Reader
from placet.store import decide
from placet.store.decide import DemoApprover, Desk
from placet.store.inbox import Item
from placet.store.model import Choice, Sight


def test_later_changes_are_counted_and_the_newest_named() -> None:
    assert base_words(True, ()) == ""
    once = base_words(True, [(3, "approved", "")])
    assert once.endswith("once since this was proposed: #3 approved")
    told = base_words(True, [(3, "approved", "+ tea")])
    assert told.endswith("#3 approved (+ tea)")
    many = base_words(True, [(n, "ungated", "") for n in range(5)])
    assert "5 times" in many and "#4 ungated" in many and "#1 " not in many
    assert "unknown" in base_words(False, ())


def test_what_moved_is_named_by_how_it_begins() -> None:
    before = "stays\n§\nold words\n§\n" + "x" * 90
    after = "stays\n§\nnew words\nsecond line\n§\n" + "x" * 90
    assert entries_moved([(before, after)]) == "− old words, + new words…"
    assert entries_moved([("", "x" * 90)]) == f"+ {'x' * 50}…"
    assert entries_moved([("\n§\n".join("abcdef"), "")]) == "− a, − b, − c, − d, 2 more"
    assert entries_moved([("same", "same"), ("", "")]) == ""


def test_two_changes_behind_the_queue_are_both_told(tmp_path: Path) -> None:
    """Field report 29: two external edits after the proposal, both between-states."""
    approver = DemoApprover.own_home(tmp_path / "own")
    home = HomeBuilder(tmp_path / "own").config().memory("alpha")
    reader = Reader([home.home])
    with Desk.open(home.home, approver) as desk:
        home.stage_add("beta", created_at=time.time())
        for text in ("one", "two"):
            home.memory("alpha", text)
            decide.notice(desk)
        view = reader.refresh(home.home, True, (), lambda view: None)
        shown = text_of(reader, view.items[0])
        assert "changed twice since" in shown or "changed 2 times since" in shown
        assert "ungated (+ one)" in shown
        assert "ungated (− one, + two)" in shown


def test_a_proposal_tells_what_was_approved_after_it() -> None:
    with demo.made() as made:
        demo_home.stage_one(made.home, demo_home.ARRIVALS[1], time.time())
        reader = Reader([made.home])
        view = reader.refresh(made.home, True, (), lambda view: None)
        old, *_ = ready = [
            item
            for item in view.members()
            if item.plan.digest and str(item.proposal.target) == "user"
        ]
        new = ready[-1]
        assert "base unknown" in text_of(reader, old)
        assert "base unknown" not in text_of(reader, new)
        assert "since this was proposed" not in text_of(reader, new)
        with Desk.open(made.home, made.approver) as desk:
            digest = old.plan.digest or ""
            done = decide.approve(desk, old.proposal, old.plan.choice, digest, Sight())
        words = f"changed once since this was proposed: #{done.event} approved"
        assert words in text_of(reader, new)


def test_only_what_changed_the_target_is_told(tmp_path: Path) -> None:
    """Field report 29: an operation left out and the undo of a refusal changed no file."""
    approver = DemoApprover.own_home(tmp_path / "own")
    home = HomeBuilder(tmp_path / "own").config().memory("alpha")
    reader = Reader([home.home])
    with Desk.open(home.home, approver) as desk:
        for first in ("beta", "other"):
            home.stage_batch(add(first), add("gamma"), created_at=time.time())
        home.stage_add("delta", created_at=time.time())
        batch, other, new = reader.refresh(home.home, True, (), lambda view: None).items
        undone = decide.inverse(desk, decide.reject(desk, other.proposal).event)
        decide.undo(desk, undone, "", Sight())
        assert "since this was proposed" not in text_of(reader, new)
        choice = Choice(dropped=frozenset({1}))
        plan = desk.plan(batch.proposal, choice)
        done = decide.approve(desk, batch.proposal, choice, plan.digest or "", Sight())
        words = f"changed once since this was proposed: #{done.event} approved (+ gamma)"
        assert words in text_of(reader, new)


def text_of(reader: Reader, item: Item) -> str:
    """Everything that is shown of one row."""
    return "\n".join(line.text for line in reader.details(item, None).doc.lines)
