"""The process dies at every boundary of every decision, and again while recovering (T01)."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from deciding.office import SIGHT, Office
from faults.harness import FULL, Boundaries, Ended, Stage, run, sample
from homes.build import add, replace, skill_text

from placet.store.decide import (
    Desk,
    approve,
    discard,
    inverse,
    notice,
    put_back,
    reject,
    take,
    undo,
)
from placet.store.decide.recover import recover, tidy
from placet.store.ledger import audit, decisions, intents
from placet.store.model import Choice, Done, Proposal, Ref, Subsystem

OLD = ("alpha one", "beta two")
NEW = "gamma three, which is new"


@dataclass
class Scene:
    """One prepared home and one decision in it.

    Attributes:
        office: The home.
        act: Makes the decision at a fresh desk.
        stage: Puts everything back.
        applied: Whether the decision's effect on the files is there.
        decided: Whether the decision is on record.
        waiting: Record that must wait exactly if it is not decided, or empty.
    """

    office: Office
    act: Callable[[Desk], Any]
    stage: Stage
    applied: Callable[[], bool]
    decided: Callable[[Desk], bool]
    waiting: str = ""


def yes(desk: Desk, proposal: Proposal, choice: Choice | None = None) -> Done:
    """Approve as shown; planned here, because a stage that was reset has other inodes."""
    return approve(desk, proposal, choice, desk.plan(proposal, choice).digest or "", SIGHT)


def back(desk: Desk, seq: int) -> Done:
    """Undo as shown."""
    found = inverse(desk, seq)
    return undo(desk, found, (found.plan.digest or "") if found.plan else "", SIGHT)


def standing(desk: Desk, kind: str) -> int:
    return sum(1 for d in decisions.newest(desk.ledger) if d.kind.value == kind)


def staged(scene: Scene) -> bool:
    return f"{scene.waiting}.json" in scene.office.waiting()


def check(scene: Scene) -> None:
    """Every promise of design §1 and §6 that a crash could break."""
    office = scene.office
    with Desk.open(office.home.home, office.approver) as desk:
        recover(desk, claim_seconds=0)
        tidy(desk, seconds=0)
        assert not desk.ledger.alarm
        assert audit.verify(desk.ledger) == []
        assert intents.open_ones(desk.ledger) == ()
        decided = scene.decided(desk)
        assert notice(desk) == [], "a change without a decision"
    assert scene.applied() == decided, "what is in the files is not what is on record"
    if scene.waiting:
        assert staged(scene) != decided, "the record is lost, or decided and still there"
    text = office.memory()
    assert all(text.count(entry) == 1 for entry in OLD[:1]), "an old entry is lost"
    assert text.count(NEW) <= 1, "applied twice"
    assert os.stat(office.home.path / "memories/MEMORY.md").st_mode & 0o777 == 0o640
    assert not list(office.home.path.rglob("*.new")), "a temporary file is left"
    assert not any(name.endswith(".placet") for name in office.waiting())


def prepared(office: Office) -> None:
    office.home.memory(*OLD)
    (office.home.path / "memories/MEMORY.md").chmod(0o640)
    office.open()


def finish(office: Office, tmp_path: Path) -> Stage:
    for desk in office.desks:
        desk.close()
    office.desks.clear()
    return Stage(office.home.path, tmp_path / "state")


def approving(office: Office, tmp_path: Path) -> Scene:
    prepared(office)
    record = office.home.stage_add(NEW, record_id="aa11")
    proposal = office.proposal(record)

    def act(desk: Desk) -> Any:
        return yes(desk, proposal)

    return Scene(
        office, act, finish(office, tmp_path), lambda: NEW in office.memory(),
        lambda desk: standing(desk, "approved") == 1, "aa11",
    )  # fmt: skip


def approving_a_batch(office: Office, tmp_path: Path) -> Scene:
    prepared(office)
    record = office.home.stage_batch(
        add(NEW), replace("beta", "beta rewritten"), add("dropped text"), record_id="bb22"
    )
    proposal, choice = office.proposal(record), Choice(dropped=frozenset({3}))

    def act(desk: Desk) -> Any:
        return yes(desk, proposal, choice)

    return Scene(
        office, act, finish(office, tmp_path),
        lambda: NEW in office.memory() and "beta rewritten" in office.memory(),
        lambda desk: standing(desk, "approved") == 1, "bb22",
    )  # fmt: skip


def rejecting(office: Office, tmp_path: Path) -> Scene:
    prepared(office)
    proposal = office.proposal(office.home.stage_add(NEW, record_id="cc33"))
    before = office.home.tree()["memories/MEMORY.md"]
    return Scene(
        office,
        lambda desk: reject(desk, proposal, reason="no", sight=SIGHT),
        finish(office, tmp_path),
        lambda: office.home.tree()["memories/MEMORY.md"][2] != before[2] or not _waits(office),
        lambda desk: standing(desk, "rejected") == 1,
        "cc33",
    )


def _waits(office: Office) -> bool:
    return any(name.endswith(".json") for name in office.waiting())


def discarding(office: Office, tmp_path: Path) -> Scene:
    prepared(office)
    office.home.stage_raw("dd44.json", b"{broken")
    proposal = office.proposal("dd44")
    return Scene(
        office,
        lambda desk: discard(desk, [proposal], reason="broken", sight=SIGHT),
        finish(office, tmp_path),
        lambda: not _waits(office),
        lambda desk: standing(desk, "discarded") == 1,
        "dd44",
    )


def taking(office: Office, tmp_path: Path) -> Scene:
    prepared(office)
    reject(office.desk, office.proposal(office.home.stage_add(NEW)), sight=SIGHT)
    proposal = office.proposal(office.home.stage_add(NEW.upper(), record_id="ee55"))
    return Scene(
        office,
        lambda desk: take(desk, [proposal]),
        finish(office, tmp_path),
        lambda: not _waits(office),
        lambda desk: bool(audit.events(desk.ledger, kind="taken")),
        "ee55",
    )


def putting_back(office: Office, tmp_path: Path) -> Scene:
    prepared(office)
    reject(office.desk, office.proposal(office.home.stage_add(NEW)), sight=SIGHT)
    take(office.desk, [office.proposal(office.home.stage_add(NEW, record_id="ff66"))])
    ref = Ref("default", Subsystem.MEMORY, "ff66")
    return Scene(
        office,
        lambda desk: put_back(desk, ref),
        finish(office, tmp_path),
        lambda: _waits(office),
        lambda desk: bool(audit.events(desk.ledger, kind="put-back")),
    )


def undoing_an_approval(office: Office, tmp_path: Path) -> Scene:
    prepared(office)
    record = office.home.stage_add(NEW, record_id="ab77")
    done = office.approve(record)
    return Scene(
        office,
        lambda desk: back(desk, done.event),
        finish(office, tmp_path),
        lambda: NEW not in office.memory() and _waits(office),
        lambda desk: standing(desk, "undone") == 1,
    )


def undoing_a_rejection(office: Office, tmp_path: Path) -> Scene:
    prepared(office)
    record = office.home.stage_add(NEW, record_id="ac88")
    no = reject(office.desk, office.proposal(record), sight=SIGHT)
    return Scene(
        office,
        lambda desk: back(desk, no.event),
        finish(office, tmp_path),
        lambda: _waits(office),
        lambda desk: standing(desk, "undone") == 1,
    )


def creating_a_skill(office: Office, tmp_path: Path) -> Scene:
    prepared(office)
    record = office.home.stage_skill("create", "log-triage", content=skill_text("log-triage"))
    proposal = office.proposal(record, Subsystem.SKILLS)
    made = office.home.path / "skills/log-triage/SKILL.md"
    books = office.home.path / "skills/.usage.json"

    def act(desk: Desk) -> Any:
        return yes(desk, proposal)

    def applied() -> bool:
        if made.exists():
            assert json.loads(books.read_bytes())["log-triage"]["created_by"] == "agent"
        return made.exists()

    return Scene(
        office, act, finish(office, tmp_path), applied,
        lambda desk: standing(desk, "approved") == 1,
    )  # fmt: skip


def archiving_a_skill(office: Office, tmp_path: Path) -> Scene:
    prepared(office)
    office.home.skill("old-skill", files={"references/a.md": "kept\n"})
    record = office.home.stage_skill("delete", "old-skill")
    proposal = office.proposal(record, Subsystem.SKILLS)
    folder = office.home.path / "skills/old-skill"

    def act(desk: Desk) -> Any:
        return yes(desk, proposal)

    def applied() -> bool:
        kept = list((office.home.path / "skills/.archive").glob("old-skill/references/a.md"))
        assert folder.exists() != bool(kept), "the skill is lost or doubled"
        return not folder.exists()

    return Scene(
        office, act, finish(office, tmp_path), applied,
        lambda desk: standing(desk, "approved") == 1,
    )  # fmt: skip


def bringing_back_a_skill(office: Office, tmp_path: Path) -> Scene:
    prepared(office)
    folder = office.home.skill("old-skill", files={"scripts/run.sh": "kept\n"})
    (folder / "scripts/run.sh").chmod(0o755)
    books = {"old-skill": {"pinned": False, "use_count": 41}}
    office.home.write("skills/.usage.json", json.dumps(books))
    record = office.home.stage_skill("delete", "old-skill")
    gone = office.approve(record, subsystem=Subsystem.SKILLS)
    archived = office.home.path / "skills/.archive/old-skill"

    def applied() -> bool:
        there = folder.exists()
        assert there != archived.exists(), "the skill is lost or doubled"
        if there:
            assert (folder / "scripts/run.sh").stat().st_mode & 0o777 == 0o755
            assert json.loads(office.home.read("skills/.usage.json") or b"") == books
        return there

    return Scene(
        office,
        lambda desk: back(desk, gone.event),
        finish(office, tmp_path),
        applied,
        lambda desk: standing(desk, "undone") == 1,
    )


SCENES = (
    approving,
    approving_a_batch,
    rejecting,
    discarding,
    taking,
    putting_back,
    undoing_an_approval,
    undoing_a_rejection,
    creating_a_skill,
    archiving_a_skill,
    bringing_back_a_skill,
)


def acting(scene: Scene, found: Boundaries) -> Callable[[], int]:
    """The decision as another process makes it; tells how many boundaries opening has."""

    def work() -> int:
        with Desk.open(scene.office.home.home, scene.office.approver) as desk:
            opened = found.count
            scene.act(desk)
        return opened

    return work


def attempt(scene: Scene, number: int, error: int | None = None) -> Ended:
    """One decision that breaks at this boundary."""
    found = Boundaries(number, error)
    return run(acting(scene, found), found)


def boundaries(scene: Scene) -> range:
    """The boundaries of the decision; also proves that it works when nothing breaks."""
    ended = attempt(scene, 0)
    assert not ended.raised, ended.result
    check(scene)
    assert scene.applied(), "the undisturbed decision has no effect"
    return range(1 if FULL else ended.result + 1, ended.count + 1)


@pytest.mark.parametrize("make", SCENES, ids=lambda make: make.__name__)
def test_killed_at_every_boundary(
    make: Callable[[Office, Path], Scene], office: Office, tmp_path: Path
) -> None:
    """T01, field reports 11, 25, 27: nothing lost, nothing twice, nothing half."""
    scene = make(office, tmp_path)
    numbers = boundaries(scene)
    assert len(numbers) > 10
    for number in sample(numbers, 12):
        scene.stage.reset()
        assert attempt(scene, number).killed
        check(scene)


@pytest.mark.parametrize(
    "make",
    (approving, undoing_an_approval, archiving_a_skill, bringing_back_a_skill),
    ids=lambda make: make.__name__,
)
def test_killed_again_while_recovering(
    make: Callable[[Office, Path], Scene], office: Office, tmp_path: Path
) -> None:
    """T01: a crash in the decision, a crash in the recovery, and the promises hold."""
    scene = make(office, tmp_path)
    numbers = boundaries(scene)

    def recovering() -> None:
        with Desk.open(office.home.home, office.approver) as desk:
            recover(desk, claim_seconds=0)

    for number in sample(numbers, 5):
        scene.stage.reset()
        attempt(scene, number)
        crashed = Stage(*scene.stage.folders, label="crashed")
        again = run(recovering, Boundaries()).count
        for second in sample(range(1, again + 1), 2):
            crashed.reset()
            run(recovering, Boundaries(second))
            check(scene)
        crashed.forget()


def test_killed_while_a_home_is_opened_first(office: Office, tmp_path: Path) -> None:
    """T01: making `placet/`, its tables and the baseline: the next opening completes it."""
    office.home.memory(*OLD)
    (tmp_path / "state").mkdir()
    stage = Stage(office.home.path, tmp_path / "state")

    def opening() -> None:
        Desk.open(office.home.home, office.approver).close()

    count = run(opening, Boundaries()).count
    for number in sample(range(1, count + 1), 12):
        stage.reset()
        assert run(opening, Boundaries(number)).killed
        with Desk.open(office.home.home, office.approver) as desk:
            assert not desk.ledger.alarm and audit.verify(desk.ledger) == []
            assert len(audit.events(desk.ledger, kind="baseline")) == 1
            assert notice(desk) == []
