"""Memory files are split, judged and joined as Hermes does it."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.store.formats import section

PIECES = st.text(alphabet="a§\n\r \t\u00a0\ufeffb\u2028", max_size=12)


def _initial(case: dict[str, Any], name: str) -> str | None:
    found = case["initial"].get(name)
    try:
        return base64.b64decode(found["b64"]).decode() if found else None
    except UnicodeDecodeError:
        return None


def test_drift_agrees_with_what_was_observed(conformance: list[dict[str, Any]]) -> None:
    """K01, category drift: every first step that Hermes refused is drift, and no other."""
    judged = {True: 0, False: 0}
    for case in conformance:
        first = case["steps"][0]
        if case["category"] != "drift" or first["call"] == "add":
            continue
        name = "USER.md" if first["args"]["target"] == "user" else "MEMORY.md"
        limit = case["limits"]["user" if name == "USER.md" else "memory"]
        refused = first["expect"]["error_class"] == "drift"
        words = section.drift(_initial(case, name) or "", limit)
        assert bool(words) is refused, (case["id"], words)
        judged[refused] += 1
    assert min(judged.values()) >= 5


def test_entries_agree_with_what_was_observed(conformance: list[dict[str, Any]]) -> None:
    """K01: the entries that Hermes lists in its replies are the ones parsed here."""
    compared = 0
    for case in conformance:
        expect = case["steps"][0]["expect"]
        listed = (expect.get("outcome") or {}).get("current_entries")
        user = case["steps"][0]["args"].get("target") == "user"
        text = _initial(case, "USER.md" if user else "MEMORY.md")
        if listed is None or text is None:
            continue
        assert section.unique(section.parse(text)) == listed, case["id"]
        compared += 1
    assert compared >= 5


@pytest.mark.parametrize(
    "raw",
    [
        "one\n§\ntwo\n§\nthree",
        "one\r\n§\r\ntwo\r\n§\r\nthree\r\n",
        "one\r§\rtwo\r§\rthree",
        "one\r\n§\ntwo\n§\rthree",
    ],
)
def test_line_ends_do_not_change_the_entries(raw: str) -> None:
    """K04, field report 34: LF, CRLF and CR hold the same entries, and none is drift."""
    assert section.parse(raw) == ["one", "two", "three"]
    assert section.drift(raw, 2200) == ""
    codes = {effect.code for effect in section.side_effects(raw)}
    assert ("line-endings" in codes) is ("\r" in raw)


def test_byte_order_mark_stays_in_the_first_entry() -> None:
    """Field report 34: as Hermes reads it; the mark is neither dropped nor drift."""
    assert section.parse("\ufeffone\r\n§\r\ntwo") == ["\ufeffone", "two"]
    assert section.drift("\ufeffone\n§\ntwo", 2200) == ""


def test_duplicates_are_a_side_effect_and_not_drift() -> None:
    """K04."""
    raw = "a\n§\nb\n§\na"
    assert section.parse(raw) == ["a", "b", "a"]
    assert section.unique(section.parse(raw)) == ["a", "b"]
    assert section.drift(raw, 2200) == ""
    assert [effect.code for effect in section.side_effects(raw)] == ["duplicates"]
    assert section.side_effects("a\n§\nb") == ()


def test_blank_line_beside_the_delimiter_is_drift_with_its_place() -> None:
    """Field report 31."""
    assert "entry 1" in section.drift("alpha\n\n§\n\nbeta\n", 2200)
    assert "empty" in section.drift("a\n§\n\n§\nb", 2200)
    assert section.drift("alpha\n§\nbeta\n", 2200) == ""


def test_oversized_entry_is_drift_that_names_the_rule() -> None:
    """Field reports 32 and 37: a plain Markdown file in place of a list of entries."""
    words = section.drift("# Heading\n\n" + "x" * 4000, 2200)
    assert "Entry 1" in words and "4,011" in words and "2,200" in words
    assert section.drift("x" * 2200, 2200) == ""


@pytest.mark.parametrize(
    ("entry", "splits"),
    [
        ("plain", False),
        ("two\nlines", False),
        ("a § b", False),
        ("§\nstart", False),
        ("§", False),
        ("x\n§ \ny", False),
        ("ends in newline\n", False),
        ("ends in CRLF\r\n", False),
        ("x\n§\ny", True),
        ("x\n§", True),
        ("x\n§\n§", True),
        ("x\n§\n", True),
        ("a\r\nb", True),
        ("a\rb", True),
    ],
)
def test_text_that_would_fall_apart(entry: str, splits: bool) -> None:
    """D6."""
    assert bool(section.would_split(entry)) is splits


@given(st.lists(PIECES, max_size=6))
def test_what_would_not_split_survives_between_any_neighbours(pieces: list[str]) -> None:
    """K02, D6: entries that pass are read back as themselves wherever they stand."""
    entries = [p.strip() for p in pieces if p.strip() and not section.would_split(p)]
    assert section.parse(section.render(entries)) == entries
    assert section.drift(section.render(entries), 10_000) == ""


@given(st.text(alphabet="§\n\rab ", max_size=30))
def test_what_would_split_truly_does(text: str) -> None:
    """D6: nothing is refused that would survive everywhere."""
    entry = text.strip()
    if entry and section.would_split(entry):
        assert section.parse(section.render(["p", entry, "n"])) != ["p", entry, "n"]


@given(st.lists(PIECES, max_size=6).map("\n§\n".join))
def test_accepted_text_is_written_back_as_it_stands(text: str) -> None:
    """K02: what the format accepts without side effects is its own image."""
    entries = section.parse(text)
    if not section.drift(text, 10_000) and not section.side_effects(text):
        assert section.render(entries) == text
    assert section.parse(section.render(entries)) == entries or any(
        section.would_split(entry) for entry in entries
    )
    assert section.size(entries) == len(section.render(entries))
