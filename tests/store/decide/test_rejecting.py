"""Saying no, discarding, taking what repeats, lifting: what is kept and what is touched."""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest
from deciding.office import SIGHT, Office
from homes.build import add, remove

from placet.store.decide import discard, inverse, lift, put_back, reject, take, undo
from placet.store.errors import AlreadyDecided, Blocked, NotFound, StalePlan
from placet.store.ledger import audit, blobs, publish, refusals
from placet.store.model import Code, Kind, Level, Ref, Standing, Subsystem

MEMORY_FILES = ("memories/MEMORY.md", "memories/USER.md", "SOUL.md")


def files(office: Office) -> list[object]:
    """Bytes, mode, inode and times of every memory file."""
    found: list[object] = []
    for name in MEMORY_FILES:
        place = office.home.path / name
        stat = place.stat()
        found.append((name, place.read_bytes(), stat.st_ino, stat.st_mtime_ns, stat.st_mode))
    return found


def furnished(office: Office) -> None:
    office.home.memory("alpha", "beta").user("likes tea").soul("be kind\n")


def test_a_no_touches_no_memory_file(office: Office) -> None:
    """Q04, field report 17: same bytes, inode and mtime; record kept, with the reason."""
    furnished(office)
    before = files(office)
    record = office.home.stage_add("gamma")
    proposal = office.proposal(record)
    done = reject(office.desk, proposal, reason="not true", sight=SIGHT)
    assert files(office) == before and office.waiting() == set()
    event = audit.get(office.desk.ledger, done.event)
    assert event is not None and audit.body(event)["reason"] == "not true"
    assert "gamma" not in event.body
    assert blobs.get(office.home.home, proposal.sha256) == proposal.raw
    office.approve(office.home.stage_add("delta"))
    assert files(office) != before, "the positive: an approval does touch it"


def test_a_discard_refuses_nothing(office: Office) -> None:
    """Q04: the same text staged again is an ordinary proposal."""
    furnished(office)
    before = files(office)
    proposal = office.proposal(office.home.stage_add("gamma"))
    done = discard(office.desk, [proposal], reason="twice", sight=SIGHT)
    assert done[0].kind is Kind.DISCARDED and files(office) == before
    assert office.waiting() == set()
    again = office.proposal(office.home.stage_add("gamma"))
    assert office.desk.plan(again).standing is Standing.READY
    assert blobs.get(office.home.home, proposal.sha256) == proposal.raw


@pytest.mark.parametrize("raw", [b"{broken", b"", b"\xff\xfe", b"[]", b'{"id": 1}'], ids=repr)
def test_what_is_malformed_is_discarded_and_restored(office: Office, raw: bytes) -> None:
    """Q12: a row with words; never approved or rejected; undo brings every byte back."""
    office.home.stage_raw("bad.json", raw)
    proposal = office.proposal("bad")
    with pytest.raises(Blocked, match="discard it instead"):
        reject(office.desk, proposal, sight=SIGHT)
    with pytest.raises(Blocked):
        office.approve("bad")
    done = discard(office.desk, [proposal], reason="broken", sight=SIGHT)[0]
    assert office.waiting() == set()
    undo(office.desk, inverse(office.desk, done.event), "", SIGHT)
    assert office.home.read("pending/memory/bad.json") == raw


def test_a_folder_in_the_queue_is_moved_aside_and_back(office: Office) -> None:
    """Q12: what is no file is kept as it is."""
    folder = office.home.pending() / "odd.json"
    folder.mkdir()
    (folder / "inside.txt").write_text("kept")
    done = discard(office.desk, [office.proposal("odd")], reason="a folder", sight=SIGHT)[0]
    assert office.waiting() == set() and not folder.exists()
    undo(office.desk, inverse(office.desk, done.event), "", SIGHT)
    assert (folder / "inside.txt").read_text() == "kept"


def test_a_foreign_record_is_only_discarded(office: Office) -> None:
    """Q12, field report 12: no approve, no reject; moved aside, undoable."""
    record = office.home.stage(
        {"action": "remember", "content": "x", "importance": 0.7}, provider="othermem"
    )
    proposal = office.proposal(record)
    assert office.desk.plan(proposal).standing is Standing.FOREIGN
    with pytest.raises(Blocked):
        office.approve(record)
    with pytest.raises(Blocked):
        reject(office.desk, proposal, sight=SIGHT)
    assert office.waiting() == {f"{record}.json"}
    discard(office.desk, [proposal], sight=SIGHT)
    assert office.waiting() == set()


REPEATS: dict[str, Callable[[Office], str]] = {
    "as it was": lambda o: o.home.stage_add("Use ruff for linting."),
    "other case and space": lambda o: o.home.stage_add("use  RUFF for linting"),
    "full width": lambda o: o.home.stage_add("Ｕｓｅ ruff for linting."),
    "invisible": lambda o: o.home.stage_add("Use ru\u200bff for linting."),
    "look-alike": lambda o: o.home.stage_add("Use ruff for lint\u0456ng."),
    "as a replacement": lambda o: o.home.stage_replace("alpha", "Use ruff for linting."),
    "in a batch of its own": lambda o: o.home.stage_batch(add("Use ruff for linting.")),
}


