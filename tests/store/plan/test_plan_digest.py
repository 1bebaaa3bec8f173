"""The digest: everything consent depends on is in it, and nothing else (design §5)."""

from __future__ import annotations

from dataclasses import replace as changed

from homes.build import HomeBuilder, add, remove, skill_text
from planning.plans import context_of, hit, planned, proposal_of, refused, replan, snapshot_of

from placet.store.model import Choice, Code, Plan, Target, TargetKind
from placet.store.plan import inverse, plan, plan_all


def _both(made: Plan) -> tuple[str | None, str]:
    return made.digest, made.state


def test_the_same_plan_has_the_same_digest(home: HomeBuilder) -> None:
    """Design §5: no clock, no order of dictionaries."""
    home.memory("One.")
    record = home.stage_add("Two.")
    assert _both(planned(home, record)) == _both(planned(home, record))
    assert planned(home, record).digest == planned(home, record).state


def test_record_bytes_file_and_limits_are_in_it(home: HomeBuilder) -> None:
    """Q03: a rewritten record, a rewritten file, another cap: another digest."""
    home.memory("One.")
    record = home.stage_add("Two.", record_id="a")
    digests = {planned(home, record).digest}
    home.stage_add("Two.", record_id="a", summary="other words")
    digests.add(planned(home, record).digest)
    home.memory("One!")
    digests.add(planned(home, record).digest)
    home.limits(memory=2201)
    digests.add(planned(home, record).digest)
    assert len(digests) == 4
    assert None not in digests


def test_the_place_is_in_it(home: HomeBuilder) -> None:
    """Q03: the same bytes in another folder, or behind a link, are another target."""
    home.memory("One.")
    record = home.stage_add("Two.")
    before = planned(home, record).digest
    moved = home.path / "moved"
    (home.path / "memories").rename(moved)
    home.memory("One.")
    assert planned(home, record).digest != before
    here = planned(home, record).digest
    (home.path / "memories" / "MEMORY.md").unlink()
    (home.path / "memories" / "MEMORY.md").symlink_to(moved / "MEMORY.md")
    assert planned(home, record).digest != here


def test_the_choice_is_in_it(home: HomeBuilder) -> None:
    """Q08: dropping or editing changes what is agreed to, even where the bytes are equal."""
    home.memory("One.")
    record = home.stage_batch(add("Two."), add("One."))
    choices = [None, Choice(frozenset({2})), Choice(edited=((1, "Two."),))]
    plans = [planned(home, record, choice=choice) for choice in choices]
    assert len({made.digest for made in plans}) == 3
    assert len({made.changes[0].after for made in plans}) == 1


def test_an_edit_cannot_pass_for_another(home: HomeBuilder) -> None:
    """Design §5: fields are length-prefixed, so their borders cannot be moved."""
    home.memory("One.")
    record = home.stage_batch(add("a"), add("b"))
    first = planned(home, record, choice=Choice(edited=((1, "ab"), (2, "c"))))
    second = planned(home, record, choice=Choice(edited=((1, "a"), (2, "bc"))))
    assert first.digest != second.digest


def test_warnings_are_in_it_and_notes_are_not(home: HomeBuilder) -> None:
    """Design §5: codes of blockers and warnings, never notes."""
    home.memory("One.")
    record = home.stage_add("Two.", origin="assistant_tool")
    plain = planned(home, record)
    warned = planned(home, record, past=refused({1: hit()}))
    assert warned.warnings
    assert warned.digest != plain.digest
    noted = planned(home, record, past=changed(refused({}), elsewhere={1: hit()}))
    assert len(noted.verdicts) > len(plain.verdicts)
    assert noted.digest == plain.digest


def test_what_cannot_be_approved_has_a_state_and_no_digest(home: HomeBuilder) -> None:
    """The state tells a screen that what it shows has changed."""
    home.memory("One.")
    record = home.stage_remove("nowhere")
    first = planned(home, record)
    assert first.digest is None
    home.memory("One.", "Two.")
    second = planned(home, record)
    assert second.digest is None
    assert first.state != second.state


