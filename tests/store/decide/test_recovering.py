"""What a stopped process leaves, and what a full disk holds up (design §6)."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from deciding.office import SIGHT, Office

from placet.store.decide import (
    approve,
    cancel,
    notice,
    recover,
    reject,
    retry,
    unfinished,
)
from placet.store.decide import carry as carrying
from placet.store.disk import swap
from placet.store.errors import AlreadyDecided, NotWritten
from placet.store.ledger import audit, blobs, intents
from placet.store.model import Change, Kind, Subsystem


class Stopped(BaseException):
    """Stands for a process that ends here."""


def stopped(office: Office, monkeypatch: pytest.MonkeyPatch, where: str) -> str:
    """Approve `gamma`, and stop right before `where`; the desk is gone as its process would be."""
    office.home.memory("alpha")
    record = office.home.stage_add("gamma", record_id="aa11")

    def stop(*given: object, **named: object) -> None:
        raise Stopped

    module, name = {"swap": (swap, "swap"), "close": (carrying, "close")}[where]
    office.open()
    with monkeypatch.context() as patch:
        patch.setattr(module, name, stop)
        with pytest.raises(Stopped):
            office.approve(record)
    office.desk.close()
    office.desks.clear()
    return record


@pytest.mark.parametrize("where", ["swap", "close"])
def test_an_intent_is_rolled_forward(
    office: Office, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """Field report 27: from the stored bytes, once, reported, and on record."""
    stopped(office, monkeypatch, where)
    assert office.waiting() == {".aa11.json.placet"}, "listed as unfinished, never hidden"
    desk = office.open()
    assert office.memory() == "alpha\n§\ngamma" and office.waiting() == set()
    assert any("not completely written" in words for words in desk.reports)
    kinds = [str(audit.body(event)["kind"]) for event in audit.events(desk.ledger, after=0)]
    assert kinds == ["baseline", "approved", "recovered"]
    assert notice(desk) == [] and office.open().reports == []


def test_foreign_bytes_end_the_attempt(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """Anything else: never guess; the record goes back, their text stays."""
    stopped(office, monkeypatch, "swap")
    office.home.memory("rewritten")
    desk = office.open()
    assert office.memory() == "rewritten" and office.waiting() == {"aa11.json"}
    assert audit.events(desk.ledger, kind="aborted") and intents.open_ones(desk.ledger) == ()
    assert any("someone else" in words for words in desk.reports)
    office.approve("aa11")
    assert office.memory() == "rewritten\n§\ngamma"


def test_displaced_bytes_that_are_not_what_was_shown(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """File = after and displaced ≠ before: swapped back, aborted; no outside text is lost."""
    stopped(office, monkeypatch, "close")
    displaced = next(office.home.path.glob("memories/.MEMORY.md.placet-*"))
    displaced.write_bytes("alpha\n§\nlate".encode())
    office.open()
    assert office.memory() == "alpha\n§\nlate" and office.waiting() == {"aa11.json"}


def test_the_claim_is_gone(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """Design §6: close if the file is written, else abort."""
    stopped(office, monkeypatch, "swap")
    (office.home.pending() / ".aa11.json.placet").unlink()
    desk = office.open()
    assert office.memory() == "alpha" and audit.events(desk.ledger, kind="aborted")
    assert intents.open_ones(desk.ledger) == ()


def test_the_claim_is_gone_and_the_file_is_written(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other half of the rule."""
    stopped(office, monkeypatch, "close")
    (office.home.pending() / ".aa11.json.placet").unlink()
    desk = office.open()
    assert office.memory() == "alpha\n§\ngamma"
    assert audit.events(desk.ledger, kind="approved")


