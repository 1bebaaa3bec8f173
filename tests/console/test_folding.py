"""Unchanged lines far from a change fold to one row, and nothing else ever does (promise 2)."""

from __future__ import annotations

from plan_making import entries, make_plan, outcome

from placet.console.pages.cells import text_of
from placet.console.pages.document import document
from placet.console.pages.seen import Seen
from placet.console.rows import DiffRows, layout

MANY = [f"entry {n} stays" for n in range(12)]


def drawn(rows: DiffRows) -> list[str]:
    """Every row as it stands on the screen."""
    return [text_of(rows.gutter(n)) + text_of(rows.cells(n)) for n in range(len(rows))]


def changed() -> tuple[list[str], list[str]]:
    """Twelve entries of which the sixth is replaced."""
    return MANY, [*MANY[:5], "a new text", *MANY[6:]]


def test_far_context_is_one_row_that_says_how_much() -> None:
    before, after = changed()
    doc = document(
        make_plan(entries(*before), entries(*after), [outcome(1, before[5], "a new text")])
    )
    folded, whole = drawn(layout(doc, 80, whole=False)), drawn(layout(doc, 80))
    assert [row.strip() for row in folded if "unchanged lines" in row] == [
        "··· 7 unchanged lines (c shows them)",
        "··· 9 unchanged lines (c shows them)",
    ]
    assert not [row for row in whole if "unchanged lines" in row]
    kept = [row for row in folded if "unchanged lines" not in row]
    assert set(kept) <= set(whole)
    assert len(whole) - len(kept) == 16
    for needed in ("entry 5 stays", "a new text", "entry 4 stays", "entry 6 stays"):
        assert [row for row in folded if needed in row]


def test_every_changed_line_shows_however_many_there_are() -> None:
    doc = document(
        make_plan(
            entries(*MANY), entries("only this"), [outcome(1, "\n§\n".join(MANY), "only this")]
        )
    )
    folded = drawn(layout(doc, 80, whole=False))
    assert not [row for row in folded if "unchanged lines" in row]
    assert all([row for row in folded if text in row] for text in MANY)


def test_what_stays_need_not_be_seen_and_folding_keeps_what_was_seen() -> None:
    before, after = changed()
    doc = document(
        make_plan(entries(*before), entries(*after), [outcome(1, before[5], "a new text")])
    )
    folded, whole = layout(doc, 80, whole=False), layout(doc, 80)
    seen = Seen(doc.lengths, doc.folds)
    assert not seen.complete
    seen.add(folded.position(row) for row in range(len(folded) - 1))
    assert not seen.complete or folded.line_of(len(folded) - 1) in range(*doc.folds[-1])
    seen.add([folded.position(len(folded) - 1)])
    assert seen.complete
    assert all(seen.covers(whole.position(row)) for row in range(len(whole)))


def test_rows_and_lines_find_each_other_across_a_fold() -> None:
    before, after = changed()
    doc = document(
        make_plan(entries(*before), entries(*after), [outcome(1, before[5], "a new text")])
    )
    rows = layout(doc, 80, whole=False)
    for row in range(len(rows)):
        assert rows.row_at(rows.line_of(row)) == row