@pytest.mark.parametrize("again", REPEATS, ids=str)
def test_a_refused_value_is_taken_when_it_comes_back(office: Office, again: str) -> None:
    """Q05, field reports 73, 75, 76: recognised, taken, counted once."""
    furnished(office)
    first = office.proposal(office.home.stage_add("Use ruff for linting."))
    reject(office.desk, first, reason="no", sight=SIGHT)
    proposal = office.proposal(REPEATS[again](office))
    before = files(office)
    taken = take(office.desk, [proposal])
    assert [done.kind for done in taken] == [Kind.TAKEN]
    assert office.waiting() == set() and files(office) == before
    assert take(office.desk, [proposal]) == []
    assert refusals.list_refusals(office.desk.ledger)[0].hits == 1
    assert blobs.get(office.home.home, proposal.sha256) == proposal.raw


@pytest.mark.parametrize(
    ("no", "other"),
    [("port 8080", "port 8081"), ("needs 2.10", "needs 2.1.0"), ("write C", "write C++")],
)
def test_what_differs_stays_different(office: Office, no: str, other: str) -> None:
    """Q05: similarity never takes anything."""
    reject(office.desk, office.proposal(office.home.stage_add(no)), sight=SIGHT)
    proposal = office.proposal(office.home.stage_add(other))
    assert take(office.desk, [proposal]) == []
    assert office.waiting() == {f"{proposal.id}.json"}


def test_the_foreground_may_ask_again(office: Office) -> None:
    """Q05: a warning with the date, and it stays; for another target a note."""
    reject(office.desk, office.proposal(office.home.stage_add("gamma")), sight=SIGHT)
    asked = office.proposal(office.home.stage_add("gamma", origin="assistant_tool"))
    plan = office.desk.plan(asked)
    assert plan.has(Code.REFUSED_BEFORE, Level.WARNING)
    assert take(office.desk, [asked]) == []
    there = office.desk.plan(office.proposal(office.home.stage_add("gamma", target="user")))
    assert there.has(Code.REFUSED_ELSEWHERE, Level.NOTE) and there.digest is not None


def test_a_refused_part_of_a_batch_is_left_out(office: Office) -> None:
    """Q05: pre-dropped and marked, the rest is planned; leaving it out counts a hit."""
    furnished(office)
    reject(office.desk, office.proposal(office.home.stage_add("gamma")), sight=SIGHT)
    record = office.home.stage_batch(add("delta"), add("Gamma"))
    proposal = office.proposal(record)
    plan = office.desk.plan(proposal)
    assert plan.choice.dropped == {2} and plan.digest is not None
    assert take(office.desk, [proposal]) == []
    office.approve(record)
    assert office.memory() == "alpha\n§\nbeta\n§\ndelta"
    found = refusals.list_refusals(office.desk.ledger)
    assert len(found) == 1 and found[0].hits == 1


def test_refusing_a_batch_refuses_the_whole(office: Office) -> None:
    """Design §7: its operations become notes, unless each is refused."""
    furnished(office)
    batch = (add("one"), add("two"))
    reject(office.desk, office.proposal(office.home.stage_batch(*batch)), sight=SIGHT)
    assert office.desk.plan(office.proposal(office.home.stage_add("one"))).digest is not None
    turned = office.proposal(office.home.stage_batch(*reversed(batch)))
    assert office.desk.plan(turned).standing is Standing.REFUSED
    lift(office.desk, 2)
    assert office.desk.plan(turned).standing is Standing.READY
    reject(office.desk, turned, each=True, sight=SIGHT)
    alone = office.proposal(office.home.stage_add("One"))
    assert office.desk.plan(alone).standing is Standing.REFUSED


def test_a_no_is_kept_over_a_change_of_mind_and_a_restart(office: Office) -> None:
    """Q06: reject, supersede with another value, restate the first: still refused."""
    furnished(office)
    reject(office.desk, office.proposal(office.home.stage_add("tea at 8")), sight=SIGHT)
    office.approve(office.home.stage_add("tea at 9"))
    with office.open() as again:
        plan = again.plan(office.proposal(office.home.stage_add("tea at 8")))
        assert plan.standing is Standing.REFUSED
        done = lift(again, str(refusals.list_refusals(again.ledger)[0].fp))
        assert done.kind is Kind.LIFTED
    again_ready = office.desk.plan(office.proposal(office.home.stage_add("tea at 8")))
    assert again_ready.standing is Standing.READY
    assert audit.events(office.desk.ledger, kind="lifted")