def test_a_newer_record_has_the_name(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """Abort with the name taken: the newer stays, ours goes to the blobs, named in an event."""
    stopped(office, monkeypatch, "swap")
    ours = (office.home.pending() / ".aa11.json.placet").read_bytes()
    office.home.stage_add("newer text", record_id="aa11")
    newer = office.home.read("pending/memory/aa11.json")
    office.home.memory("rewritten")
    desk = office.open()
    assert office.waiting() == {"aa11.json"}
    assert office.home.read("pending/memory/aa11.json") == newer
    named = [audit.body(event).get("sha256") for event in audit.events(desk.ledger, kind="aborted")]
    assert any(blobs.get(office.home.home, str(digest)) == ours for digest in named)


def test_an_orphaned_claim_goes_back_after_ten_seconds(office: Office) -> None:
    """Design §6: and not before, because its owner may live."""
    proposal = office.proposal(office.home.stage_add("gamma", record_id="aa11"))
    swap.claim(office.home.home, Subsystem.MEMORY, proposal.name, proposal.raw)
    desk = office.open()
    assert office.waiting() == {".aa11.json.placet"} and desk.reports == []
    assert recover(desk, claim_seconds=0)
    assert office.waiting() == {"aa11.json"}


def test_an_orphaned_claim_of_a_decided_record_goes(office: Office) -> None:
    """Design §6: bytes with a standing decision are unlinked."""
    proposal = office.proposal(office.home.stage_add("gamma", record_id="aa11"))
    reject(office.desk, proposal, sight=SIGHT)
    place = office.home.stage_raw("aa11.json", proposal.raw)
    os.rename(place, place.with_name(".aa11.json.placet"))
    office.open()
    assert office.waiting() == set()


def full(office: Office, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Approve `gamma` on a disk that fills up after the intent; returns what makes room."""
    office.home.memory("alpha")
    proposal = office.proposal(office.home.stage_add("gamma", record_id="aa11"))
    seen = office.desk.plan(proposal).digest or ""

    def no_room(change: Change, token: str) -> None:
        raise NotWritten(f"{change.name} could not be written: No space left on device.")

    monkeypatch.setattr(swap, "swap", no_room)
    with pytest.raises(NotWritten, match="Approved, not yet written"):
        approve(office.desk, proposal, None, seen, SIGHT)
    return monkeypatch.undo


def test_a_full_disk_is_retried(
    office: Office, monkeypatch: pytest.MonkeyPatch, tmp_path: object
) -> None:
    """Design §6, K05: the old bytes stay, nothing is reported as saved; later it is written."""
    room = full(office, monkeypatch)
    assert office.memory() == "alpha" and office.waiting() == {".aa11.json.placet"}
    intent = unfinished(office.desk)[0]
    with pytest.raises(NotWritten):
        retry(office.desk, intent)
    room()
    monkeypatch.setenv("XDG_STATE_HOME", str(office.home.path.parent / "state"))
    done = retry(office.desk, intent)
    assert done.kind is Kind.APPROVED and office.memory() == "alpha\n§\ngamma"
    with pytest.raises(AlreadyDecided):
        retry(office.desk, intent)
    assert unfinished(office.desk) == ()


def test_a_full_disk_is_given_up(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """Cancel: an audited abort; the record waits again and can be approved anew."""
    room = full(office, monkeypatch)
    intent = unfinished(office.desk)[0]
    done = cancel(office.desk, intent)
    assert done.kind is Kind.ABORTED and done.words == "given up: memory/aa11 waits again"
    event = audit.get(office.desk.ledger, done.event)
    assert event is not None and audit.body(event)["why"] == "cancelled by the person"
    assert office.waiting() == {"aa11.json"} and office.memory() == "alpha"
    room()
    monkeypatch.setenv("XDG_STATE_HOME", str(office.home.path.parent / "state"))
    office.approve("aa11")
    assert office.memory() == "alpha\n§\ngamma"


def test_a_living_process_is_left_alone(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its target's lock is held: recovery passes it over, and finishes it later."""
    import fcntl

    stopped(office, monkeypatch, "swap")
    lock = os.open(office.home.path / "memories/MEMORY.md.lock", os.O_RDWR)
    fcntl.flock(lock, fcntl.LOCK_EX)
    office.open()
    assert office.memory() == "alpha" and office.waiting() == {".aa11.json.placet"}
    os.close(lock)
    recover(office.desk)
    assert office.memory() == "alpha\n§\ngamma"


def test_no_intent_without_its_bytes(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failure before the intent leaves no decision and no claim."""
    office.home.memory("alpha")
    record = office.home.stage_add("gamma")

    def no_room(*_: object) -> None:
        raise OSError(28, "No space left on device")

    plan = office.desk.plan(office.proposal(record))
    assert plan.digest
    with monkeypatch.context() as patch:
        patch.setattr(blobs, "put_all", no_room)
        with pytest.raises(Exception, match="Nothing was decided"):
            office.approve(record)
    assert office.waiting() == {f"{record}.json"}
    office.approve(record)
    assert office.memory() == "alpha\n§\ngamma"
