"""What an earlier no means for a plan (design §7, Q05)."""

from __future__ import annotations

from dataclasses import replace as changed

from homes.build import HomeBuilder, add
from planning.plans import (
    after,
    blockers,
    hit,
    notes,
    planned,
    proposal_of,
    refused,
    replan,
    warnings,
    words,
)

from placet.store.model import Choice, Code, Past, Standing, Target, TargetKind
from placet.store.plan import default_choice, inverse


def test_a_background_record_that_was_refused_is_refused(home: HomeBuilder) -> None:
    """Q05: it leaves the queue; nothing of it can be approved."""
    home.memory("One.")
    record = home.stage_add("Two.")
    made = planned(home, record, past=refused({1: hit(12, reason="not true")}))
    assert made.standing is Standing.REFUSED
    assert made.digest is None
    assert blockers(made) == {Code.REFUSED_BEFORE}
    assert "refused on 2026-11-02 (#12): not true" in words(made, Code.REFUSED_BEFORE)
    assert made.changes, "it is still shown in full"
    assert planned(home, record).standing is Standing.READY


def test_a_refused_batch_is_refused_as_a_whole(home: HomeBuilder) -> None:
    """Design §7: the batch fingerprint refuses the batch; part of it is another batch."""
    home.memory("One.")
    record = home.stage_batch(add("Two."), add("Three."))
    past = Past(batch=hit(kind="batch"))
    assert planned(home, record, past=past).standing is Standing.REFUSED
    part = planned(home, record, past=past, choice=Choice(frozenset({1})))
    assert part.standing is Standing.READY
    assert Code.REFUSED_BEFORE in notes(part)


def test_refused_operations_of_a_larger_batch_are_dropped_beforehand(home: HomeBuilder) -> None:
    """Q05: pre-dropped and marked while the rest is planned; space puts them back."""
    home.memory("One.")
    record = home.stage_batch(add("Two."), add("Three."))
    past = refused({1: hit()})
    proposal = proposal_of(home, record)
    assert default_choice(proposal, past) == Choice(frozenset({1}))
    made = planned(home, record, past=past)
    assert after(made) == "One.\n§\nThree.".encode()
    assert made.standing is Standing.READY
    assert "Left out." in words(made, Code.REFUSED_BEFORE)
    back = planned(home, record, past=past, choice=Choice())
    assert Code.REFUSED_BEFORE in warnings(back)
    assert after(back) == "One.\n§\nTwo.\n§\nThree.".encode()
    assert back.digest is not None


def test_put_back_is_a_warning_with_nothing_dropped(home: HomeBuilder) -> None:
    """Design §7: put back ends the taking for this record."""
    home.memory("One.")
    record = home.stage_batch(add("Two."), add("Three."))
    past = changed(refused({1: hit(), 2: hit()}), put_back=True)
    made = planned(home, record, past=past)
    assert made.choice == Choice()
    assert made.standing is Standing.WARNING
    assert made.digest is not None
    assert planned(home, record, past=changed(past, put_back=False)).standing is Standing.REFUSED


def test_from_the_foreground_it_stays_with_a_warning(home: HomeBuilder) -> None:
    """Q05: every operation stays planned, with the date of the refusal."""
    home.memory("One.")
    record = home.stage_batch(add("Two."), add("Three."), origin="assistant_tool")
    made = planned(home, record, past=refused({1: hit()}))
    assert made.choice == Choice()
    assert made.standing is Standing.WARNING
    assert "2026-11-02" in words(made, Code.REFUSED_BEFORE)
    assert after(made) == "One.\n§\nTwo.\n§\nThree.".encode()


def test_an_edit_is_something_else_than_what_was_refused(home: HomeBuilder) -> None:
    """Design §7: a person's own edit is never blocked by a refusal."""
    home.memory("One.")
    record = home.stage_add("Two.")
    past = refused({1: hit()})
    made = planned(home, record, past=past, choice=Choice(edited=((1, "Zwei."),)))
    assert made.standing is Standing.READY
    own = inverse.edit_entry(home.home, Target(TargetKind.MEMORY), None, "Two.")
    person = replan(home, own, past=past)
    assert person.digest is not None
    assert Code.REFUSED_BEFORE in notes(person)


def test_elsewhere_and_similar_are_notes_and_edited_is_marked(home: HomeBuilder) -> None:
    """Q05, Q07, field report 74: similarity never blocks."""
    home.memory("One.")
    record = home.stage_add("Two.")
    past = Past(
        elsewhere={1: changed(hit(), target="user")},
        similar={1: (hit(text="Two"),)},
        edited={1: 1_793_577_600.0},
    )
    made = planned(home, record, past=past)
    assert {Code.REFUSED_ELSEWHERE, Code.SIMILAR_REFUSED} <= notes(made)
    assert "You edited this on 2026-11-02" in words(made, Code.EDITED_BEFORE)
    assert made.digest is not None
    assert not planned(home, record).verdicts


def test_refused_outweighs_dead_and_malformed_outweighs_refused(home: HomeBuilder) -> None:
    """Design §2: foreign > malformed > refused > dead > held > warning > ready."""
    home.memory("One.")
    dead = home.stage_remove("nowhere")
    assert planned(home, dead, past=refused({1: hit()})).standing is Standing.REFUSED
    assert planned(home, dead).standing is Standing.DEAD
    broken = home.stage({"action": "add", "target": "memory", "content": 7})
    assert planned(home, broken, past=refused({1: hit()})).standing is Standing.MALFORMED
