"""What a record says about itself is shown and never believed."""

from __future__ import annotations

import math
from typing import Any

import pytest
from homes.build import HomeBuilder
from homes.reading import codes, only, read_all, words

from placet.store.model import (
    Code,
    Level,
    Standing,
    standing_of,
)

# labels


@pytest.mark.parametrize(
    ("value", "expected", "level"),
    [
        (5, 5.0, None),
        (5.5, 5.5, None),
        (0, 0.0, None),
        (..., None, Level.NOTE),
        (math.nan, None, Level.WARNING),
        (math.inf, None, Level.WARNING),
        (-1, None, Level.WARNING),
        (1e300, None, Level.WARNING),
        (10**400, None, Level.WARNING),
        (True, None, Level.WARNING),
        ("2026-01-01T00:00:00Z", None, Level.WARNING),
        ([], None, Level.WARNING),
    ],
)
def test_created_at(home: HomeBuilder, value: Any, expected: float | None, level: Any) -> None:
    home.stage_add("x", created_at=value)
    proposal = only(home)
    assert proposal.created_at == expected
    assert [v.level for v in proposal.verdicts] == ([level] if level else [])
    assert proposal.operations


@pytest.mark.parametrize(
    ("origin", "shown", "warned"),
    [
        ("background_review", "background_review", False),
        ("some future kind", "some future kind", False),
        (..., "", False),
        (None, "", False),
        ("person", "", True),
        ("Person ", "", True),
    ],
)
def test_origin_is_never_inferred(home: HomeBuilder, origin: Any, shown: str, warned: bool) -> None:
    """Field report 71; and no record can pass for a person's own change (design §4)."""
    home.stage_add("x", origin=origin)
    proposal = only(home)
    assert proposal.origin == shown
    assert (Code.BAD_FIELD in codes(proposal, Level.WARNING)) is warned


@pytest.mark.parametrize("inner", ["../../auth", "/etc/passwd", "other", "", 6, None, ["a"], ...])
def test_inner_id_is_never_used(home: HomeBuilder, inner: Any) -> None:
    """Field report 55, design §2."""
    home.stage_add("x", record_id="real", id=inner)
    proposal = only(home)
    assert proposal.id == "real" and proposal.ref.id == "real"
    assert codes(proposal) == [Code.ID_DIFFERS]


def test_inner_id_that_agrees_is_silent(home: HomeBuilder) -> None:
    home.stage_add("x", record_id="5", id=5)
    home.stage_add("y", record_id=".dot")
    found = read_all(home)
    assert [p.verdicts for p in found.values()] == [(), ()]
    assert found[".dot.json"].id.startswith("sha256:")


def test_duplicate_keys_are_a_warning(home: HomeBuilder) -> None:
    """Field report 72: as json.loads, the last wins."""
    home.stage_add("x", record_id="a")
    text = home.record_path("a").read_text().replace('"content"', '"content": "decoy", "content"')
    home.stage_raw("a.json", text)
    proposal = only(home)
    assert proposal.operations[0].content == "x"
    assert codes(proposal) == [Code.DUPLICATE_KEY] and "“content”" in words(proposal)


def test_lone_surrogate_in_a_label_is_written_out(home: HomeBuilder) -> None:
    """Labels are only shown; they must be storable all the same."""
    home.stage_raw(
        "a.json",
        '{"id": "a", "summary": "\\ud800 s", "origin": "\\udfff", "created_at": 1,'
        ' "payload": {"action": "add", "target": "memory", "content": "x"}}',
    )
    proposal = only(home)
    assert (proposal.summary, proposal.origin) == ("\\ud800 s", "\\udfff")
    assert proposal.operations


def test_lone_surrogate_in_content_is_malformed(home: HomeBuilder) -> None:
    """Field report 72; a whole pair is not."""
    head = '{"id": "%s", "created_at": 1, "payload": {"action": "add", "target": "memory", '
    home.stage_raw("a.json", head % "a" + '"content": "\\ud83d"}}')
    home.stage_raw("b.json", head % "b" + '"content": "\\ud83d\\ude80"}}')
    found = read_all(home)
    assert standing_of(found["a.json"].verdicts) is Standing.MALFORMED
    assert "half a character" in words(found["a.json"])
    assert found["b.json"].operations[0].content == "🚀"


@pytest.mark.parametrize("key", ["summary", "origin"])
def test_labels_of_other_types_are_left_out(home: HomeBuilder, key: str) -> None:
    home.stage_add("x", **{key: {"a": 1}}) if key == "origin" else home.stage_add(
        "x", summary=["a"]
    )
    proposal = only(home)
    assert getattr(proposal, key) == "" and codes(proposal, Level.NOTE) == [Code.BAD_FIELD]
