"""The real Hermes Agent stages, placet decides, Hermes reads and writes on."""

from __future__ import annotations

import re
from typing import Any

import pytest
from interop.agent import Agent, Hermes

from placet.store import decide
from placet.store.decide import Desk
from placet.store.errors import PlacetError, StalePlan
from placet.store.inbox import Item
from placet.store.model import Choice, Code, Done, Sight, Standing

pytestmark = pytest.mark.interop

SKILL = "---\nname: {name}\ndescription: Neutral test skill.\n---\n\n# {name}\n\nStep one.\n"
SEEN = Sight(where="demo")


def stage(hermes: Hermes, origin: str = "assistant_tool", **arguments: Any) -> str:
    """Stage through the memory tool; the id of the record."""
    answer = hermes.ask("stage_memory", origin=origin, **arguments)
    assert answer["staged"], answer
    return str(answer["pending_id"])


def stage_skill(hermes: Hermes, origin: str = "assistant_tool", **arguments: Any) -> str:
    """Stage through the skill tool; the id of the record."""
    answer = hermes.ask("stage_skill", origin=origin, **arguments)
    assert answer["staged"], answer
    return str(answer["pending_id"])


def approve(agent: Agent, item: Item) -> Done:
    """Approve what is shown."""
    with Desk.open(agent.home, agent.approver) as desk:
        digest = item.plan.digest
        assert digest is not None, item.plan.verdicts
        return decide.approve(desk, item.proposal, item.plan.choice, digest, SEEN)


def test_memory_staged_decided_and_read_on(agent: Agent) -> None:
    """Every shape of memory write, staged by Hermes, is shown as Hermes would apply it."""
    hermes = agent.hermes()
    first = stage(hermes, action="add", target="memory", content="Alpha is the first fact.")
    second = stage(hermes, action="add", target="user", content="Prefers metric units.")
    rows = agent.waiting()
    assert set(rows) == {first, second}
    approve(agent, rows[first])
    approve(agent, rows[second])
    assert hermes.ask("entries", target="memory") == ["Alpha is the first fact."]
    assert hermes.ask("entries", target="user") == ["Prefers metric units."]

    change = stage(
        hermes,
        origin="background_review",
        action="replace",
        target="memory",
        old_text="Alpha",
        content="Alpha is the first fact of three.",
    )
    approve(agent, agent.waiting()[change])
    batch = stage(
        hermes,
        action="batch",
        target="memory",
        operations=[
            {"action": "add", "content": "Beta follows."},
            {"action": "remove", "old_text": "Alpha"},
        ],
    )
    assert agent.plan(batch).changes[0].after == b"Beta follows."
    approve(agent, agent.waiting()[batch])
    assert hermes.ask("entries", target="memory") == ["Beta follows."]
    assert hermes.ask("add_many", target="memory", prefix="later ", count=2) == 2
    assert agent.memory() == "Beta follows.\n§\nlater 0\n§\nlater 1"
    assert not agent.waiting()


def test_what_placet_predicts_is_what_hermes_writes(agent: Agent) -> None:
    """The bytes that placet shows are the bytes that Hermes' own approve writes."""
    hermes = agent.hermes()
    hermes.ask("add_many", target="memory", prefix="fact number ", count=4)
    for arguments in (
        {"action": "add", "content": "  A new fact with blanks around.  "},
        {"action": "replace", "old_text": "number 2", "content": "fact two, rewritten"},
        {"action": "remove", "old_text": "number 1"},
        {
            "action": "batch",
            "operations": [
                {"action": "remove", "old_text": "number 0"},
                {"action": "add", "content": "fact two, rewritten"},
                {"action": "add", "content": "one more"},
            ],
        },
    ):
        pending = stage(hermes, target="memory", **arguments)
        shown = agent.plan(pending).changes[0].after
        hermes.ask("slash", subsystem="memory", words=["approve", pending])
        assert agent.memory().encode() == shown


def test_six_kinds_of_skill_records(agent: Agent) -> None:
    """Hermes stages each kind of skill write; placet applies it; Hermes finds the result."""
    hermes = agent.hermes()

    def decided(**arguments: Any) -> Done:
        pending = stage_skill(hermes, **arguments)
        return approve(agent, agent.waiting()[pending])

    decided(action="create", name="tidy", content=SKILL.format(name="tidy"), category="ops")
    folder = agent.home.skills / "ops" / "tidy"
    assert hermes.ask("find_skill", name="tidy") == str(folder)
    decided(action="patch", name="tidy", old_string="Step one.", new_string="Step 1.")
    assert "Step 1." in (folder / "SKILL.md").read_text()
    decided(action="edit", name="tidy", content=SKILL.format(name="tidy") + "Step two.\n")
    assert (folder / "SKILL.md").read_text().endswith("Step two.\n")
    decided(
        action="write_file", name="tidy", file_path="references/notes.md", file_content="alpha\n"
    )
    assert (folder / "references" / "notes.md").read_text() == "alpha\n"
    decided(action="remove_file", name="tidy", file_path="references/notes.md")
    assert not (folder / "references" / "notes.md").exists()
    decided(action="delete", name="tidy")
    assert hermes.ask("find_skill", name="tidy") is None
    archived = list((agent.home.skills / ".archive").rglob("SKILL.md"))
    assert len(archived) == 1


