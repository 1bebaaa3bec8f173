"""Saying yes: what was shown is written, once, or nothing is."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from deciding.office import SIGHT, Office
from homes.build import add, remove, skill_text
from homes.build import replace as replacing

from placet.store.decide import Desk, approve, approve_all, keeping, reject
from placet.store.disk import swap
from placet.store.errors import (
    AlreadyDecided,
    Blocked,
    Cancelled,
    NotFound,
    ReadOnly,
    StalePlan,
)
from placet.store.ledger import audit, blobs, decisions, intents
from placet.store.model import (
    Choice,
    Code,
    Kind,
    Standing,
    Subsystem,
    Target,
    TargetKind,
    sha256,
)
from placet.store.plan import inverse as own
from placet.store.plan import plan_all, snapshot

MEMORY = Target(TargetKind.MEMORY)


def body(office: Office, seq: int) -> dict[str, object]:
    event = audit.get(office.desk.ledger, seq)
    assert event is not None
    return audit.body(event)


def test_what_was_shown_is_written(office: Office) -> None:
    """Q03, Q14, field reports 10, 88, 99: the bytes shown, one event with actor and digests."""
    office.home.memory("alpha", "beta")
    record = office.home.stage_add("gamma")
    proposal = office.proposal(record)
    plan = office.desk.plan(proposal)
    done = approve(office.desk, proposal, None, plan.digest or "", SIGHT)
    data = office.home.read("memories/MEMORY.md")
    assert data == plan.changes[0].after
    assert done.kind is Kind.APPROVED and done.words == "added 1 to MEMORY.md"
    assert done.files == (("memories/MEMORY.md", sha256(data or b"")),)
    assert office.waiting() == set()
    found = body(office, done.event)
    assert found["actor"] == office.approver.evidence()["name"]
    assert found["sha256"] == proposal.sha256 and found["digest"] == plan.digest
    assert found["seen"] == {"seconds": 3.0, "rows_seen": 4, "rows": 4, "where": "demo"}
    assert "gamma" not in json.dumps(found), "an event never holds memory text"
    assert blobs.get(office.home.home, proposal.sha256) == proposal.raw


def test_the_first_entry_of_a_fresh_home(office: Office) -> None:
    """Q18: a home without memories/: taking the lock makes the folder, and that is no change."""
    for target, name in (("memory", "MEMORY.md"), ("user", "USER.md")):
        office.approve(office.home.stage_add("first", target=target))
        assert office.home.read(f"memories/{name}") == b"first"
    assert (office.home.path / "memories/MEMORY.md").stat().st_mode & 0o777 == 0o600


def test_an_older_digest_writes_nothing(office: Office) -> None:
    """Q03, field report 23: the new plan comes back; the positive on the same fixture."""
    office.home.memory("alpha")
    record = office.home.stage_add("gamma")
    proposal = office.proposal(record)
    older = office.desk.plan(proposal).digest or ""
    office.home.memory("alpha", "typed by hand")
    before = office.home.tree()["memories/MEMORY.md"]
    with pytest.raises(StalePlan) as stale:
        approve(office.desk, proposal, None, older, SIGHT)
    assert office.home.tree()["memories/MEMORY.md"] == before
    assert stale.value.plan is not None and stale.value.plan.digest not in (None, older)
    assert office.waiting() == {f"{record}.json"}
    approve(office.desk, proposal, None, stale.value.plan.digest or "", SIGHT)
    assert office.memory() == "alpha\n§\ntyped by hand\n§\ngamma"


def test_a_rewritten_record_is_caught(office: Office) -> None:
    """Q03: consent is bound to the bytes of the record, never to its id."""
    office.home.memory("alpha")
    proposal = office.proposal(office.home.stage_add("gamma", record_id="same"))
    seen = office.desk.plan(proposal).digest or ""
    office.home.stage_add("something else", record_id="same")
    with pytest.raises(StalePlan, match="rewritten"):
        approve(office.desk, proposal, None, seen, SIGHT)
    assert office.memory() == "alpha" and office.waiting() == {"same.json"}
    office.approve("same")
    assert office.memory() == "alpha\n§\nsomething else"


def test_a_write_at_the_last_moment_is_caught(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Q03, field reports 24, 26: between the last look and the exchange; their text stays."""
    office.home.memory("alpha")
    proposal = office.proposal(office.home.stage_add("gamma"))
    seen = office.desk.plan(proposal).digest or ""
    plain = keeping.open_ruling

    def sneaky(*given: object, **named: object) -> intents.Intent:
        intent = plain(*given, **named)  # type: ignore[arg-type]
        office.home.memory("alpha", "from outside")
        return intent

    monkeypatch.setattr(keeping, "open_ruling", sneaky)
    with pytest.raises(StalePlan):
        approve(office.desk, proposal, None, seen, SIGHT)
    assert office.memory() == "alpha\n§\nfrom outside"
    assert intents.open_ones(office.desk.ledger) == ()
    assert audit.events(office.desk.ledger, kind="aborted")
    assert office.waiting() == {f"{proposal.id}.json"}


