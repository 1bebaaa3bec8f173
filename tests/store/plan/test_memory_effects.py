"""What operations do to a memory file: bytes, outcomes, side effects."""

from __future__ import annotations

import pytest
from homes.build import DELIMITER, HomeBuilder, add, remove, replace
from planning.plans import after, blockers, effects, notes, planned, replan, warnings, words

from placet.store.formats import section
from placet.store.model import (
    Action,
    Choice,
    Code,
    Effort,
    Standing,
    Target,
    TargetKind,
    effort_of,
)
from placet.store.plan import inverse

MEMORY = Target(TargetKind.MEMORY)


def joined(*entries: str) -> bytes:
    return DELIMITER.join(entries).encode()


def test_replace_overwrites_the_whole_entry_and_says_what_goes(home: HomeBuilder) -> None:
    """Field report 1: a phrase inside a long entry is not all that goes."""
    old = "Deploy window is 06:30. Never deploy on Fridays. Rollback script is tools/back.sh."
    home.memory("First.", old)
    made = planned(home, home.stage_replace("Deploy window is 06:30", "Deploy window is 07:00."))
    assert after(made) == joined("First.", "Deploy window is 07:00.")
    assert made.operations[0].before == old
    assert Code.KEEPS_UNDER_HALF in warnings(made)
    assert "characters of it go" in words(made, Code.KEEPS_UNDER_HALF)
    assert effort_of(made) is not Effort.KEY
    kind = planned(home, home.stage_replace("Rollback script", old.replace("06:30", "07:00")))
    assert Code.KEEPS_UNDER_HALF not in warnings(kind)


def test_a_new_file_is_private(home: HomeBuilder) -> None:
    """D3: a new file gets 0600, an existing one keeps its mode."""
    made = planned(home, home.stage_add("Build uses make."))
    assert made.changes[0].before is None
    assert made.changes[0].mode == 0o600
    assert "created" in effects(made)
    home.memory("One.")
    assert planned(home, home.stage_add("Two.")).changes[0].mode is None


def test_a_batch_over_budget_midway_and_under_at_the_end_succeeds(home: HomeBuilder) -> None:
    """K03: only the end counts."""
    home.limits(memory=100).memory("a" * 60, "b" * 30)
    midway = home.stage_batch(add("c" * 60), remove("aaa"))
    made = planned(home, midway)
    assert after(made) == joined("b" * 30, "c" * 60)
    assert made.usage is not None
    assert (made.usage.before, made.usage.after, made.usage.limit) == (93, 93, 100)
    over = planned(home, home.stage_batch(add("c" * 60), remove("bbb")))
    assert blockers(over) == {Code.OVER_LIMIT}
    assert over.standing is Standing.HELD


def test_a_batch_whose_last_operation_fails_changes_nothing_and_says_so_first(
    home: HomeBuilder,
) -> None:
    """K03, field report 62: the outcome of the whole stands before the reason."""
    home.memory("One.", "Two.")
    made = planned(home, home.stage_batch(add("Three."), remove("One"), remove("nowhere")))
    assert made.changes == ()
    assert not any(outcome.applied for outcome in made.operations)
    message = words(made, Code.ANCHOR_MISSING)
    assert message.startswith("Nothing is written, 3 operations stand or fall together.")
    assert "Operation 3:" in message
    assert made.digest is None
    assert planned(home, home.stage_batch(add("Three."), remove("One"))).digest


@pytest.mark.parametrize(
    ("text", "effect"),
    [
        ("alpha\n§\nbeta\n§\nalpha", "duplicates"),
        ("alpha\r\n§\r\nbeta\r\n", "line-endings"),
        ("alpha\r§\rbeta", "line-endings"),
        ("alpha\n§\nbeta\n\n", "edges"),
    ],
)
def test_unusual_files_are_not_drift_but_show_side_effects(
    home: HomeBuilder, text: str, effect: str
) -> None:
    """K04, field reports 34 and 35: same entries, and what else happens is said."""
    home.write("memories/MEMORY.md", text)
    made = planned(home, home.stage_add("gamma"))
    assert after(made) == joined("alpha", "beta", "gamma")
    assert effect in effects(made)
    assert Code.DRIFT not in blockers(made)
    home.memory("alpha", "beta")
    assert not effects(planned(home, home.stage_add("gamma")))


