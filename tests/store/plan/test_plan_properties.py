"""What holds for every memory file and every record: no exception, no surprise in the bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from homes.build import DELIMITER, skill_text
from hypothesis import given, settings
from hypothesis import strategies as st

from placet.store.formats import section
from placet.store.model import (
    SKILL_ACTIONS,
    Code,
    Context,
    FileKind,
    FileState,
    Home,
    HomeConfig,
    Plan,
    Record,
    Snapshot,
    Subsystem,
)
from placet.store.plan import knock_on, plan, prints
from placet.store.staged import parse

HOME = Home(Path("/nowhere"))
FILE = Path("/nowhere/memories/MEMORY.md")
CONFIG = HomeConfig(memory_limit=60)

pieces = st.sampled_from(
    ["a", "b", "ab", "abc ", " ", "\n", "§", "\n§\n", "\n§", "\r", "\r\n", "\ufeff", "é", "\u2028"]
)
texts = st.lists(pieces, max_size=8).map("".join)
operations = st.fixed_dictionaries(
    {"action": st.sampled_from(["add", "replace", "remove"])},
    optional={"content": texts, "old_text": texts, "matched_entry": texts},
)
names = st.sampled_from(["s1", "s2", "..", "", "a/b", "A b", "\u202e", "x" * 70])
files = st.one_of(st.none(), st.lists(texts, max_size=5).map(DELIMITER.join))


def snapshot(text: str | None) -> Snapshot:
    """A memory file of this text, or none."""
    if text is None:
        return Snapshot({"": FileState(FILE, FILE, FileKind.ABSENT, parent=(1, 2))})
    return Snapshot({"": FileState(FILE, FILE, FileKind.FILE, text.encode(), 0o600, (1, 2))})


def made(payload: Any, text: str | None, name: str = "a") -> Plan:
    """Plan of one payload against one text."""
    raw = json.dumps({"id": name, "origin": "assistant_tool", "payload": payload}).encode()
    record = Record(HOME, Subsystem.MEMORY, f"{name}.json", name, raw)
    proposal = parse.understand(record, 1.0)
    files_ = snapshot(text)
    prints(proposal, files_)
    return plan(proposal, files_, Context(CONFIG))


def batch(listed: list[dict[str, Any]]) -> dict[str, Any]:
    return {"action": "batch", "target": "memory", "operations": listed}


@settings(max_examples=300, deadline=None)
@given(files, st.lists(operations, min_size=1, max_size=4))
def test_what_can_be_approved_reads_back_as_it_says(
    text: str | None, listed: list[dict[str, Any]]
) -> None:
    """Promise 1: entries afterwards are those that the operations name, none is cut or joined."""
    result = made(batch(listed), text)
    assert not result.has(Code.GATE_FAILED)
    if result.digest is None:
        return
    after = (result.changes[0].after or b"").decode()
    entries = section.parse(after)
    assert section.render(entries) == after
    assert section.size(entries) <= CONFIG.memory_limit
    assert result.usage is not None
    assert result.usage.after == len(after)
    for outcome in result.operations:
        if outcome.after is not None and outcome.number == len(listed):
            assert outcome.after in entries
    named = {o.before for o in result.operations} | {o.after for o in result.operations}
    was = section.unique(section.parse(text or ""))
    assert set(was) ^ set(entries) <= named, "nothing changes that no operation names"


@settings(max_examples=150, deadline=None)
@given(
    files,
    st.recursive(
        st.none() | st.booleans() | st.integers() | texts,
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(["action", "target", "content", "old_text", "operations"]),
                inner,
                max_size=5,
            )
        ),
    ),
)
def test_any_payload_gets_a_plan(text: str | None, payload: Any) -> None:
    """T06: each yields a plan, a named refusal, or a wait for the writer."""
    result = made(payload, text)
    assert not result.has(Code.GATE_FAILED)
    assert result.digest is None or result.changes
    assert result.digest is not None or result.verdicts


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.sampled_from(["alpha", "beta", "gamma beta", "delta"]), max_size=4, unique=True),
    st.lists(
        st.fixed_dictionaries(
            {
                "action": st.sampled_from(["add", "replace", "remove"]),
                "content": st.sampled_from(["alpha", "new", "beta", "x" * 40]),
                "old_text": st.sampled_from(["a", "alpha", "beta", "delta", "gamma"]),
            }
        ),
        min_size=2,
        max_size=2,
    ),
)
def test_what_is_said_to_be_killed_is_killed(
    entries: list[str], pair: list[dict[str, Any]]
) -> None:
    """Q09: said beforehand and true afterwards, for every pair."""
    text = DELIMITER.join(entries)
    first, second = (
        made({"target": "memory", **operation}, text, name)
        for operation, name in zip(pair, "ab", strict=True)
    )
    if first.digest is None or second.digest is None:
        return
    said = bool(knock_on(first, [second]))
    later = made({"target": "memory", **pair[1]}, (first.changes[0].after or b"").decode(), "b")
    assert said == (later.digest is None)


@settings(max_examples=200, deadline=None)
@given(
    st.fixed_dictionaries(
        {"action": st.sampled_from([a.value for a in SKILL_ACTIONS]), "name": names},
        optional={
            "content": texts,
            "category": names,
            "file_path": names | st.sampled_from(["references/a.md", "SKILL.md", "x/SKILL.md"]),
            "file_content": texts,
            "old_string": texts,
            "new_string": texts,
            "replace_all": st.booleans(),
            "absorbed_into": names,
        },
    ),
    texts.map(lambda text: skill_text("s1", body="body") + text),
)
def test_any_skill_payload_gets_a_plan(payload: dict[str, Any], text: str) -> None:
    """T06: skills too; what can be approved stays inside the skill."""
    root = Path("/nowhere/skills/s1")
    known = ("SKILL.md", "references/a.md")
    main, extra = (
        FileState(root / path, root / path, FileKind.FILE, text.encode(), 0o600, (1, 2))
        for path in known
    )
    raw = json.dumps({"id": "a", "origin": "x", "payload": payload}).encode()
    proposal = parse.understand(Record(HOME, Subsystem.SKILLS, "a.json", "a", raw), 1.0)
    files_ = Snapshot({known[0]: main, known[1]: extra}, root, taken=True)
    prints(proposal, files_)
    result = plan(proposal, files_, Context(CONFIG))
    assert not result.has(Code.GATE_FAILED)
    assert all(change.path.is_relative_to(root) for change in result.changes)
    assert result.digest is not None or result.verdicts
