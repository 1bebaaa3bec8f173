"""Summaries are made as Hermes makes them, and one that lies is found out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from homes.build import HomeBuilder, add, remove, replace
from homes.reading import codes, only, words

from placet.store.model import Code, Level, Subsystem
from placet.store.staged import summary


def test_summaries_of_the_whole_homes(home_small: HomeBuilder, home_busy: HomeBuilder) -> None:
    """K01: 255 summaries as Hermes wrote them."""
    compared = 0
    for home in (home_small, home_busy):
        for subsystem in Subsystem:
            for place in home.path.rglob(f"pending/{subsystem}/*.json"):
                record = json.loads(place.read_bytes())
                assert summary.of(subsystem, record["payload"]) == record["summary"], place
                compared += 1
    assert compared == 255


def test_summaries_of_the_observed_cases(
    conformance: list[dict[str, Any]], pending_records: dict[str, Any]
) -> None:
    """K01, category stage: cut at 120 characters, newlines kept, odd operations as seen."""
    records = [
        step["expect"]["pending_record"]
        for case in conformance
        for step in case["steps"]
        if step["expect"].get("pending_record")
    ]
    records += [
        step["record"]
        for case in pending_records["skills"]
        for step in case["steps"]
        if "record" in step and "chars>" not in str(step["record"]["payload"].get("content"))
    ]
    assert len(records) > 30
    for record in records:
        made = summary.of(Subsystem(record["subsystem"]), record["payload"])
        assert made == record["summary"]


@pytest.mark.parametrize(
    ("words_given", "told"),
    [
        ("remove from memory: staging server", True),
        ("background review consolidation (1 entry)", True),
        ("Prunes an outdated line", True),
        ("", True),
        ("fix typo", False),
        ("add to memory: staging server", False),
        ("remove from user profile: staging server", False),
        ("remove from memory: something else", False),
        ("apply 1 op(s) to memory: - remove: staging server", False),
    ],
)
def test_summary_of_a_removal(home: HomeBuilder, words_given: str, told: bool) -> None:
    """Field report 3: flagged when it contradicts the payload."""
    home.stage_remove("staging server", summary=words_given)
    assert (Code.SUMMARY_DIFFERS not in codes(only(home), Level.WARNING)) is told


def test_summary_of_a_batch(home: HomeBuilder) -> None:
    operations = [add("a"), replace("b", "c"), remove("d")]
    home.stage_batch(*operations, record_id="x", summary="apply 3 op(s) to memory: - add: a")
    assert codes(only(home)) == []
    home.stage_batch(*operations, record_id="x", summary="apply 1 op(s) to memory: - add: a")
    assert "3" in words(only(home))
    home.stage_batch(*operations, record_id="x", summary="adds a note")
    assert codes(only(home)) == [Code.SUMMARY_DIFFERS]


@pytest.mark.parametrize(
    ("words_given", "told"),
    [
        ("patch 'tidy' SKILL.md (+1/-1 lines)", True),
        ("updates the lint step", True),
        ("delete skill 'tidy'", True),
        ("create 'tidy' — neat", False),
        ("delete skill 'other'", False),
        ("small fix", False),
    ],
)
def test_summary_of_skill_records(home: HomeBuilder, words_given: str, told: bool) -> None:
    deleting = "delete" in words_given or not told
    if deleting:
        home.stage_skill("delete", "tidy", summary=words_given)
    else:
        home.stage_skill("patch", "tidy", old_string="a", new_string="b", summary=words_given)
    proposal = only(home, Subsystem.SKILLS)
    assert (Code.SUMMARY_DIFFERS not in codes(proposal)) is told


def test_long_quotes_that_were_cut_are_no_lie(home: HomeBuilder) -> None:
    """Hermes cuts at 120 characters, also amid a word."""
    long = "word and another\nline " * 40
    home.stage_replace(long, "new " + long, record_id="x", summary=None)
    home.stage(
        {"action": "replace", "target": "user", "content": "new " + long, "old_text": long},
        record_id="x",
        summary=summary.of(
            Subsystem.MEMORY,
            {"action": "replace", "target": "user", "content": "new " + long, "old_text": long},
        ),
    )
    assert codes(only(home)) == []
