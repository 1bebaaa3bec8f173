"""What is decided and not yet written, or written but for the last steps: finished or given up."""

from __future__ import annotations

import pytest
from deciding.office import Office

from placet.store.decide import bookkeeping, cancel, retry, unfinished
from placet.store.errors import AlreadyDecided, NotWritten
from placet.store.ledger import audit
from placet.store.model import Kind, Subsystem


@pytest.fixture
def held_up(office: Office, monkeypatch: pytest.MonkeyPatch) -> Office:
    """A skill that is approved and written, its usage record still to be brought up to date."""

    def fails(*_: object) -> tuple[str, ...]:
        raise NotWritten("skills/.usage.json was not brought up to date: Permission denied")

    office.home.skill("triage")
    text = "---\nname: fresh\ndescription: A new one.\n---\n\n# fresh\n"
    record = office.home.stage_skill("create", "fresh", content=text, record_id="s1")
    with monkeypatch.context() as patch:
        patch.setattr(bookkeeping, "apply", fails)
        done = office.approve(record, subsystem=Subsystem.SKILLS)
    assert any("last step" in note for note in done.notes)
    return office


def kinds(office: Office) -> list[str]:
    return [str(audit.body(event)["kind"]) for event in audit.events(office.desk.ledger, after=0)]


def test_last_steps_are_retried_without_deciding_again(held_up: Office) -> None:
    """One decision, one event: retrying does what is left and tells its number."""
    (intent,) = unfinished(held_up.desk)
    done = retry(held_up.desk, intent)
    assert done.kind is Kind.APPROVED and "#2" in done.words and done.event == 2
    assert kinds(held_up) == ["baseline", "approved"] and unfinished(held_up.desk) == ()
    assert b"fresh" in (held_up.home.read("skills/.usage.json") or b"")


def test_what_is_decided_and_written_cannot_be_given_up(held_up: Office) -> None:
    """Its decision stands: undo takes it back, cancelling would only forget the last steps."""
    (intent,) = unfinished(held_up.desk)
    with pytest.raises(AlreadyDecided, match="undo"):
        cancel(held_up.desk, intent)
    assert kinds(held_up) == ["baseline", "approved"]
    assert held_up.waiting(Subsystem.SKILLS) == set() and unfinished(held_up.desk) == (intent,)
