"""A record that is gone without us is explained by its effect, once (Q13)."""

from __future__ import annotations

import pytest
from deciding.office import SIGHT, Office
from homes.build import add, remove, skill_text

from placet.store.decide import notice, reject, resolve, take
from placet.store.disk import swap
from placet.store.errors import Busy, StalePlan
from placet.store.ledger import audit
from placet.store.model import Kind, Proposal, Subsystem


def gone(office: Office, record: str, subsystem: Subsystem = Subsystem.MEMORY) -> Proposal:
    """The proposal, after its file was unlinked by somebody else."""
    proposal = office.proposal(record, subsystem)
    office.home.record_path(record, subsystem.value).unlink()
    return proposal


def kind(office: Office, proposal: Proposal) -> str:
    event = resolve(office.desk, proposal)
    assert resolve(office.desk, proposal) == event, "recorded once"
    return str(audit.body(event)["kind"])


def test_applied_elsewhere(office: Office) -> None:
    """Field report 48: the record vanished and memory gained its text; the change is ungated."""
    office.home.memory("alpha", "beta")
    office.open()
    record = office.home.stage_batch(add("gamma"), remove("beta"))
    office.home.memory("alpha", "gamma")
    proposal = gone(office, record)
    assert kind(office, proposal) == Kind.APPLIED_ELSEWHERE
    items = notice(office.desk)
    event = resolve(office.desk, proposal)
    assert [one.event for one in items] == [audit.body(event)["concerns"]]
    assert "gamma" not in event.body


def test_applied_elsewhere_after_the_change_was_noticed(office: Office) -> None:
    """The same, when the change was recorded before the record was missed."""
    office.home.memory("alpha")
    office.open()
    record = office.home.stage_add("gamma")
    office.home.memory("alpha", "gamma")
    assert len(notice(office.desk)) == 1
    assert kind(office, gone(office, record)) == Kind.APPLIED_ELSEWHERE


def test_withdrawn_elsewhere(office: Office) -> None:
    """The target is as last known: somebody unlinked the record."""
    office.home.memory("alpha")
    office.open()
    assert kind(office, gone(office, office.home.stage_add("gamma"))) == Kind.WITHDRAWN_ELSEWHERE


def test_gone(office: Office) -> None:
    """The target changed, and not as the record asked: nothing is claimed (field report 94)."""
    office.home.memory("alpha")
    office.open()
    record = office.home.stage_add("gamma")
    office.home.memory("alpha", "something else")
    assert kind(office, gone(office, record)) == Kind.GONE


def test_half_applied_is_not_applied(office: Office) -> None:
    """Every put there and every drop gone, or it is not claimed."""
    office.home.memory("alpha", "beta")
    office.open()
    record = office.home.stage_batch(add("gamma"), remove("beta"))
    office.home.memory("alpha", "beta", "gamma")
    assert kind(office, gone(office, record)) == Kind.GONE


def test_our_own_decisions_explain_it(office: Office) -> None:
    """Looked up after the listing: no second event for what we decided ourselves."""
    office.home.memory("alpha")
    first = office.proposal(office.home.stage_add("gamma"))
    done = office.approve(first.id)
    assert resolve(office.desk, first).seq == done.event
    no = office.proposal(office.home.stage_add("delta"))
    done = reject(office.desk, no, sight=SIGHT)
    assert resolve(office.desk, no).seq == done.event
    again = office.proposal(office.home.stage_add("Delta"))
    taken = take(office.desk, [again])[0]
    assert resolve(office.desk, again).seq == taken.event


def test_what_is_there_is_not_gone(office: Office) -> None:
    """One listing during a rename can miss both names."""
    proposal = office.proposal(office.home.stage_add("gamma"))
    with pytest.raises(StalePlan):
        resolve(office.desk, proposal)
    swap.claim(office.home.home, Subsystem.MEMORY, proposal.name, proposal.raw)
    with pytest.raises(Busy):
        resolve(office.desk, proposal)


def test_a_skill_by_its_effect(office: Office) -> None:
    """The same for skills: made, and not made."""
    office.open()
    text = skill_text("triage")
    record = office.home.stage_skill("create", "triage", content=text)
    office.home.skill("triage", text)
    assert kind(office, gone(office, record, Subsystem.SKILLS)) == Kind.APPLIED_ELSEWHERE
    other = office.home.stage_skill("create", "other", content=skill_text("other"))
    assert kind(office, gone(office, other, Subsystem.SKILLS)) == Kind.GONE