def test_a_byte_order_mark_goes_with_the_first_entry_and_is_said(home: HomeBuilder) -> None:
    """Field report 34: BOM files have the same entries; losing the mark is a side effect."""
    home.write("memories/MEMORY.md", "\ufeffalpha\n§\nbeta")
    made = planned(home, home.stage_replace("alpha", "new"))
    assert after(made) == joined("new", "beta")
    assert "byte-order-mark" in effects(made)
    kept = planned(home, home.stage_replace("beta", "new"))
    assert "byte-order-mark" not in effects(kept)


def test_drift_refuses_add_too_and_normalise_frees_it(home: HomeBuilder) -> None:
    """Q19, D2, field reports 31 and 32."""
    home.write("memories/MEMORY.md", "alpha\n\n§\n\nbeta\n")
    held = planned(home, home.stage_add("gamma"))
    assert blockers(held) == {Code.DRIFT}
    assert held.standing is Standing.HELD
    assert "Normalise memory first" in words(held, Code.DRIFT)
    made = replan(home, inverse.normalise(home.home, MEMORY))
    assert after(made) == joined("alpha", "beta")
    assert "drift" in effects(made)
    assert made.digest is not None
    home.write("memories/MEMORY.md", after(made) or b"")
    assert planned(home, home.stage_add("gamma")).digest is not None


def test_normalising_a_clean_file_changes_nothing(home: HomeBuilder) -> None:
    """Q19: nothing to do is not approvable; a drifted file is."""
    home.memory("alpha", "beta")
    assert blockers(replan(home, inverse.normalise(home.home, MEMORY))) == {Code.NO_CHANGE}
    home.write("memories/MEMORY.md", "alpha \n§\nbeta")
    assert not blockers(replan(home, inverse.normalise(home.home, MEMORY)))


def test_a_person_may_shorten_an_oversized_entry(home: HomeBuilder) -> None:
    """D2, field report 32: drift is a side effect for a person's own change."""
    long = "x" * 150
    home.limits(memory=100).memory(long)
    made = replan(home, inverse.edit_entry(home.home, MEMORY, long, "short enough, and readable"))
    assert blockers(made) == set()
    assert "drift" in effects(made)
    assert blockers(planned(home, home.stage_replace("xxx", "y"))) == {Code.DRIFT}


def test_a_person_may_save_an_over_limit_file_that_does_not_grow(home: HomeBuilder) -> None:
    """Design §4: over-limit is a warning if the file does not grow, else a blocker."""
    home.limits(memory=60).memory("a" * 50, "b" * 50)
    shrunk = replan(home, inverse.edit_entry(home.home, MEMORY, "a" * 50, "a" * 40))
    assert Code.OVER_LIMIT in warnings(shrunk)
    assert shrunk.digest is not None
    grown = replan(home, inverse.edit_entry(home.home, MEMORY, None, "c"))
    assert blockers(grown) == {Code.OVER_LIMIT}
    other = planned(home, home.stage_replace("aaa", "a" * 40))
    assert blockers(other) == {Code.OVER_LIMIT}, "what an agent proposes is held"


def test_a_single_removal_has_no_limit_and_a_batch_has(home: HomeBuilder) -> None:
    """K01: as observed of Hermes."""
    home.limits(memory=100).memory("a" * 60, "b" * 60, "c" * 10)
    assert planned(home, home.stage_remove("ccc")).digest is not None
    assert blockers(planned(home, home.stage_batch(remove("ccc")))) == {Code.OVER_LIMIT}


def test_a_single_duplicate_is_dead_and_in_a_batch_a_note(home: HomeBuilder) -> None:
    """Design §2: a single duplicate changes nothing; inside a batch it is a note."""
    home.memory("One.", "Two.")
    single = planned(home, home.stage_add(" One.\n"))
    assert blockers(single) == {Code.NO_CHANGE}
    assert single.standing is Standing.DEAD
    assert Code.DUPLICATE in notes(single)
    batch = planned(home, home.stage_batch(add("One."), add("Three.")))
    assert Code.DUPLICATE in notes(batch)
    assert [outcome.applied for outcome in batch.operations] == [False, True]
    assert after(batch) == joined("One.", "Two.", "Three.")


