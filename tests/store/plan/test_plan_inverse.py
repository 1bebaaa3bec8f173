"""The inverse of a decision, planned against today's text (Q10, field report 98)."""

from __future__ import annotations

import pytest
from homes.build import DELIMITER, HomeBuilder, add, remove, replace, skill_text
from planning.plans import (
    after,
    blockers,
    planned,
    proposal_of,
    replan,
    snapshot_of,
    write_out,
)

from placet.store.errors import Conflict
from placet.store.homes import config
from placet.store.model import Action, Kind, Plan, Proposal, Target, TargetKind
from placet.store.plan import inverse
from placet.store.plan import snapshot as snapshots

MEMORY = Target(TargetKind.MEMORY)


def _inverse(home: HomeBuilder, made: Plan) -> Proposal:
    target = made.proposal.target
    assert target is not None
    now = snapshots.of_files(home.home, target, made.changes, config.read(home.home, {}))
    return inverse.build(home.home, target, made.operations, made.changes, now, 12)


@pytest.mark.parametrize(
    "operation",
    [add("New."), replace("One", "Uno."), remove("Two")],
    ids=["add", "replace", "drop"],
)
def test_an_untouched_file_is_put_back_byte_for_byte(
    home: HomeBuilder, operation: dict[str, str]
) -> None:
    """Q10: the earlier text, the file's own line ends and white space included."""
    before = "One.\r\n§\r\nTwo.\r\n"
    home.write("memories/MEMORY.md", before)
    made = planned(home, home.stage_batch(operation))
    write_out(home, made)
    undo = _inverse(home, made)
    assert undo.kind is Kind.UNDONE
    assert undo.concerns == 12
    plan = replan(home, undo)
    assert after(plan) == before.encode()
    assert plan.digest is not None


def test_after_a_later_addition_only_the_entry_is_taken_back(home: HomeBuilder) -> None:
    """Q10, field report 98: undo a removal after a later unrelated add."""
    home.memory("One.", "Two.")
    made = planned(home, home.stage_remove("Two"))
    write_out(home, made)
    home.memory("One.", "Three.")
    plan = replan(home, _inverse(home, made))
    assert after(plan) == DELIMITER.join(["One.", "Three.", "Two."]).encode()


def test_a_batch_is_taken_back_newest_first(home: HomeBuilder) -> None:
    """Q10: the rest of the file stays as it is now."""
    home.memory("One.", "Two.")
    made = planned(home, home.stage_batch(replace("One", "Uno."), remove("Two"), add("Three.")))
    write_out(home, made)
    home.memory("Uno.", "Three.", "Later.")
    plan = replan(home, _inverse(home, made))
    assert set((after(plan) or b"").decode().split(DELIMITER)) == {"One.", "Two.", "Later."}
    assert not blockers(plan)


def test_a_changed_entry_is_a_conflict_with_three_texts(home: HomeBuilder) -> None:
    """Q10: it refuses to guess."""
    home.memory("One is old.", "Two.")
    made = planned(home, home.stage_replace("One is old", "One is new."))
    write_out(home, made)
    home.memory("One is newer still.", "Two.")
    with pytest.raises(Conflict) as caught:
        _inverse(home, made)
    texts = caught.value
    assert (texts.was, texts.decided, texts.now) == (
        "One is old.",
        "One is new.",
        "One is newer still.",
    )


def test_a_file_that_was_made_is_removed_again(home: HomeBuilder) -> None:
    """Q10: a missing file was missing, not empty."""
    made = planned(home, home.stage_add("One."))
    write_out(home, made)
    plan = replan(home, _inverse(home, made))
    assert after(plan) is None
    assert plan.digest is not None


def test_skills_come_back_and_go_again(home: HomeBuilder) -> None:
    """Q10: create is undone by the archive, delete by putting every file back."""
    text = skill_text("x1")
    made = planned(home, home.stage_skill("create", "x1", content=text, category="ops"), "skills")
    write_out(home, made)
    undo = _inverse(home, made)
    assert undo.operations[0].action is Action.DELETE
    gone = replan(home, undo)
    assert gone.removes == home.home.path / "skills" / "ops" / "x1"
    write_out(home, gone)
    assert gone.removes is not None
    gone.removes.rmdir()
    back = replan(home, _inverse(home, gone))
    assert after(back, "skills/ops/x1/SKILL.md") == text.encode()
    assert not blockers(back)


def test_a_skill_file_that_moved_on_is_a_conflict(home: HomeBuilder) -> None:
    """Q10: three texts, nothing written."""
    home.skill("s1")
    record = home.stage_skill("patch", "s1", old_string="Step one.", new_string="Step 1.")
    made = planned(home, record, "skills")
    write_out(home, made)
    assert after(replan(home, _inverse(home, made)), "skills/s1/SKILL.md") == made.changes[0].before
    home.write("skills/s1/SKILL.md", "other")
    with pytest.raises(Conflict) as caught:
        _inverse(home, made)
    assert caught.value.now == "other"


def test_an_edit_needs_a_text_and_a_file_with_entries(home: HomeBuilder) -> None:
    """Faults of a caller are told at once."""
    with pytest.raises(ValueError, match="old or a new"):
        inverse.edit_entry(home.home, MEMORY, None, None)
    with pytest.raises(ValueError, match="skill"):
        inverse.edit_entry(home.home, Target(TargetKind.SKILL, "x"), None, "x")
    home.memory("One.")
    made = replan(home, inverse.edit_entry(home.home, MEMORY, "One.", None))
    assert after(made) == b""


def test_an_edit_finds_the_entry_that_was_shown(home: HomeBuilder) -> None:
    """C06: never another one that merely contains its text."""
    home.memory("cat", "cat and dog")
    made = replan(home, inverse.edit_entry(home.home, MEMORY, "cat", "bird"))
    assert after(made) == DELIMITER.join(["bird", "cat and dog"]).encode()
    proposal = inverse.edit_entry(home.home, MEMORY, "gone", "bird")
    assert blockers(replan(home, proposal))
    assert snapshot_of(home, proposal).files
    assert proposal_of(home, home.stage_add("x")).raw


def test_what_is_undone_already_is_said(home: HomeBuilder) -> None:
    """Q10: nothing is guessed and nothing is written twice."""
    home.memory("One.", "Two.")
    made = planned(home, home.stage_remove("Two"))
    write_out(home, made)
    home.memory("One.", "Two.", "Three.")
    with pytest.raises(Conflict, match="Nothing of that decision is left"):
        _inverse(home, made)
