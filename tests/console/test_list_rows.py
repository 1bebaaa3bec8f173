"""One short, harmless line for each thing in a list (design §11, reports 66, 108)."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from plan_making import entries, make_plan, outcome
from rich.segment import Segment
from textual.color import Color

from placet.console.outlet import OutletFilter
from placet.console.pages.cells import (
    SHORT,
    Cell,
    Cells,
    Look,
    fit,
    padded,
    shown_cells,
    spread,
    text_of,
    width_of,
)
from placet.console.pages.event_rows import event_cells
from placet.console.pages.list_rows import COUNTED, entry_cells, group_cells, queue_cells
from placet.store.model import (
    Action,
    Code,
    Event,
    Level,
    Operation,
    Target,
    TargetKind,
    Verdict,
)

DAY = 86_400
NOW = 1_700_000_000.0 + 5 * DAY


def harmless(cells: Cells) -> bool:
    net = OutletFilter()
    net.apply([Segment(cell.text) for cell in cells], Color(0, 0, 0))
    return net.fired == 0


def test_queue_row_says_who_where_what_and_how_old() -> None:
    verdicts = [Verdict(Code.HIGH_IMPACT, Level.WARNING, "empties the file")]
    plan = make_plan(
        entries("a", "b"), entries("A", "c", "d"),
        [outcome(1, "a", "A"), outcome(2, "b", None), outcome(3, None, "c"), outcome(4, None, "d"),
         outcome(5, None, "e", dropped=True)],
        verdicts=verdicts,
    )  # fmt: skip
    line = queue_cells(plan, now=NOW, twins=5, home="lab")(60)
    assert text_of(line).startswith("lab review memory +2 ~1 -1 (1 out) 5x")
    assert text_of(line).endswith(" impact ! 5 d")
    assert width_of(line) == 60


def test_queue_row_of_what_cannot_be_understood_says_so() -> None:
    """Neither a target nor "no change": the record, and what is wrong with it."""
    verdicts = [Verdict(Code.MALFORMED, Level.BLOCKER, "The payload is no object: 3.")]
    plan = make_plan(None, None, [], target=None, asked=(), verdicts=verdicts)
    line = text_of(queue_cells(plan, now=NOW)(80))
    assert f"record {plan.proposal.id}  The payload is no object: 3." in line
    assert "no change" not in line


def test_queue_row_counts_hidden_characters() -> None:
    """Field report 64: a line "3 hidden characters" in the row."""
    verdicts = [Verdict(Code.HIDDEN_CHARACTERS, Level.WARNING, "Hidden character")]
    for text, words in (
        ("safe\u202etxt pay\u200bload\u200b", " 3 hidden !"),
        ("\u200b" * COUNTED + " and more", f" {COUNTED:,}+ hidden !"),
    ):
        asked = Operation(Action.ADD, text)
        plan = make_plan(None, b"x", [outcome(1, None, text)], verdicts=verdicts)
        plan = replace(plan, proposal=replace(plan.proposal, operations=(asked,)))
        assert words in text_of(queue_cells(plan, now=NOW)(80))


@pytest.mark.parametrize("width", [0, 1, 5, 20, 80])
def test_rows_never_run_over(width: int) -> None:
    skill = Target(TargetKind.SKILL, "漢字-\u202e\n" * 30, "SKILL.md")
    plan = make_plan(None, b"x", [outcome(1, None, "x", skill)], target=skill, origin="\x1b[2J")
    for draw in (
        queue_cells(plan, now=NOW),
        entry_cells("\x1b]0;t\x07" * 99, 1),
        group_cells("dead", 12, "d discards them with their reasons"),
        event_cells(Event(1, "", json.dumps({"kind": "\x1b", "at": 5, "reason": "\u202e"}), "")),
        event_cells(Event(2, "", "no json", "")),
    ):
        assert width_of(draw(width)) <= max(width, 1)
        assert harmless(draw(width))


def test_entry_row_shows_its_beginning_and_size() -> None:
    assert text_of(entry_cells("first\nsecond", 3)(30)) == "  3 first ...               12"


def test_event_row_reads_its_body() -> None:
    body = {"kind": "rejected", "at": 1_700_000_000, "target": "memory", "reason": "not true"}
    text = text_of(event_cells(Event(12, "", json.dumps(body), ""), home="lab")(90))
    assert "lab:#12" in text
    assert "rejected" in text
    assert "not true" in text
    assert "2023" in text


def test_only_the_beginning_of_a_long_text_is_looked_at() -> None:
    """Report 108: 1,000 rows whose records hold 50 kB each."""
    cells = shown_cells("x" * 50_000)
    assert sum(len(cell.text) for cell in cells) == SHORT + 3
    assert text_of(shown_cells("x" * SHORT)) == "x" * SHORT


def test_line_ends_do_not_end_a_row() -> None:
    assert text_of(shown_cells("one\ntwo")) == "one␊two"
    assert [cell.look for cell in shown_cells("a\u202eb")] == [
        Look.PLAIN, Look.SUSPECT, Look.PLAIN,
    ]  # fmt: skip


def test_fitting() -> None:
    line = (Cell("漢字漢字"), Cell("abc"))
    assert fit(line, 11) == line
    assert text_of(fit(line, 6)) == "漢字>"
    assert text_of(fit(line, 0)) == ""
    assert text_of(padded(line, 13)) == "漢字漢字abc  "
    assert text_of(spread((Cell("left"),), (Cell("right"),), 12)) == "left   right"
    assert text_of(spread((Cell("left" * 9),), (Cell("right"),), 12)) == "leftl> right"