def test_the_pinned_entry_is_the_only_one_that_counts(home: HomeBuilder) -> None:
    """D5: `matched_entry` of newer records is honoured, whatever else the selector finds."""
    home.memory("cat", "cat and dog")
    payload = {"action": "replace", "target": "memory", "content": "bird", "old_text": "cat"}
    assert blockers(planned(home, home.stage(payload))) == {Code.ANCHOR_AMBIGUOUS}
    pinned = planned(home, home.stage(payload | {"matched_entry": "cat"}))
    assert after(pinned) == joined("bird", "cat and dog")
    gone = planned(home, home.stage(payload | {"matched_entry": "cat and mouse"}))
    assert blockers(gone) == {Code.ENTRY_CHANGED}
    assert gone.standing is Standing.DEAD


def test_nothing_is_guessed_when_the_anchor_is_gone(home: HomeBuilder) -> None:
    """Field report 10: the closest entry is named and left alone."""
    home.memory("Project Copper: database files live in db/.", "Something else.")
    made = planned(home, home.stage_replace("Project Copper: the schema", "x"))
    assert blockers(made) == {Code.ANCHOR_MISSING}
    assert "database files live in db/" in words(made, Code.ANCHOR_MISSING)
    assert made.changes == ()
    assert planned(home, home.stage_replace("Project Copper", "x")).changes


def test_dropping_an_operation_plans_the_rest_as_one_unit(home: HomeBuilder) -> None:
    """Q08: what is left out stands there as dropped, the rest is planned."""
    home.memory("One.")
    record = home.stage_batch(add("Two."), remove("nowhere"), add("Three."))
    assert blockers(planned(home, record)) == {Code.ANCHOR_MISSING}
    made = planned(home, record, choice=Choice(frozenset({2})))
    assert after(made) == joined("One.", "Two.", "Three.")
    assert [outcome.dropped for outcome in made.operations] == [False, True, False]
    everything = planned(home, record, choice=Choice(frozenset({1, 2, 3})))
    assert blockers(everything) == {Code.NO_CHANGE}


def test_an_edit_replaces_the_text_and_keeps_the_proposed_one(home: HomeBuilder) -> None:
    """Q07, field report 88: both texts are kept and every gate runs again."""
    home.memory("One.")
    record = home.stage_add("A long text.")
    made = planned(home, record, choice=Choice(edited=((1, "Short."),)))
    assert after(made) == joined("One.", "Short.")
    assert made.operations[0].proposed == "A long text."
    split = planned(home, record, choice=Choice(edited=((1, "a\n§\nb"),)))
    assert blockers(split) == {Code.FORGED_DELIMITER}
    half = planned(home, record, choice=Choice(edited=((1, "a\ud800b"),)))
    assert blockers(half) == {Code.MALFORMED}
    wrong = planned(home, home.stage_remove("One"), choice=Choice(edited=((1, "x"),)))
    assert blockers(wrong) == {Code.MALFORMED}


@pytest.mark.parametrize("text", ["x\n§\ny", "ends in\n§", "a\rb", "a\r\nb"])
def test_text_that_would_be_read_back_as_something_else_is_refused(
    home: HomeBuilder, text: str
) -> None:
    """D6: refused with the reason and an offer to edit."""
    home.memory("One.")
    made = planned(home, home.stage_add(text))
    assert blockers(made) == {Code.FORGED_DELIMITER}
    assert made.standing is Standing.HELD
    assert "Edit the text" in words(made, Code.FORGED_DELIMITER)
    assert not blockers(planned(home, home.stage_add("see § 4 and §5")))


def test_two_entries_that_would_grow_together_are_refused(home: HomeBuilder) -> None:
    """D6: an old entry that ends in a lone delimiter line would swallow the next boundary."""
    home.write("memories/MEMORY.md", "alpha\n§")
    made = planned(home, home.stage_add("beta"))
    assert blockers(made) == {Code.FORGED_DELIMITER}
    assert not blockers(planned(home, home.stage_replace("alpha", "alpha")))


