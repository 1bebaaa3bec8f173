"""Undoing an undo, however often: one decision about a record stands, or none, and all agree."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from deciding.office import SIGHT, Office
from homes.build import skill_text
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from placet.store.decide import carry, discard, inverse, recover, reject, undo
from placet.store.errors import AlreadyDecided, LedgerError, NotWritten
from placet.store.ledger import audit, decisions, refusals
from placet.store.model import Done, Kind, Standing, Subsystem, Target, TargetKind
from placet.store.plan import inverse as own

SKILLS = Subsystem.SKILLS
KINDS = ("approve", "reject", "discard")


def back(office: Office, seq: int) -> Done:
    """Undo a decision as it is shown now."""
    found = inverse(office.desk, seq)
    return undo(office.desk, found, (found.plan.digest or "") if found.plan else "", SIGHT)


def decide_about(office: Office, kind: str, record: str) -> Done:
    """Decide about a staged record in one of three ways."""
    if kind == "approve":
        return office.approve(record)
    proposal = office.proposal(record)
    if kind == "reject":
        return reject(office.desk, proposal, sight=SIGHT)
    return discard(office.desk, [proposal], sight=SIGHT)[0]


def agree(office: Office, record: str, text: str) -> Kind | None:
    """The one state that queue, file, refusals and decisions are all in; None is undecided."""
    ledger = office.desk.ledger
    proposal = office.proposal(record)
    waits = f"{record}.json" in office.waiting()
    rows = ledger.rows("SELECT kind FROM decisions WHERE id = ? AND ended_by IS NULL", (record,))
    standing = [Kind(row[0]) for row in rows if row[0] != Kind.UNDONE.value]
    assert len(standing) == 1 - waits, (waits, standing)
    kind = standing[0] if standing else None
    assert (text in office.memory().split("\n§\n")) == (kind is Kind.APPROVED)
    refused = refusals.list_refusals(ledger)
    assert bool(refused) == (kind is Kind.REJECTED)
    if waits:
        assert office.desk.plan(proposal).standing is Standing.READY
    assert office.waiting() <= {f"{record}.json"}
    return kind


def every_end_has_its_undo(office: Office) -> None:
    """A decision is ended exactly while an undo of it stands."""
    rows = office.desk.ledger.rows("SELECT event, kind, concerns, ended_by FROM decisions")
    ends = {event: by for event, _, _, by in rows if by is not None}
    undos = {e: c for e, kind, c, by in rows if kind == Kind.UNDONE.value and by is None}
    assert {by: event for event, by in ends.items()} == undos


@pytest.mark.parametrize("kind", KINDS)
def test_every_second_undo_lets_the_decision_stand(office: Office, kind: str) -> None:
    """Undo of undo of undo: the decision is ended again, and can be made again."""
    office.home.memory("alpha")
    record = office.home.stage_add("gamma")
    done = decide_about(office, kind, record)
    first = agree(office, record, "gamma")
    for number in range(1, 6):
        done = back(office, done.event)
        assert agree(office, record, "gamma") is (None if number % 2 else first)
        every_end_has_its_undo(office)
    assert decide_about(office, "approve", record).kind is Kind.APPROVED
    assert agree(office, record, "gamma") is Kind.APPROVED
    assert audit.verify(office.desk.ledger) == []


def test_a_lifted_refusal_follows_the_chain(office: Office) -> None:
    """What an approval had lifted is lifted exactly while the approval stands."""
    decide_about(office, "reject", office.home.stage_add("gamma"))
    other = office.proposal(office.home.stage_add("gamma", record_id="again", origin="foreground"))
    done = office.say_yes(other)
    for number in range(4):
        stands = bool(refusals.list_refusals(office.desk.ledger))
        assert stands == bool(number % 2)
        event = audit.get(office.desk.ledger, done.event)
        assert event is not None
        assert bool(audit.body(event).get("refused_again")) == bool(number % 2)
        done = back(office, done.event)


def test_an_undo_that_has_nothing_left_to_end_stays_ended(office: Office) -> None:
    """Two undos of one decision never stand together; nothing is undone twice."""
    office.home.memory("alpha")
    record = office.home.stage_add("gamma")
    first = office.approve(record)
    undone = back(office, first.event)
    redone = back(office, undone.event)
    other = back(office, first.event)
    with pytest.raises(AlreadyDecided, match=f"#{first.event} was undone by #{other.event}"):
        inverse(office.desk, redone.event)
    every_end_has_its_undo(office)
    back(office, other.event)
    assert agree(office, record, "gamma") is Kind.APPROVED
    back(office, redone.event)
    assert agree(office, record, "gamma") is None


def test_a_record_decided_anew_is_told_before_anything_is_asked(office: Office) -> None:
    """The inverse itself says why it cannot be, and which decision is in the way."""
    record = office.home.stage_add("gamma")
    undone = back(office, office.approve(record).event)
    anew = decide_about(office, "reject", record)
    with pytest.raises(AlreadyDecided, match=rf"decided anew \(#{anew.event}\)"):
        inverse(office.desk, undone.event)
    back(office, anew.event)
    back(office, undone.event)
    assert agree(office, record, "gamma") is Kind.APPROVED


_names = itertools.count()
AGES = st.lists(st.sampled_from([0, 0, 0, 1, 2]), max_size=5)


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=st.lists(st.tuples(st.sampled_from(KINDS), AGES), min_size=1, max_size=4))
def test_any_chain_ends_in_one_state(
    make_office: Callable[[str], Office], steps: list[tuple[str, list[int]]]
) -> None:
    """In the queue if nothing stands; in the file if an approval does; refused if a refusal does.

    Each step decides if the record waits, then takes back standing decisions by their age.
    """
    office = make_office(f"chain-{next(_names)}")
    office.home.memory("alpha")
    record = office.home.stage_add("gamma")
    for kind, ages in steps:
        if f"{record}.json" in office.waiting():
            decide_about(office, kind, record)
            agree(office, record, "gamma")
        for age in ages:
            standing = decisions.newest(office.desk.ledger)
            before = (audit.head(office.desk.ledger), office.home.tree()["memories/MEMORY.md"])
            try:
                back(office, standing[min(age, len(standing) - 1)].event)
            except AlreadyDecided:  # it cannot end without ending something twice
                now = (audit.head(office.desk.ledger), office.home.tree()["memories/MEMORY.md"])
                assert now == before, "refused, and nothing has changed"
            else:
                assert audit.head(office.desk.ledger) > before[0]
            agree(office, record, "gamma")
            every_end_has_its_undo(office)
    assert audit.verify(office.desk.ledger) == []


@pytest.mark.parametrize("by", ["deciding", "recovery"])
def test_a_leftover_goes_with_an_event(office: Office, by: str) -> None:
    """Promise 5: what is removed because it is decided is a row; undo brings it back."""
    record = office.home.stage_add("gamma")
    proposal = office.proposal(record)
    done = office.approve(record)
    assert not audit.events(office.desk.ledger, kind="recovered")
    name = f"{record}.json" if by == "deciding" else f".{record}.json.placet"
    (office.home.pending() / name).write_bytes(proposal.raw)
    if by == "deciding":
        with pytest.raises(AlreadyDecided, match="copy that lay in the queue was removed"):
            discard(office.desk, [proposal], sight=SIGHT)
    else:
        assert any(record in words for words in recover(office.desk))
    assert office.waiting() == set()
    (event,) = audit.events(office.desk.ledger, kind="recovered")
    body = audit.body(event)
    assert (body["concerns"], body["sha256"]) == (done.event, proposal.sha256)
    back(office, done.event)
    assert office.home.read(f"pending/memory/{record}.json") == proposal.raw


ODD: dict[str, Callable[[Path], object]] = {
    "dangling": lambda path: path.symlink_to("/nonexistent/nothing"),
    "looping": lambda path: path.symlink_to(path.name),
    "folder": lambda path: path.mkdir(),
    "pipe": os.mkfifo,
    "hard link": lambda path: os.link(path.parents[2] / "config.yaml", path),
    "too large": lambda path: path.write_bytes(b" " * (1 << 20) + b"{}"),
}


@pytest.mark.parametrize("what", ODD)
def test_what_is_no_record_is_discarded_and_comes_back(office: Office, what: str) -> None:
    """Field report 5 and promise 4: every unreadable thing leaves the queue whole, and returns."""
    place = office.home.pending() / "odd.json"
    ODD[what](place)
    before = place.lstat()
    done = discard(office.desk, [office.proposal("odd")], sight=SIGHT)[0]
    for number in range(1, 5):
        assert not os.path.lexists(place) and office.waiting() == set()
        undone = back(office, done.event)
        assert undone.notes == ()
        now = place.lstat()
        assert (now.st_ino, now.st_mode, now.st_size) == (
            before.st_ino,
            before.st_mode,
            before.st_size,
        )
        if number < 4:
            done = back(office, undone.event)
    discard(office.desk, [office.proposal("odd")], sight=SIGHT)
    assert office.waiting() == set()


def test_a_second_odd_thing_of_one_name_is_kept_too(office: Office) -> None:
    """No bytes tell them apart: it is moved aside, on record, and said where it is."""
    place = office.home.pending() / "odd.json"
    place.mkdir()
    discard(office.desk, [office.proposal("odd")], sight=SIGHT)
    place.mkdir()
    (place / "inside").write_bytes(b"text")
    with pytest.raises(AlreadyDecided, match="is kept at"):
        discard(office.desk, [office.proposal("odd")], sight=SIGHT)
    (event,) = audit.events(office.desk.ledger, kind="recovered")
    aside = office.home.path / audit.body(event)["aside"]
    assert (aside / "inside").read_bytes() == b"text"


def test_an_odd_thing_that_is_lost_is_said(office: Office) -> None:
    """Undo never reports what it did not do."""
    place = office.home.pending() / "odd.json"
    place.symlink_to("nowhere")
    done = discard(office.desk, [office.proposal("odd")], sight=SIGHT)[0]
    for kept in (office.home.path / "placet/aside").iterdir():
        kept.unlink()
    undone = back(office, done.event)
    assert any("was not put back" in note for note in undone.notes)


def test_a_skill_goes_and_comes_as_a_whole(office: Office) -> None:
    """Undo of an undone deletion archives the folder again; no empty folder stays."""
    folder = office.home.skill("old", category="ops", files={"references/a.md": "kept\n"})
    before = {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    done = office.approve(office.home.stage_skill("delete", "old"), subsystem=SKILLS)
    words = [done.words]
    for number in range(1, 5):
        done = back(office, done.event)
        words.append(done.words)
        assert folder.exists() == bool(number % 2)
        if folder.exists():
            now = {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
            assert now == before
    assert words == ["archived old", "restored old", "archived old", "restored old", "archived old"]
    assert len(list((office.home.path / "skills/.archive").iterdir())) == 1


def test_a_made_skill_goes_and_comes_as_a_whole(office: Office) -> None:
    """The same for what a proposal made."""
    made = office.home.stage_skill("create", "triage", content=skill_text("triage"))
    done = office.approve(made, subsystem=SKILLS)
    folder = office.home.path / "skills/triage"
    for number in range(1, 5):
        done = back(office, done.event)
        assert folder.exists() == (number % 2 == 0)
        assert done.words == ("restored triage" if folder.exists() else "archived triage")


def test_words_of_a_removed_file(office: Office) -> None:
    """An undo that removes a file does not say "restored"; several files `go`."""
    office.home.skill("tidy")
    record = office.home.stage_skill(
        "write_file", "tidy", file_path="scripts/a.py", file_content="x = 1\n"
    )
    done = office.approve(record, subsystem=SKILLS)
    undone = back(office, done.event)
    assert undone.words == "removed a.py"
    assert back(office, undone.event).words == "restored a.py"


def test_what_is_said_when_the_ledger_fails_last(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Written and not on record: said so, and nothing that contradicts it."""

    def fail(*_: object, **__: object) -> None:
        raise LedgerError("The ledger failed. Nothing was written.", cause="The ledger failed")

    record = office.home.stage_add("gamma")
    with monkeypatch.context() as patch:
        patch.setattr(carry, "settle", fail)
        with pytest.raises(NotWritten) as caught:
            office.approve(record)
    text = str(caught.value)
    assert "Approved and written (memories/MEMORY.md)" in text and "The ledger failed." in text
    assert "othing was written" not in text and office.memory() == "gamma"
    office.open()
    assert agree(office, record, "gamma") is Kind.APPROVED


def test_several_files_go(office: Office) -> None:
    """One file goes, two go: in the finding and in what is said afterwards."""
    files = {f"references/{name}.md": "text\n" for name in "abc"}
    office.home.skill("tidy", files=files)
    tidy = Target(TargetKind.SKILL, "tidy")
    home = office.home.home
    one = own.restore(home, tidy, [("references/a.md", None, None)])
    two = own.restore(home, tidy, [(f"references/{name}.md", None, None) for name in "bc"])
    for proposal, finding, words in (
        (one, "a.md goes.", "removed a.md"),
        (two, "c.md go.", "removed 2 files of tidy"),
    ):
        found = [v.message for v in office.desk.plan(proposal).verdicts]
        assert any(message.endswith(finding) for message in found)
        assert office.say_yes(proposal).words == words