def test_a_write_after_the_exchange_is_kept(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """T02: a writer that held the old file open loses nothing: event `late-write`, bytes kept."""
    office.home.memory("alpha")
    late = os.open(office.home.path / "memories/MEMORY.md", os.O_WRONLY | os.O_APPEND)
    office.approve(office.home.stage_add("gamma"))
    os.write(late, "\n§\nlate text".encode())
    os.close(late)
    plain = swap.sweep_displaced
    monkeypatch.setattr(swap, "sweep_displaced", lambda f, **k: plain(f, 0.0, **k))
    office.approve(office.home.stage_add("delta"))
    events = audit.events(office.desk.ledger, kind="late-write")
    assert len(events) == 1
    kept = blobs.get(office.home.home, str(audit.body(events[0])["found"]))
    assert kept == "alpha\n§\nlate text".encode()
    assert any("after it was replaced" in words for words in office.desk.reports)


def test_an_edit_keeps_both_texts(office: Office) -> None:
    """Q07, field report 88: proposed and approved text; proposed again, it is marked."""
    office.home.memory("alpha")
    record = office.home.stage_add("a very long and wordy text")
    done = office.approve(record, Choice().with_edit(1, "short text"))
    assert done.kind is Kind.EDITED and office.memory() == "alpha\n§\nshort text"
    kept = decisions.operations(office.desk.ledger, done.event)[0]
    texts = [blobs.get(office.home.home, str(digest)) for digest in (kept.proposed, kept.after)]
    assert texts == [b"a very long and wordy text", b"short text"]
    again = office.proposal(office.home.stage_add("A very long and wordy text."))
    assert office.desk.plan(again).has(Code.EDITED_BEFORE)
    other = office.proposal(office.home.stage_add("another text"))
    assert not office.desk.plan(other).has(Code.EDITED_BEFORE)


def test_a_dropped_operation_is_refused_with_the_decision(office: Office) -> None:
    """Q08: 1 and 3 as one unit, 2 refused, one decision."""
    office.home.memory("alpha")
    record = office.home.stage_batch(add("one"), add("two"), add("three"))
    done = office.approve(record, Choice(dropped=frozenset({2})))
    assert office.memory() == "alpha\n§\none\n§\nthree"
    assert len(decisions.newest(office.desk.ledger)) == 1
    rows = decisions.operations(office.desk.ledger, done.event)
    assert [row.dropped for row in rows] == [False, True, False]
    again = office.desk.plan(office.proposal(office.home.stage_add("Two")))
    assert again.standing is Standing.REFUSED
    fresh = office.desk.plan(office.proposal(office.home.stage_add("four")))
    assert fresh.standing is Standing.READY


def test_approving_a_refused_text_lifts_its_refusal(office: Office) -> None:
    """Design §7: a person's yes ends their earlier no."""
    office.home.memory("alpha")
    reject(office.desk, office.proposal(office.home.stage_add("gamma")), sight=SIGHT)
    mine = own.edit_entry(office.home.home, MEMORY, None, "gamma")
    assert office.desk.plan(mine).digest is not None, "a person's edit is never blocked by it"
    done = office.say_yes(mine)
    assert body(office, done.event)["lifts"]
    office.home.memory("alpha")
    again = office.desk.plan(office.proposal(office.home.stage_add("gamma")))
    assert again.standing is Standing.READY


def test_several_against_each_others_result(office: Office) -> None:
    """Design §5: one digest over the list, each against the former's result."""
    office.home.memory("alpha")
    listed = [office.proposal(office.home.stage_add(text)) for text in ("one", "two", "three")]
    found = [snapshot.take(p, office.desk.config()) for p in listed]
    asked = [
        (p, office.desk.context(p, files), None) for p, files in zip(listed, found, strict=True)
    ]
    digest = plan_all(asked, found).digest or ""
    with pytest.raises(StalePlan):
        approve_all(office.desk, [(p, None) for p in listed], "0" * 64, SIGHT)
    assert office.memory() == "alpha"
    done = approve_all(office.desk, [(p, None) for p in listed], digest, SIGHT)
    assert [one.kind for one in done] == [Kind.APPROVED] * 3
    assert office.memory() == "alpha\n§\none\n§\ntwo\n§\nthree"


def test_several_stop_at_the_first_difference(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Field report 4: what was done, and what was not, is said."""
    office.home.memory("alpha")
    listed = [office.proposal(office.home.stage_add(text)) for text in ("one", "two", "three")]
    found = [snapshot.take(p, office.desk.config()) for p in listed]
    asked = [
        (p, office.desk.context(p, files), None) for p, files in zip(listed, found, strict=True)
    ]
    digest = plan_all(asked, found).digest or ""
    from placet.store.decide import carry

    plain = carry.complete

    def interfering(*given: object, **named: object) -> object:
        done = plain(*given, **named)  # type: ignore[arg-type]
        office.home.memory("rewritten by hand")
        return done

    monkeypatch.setattr(carry, "complete", interfering)
    with pytest.raises(StalePlan, match=r"1 of 3 were approved \(#2\)"):
        approve_all(office.desk, [(p, None) for p in listed], digest, SIGHT)
    assert office.memory() == "rewritten by hand"
    assert len(office.waiting()) == 2


def test_a_disabled_target_is_refused_by_name(office: Office) -> None:
    """K11: its proposals stay, with that reason; switched on, they are approved."""
    office.home.memory("alpha").config("memory:\n  write_approval: true\n  memory_enabled: false\n")
    record = office.home.stage_add("gamma")
    plan = office.desk.plan(office.proposal(record))
    assert plan.has(Code.TARGET_DISABLED)
    with pytest.raises(Blocked, match=r"switched off|disabled"):
        office.approve(record)
    assert office.waiting() == {f"{record}.json"} and office.memory() == "alpha"
    office.home.config()
    office.approve(record)
    assert office.memory() == "alpha\n§\ngamma"


def test_a_record_that_is_gone_is_not_found(office: Office) -> None:
    """Design §6: no such file is no decision of ours."""
    office.home.memory("alpha")
    record = office.home.stage_add("gamma")
    proposal = office.proposal(record)
    seen = office.desk.plan(proposal).digest or ""
    office.home.record_path(record).unlink()
    with pytest.raises(NotFound):
        approve(office.desk, proposal, None, seen, SIGHT)
    assert office.memory() == "alpha"


def test_the_second_decider_hears_who_was_first(office: Office) -> None:
    """Q11: by name and time, from the ledger."""
    office.home.memory("alpha")
    record = office.home.stage_add("gamma")
    proposal = office.proposal(record)
    seen = office.desk.plan(proposal).digest or ""
    other = office.open()
    approve(other, proposal, None, seen, SIGHT)
    with pytest.raises(AlreadyDecided, match=r"Already decided by \S+ at \d{4}-.* UTC: approved"):
        approve(office.desk, proposal, None, seen, SIGHT)
    assert office.memory().count("gamma") == 1


def test_a_decided_record_that_comes_back_is_a_leftover(office: Office) -> None:
    """Design §2: only a standing decision makes a staged file a leftover."""
    office.home.memory("alpha")
    record = office.home.stage_add("gamma")
    proposal = office.proposal(record)
    office.approve(record)
    office.home.memory("alpha")
    office.home.stage_raw(f"{record}.json", proposal.raw)
    with pytest.raises(AlreadyDecided):
        office.approve(record)
    assert office.memory() == "alpha" and office.waiting() == set()


def test_a_held_lock_is_bounded_shown_and_cancellable(office: Office, tmp_path: Path) -> None:
    """Field report 92: who waits is told; giving up leaves everything as it was."""
    import fcntl

    office.home.memory("alpha")
    proposal = office.proposal(office.home.stage_add("gamma"))
    seen = office.desk.plan(proposal).digest or ""
    told: list[Path] = []
    lock = os.open(office.home.path / "memories/MEMORY.md.lock", os.O_RDWR | os.O_CREAT)
    fcntl.flock(lock, fcntl.LOCK_EX)
    with pytest.raises(Cancelled):
        approve(
            office.desk, proposal, None, seen, SIGHT,
            waiting=lambda path, _: told.append(path), cancelled=lambda: bool(told),
        )  # fmt: skip
    assert told[0].name == "MEMORY.md.lock" and office.waiting() == {f"{proposal.id}.json"}
    os.close(lock)
    approve(office.desk, proposal, None, seen, SIGHT)
    assert office.memory() == "alpha\n§\ngamma"


def test_another_processs_claim_is_waited_for(office: Office) -> None:
    """Design §6: a claim of a living process is not stolen."""
    office.home.memory("alpha")
    proposal = office.proposal(office.home.stage_add("gamma"))
    seen = office.desk.plan(proposal).digest or ""
    swap.claim(office.home.home, Subsystem.MEMORY, proposal.name, proposal.raw)
    with pytest.raises(Cancelled):
        approve(office.desk, proposal, None, seen, SIGHT, cancelled=lambda: True)
    assert office.waiting() == {f".{proposal.name}.placet"}


def test_the_target_comes_from_the_records_own_home(
    office: Office, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Field reports 56, 57: the environment changes nothing after the start."""
    office.home.memory("alpha")
    other = office.home.profile("lab")
    other.memory("theirs")
    record = office.home.stage_add("gamma", record_id="same")
    other.stage_add("gamma", record_id="same")
    monkeypatch.setenv("HERMES_HOME", str(other.path))
    office.approve(record)
    assert office.memory() == "alpha\n§\ngamma"
    assert other.read("memories/MEMORY.md") == b"theirs"
    assert (other.path / "pending/memory/same.json").exists()


def test_the_provider_that_was_not_told_is_named(office: Office) -> None:
    """Field report 13: the file only; it is said, and stands in the event."""
    office.home.memory("alpha").config("memory:\n  write_approval: true\n  provider: othermem\n")
    done = office.approve(office.home.stage_add("gamma"))
    assert any("othermem" in note for note in done.notes)
    assert body(office, done.event)["provider_not_told"] == "othermem"
    office.home.config()
    plain = office.approve(office.home.stage_add("delta"))
    assert plain.notes == () and "provider_not_told" not in body(office, plain.event)


def test_a_drifted_file_is_freed_by_normalising(office: Office) -> None:
    """Q19, field report 31: held with the reason; a decision like any other frees it."""
    office.home.write("memories/MEMORY.md", "alpha\n\n§\n\nbeta\n")
    record = office.home.stage_add("gamma")
    with pytest.raises(Blocked):
        office.approve(record)
    mine = own.normalise(office.home.home, MEMORY)
    plan = office.desk.plan(mine)
    assert plan.changes[0].after == "alpha\n§\nbeta".encode()
    done = office.say_yes(mine)
    assert done.kind is Kind.APPROVED and body(office, done.event)["origin"] == "person"
    office.approve(record)
    assert office.memory() == "alpha\n§\nbeta\n§\ngamma"


def test_a_removal_only_batch_and_the_last_entry(office: Office) -> None:
    """Field report 9: removals alone; the file is emptied, never deleted."""
    office.home.memory("alpha", "beta")
    office.approve(office.home.stage_batch(remove("alpha"), remove("beta")))
    assert office.home.read("memories/MEMORY.md") == b""


def test_a_batch_of_all_kinds(office: Office) -> None:
    """Field report 9: replace, remove and add as one unit."""
    office.home.memory("alpha", "beta", "gamma")
    office.approve(
        office.home.stage_batch(replacing("alpha", "alpha two"), remove("beta"), add("delta"))
    )
    assert office.memory() == "alpha two\n§\ngamma\n§\ndelta"


def test_skills_are_written_and_booked(office: Office) -> None:
    """D7, design §5: made by the agent, as Hermes books it; patched; archived as a whole."""
    made = office.home.stage_skill("create", "triage", content=skill_text("triage"))
    office.approve(made, subsystem=Subsystem.SKILLS)
    books = office.home.path / "skills/.usage.json"
    row = json.loads(books.read_bytes())["triage"]
    assert row["created_by"] == "agent" and row["patch_count"] == 0
    text = json.loads(books.read_bytes()) | {"other": {"pinned": True}}
    books.write_text(json.dumps(text))
    patch = office.home.stage_skill(
        "patch", "triage", old_string="Step one.", new_string="Step two."
    )
    office.approve(patch, subsystem=Subsystem.SKILLS)
    assert b"Step two." in (office.home.path / "skills/triage/SKILL.md").read_bytes()
    after = json.loads(books.read_bytes())
    assert after["triage"]["patch_count"] == 1 and after["other"] == {"pinned": True}
    gone = office.home.stage_skill("delete", "triage")
    office.approve(gone, subsystem=Subsystem.SKILLS)
    assert not (office.home.path / "skills/triage").exists()
    assert len(list((office.home.path / "skills/.archive").glob("triage/SKILL.md"))) == 1
    assert "triage" not in json.loads(books.read_bytes())


def test_a_foreground_skill_is_not_the_curators(office: Office) -> None:
    """Format §2.3: only the review's own skills are managed by the curator."""
    made = office.home.stage_skill(
        "create", "triage", content=skill_text("triage"), origin="assistant_tool"
    )
    office.approve(made, subsystem=Subsystem.SKILLS)
    row = json.loads((office.home.path / "skills/.usage.json").read_bytes())["triage"]
    assert row["created_by"] is None


def test_broken_books_do_not_stop_a_decision(office: Office) -> None:
    """The books are not ours: what is not understood there is left alone, and said."""
    office.home.write("skills/.usage.json", b"[not what Hermes writes")
    made = office.home.stage_skill("create", "triage", content=skill_text("triage"))
    done = office.approve(made, subsystem=Subsystem.SKILLS)
    assert any("left alone" in note for note in done.notes)
    assert office.home.read("skills/.usage.json") == b"[not what Hermes writes"


def test_a_home_of_another_user_is_read_only(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Design §3: nothing is created, and the way out is named."""
    from placet.store.decide import desk as desk_module

    monkeypatch.setattr(desk_module, "read_only_reason", lambda _: "it belongs to nobody")
    with pytest.raises(ReadOnly, match="nobody"):
        Desk.open(office.home.home, office.approver)
    assert not (office.home.path / "placet").exists()
    monkeypatch.undo()
    monkeypatch.setenv("XDG_STATE_HOME", str(office.home.path.parent / "state"))
    office.open()
    assert (office.home.path / "placet").is_dir()


def test_nothing_is_decided_while_an_alarm_is_open(office: Office) -> None:
    """T05, design §8: recovery, taking and every decision are off."""
    office.home.memory("alpha")
    record = office.home.stage_add("gamma")
    office.desk.ledger.alarm = "the log ends too early"
    with pytest.raises(Exception, match="the log ends too early"):
        office.approve(record)
    assert office.waiting() == {f"{record}.json"} and office.memory() == "alpha"
    office.desk.ledger.alarm = ""
    office.approve(record)
    assert office.memory() == "alpha\n§\ngamma"


def test_a_newer_ledger_decides_nothing(office: Office) -> None:
    """Design §8: the version to install is named."""
    office.desk.ledger.connection.execute("PRAGMA user_version = 99")
    with pytest.raises(Exception, match="newer placet"):
        office.open()
