"""Memory records become proposals; what is wrong with one is said in words."""

from __future__ import annotations

from typing import Any

import pytest
from homes.build import HomeBuilder, add, remove, replace
from homes.reading import codes, only, read_all, words

from placet.store.model import (
    Action,
    Code,
    Level,
    Operation,
    Standing,
    Subsystem,
    Target,
    TargetKind,
    standing_of,
)
from placet.store.staged import memory_payload

MEMORY = Target(TargetKind.MEMORY)


# what Hermes writes


def test_single_operations(home: HomeBuilder) -> None:
    home.stage_add("new fact", record_id="a")
    home.stage_replace("old", "new", target="user", record_id="b", origin="assistant_tool")
    home.stage_remove("gone", record_id="c", created_at=5)
    found = read_all(home)
    assert [p.verdicts for p in found.values()] == [(), (), ()]
    assert found["a.json"].operations == (Operation(Action.ADD, content="new fact"),)
    assert found["b.json"].operations == (Operation(Action.REPLACE, content="new", old="old"),)
    assert found["c.json"].operations == (Operation(Action.REMOVE, old="gone"),)
    assert found["a.json"].target == MEMORY and str(found["b.json"].target) == "user"
    assert (found["b.json"].origin, found["c.json"].created_at) == ("assistant_tool", 5.0)
    assert not found["a.json"].batch and found["a.json"].id == "a"


def test_batches_of_every_kind(home: HomeBuilder) -> None:
    """Field report 9: removal-only, replace-only, mixed and single-operation batches."""
    for operations in ([remove("x")], [replace("a", "b")], [add("a"), remove("b"), add("")]):
        home.stage_batch(*operations)
    found = list(read_all(home).values())
    assert [len(p.operations) for p in found] == [1, 1, 3]
    assert all(p.batch and not p.verdicts for p in found)


def test_later_versions_fields(home: HomeBuilder) -> None:
    """D5, format.md §8: `matched_entry` is honoured, `new_text` is another name of `content`."""
    home.stage(
        {
            "action": "batch",
            "target": "memory",
            "operations": [
                {"action": "replace", "old_text": "a", "new_text": "b", "matched_entry": "a c"},
                {"action": "remove", "old_text": "a", "matched_entry": "whole a"},
                {"action": "add", "content": "", "new_text": "n"},
            ],
        }
    )
    proposal = only(home)
    assert proposal.verdicts == ()
    assert [(o.content, o.matched) for o in proposal.operations] == [
        ("b", "a c"),
        (None, "whole a"),
        ("n", None),
    ]


def test_content_and_new_text_that_differ_are_malformed(home: HomeBuilder) -> None:
    home.stage({"action": "add", "target": "memory", "content": "x", "new_text": "y"})
    assert standing_of(only(home).verdicts) is Standing.MALFORMED


@pytest.mark.parametrize("name", ["home-small", "home-busy"])
def test_the_whole_homes_are_understood(name: str, request: pytest.FixtureRequest) -> None:
    """Q01, Q02: malformed exactly where expected, and not a word about any other record."""
    fixture = name.replace("-", "_")
    home: HomeBuilder = request.getfixturevalue(fixture)
    expected = request.getfixturevalue(fixture.replace("home", "expected"))
    for subsystem in Subsystem:
        found = {p.id: p for p in read_all(home, subsystem).values()}
        assert found.keys() == expected[subsystem.value].keys()
        for key, truth in expected[subsystem.value].items():
            proposal = found[key]
            malformed = standing_of(proposal.verdicts) is Standing.MALFORMED
            assert malformed is (truth["class"] == "malformed"), key
            assert malformed or not proposal.verdicts, words(proposal)
            assert proposal.origin == truth["origin"]
            assert malformed or proposal.operations


# format.md §2.4 and §2.6, case by case


def test_apply_cases_agree_on_what_can_be_applied(
    conformance: list[dict[str, Any]], home: HomeBuilder
) -> None:
    """K01, category apply: what raised or was refused for its shape has a blocker here; D4."""
    blocked = {}
    for case in conformance:
        if case["category"] == "apply":
            home.stage(case["steps"][0]["args"]["payload"], record_id=case["id"], action=...)
    for name, proposal in read_all(home).items():
        blocked[name.removesuffix(".json")] = set(codes(proposal, Level.BLOCKER))
    malformed, foreign = {Code.MALFORMED}, {Code.FOREIGN_PROVIDER}
    expected: dict[str, set[Code]] = {
        "apply-batch-no-ops": malformed,
        "apply-batch-dict-ops": malformed,
        "apply-empty-payload": malformed,
        "apply-unknown-action": malformed,
        "apply-mnemosyne-remember": foreign,
        "apply-mnemosyne-batch": foreign,
        "apply-no-target": {Code.TARGET_UNKNOWN},
        "apply-null-target": {Code.TARGET_UNKNOWN},
        "apply-target-case": {Code.TARGET_UNKNOWN},
        "apply-null-content": malformed,
        "apply-int-content": malformed,
        "apply-list-content": malformed,
    }
    assert len(blocked) == 17
    for key, found in blocked.items():
        assert found == expected.get(key, set()), key


