"""Skill records and those of other providers become proposals, shown and guarded."""

from __future__ import annotations

import json
from typing import Any

import pytest
from homes.build import HomeBuilder
from homes.reading import codes, only, read_all, words

from placet.store.model import (
    Code,
    Level,
    Standing,
    Subsystem,
    standing_of,
)


@pytest.mark.parametrize(
    ("payload", "standing"),
    [
        ({"action": "create", "name": "n", "content": "c"}, Standing.READY),
        ({"action": "edit", "name": "n", "content": "c"}, Standing.READY),
        ({"action": "patch", "name": "n", "old_string": "a", "new_string": ""}, Standing.READY),
        (
            {"action": "write_file", "name": "n", "file_path": "p", "file_content": ""},
            Standing.READY,
        ),
        ({"action": "remove_file", "name": "n", "file_path": "p"}, Standing.READY),
        ({"action": "delete", "name": "n"}, Standing.READY),
        ({"action": "delete", "name": "n", "absorbed_into": ""}, Standing.READY),
        ({"action": "delete", "name": "n", "content": "c"}, Standing.WARNING),
        ({"action": "create", "name": "n"}, Standing.MALFORMED),
        ({"action": "create", "content": "c"}, Standing.MALFORMED),
        ({"action": "create", "name": "", "content": "c"}, Standing.MALFORMED),
        ({"action": "create", "name": 5, "content": "c"}, Standing.MALFORMED),
        ({"action": "create", "name": "n", "content": "c", "category": 5}, Standing.MALFORMED),
        ({"action": "edit", "name": "n"}, Standing.MALFORMED),
        ({"action": "edit", "name": "n", "content": "\udc00"}, Standing.MALFORMED),
        ({"action": "patch", "name": "n", "old_string": "a"}, Standing.MALFORMED),
        ({"action": "patch", "name": "n", "new_string": "a"}, Standing.MALFORMED),
        ({"action": "patch", "name": "n", "old_string": "", "new_string": "a"}, Standing.MALFORMED),
        (
            {
                "action": "patch",
                "name": "n",
                "old_string": "a",
                "new_string": "b",
                "replace_all": "yes",
            },
            Standing.MALFORMED,
        ),
        ({"action": "write_file", "name": "n", "file_content": "c"}, Standing.MALFORMED),
        ({"action": "write_file", "name": "n", "file_path": "p"}, Standing.MALFORMED),
        ({"action": "remove_file", "name": "n"}, Standing.MALFORMED),
        ({"action": "delete", "name": "n", "absorbed_into": 5}, Standing.MALFORMED),
        ({"action": "rename", "name": "n"}, Standing.MALFORMED),
        ({"action": "add", "target": "memory", "content": "c"}, Standing.MALFORMED),
    ],
)
def test_skill_payloads(home: HomeBuilder, payload: Any, standing: Standing) -> None:
    """All six kinds with their required fields (format.md §2.3)."""
    home.stage(payload, subsystem="skills")
    proposal = only(home, Subsystem.SKILLS)
    assert standing_of(proposal.verdicts) is standing, words(proposal)
    assert bool(proposal.operations) is (standing is not Standing.MALFORMED)


def test_body_under_the_wrong_key(home: HomeBuilder) -> None:
    """Field report 6 (#78519): malformed, and the unknown field is shown in full."""
    body = "print(1)\n" * 50
    home.stage_skill("write_file", "tidy", file_path="scripts/a.py", content=body)
    proposal = only(home, Subsystem.SKILLS)
    assert codes(proposal, Level.BLOCKER) == [Code.MALFORMED]
    assert "file_content" in words(proposal) and json.dumps(body) in words(proposal)


def test_skill_targets(home: HomeBuilder) -> None:
    home.stage_skill("patch", "tidy", record_id="a", old_string="x", new_string="y")
    home.stage_skill(
        "patch", "tidy", record_id="b", file_path="references/n.md", old_string="x", new_string="y"
    )
    home.stage_skill("delete", "tidy", record_id="c", absorbed_into="other")
    home.stage_skill("create", "tidy", record_id="d", content="text", category="ops")
    found = list(read_all(home, Subsystem.SKILLS).values())
    assert [str(p.target) for p in found] == [
        "skill:tidy/SKILL.md",
        "skill:tidy/references/n.md",
        "skill:tidy",
        "skill:tidy/SKILL.md",
    ]
    assert found[2].operations[0].absorbed_into == "other"
    assert found[3].operations[0].category == "ops"


FOREIGN = [
    {"provider": "mnemosyne", "tool": "mnemosyne_remember", "payload": {"tool": "x"}},
    {"provider": "othermem", "payload": {"action": "add", "target": "memory", "content": "x"}},
    {"payload": {"provider": "othermem", "action": "remember", "importance": 0.7}},
    {"payload": {"action": "remember", "content": "x"}},
    {"payload": {"action": "extraction_proposal", "tier": 1}},
    {"payload": {"action": "upsert", "memory_id": "7"}},
    {"schema_version": 1, "payload_sha256": "00", "payload": {"kind": "learning"}},
    {"provider": 5, "payload": {}},
]


@pytest.mark.parametrize("fields", FOREIGN)
def test_foreign_records(home: HomeBuilder, fields: dict[str, Any]) -> None:
    """Field report 12, format.md §2.6: shown, never approvable, whatever their action."""
    home.stage_raw("x.json", json.dumps({"id": "x", "summary": "theirs", **fields}))
    proposal = only(home)
    assert standing_of(proposal.verdicts) is Standing.FOREIGN
    assert proposal.operations == () and proposal.summary == "theirs"


def test_empty_provider_is_not_foreign(home: HomeBuilder) -> None:
    home.stage_add("x", record_id="a", provider="")
    home.stage_add("y", record_id="b", provider=None)
    assert all(not p.verdicts and p.operations for p in read_all(home).values())


def test_foreign_provider_is_named(home: HomeBuilder) -> None:
    home.stage_raw("x.json", json.dumps(FOREIGN[0]))
    assert "mnemosyne" in words(only(home))