def test_what_is_rendered_is_read_back(home: HomeBuilder) -> None:
    """Promise 1: every approvable plan reads back as the entries it says."""
    home.memory("§\nfirst", "two")
    made = planned(home, home.stage_batch(add("§"), replace("two", "§\ntwo"), add("last")))
    assert made.digest is not None
    text = (after(made) or b"").decode()
    assert section.parse(text) == ["§\nfirst", "§\ntwo", "§", "last"]


def test_high_impact_follows_the_definition(home: HomeBuilder) -> None:
    """Design §5: no entry left, or fewer than half of the entries or of the characters."""
    home.memory("a" * 10, "b" * 10, "c" * 10, "d" * 60)
    half = planned(home, home.stage_batch(remove("aaa"), remove("bbb")))
    assert Code.HIGH_IMPACT not in warnings(half)
    fewer = planned(home, home.stage_batch(remove("aaa"), remove("bbb"), remove("ccc")))
    assert Code.HIGH_IMPACT in warnings(fewer)
    added = planned(
        home,
        home.stage_batch(remove("aaa"), remove("bbb"), remove("ccc"), add("e" * 10), add("f" * 10)),
    )
    assert Code.HIGH_IMPACT in warnings(added), "what is added does not make up for it"
    replaced = planned(
        home,
        home.stage_batch(
            replace("aaa", "A" * 10), replace("bbb", "B" * 10), replace("ccc", "C" * 10)
        ),
    )
    assert Code.HIGH_IMPACT not in warnings(replaced), "a replaced entry counts as kept"
    characters = planned(home, home.stage_remove("ddd"))
    assert Code.HIGH_IMPACT in warnings(characters)


def test_an_emptied_file_is_high_impact_and_stays_a_file(home: HomeBuilder) -> None:
    """K01: the last removal leaves 0 bytes, never a missing file."""
    home.memory("only")
    made = planned(home, home.stage_remove("only"))
    assert after(made) == b""
    assert "emptied" in effects(made)
    assert effort_of(made) is Effort.TYPED_TARGET
    home.memory("one", "two")
    assert "emptied" not in effects(planned(home, home.stage_remove("one")))


def test_only_white_space_changes_is_said(home: HomeBuilder) -> None:
    """Field report 111: such a change looks like nothing."""
    home.memory("a b")
    for text in ("a  b", "a\u00a0b"):
        made = planned(home, home.stage_replace("a b", text))
        assert Code.WHITESPACE_ONLY in notes(made)
    assert Code.WHITESPACE_ONLY not in notes(planned(home, home.stage_replace("a b", "a c")))


def test_an_addition_names_the_entry_it_resembles(home: HomeBuilder) -> None:
    """Field report 18: with a figure, so that replacing is an obvious choice."""
    home.memory("Think first, then act", "Uses metric units.")
    made = planned(home, home.stage_add("Before acting, think first"))
    assert "Think first, then act" in words(made, Code.SIMILAR_ENTRY)
    assert Code.SIMILAR_ENTRY in notes(made)
    other = planned(home, home.stage_add("日本語の資料は docs/ja に保存されている。"))
    assert Code.SIMILAR_ENTRY not in notes(other)


def test_a_link_stays_and_is_named(home: HomeBuilder) -> None:
    """K08: the plan says where the bytes really go."""
    home.write("real/notes.md", "one")
    home.memory("x")
    link = home.path / "memories" / "MEMORY.md"
    link.unlink()
    link.symlink_to("../real/notes.md")
    made = planned(home, home.stage_add("two"))
    assert after(made) == joined("one", "two")
    assert made.changes[0].path == link
    assert "link" in effects(made)


def test_soul_is_written_by_a_person_verbatim(home: HomeBuilder) -> None:
    """Design §3: SOUL.md is a person's file and keeps every character."""
    home.soul("Old text.\n\n")
    target = Target(TargetKind.SOUL)
    made = replan(home, inverse.edit_entry(home.home, target, None, "New\n§\ntext. \r\n"))
    assert after(made, "SOUL.md") == "New\n§\ntext. \r\n".encode()
    assert made.operations[0].action is Action.WRITE
    assert made.digest is not None
    staged = planned(home, home.stage_add("x", target="soul"))
    assert Code.TARGET_UNKNOWN in blockers(staged), "never a target of an agent"