@pytest.mark.parametrize("target", [None, ..., "project", "User", " memory", "", 5, ["memory"], {}])
def test_unknown_targets_are_never_memory(home: HomeBuilder, target: Any) -> None:
    """D4: Hermes writes all of these to MEMORY.md."""
    payload = {"action": "add", "target": target, "content": "x"}
    home.stage({key: value for key, value in payload.items() if value is not ...})
    proposal = only(home)
    assert proposal.target is None
    assert codes(proposal, Level.BLOCKER) == [Code.TARGET_UNKNOWN]
    assert standing_of(proposal.verdicts) is Standing.DEAD
    assert proposal.operations  # shown all the same


@pytest.mark.parametrize(
    "payload",
    [
        {"action": "add", "target": "memory"},
        {"action": "add", "target": "memory", "content": None},
        {"action": "add", "target": "memory", "content": 7},
        {"action": "add", "target": "memory", "content": ["x"]},
        {"action": "add", "target": "memory", "content": {"a": 1}},
        {"action": "add", "target": "memory", "content": True},
        {"action": "add", "target": "memory", "content": "\ud800"},
        {"action": "replace", "target": "memory", "content": "x", "old_text": None},
        {"action": "replace", "target": "memory", "content": "x", "old_text": " \n"},
        {"action": "replace", "target": "memory", "old_text": "x"},
        {"action": "replace", "target": "memory", "content": "x", "old_text": "a\udfff"},
        {"action": "remove", "target": "memory"},
        {"action": "remove", "target": "memory", "old_text": 5},
        {"action": "remove", "target": "memory", "old_text": "x", "matched_entry": 5},
        {"action": "batch", "target": "memory"},
        {"action": "batch", "target": "memory", "operations": None},
        {"action": "batch", "target": "memory", "operations": []},
        {"action": "batch", "target": "memory", "operations": {"action": "add"}},
        {"action": "batch", "target": "memory", "operations": "add x"},
        {"action": "batch", "target": "memory", "operations": [None]},
        {"action": "batch", "target": "memory", "operations": ["add x"]},
        {"action": "batch", "target": "memory", "operations": [{}]},
        {"action": "batch", "target": "memory", "operations": [{"action": ["add"]}]},
        {"action": "batch", "target": "memory", "operations": [{"action": "batch"}]},
        {"action": "frobnicate", "target": "memory"},
        {"action": None, "target": "memory"},
        {"action": 5, "target": "memory"},
        {"action": ["add"], "target": "memory"},
        {"action": "Add", "target": "memory", "content": "x"},
        {"action": "create", "name": "x", "content": "y"},
        {},
        None,
        [],
        "add",
        5,
    ],
)
def test_malformed_payloads(home: HomeBuilder, payload: Any) -> None:
    """Q12, format.md §2.4."""
    home.stage(payload)
    proposal = only(home)
    assert standing_of(proposal.verdicts) is Standing.MALFORMED
    assert proposal.operations == () and not proposal.settling
    words(proposal).encode("utf-8")


def test_payload_missing(home: HomeBuilder) -> None:
    home.stage(..., extra="kept")
    assert "has no payload" in words(only(home)) and "kept" in words(only(home))


def test_every_bad_operation_is_named(home: HomeBuilder) -> None:
    """One fault does not hide the next."""
    home.stage_batch(add("fine"), None, {"action": "frob"}, {"action": "add"})
    proposal = only(home)
    assert [v.operation for v in proposal.verdicts] == [2, 3, 4]
    assert proposal.operations == ()


def test_too_many_operations(home: HomeBuilder) -> None:
    most = memory_payload.MAX_OPERATIONS
    home.stage_batch(*[add("x")] * (most + 1), record_id="over")
    home.stage_batch(*[add("x")] * most, record_id="exact")
    found = read_all(home)
    assert standing_of(found["over.json"].verdicts) is Standing.MALFORMED
    assert len(found["exact.json"].operations) == most


def test_target_inside_an_operation(home: HomeBuilder) -> None:
    """Field report 7: shown per operation, and a conflict where it differs."""
    home.stage_batch(
        {"action": "add", "content": "Prefers metric units", "target": "user"},
        {"action": "add", "content": "fine", "target": "memory"},
        {"action": "add", "content": "odd", "target": 5},
        add("plain"),
    )
    proposal = only(home)
    conflicts = [v for v in proposal.verdicts if v.code is Code.TARGET_CONFLICT]
    assert [v.operation for v in conflicts] == [1, 3]
    assert [o.target for o in proposal.operations] == ["user", "memory", "5", ""]
    assert standing_of(proposal.verdicts) is Standing.HELD


def test_unknown_fields_are_shown_whole(home: HomeBuilder) -> None:
    """Field report 6."""
    long = "very important " * 200
    home.stage({"action": "add", "target": "memory", "content": "x", "reason": long})
    proposal = only(home)
    assert codes(proposal) == [Code.UNKNOWN_FIELD]
    assert long in words(proposal)
    assert standing_of(proposal.verdicts) is Standing.WARNING and proposal.operations


def test_unknown_envelope_fields_are_notes(home: HomeBuilder) -> None:
    """format.md §8: later versions may add some; none has an effect."""
    home.stage_add("x", session="s1", version=2)
    proposal = only(home)
    assert codes(proposal, Level.NOTE) == [Code.UNKNOWN_FIELD] * 2
    assert standing_of(proposal.verdicts) is Standing.READY
