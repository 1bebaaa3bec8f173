"""Intents whose bytes are lost; lists that make the very folders they were planned without."""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest
from deciding.office import SIGHT, Office
from homes.build import skill_text

from placet.store.decide import approve_all, cancel, carry, notice, recover, retry, unfinished
from placet.store.disk import swap
from placet.store.errors import LedgerError, StalePlan
from placet.store.ledger import blobs
from placet.store.model import Kind, Proposal, Subsystem, sha256
from placet.store.plan import plan_all, snapshot

SKILLS = Subsystem.SKILLS


class Stopped(BaseException):
    """Stands for a process that ends here."""


@pytest.mark.parametrize("where", ["swap", "close"])
@pytest.mark.parametrize("side", ["alpha", "alpha\n§\ngamma"], ids=["before", "after"])
def test_lost_bytes_can_be_given_up(
    office: Office, monkeypatch: pytest.MonkeyPatch, where: str, side: str
) -> None:
    """An intent that nobody can finish: reported, refused to retry, cancelled; then all goes on."""
    office.home.memory("alpha")
    record = office.home.stage_add("gamma")
    other = office.home.stage_add("delta")
    office.open()

    def stop(*_: object, **__: object) -> None:
        raise Stopped

    module = swap if where == "swap" else carry
    with monkeypatch.context() as patch:
        patch.setattr(module, where, stop)
        with pytest.raises(Stopped):
            office.approve(record)
    office.desk.close()
    office.desks.clear()
    (blobs.folder(office.home.home) / sha256(side.encode())).unlink()
    desk = office.open()
    (intent,) = unfinished(desk)
    assert any("are not kept any more. Cancel it" in words for words in desk.reports)
    with pytest.raises(LedgerError, match="Cancel it"):
        office.approve(other)
    assert f"{other}.json" in office.waiting(), "what was refused waits on"
    with pytest.raises(LedgerError, match="Cancel it"):
        retry(desk, intent)
    written = office.memory()
    assert "MEMORY.md was left as it is" in cancel(desk, intent).notes
    assert unfinished(desk) == () and office.memory() == written
    assert office.waiting() == {f"{record}.json", f"{other}.json"}
    assert bool(notice(desk)) == (where == "close"), "written without a decision: shown as ungated"
    assert recover(desk) == []
    if where == "close":
        assert blobs.get(office.home.home, sha256(b"alpha")) == b"alpha"
    office.approve(other)
    assert office.memory() == f"{written}\n§\ndelta"


def seen_list(office: Office, proposals: Sequence[Proposal]) -> str:
    """Digest of the list as a screen shows it."""
    found = [snapshot.take(p, office.desk.config()) for p in proposals]
    asked = [
        (p, office.desk.context(p, files), None) for p, files in zip(proposals, found, strict=True)
    ]
    return plan_all(asked, found).digest or ""


def approved(office: Office, proposals: Sequence[Proposal], seen: str) -> int:
    """How many of a list were approved."""
    wanted = [(proposal, None) for proposal in proposals]
    return len(approve_all(office.desk, wanted, seen, SIGHT))


def test_a_list_in_a_fresh_home(office: Office) -> None:
    """The first one makes `memories/`; the others were shown without it, and are the same."""
    listed = [
        *(office.proposal(office.home.stage_add(text)) for text in ("one", "two")),
        office.proposal(office.home.stage_add("three", target="user")),
    ]
    assert not office.home.home.memories.exists()
    assert approved(office, listed, seen_list(office, listed)) == 3
    assert office.memory() == "one\n§\ntwo"
    assert office.home.read("memories/USER.md") == b"three"


def test_a_list_of_skills_in_a_fresh_home(office: Office) -> None:
    """Also for folders that an earlier plan of the list makes, such as a category."""
    stage = office.home.stage_skill
    records = [
        stage("create", "first", content=skill_text("first"), category="ops"),
        stage("create", "second", content=skill_text("second"), category="ops"),
    ]
    listed = [office.proposal(record, SKILLS) for record in records]
    assert approved(office, listed, seen_list(office, listed)) == 2
    assert office.home.read("skills/ops/first/SKILL.md") == skill_text("first").encode()
    assert office.home.read("skills/ops/second/SKILL.md") == skill_text("second").encode()


def test_a_folder_that_leads_elsewhere_is_another_one(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Consent is not weakened: a link in the place of the missing folder is noticed."""
    listed = [
        office.proposal(office.home.stage_add("one")),
        office.proposal(office.home.stage_add("two", target="user")),
    ]
    seen = seen_list(office, listed)
    plain = carry.complete

    def interfering(*given: object, **named: object) -> object:
        done = plain(*given, **named)  # type: ignore[arg-type]
        memories = office.home.home.memories
        if not memories.is_symlink():
            os.rename(memories, memories.with_name("elsewhere"))
            memories.symlink_to("elsewhere")
        return done

    monkeypatch.setattr(carry, "complete", interfering)
    with pytest.raises(StalePlan, match="1 of 2 were approved"):
        approved(office, listed, seen)
    assert office.home.read("memories/USER.md") is None
    assert office.say_yes(listed[1]).kind is Kind.APPROVED
