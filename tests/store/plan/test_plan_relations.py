"""How proposals bear on each other, and the fingerprints they are recognised by."""

from __future__ import annotations

from homes.build import HomeBuilder, add, remove, replace, skill_text
from planning.plans import planned, proposal_of, snapshot_of, write_out

from placet.store.model import Choice, Plan
from placet.store.plan import Together, knock_on, prints, same_as, together
from placet.store.text import fingerprint


def _ids(home: HomeBuilder, made: Plan, others: list[Plan]) -> set[str]:
    return {ref.id for ref in knock_on(made, others)}


def test_approving_one_of_five_on_one_anchor_kills_four(home: HomeBuilder) -> None:
    """Q09, field report 19: said beforehand and true afterwards."""
    home.memory("The anchor stands here.", "Other entry.")
    ids = [home.stage_replace("The anchor", f"Variant {n}.") for n in range(5)]
    free = home.stage_add("Something new.")
    plans = {record: planned(home, record) for record in (*ids, free)}
    killed = _ids(home, plans[ids[0]], list(plans.values()))
    assert killed == set(ids[1:])
    write_out(home, plans[ids[0]])
    dead = {record for record in plans if planned(home, record).digest is None}
    assert dead == killed | {ids[0]}


def test_knock_on_sees_duplicates_and_the_cap(home: HomeBuilder) -> None:
    """Q09, field report 43: three that fit alone but not together."""
    home.limits(memory=100).memory("a" * 40)
    first, same = home.stage_add("b" * 30), home.stage_add("b" * 30)
    big, removal = home.stage_add("c" * 40), home.stage_remove("aaa")
    plans = {record: planned(home, record) for record in (first, same, big, removal)}
    assert all(made.digest for made in plans.values())
    assert _ids(home, plans[first], list(plans.values())) == {same, big}
    assert _ids(home, plans[removal], list(plans.values())) == set()


def test_three_adds_that_fit_alone_but_not_together(home: HomeBuilder) -> None:
    """Field report 43: the projected size after all of them, and where the cap is passed."""
    home.limits(memory=100).memory("a" * 40)
    ids = [home.stage_add(letter * 20) for letter in "bcd"]
    plans = [planned(home, record) for record in ids]
    assert together(plans[0], plans[:1]) is None
    assert together(plans[0], plans[:2]) == Together(proposals=2, fit=2, size=86, limit=100)
    assert together(plans[0], plans) == Together(proposals=3, fit=2, size=86, limit=100)
    again = planned(home, home.stage_add("b" * 20))
    assert together(plans[0], [again, plans[1]]) == Together(2, 2, 86, 100)
    gone = planned(home, home.stage_remove("aaa"))
    stale = planned(home, home.stage_replace("aaa", "x" * 40))
    assert together(gone, [stale, *plans]) == Together(4, 4, 66, 100)
    theirs = planned(home, home.stage_add("b", target="user"))
    assert together(plans[0], [theirs]) is None


def test_other_targets_and_homes_are_not_touched(home: HomeBuilder) -> None:
    """Q09: the user's file does not care about memory."""
    home.memory("Same.").user("Same.")
    mine = planned(home, home.stage_remove("Same"))
    theirs = planned(home, home.stage_remove("Same", target="user"))
    assert knock_on(mine, [mine, theirs]) == ()
    both = planned(home, home.stage_replace("Same", "x"))
    assert len(knock_on(mine, [theirs, both])) == 1


def test_knock_on_follows_skills(home: HomeBuilder) -> None:
    """Q09, field report 19: skill patches hang on one anchor too."""
    home.skill("s1", files={"references/a.md": "alpha"})
    home.skill("s2")
    patch = home.stage_skill("patch", "s1", old_string="Step one.", new_string="Step 1.")
    again = home.stage_skill("patch", "s1", old_string="Step one.", new_string="Step I.")
    other = home.stage_skill("patch", "s1", old_string="Neutral", new_string="Plain")
    gone = home.stage_skill("delete", "s1")
    heir = home.stage_skill("delete", "s2", absorbed_into="s1")
    make = home.stage_skill("create", "x1", content=skill_text("x1"))
    twin = home.stage_skill("create", "x1", content=skill_text("x1"))
    plans = {r: planned(home, r, "skills") for r in (patch, again, other, gone, heir, make, twin)}
    every = list(plans.values())
    assert _ids(home, plans[patch], every) == {again}
    assert _ids(home, plans[gone], every) == {patch, again, other, heir}
    assert _ids(home, plans[make], every) == {twin}