def test_a_batch_with_a_stale_operation(agent: Agent) -> None:
    """Q08: the stale operation is left out, the rest is one unit for Hermes to read."""
    hermes = agent.hermes()
    pending = stage(
        hermes,
        action="batch",
        target="memory",
        operations=[
            {"action": "add", "content": "kept one"},
            {"action": "remove", "old_text": "never was there"},
            {"action": "add", "content": "kept two"},
        ],
    )
    item = agent.waiting()[pending]
    assert item.plan.standing is Standing.DEAD
    assert item.plan.has(Code.ANCHOR_MISSING)
    choice = Choice(frozenset({2}))
    with Desk.open(agent.home, agent.approver) as desk:
        digest = desk.plan(item.proposal, choice).digest
        assert digest is not None
        decide.approve(desk, item.proposal, choice, digest, SEEN)
    assert hermes.ask("entries", target="memory") == ["kept one", "kept two"]


def test_a_refusal_outlives_hermes(agent: Agent) -> None:
    """Q05: what the background review repeats leaves Hermes' own queue too."""
    hermes = agent.hermes()
    refused = stage(
        hermes, origin="background_review", action="add", target="user", content="Hates mornings."
    )
    with Desk.open(agent.home, agent.approver) as desk:
        decide.reject(desk, agent.waiting()[refused].proposal, reason="no", sight=SEEN)
        stage(
            hermes,
            origin="background_review",
            action="add",
            target="user",
            content="hates  MORNINGS",
        )
        (row,) = agent.waiting().values()
        assert row.plan.standing is Standing.REFUSED
        decide.take(desk, [row.proposal])
    assert "No pending" in hermes.ask("slash", subsystem="memory", words=["approve", "all"])
    assert hermes.ask("entries", target="user") == []


def test_decided_inside_hermes_is_named(agent: Agent) -> None:
    """Q13: what Hermes' own approve and reject did to a shown record is told apart."""
    hermes = agent.hermes()
    applied = stage(hermes, action="add", target="memory", content="applied inside Hermes")
    withdrawn = stage(hermes, action="add", target="memory", content="rejected inside Hermes")
    shown = agent.waiting()
    with Desk.open(agent.home, agent.approver) as desk:
        hermes.ask("slash", subsystem="memory", words=["reject", withdrawn])
        second = decide.resolve(desk, shown[withdrawn].proposal)
        hermes.ask("slash", subsystem="memory", words=["approve", applied])
        first = decide.resolve(desk, shown[applied].proposal)
        with pytest.raises(PlacetError):
            decide.approve(
                desk, shown[applied].proposal, Choice(), shown[applied].plan.digest or "", SEEN
            )
    assert '"applied-elsewhere"' in first.body
    assert '"withdrawn-elsewhere"' in second.body
    assert agent.memory().count("applied inside Hermes") == 1


def test_writers_and_placet_race_and_lose_nothing(agent: Agent) -> None:
    """K06: two of Hermes' own writers and placet on one file; every entry survives."""
    (agent.home.path / "config.yaml").write_text(
        "memory:\n  write_approval: true\n  memory_char_limit: 20000\n"
    )
    staging = agent.hermes()
    ids = [
        stage(staging, action="add", target="memory", content=f"approved {n}") for n in range(20)
    ]
    writers = [agent.hermes(), agent.hermes()]
    for number, writer in enumerate(writers):
        writer.send("add_many", target="memory", prefix=f"writer {number} entry ", count=60)
    with Desk.open(agent.home, agent.approver) as desk:
        for pending in ids:
            _approve_against_writers(agent, desk, pending)
    assert [writer.receive() for writer in writers] == [60, 60]
    entries = agent.memory().split("\n§\n")
    wanted = [f"approved {n}" for n in range(20)]
    wanted += [f"writer {w} entry {n}" for w in range(2) for n in range(60)]
    assert sorted(entries) == sorted(wanted)


def _approve_against_writers(agent: Agent, desk: Desk, pending: str) -> None:
    """Approve as a person would: look again whenever something moved."""
    item = agent.waiting()[pending]
    for _ in range(200):
        plan = desk.plan(item.proposal, None)
        try:
            decide.approve(desk, item.proposal, plan.choice, plan.digest or "", SEEN)
        except StalePlan:
            continue
        return
    raise AssertionError("never got through")


def test_two_approvers_of_two_kinds_apply_nothing_twice(agent: Agent) -> None:
    """Hermes' `/memory approve all` races placet over one queue; each text lands at most once."""
    hermes = agent.hermes()
    ids = [
        stage(hermes, action="add", target="memory", content=f"raced fact {n}") for n in range(24)
    ]
    shown = agent.waiting()
    hermes.send("slash", subsystem="memory", words=["approve", "all"])
    with Desk.open(agent.home, agent.approver) as desk:
        for pending in reversed(ids):
            item = shown[pending]
            plan = desk.plan(item.proposal, None)
            try:
                decide.approve(desk, item.proposal, plan.choice, plan.digest or "", SEEN)
            except PlacetError:
                continue
    told = hermes.receive()
    assert re.search(r"Approved \d+", told) or "No pending" in told
    for number in range(24):
        assert len(re.findall(rf"raced fact {number}(?!\d)", agent.memory())) <= 1
    left = set(agent.waiting())
    for number, pending in enumerate(ids):
        there = re.search(rf"raced fact {number}(?!\d)", agent.memory())
        assert there or pending in left