def test_a_list_is_planned_each_against_the_former(home: HomeBuilder) -> None:
    """Design §5: `plan_all`, one digest over the list."""
    home.memory("v1")
    ids = [home.stage_replace("v1", "v2"), home.stage_replace("v2", "v3"), home.stage_add("new")]
    proposals = [proposal_of(home, record) for record in ids]
    wanted = [(p, context_of(home), None) for p in proposals]
    snapshots = [snapshot_of(home, p) for p in proposals]
    made = plan_all(wanted, snapshots)
    assert [p.changes[0].after for p in made.plans] == [
        b"v2",
        b"v3",
        "v3\n§\nnew".encode(),
    ]
    assert made.plans[1].changes[0].before == b"v2"
    assert made.digest is not None
    alone = plan(proposals[1], snapshots[1], context_of(home))
    assert alone.digest is None, "without the first, the second has nothing to find"
    turned = plan_all(wanted[::-1], snapshots[::-1])
    assert turned.digest is None


def test_later_items_get_the_digest_that_the_real_files_will_give(home: HomeBuilder) -> None:
    """Design §5: what was agreed to for the list holds one after the other."""
    home.memory("v1")
    ids = [home.stage_replace("v1", "v2"), home.stage_replace("v2", "v3")]
    proposals = [proposal_of(home, record) for record in ids]
    made = plan_all(
        [(p, context_of(home), None) for p in proposals], [snapshot_of(home, p) for p in proposals]
    )
    home.write("memories/MEMORY.md", made.plans[0].changes[0].after or b"")
    assert planned(home, ids[1]).digest == made.plans[1].digest


def test_a_list_follows_skills_that_come_and_go(home: HomeBuilder) -> None:
    """Design §5: a name taken by one item is taken for the next, a deleted skill is gone."""
    ids = [
        home.stage_skill("create", "s1", content=skill_text("s1")),
        home.stage_skill("create", "s1", content=skill_text("s1", body="More.")),
        home.stage_skill("edit", "s1", content=skill_text("s1", body="More.")),
    ]
    proposals = [proposal_of(home, record, "skills") for record in ids]
    made = plan_all(
        [(p, context_of(home), None) for p in proposals], [snapshot_of(home, p) for p in proposals]
    )
    assert made.plans[0].digest is not None
    assert made.plans[1].has(Code.NAME_TAKEN)
    assert made.plans[2].has(Code.MISSING_TARGET), "its files can be read once they are there"
    assert made.digest is None
    home.skill("s2")
    gone = [home.stage_skill("delete", "s2"), home.stage_skill("delete", "s2", record_id="zz")]
    proposals = [proposal_of(home, record, "skills") for record in gone]
    made = plan_all(
        [(p, context_of(home), None) for p in proposals], [snapshot_of(home, p) for p in proposals]
    )
    assert made.plans[0].digest is not None
    assert made.plans[1].digest is None


def test_a_persons_change_has_an_id_and_bytes_of_its_own(home: HomeBuilder) -> None:
    """Design §2: no record, no file; the same edit made twice is two proposals."""
    home.memory("One.")
    target = Target(TargetKind.MEMORY)
    first = inverse.edit_entry(home.home, target, None, "Zwei — ü")
    second = inverse.edit_entry(home.home, target, None, "Zwei — ü")
    assert first.id != second.id
    assert first.raw.isascii()
    assert first.name == ""
    assert replan(home, first).digest != replan(home, second).digest


def test_the_whole_batch_is_in_it(home: HomeBuilder) -> None:
    """Q08: dropped operations are named in the digest, whatever they would do."""
    home.memory("One.", "Two.", "Three.")
    record = home.stage_batch(remove("Two"), add("New."))
    assert (
        planned(home, record).digest != planned(home, record, choice=Choice(frozenset({1}))).digest
    )