def test_the_same_proposal_is_recognised(home: HomeBuilder) -> None:
    """Field report 82: identical proposals are one decision."""
    first = home.stage_add("One.")
    second = home.stage_add("One.", origin="assistant_tool")
    other = home.stage_add("One.", target="user")
    proposals = [proposal_of(home, record) for record in (first, second, other)]
    assert [ref.id for ref in same_as(proposals[0], proposals)] == [second]
    assert same_as(proposals[2], proposals) == ()


def test_add_and_replace_have_one_print_and_a_removal_that_of_its_entry(home: HomeBuilder) -> None:
    """Q05: alone, as replace instead of add; removals use the resolved entry."""
    home.memory("Old entry here.", "Another.")

    def of(record: str) -> str:
        proposal = proposal_of(home, record)
        return prints(proposal, snapshot_of(home, proposal)).operations[1].fingerprint

    put = of(home.stage_add("New text."))
    assert of(home.stage_replace("Old entry", "new   Text")) == put
    assert of(home.stage_add("New text.", target="user")) != put
    drop = of(home.stage_remove("Old entry"))
    assert drop == of(home.stage_remove("entry here"))
    assert drop == fingerprint.operation_print("memory", "drop", "Old entry here.")
    assert drop != of(home.stage_add("Old entry here."))


def test_a_batch_print_does_not_depend_on_the_order(home: HomeBuilder) -> None:
    """Q05: its batch reordered; each removal is resolved after what came before it."""
    home.memory("Old entry here.", "Another.")

    def of(*operations: dict[str, str]) -> str | None:
        proposal = proposal_of(home, home.stage_batch(*operations))
        return prints(proposal, snapshot_of(home, proposal)).batch

    first = of(add("A"), remove("Another"))
    assert first is not None
    assert of(remove("Another"), add("a")) == first
    assert of(add("A"), remove("Old")) != first
    assert of(add("A")) is None
    assert of(add("A"), remove("nowhere")) is None
    chained = of(replace("Another", "Brand new"), remove("Brand new"))
    assert chained is not None


def test_prints_of_an_edit_are_those_of_the_edited_text(home: HomeBuilder) -> None:
    """Design §7: approving the same text lifts a refusal; the edited text is what is approved."""
    home.memory("One.")
    proposal = proposal_of(home, home.stage_batch(add("A"), add("B")))
    snapshot = snapshot_of(home, proposal)
    choice = Choice(frozenset({2}), ((1, "C"),))
    made = prints(proposal, snapshot, choice)
    assert set(made.operations) == {1}
    assert made.operations[1].fingerprint == fingerprint.operation_print("memory", "put", "C")


def test_skills_are_printed_by_path(home: HomeBuilder) -> None:
    """Design §7: `skill:<name>/<path>`; put = new text, drop = text of the removed file."""
    home.skill("s1", files={"references/a.md": "alpha"})

    def of(record: str) -> tuple[str, str, str]:
        proposal = proposal_of(home, record, "skills")
        made = prints(proposal, snapshot_of(home, proposal)).operations[1]
        return made.kind, made.target, made.text

    patch = home.stage_skill("patch", "s1", old_string="Step one.", new_string="Step 1.")
    assert of(patch) == ("put", "skill:s1/SKILL.md", "Step 1.")
    gone = home.stage_skill("remove_file", "s1", file_path="references/a.md")
    assert of(gone) == ("drop", "skill:s1/references/a.md", "alpha")
    assert of(home.stage_skill("delete", "s1")) == ("drop", "skill:s1", skill_text("s1"))