def test_an_expired_refusal_lets_pass(office: Office) -> None:
    """Field report 77: expiry is the person's choice."""
    soon = time.time() - 1
    first = office.proposal(office.home.stage_add("gamma"))
    reject(office.desk, first, until=soon, sight=SIGHT)
    assert office.desk.plan(office.proposal(office.home.stage_add("gamma"))).digest
    second = office.proposal(office.home.stage_add("delta"))
    reject(office.desk, second, until=time.time() + 3600, sight=SIGHT)
    again = office.desk.plan(office.proposal(office.home.stage_add("delta")))
    assert again.standing is Standing.REFUSED


def test_a_taken_record_comes_back_for_good(office: Office) -> None:
    """Design §7: byte for byte, never taken again, nothing pre-dropped, a warning."""
    reject(office.desk, office.proposal(office.home.stage_add("gamma")), sight=SIGHT)
    proposal = office.proposal(office.home.stage_add("Gamma!", record_id="twin"))
    take(office.desk, [proposal])
    with pytest.raises(AlreadyDecided, match="put it back"):
        reject(office.desk, proposal, sight=SIGHT)
    ref = Ref("default", Subsystem.MEMORY, "twin")
    put_back(office.desk, ref)
    assert office.home.read("pending/memory/twin.json") == proposal.raw
    plan = office.desk.plan(proposal)
    assert plan.standing is Standing.WARNING and not plan.choice.dropped
    assert take(office.desk, [proposal]) == [] and office.waiting() == {"twin.json"}
    with pytest.raises(NotFound):
        put_back(office.desk, ref)
    office.approve("twin")
    assert office.memory() == "Gamma!"


def test_a_refused_secret_is_not_kept(office: Office) -> None:
    """Field report 70, design §7: no copy anywhere, recognised all the same, not published."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    proposal = office.proposal(office.home.stage_add(f"the token is {secret}"))
    assert office.desk.plan(proposal).has(Code.SECRET), "the positive: it is seen as one"
    done = reject(office.desk, proposal, sight=SIGHT)
    with office.open() as again:
        again.ledger.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for place in office.home.path.rglob("*"):
        if place.is_file():
            assert secret.encode() not in place.read_bytes(), place
    repeat = office.proposal(office.home.stage_add(f"The token is {secret}"))
    assert office.desk.plan(repeat).standing is Standing.REFUSED
    found = inverse(office.desk, done.event)
    assert found.lost and found.records
    published = publish.location(office.home.home)
    assert not published.exists() or secret.encode() not in published.read_bytes()
    assert not published.exists() or published.read_bytes() == b""
    after = undo(office.desk, found, "", SIGHT)
    assert any("not restored" in note for note in after.notes)
    assert office.desk.plan(repeat).standing is not Standing.REFUSED


def test_what_is_published_holds_no_text(office: Office) -> None:
    """Field report 78: fingerprint, reason, scope, date; lifted lines go."""
    done = reject(
        office.desk, office.proposal(office.home.stage_add("gamma")), reason="no", sight=SIGHT
    )
    place = publish.location(office.home.home)
    lines = [json.loads(line) for line in place.read_bytes().split(b"\n") if line]
    assert len(lines) == 1 and lines[0]["reason"] == "no" and lines[0]["target"] == "memory"
    assert b"gamma" not in place.read_bytes()
    lift(office.desk, done.event)
    assert place.read_bytes() == b""


def test_a_no_is_bound_to_the_bytes(office: Office) -> None:
    """Design §6: never to an id alone."""
    proposal = office.proposal(office.home.stage_add("gamma", record_id="same"))
    office.home.stage_add("other", record_id="same")
    with pytest.raises(StalePlan):
        reject(office.desk, proposal, sight=SIGHT)
    with pytest.raises(StalePlan):
        discard(office.desk, [proposal], sight=SIGHT)
    assert office.waiting() == {"same.json"}
    reject(office.desk, office.proposal("same"), sight=SIGHT)
    assert office.waiting() == set()


def test_a_removal_is_refused_by_its_entry(office: Office) -> None:
    """Design §7: by what it finds, not by the words it was found with."""
    furnished(office)
    reject(office.desk, office.proposal(office.home.stage_remove("alp")), sight=SIGHT)
    again = office.proposal(office.home.stage_remove("alpha"))
    assert office.desk.plan(again).standing is Standing.REFUSED
    other = office.proposal(office.home.stage_batch(remove("beta")))
    assert office.desk.plan(other).standing is not Standing.REFUSED


def test_a_skill_is_refused_like_anything_else(office: Office) -> None:
    """Field report 74: skills have fingerprints too."""
    office.home.skill("triage")
    staged = {"old_string": "Step one.", "new_string": "Step two."}
    first = office.home.stage_skill("patch", "triage", **staged)
    reject(office.desk, office.proposal(first, Subsystem.SKILLS), sight=SIGHT)
    again = office.proposal(office.home.stage_skill("patch", "triage", **staged), Subsystem.SKILLS)
    assert [done.kind for done in take(office.desk, [again])] == [Kind.TAKEN]
    assert office.waiting(Subsystem.SKILLS) == set()
