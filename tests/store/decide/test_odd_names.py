"""Records with names and states that are hard to hold: long, not UTF-8, claimed by another."""

from __future__ import annotations

import json
import os
import time

import pytest
from deciding.office import SIGHT, Office

from placet.store.decide import (
    cancel,
    carry,
    discard,
    inverse,
    records,
    recover,
    reject,
    take,
    undo,
    unfinished,
)
from placet.store.errors import AlreadyDecided, Busy, NotWritten, StalePlan
from placet.store.ledger import audit, decisions, proposals
from placet.store.model import Done, Life, Proposal, Subsystem
from placet.store.staged import parse, scan

MEMORY = Subsystem.MEMORY
NAMES = [
    *("n" * (size - 5) + ".json" for size in (128, 129, 247, 248, 255)),
    "ü" * 125 + ".json",
    os.fsdecode(b"caf\xe9.json"),
    os.fsdecode(b"\xff" * 250 + b".json"),
]


def stage(office: Office, name: str, text: str) -> Proposal:
    """A record under any name, as a screen would show it."""
    record = office.home.stage_add(text)
    office.home.record_path(record).rename(office.home.pending() / name)
    return shown(office, name)


def shown(office: Office, name: str) -> Proposal:
    """What lies under a name now."""
    return parse.understand(scan.read(office.home.home, MEMORY, name), 2e9)


def back(office: Office, done: Done) -> Done:
    """Undo a decision as it is shown now."""
    found = inverse(office.desk, done.event)
    return undo(office.desk, found, (found.plan.digest or "") if found.plan else "", SIGHT)


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_any_name_is_decided_and_restored(office: Office, name: str) -> None:
    """Names up to the 255 bytes of a file name, and bytes that are no text."""
    proposal = stage(office, name, "gamma")
    path, raw = office.home.pending() / name, proposal.raw
    for act in (_yes, _no, _discard):
        done = act(office, proposal)
        assert os.listdir(path.parent) == []
        stands = decisions.get(office.desk.ledger, done.event)
        assert stands is not None and stands.name == name
        back(office, done)
        assert os.listdir(path.parent) == [name] and path.read_bytes() == raw
        proposal = shown(office, name)
    assert audit.verify(office.desk.ledger) == []


def _yes(office: Office, proposal: Proposal) -> Done:
    return office.say_yes(proposal)


def _no(office: Office, proposal: Proposal) -> Done:
    return reject(office.desk, proposal, sight=SIGHT)


def _discard(office: Office, proposal: Proposal) -> Done:
    return discard(office.desk, [proposal], sight=SIGHT)[0]


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_any_name_is_taken(office: Office, name: str) -> None:
    """The table of records keeps it too."""
    reject(office.desk, office.proposal(office.home.stage_add("gamma")), sight=SIGHT)
    assert len(take(office.desk, [stage(office, name, "gamma")])) == 1
    (known,) = proposals.living(office.desk.ledger, Life.TAKEN)
    assert known.name == name


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
def test_any_name_survives_a_crash(
    office: Office, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A claim is listed as unfinished; intent and claim lead back to the record's own name."""
    proposal = stage(office, name, "gamma")

    def stop(*_: object) -> None:
        raise NotWritten("The disk is full.")

    with monkeypatch.context() as patch:
        patch.setattr(carry, "write", stop)
        with pytest.raises(NotWritten):
            office.say_yes(proposal)
    (claim,) = office.waiting()
    assert scan.is_claim(claim) and scan.record_name(claim) == name
    assert not claim.endswith(".json") and len(os.fsencode(claim)) <= 255
    (intent,) = unfinished(office.desk)
    assert intent.name == name
    cancel(office.desk, intent)
    assert office.waiting() == {name}
    os.rename(office.home.pending() / name, office.home.pending() / claim)
    assert recover(office.desk, claim_seconds=0)
    assert office.waiting() == {name}
    office.say_yes(shown(office, name))
    assert office.memory() == "gamma"


def test_one_bad_record_stops_no_other(office: Office) -> None:
    """The total tells how many went, and of each other one why it did not."""
    wanted = [office.proposal(office.home.stage_add(f"entry {n}")) for n in range(3)]
    (office.home.pending() / wanted[0].name).write_bytes(b"rewritten")
    odd = stage(office, os.fsdecode(b"\xff.json"), "odd")
    with pytest.raises(StalePlan, match="3 of 4 were discarded") as caught:
        discard(office.desk, [*wanted, odd], sight=SIGHT)
    assert str(wanted[0].ref) in str(caught.value)
    assert office.waiting() == {wanted[0].name}


def claimed(office: Office, record: str) -> Proposal:
    """The same record while another process has claimed it."""
    bare = office.home.record_path(record)
    claim = scan.claim_name(bare.name)
    bare.rename(bare.with_name(claim))
    return shown(office, claim)


def test_a_claimed_record_is_called_unfinished(office: Office) -> None:
    """It is not gone; what happens next is said, and the other process keeps its claim."""
    record = office.home.stage_add("gamma")
    proposal = claimed(office, record)
    before = office.waiting()
    for act in (_discard, _no, _yes):
        with pytest.raises(Busy, match="is unfinished: a placet process has claimed it"):
            act(office, proposal)
        assert office.waiting() == before
    assert recover(office.desk, claim_seconds=0)
    _discard(office, proposal)
    assert office.waiting() == set()


def test_a_decided_claim_says_who_decided(office: Office) -> None:
    """Its last step was missing, no more."""
    record = office.home.stage_add("gamma")
    raw = office.proposal(record).raw
    _discard(office, office.proposal(record))
    claim = office.home.pending() / scan.claim_name(f"{record}.json")
    claim.write_bytes(raw)
    with (
        pytest.raises(AlreadyDecided, match="discarded"),
        records.claimed(office.desk, shown(office, claim.name)),
    ):
        pass
    assert recover(office.desk)
    assert office.waiting() == set()


def test_approved_and_not_written_is_told_apart(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """For a claim with an open intent there is a way to finish and a way to give up."""
    record = office.home.stage_add("gamma")

    def stop(*_: object) -> None:
        raise NotWritten("The disk is full.")

    monkeypatch.setattr(carry, "write", stop)
    with pytest.raises(NotWritten, match="Approved, not yet written: The disk is full"):
        office.approve(record)
    with pytest.raises(Busy, match="retry or cancel"):
        _discard(office, shown(office, scan.claim_name(f"{record}.json")))


def test_consent_to_an_empty_file_is_no_consent_to_a_full_one(office: Office) -> None:
    """An empty record that was filled meanwhile is stale, not discarded unseen."""
    path = office.home.pending() / "empty.json"
    path.write_bytes(b"")
    os.utime(path, (time.time() - 60,) * 2)
    proposal = shown(office, "empty.json")
    path.write_bytes(json.dumps({"id": "empty"}).encode())
    with pytest.raises(StalePlan):
        _discard(office, proposal)
    assert office.waiting() == {"empty.json"}
    path.write_bytes(b"")
    _discard(office, proposal)
    assert office.waiting() == set()
