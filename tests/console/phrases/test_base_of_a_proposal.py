"""Memory may have changed since something was proposed: that is said (field report 29)."""

from __future__ import annotations

import time

from placet.console import demo, demo_home
from placet.console.phrases.provenance import base_words
from placet.console.reader import Reader
from placet.store import decide
from placet.store.decide import Desk
from placet.store.inbox import Item
from placet.store.model import Sight


def test_later_changes_are_counted_and_the_newest_named() -> None:
    assert base_words(True, ()) == ""
    assert base_words(True, [(3, "approved")]).endswith("once since this was proposed: #3 approved")
    many = base_words(True, [(n, "ungated") for n in range(5)])
    assert "5 times" in many and "#4 ungated" in many and "#1 " not in many
    assert "unknown" in base_words(False, ())


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


def text_of(reader: Reader, item: Item) -> str:
    """Everything that is shown of one row."""
    return "\n".join(line.text for line in reader.details(item, None).doc.lines)
