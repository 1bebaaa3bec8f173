"""Skills: what placet says of them is what the real Hermes Agent does."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from interop.agent import Agent, Hermes

from placet.store import decide
from placet.store.decide import Desk
from placet.store.homes import config
from placet.store.model import Done, Sight

pytestmark = pytest.mark.interop

SKILL = "---\nname: {name}\ndescription: Neutral test skill.\n---\n\n# {name}\n\nStep one.\n"
SEEN = Sight(where="demo")


def write_skill(agent: Agent, path: str, name: str | None = None) -> Path:
    """A skill on the disk as a person would put it there; returns its folder."""
    folder = agent.home.skills / path
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL.format(name=name or folder.name))
    return folder


def stage(hermes: Hermes, **arguments: Any) -> str:
    """Stage through the skill tool; the id of the record."""
    answer = hermes.ask("stage_skill", origin="assistant_tool", **arguments)
    assert answer["staged"], answer
    return str(answer["pending_id"])


def decided(agent: Agent, hermes: Hermes, **arguments: Any) -> Done:
    """A skill write staged by Hermes and approved in placet."""
    pending = stage(hermes, **arguments)
    item = agent.waiting()[pending]
    with Desk.open(agent.home, agent.approver) as desk:
        digest = desk.plan(item.proposal).digest
        assert digest is not None, item.plan.verdicts
        return decide.approve(desk, item.proposal, None, digest, SEEN)


def test_hermes_restores_what_placet_archived(agent: Agent) -> None:
    """By the name alone, also where an older copy of that name lies in the archive."""
    hermes = agent.hermes()
    for body in ("first", "second"):
        folder = write_skill(agent, "ops/old-tool")
        (folder / "body.md").write_text(body)
        decided(agent, hermes, action="delete", name="old-tool")
    found = []
    for _ in range(2):
        assert hermes.ask("restore_skill", name="old-tool")[0] is True
        found.append((agent.home.skills / "old-tool/body.md").read_text())
        (agent.home.skills / "old-tool").rename(agent.home.path / f"aside-{len(found)}")
    assert found == ["first", "second"]
    assert hermes.ask("restore_skill", name="old-tool")[0] is False


def test_a_restored_skill_is_one_that_hermes_finds_and_counts(agent: Agent) -> None:
    """After an undo the curator sees the skill as it saw it before."""
    hermes = agent.hermes()
    folder = write_skill(agent, "ops/card")
    record = {"card": {"pinned": False, "use_count": 41, "created_by": "agent", "state": "active"}}
    text = json.dumps(record, indent=2, sort_keys=True)
    (agent.home.skills / ".usage.json").write_text(text)
    done = decided(agent, hermes, action="delete", name="card")
    assert hermes.ask("find_skill", name="card") is None
    with Desk.open(agent.home, agent.approver) as desk:
        shown = decide.inverse(desk, done.event)
        assert shown.plan is not None
        decide.undo(desk, shown, shown.plan.digest or "", SEEN)
    assert hermes.ask("find_skill", name="card") == str(folder)
    assert (agent.home.skills / ".usage.json").read_text() == text


def test_further_skill_folders_are_those_that_hermes_searches(
    agent: Agent, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Variables, `~`, relative paths, links, the home's own folder, and what is not there."""
    monkeypatch.setenv("HOME", str(tmp_path))
    for name in ("ext", "rel", "real", "$NOWHERE"):
        (tmp_path / name).mkdir()
        (agent.home.path / name).mkdir()
    (tmp_path / "linked").symlink_to(tmp_path / "real")
    agent.home.skills.mkdir(exist_ok=True)
    listed = [
        *("$HOME/ext", "${HOME}/ext/", "~/rel", "rel", "~/linked", "~/real", "$NOWHERE"),
        *("${NOWHERE}", "skills", str(agent.home.skills), "~/absent", " ~/ext ", "../ext"),
    ]
    (agent.home.path / "config.yaml").write_text(
        f"skills:\n  external_dirs: {json.dumps(listed)}\n"
    )
    ours = [path for path in config.read(agent.home).external_dirs if path.is_dir()]
    assert [str(path) for path in ours] == agent.hermes().ask("external_dirs")
    assert tmp_path / "ext" in ours
