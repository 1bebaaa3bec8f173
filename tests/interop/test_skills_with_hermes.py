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
from placet.store.model import Code, Done, Level, Owner, Sight, Standing
from placet.store.plan.skill_index import index

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


def test_a_pin_that_hermes_set_stops_the_deletion_here_as_there(agent: Agent) -> None:
    """Both refuse to delete, both allow changes, and both allow all once the pin is off."""
    hermes = agent.hermes()
    write_skill(agent, "card")
    hermes.ask("set_pinned", name="card", pinned=True)
    gone = stage(hermes, action="delete", name="card")
    plan = agent.plan(gone)
    assert plan.standing is Standing.HELD and [v.code for v in plan.blockers] == [Code.PINNED]
    refused = hermes.ask("approve_skill", pending=gone)
    assert not refused["success"] and "hermes curator unpin card" in refused["error"]
    assert "hermes curator unpin card" in plan.blockers[0].message
    fine = stage(hermes, action="patch", name="card", old_string="Step one.", new_string="Step 1.")
    assert agent.plan(fine).digest and hermes.ask("approve_skill", pending=fine)["success"]
    hermes.ask("set_pinned", name="card", pinned=False)
    assert agent.plan(gone).digest


def test_skills_are_found_where_hermes_finds_them(agent: Agent, tmp_path: Path) -> None:
    """At any depth, in hidden folders, not in a skill's own folders; the first of a name."""
    external = tmp_path / "external"
    (agent.home.path / "config.yaml").write_text(f"skills:\n  external_dirs: ['{external}']\n")
    paths = {
        *("one", "ops/deep/two", ".restore-backups/three", "scripts/four", "one/part/five"),
        *("one/references/six", "one/scripts/x/seven", ".venv/eight", "node_modules/nine"),
        *(".archive/ten", ".hub/eleven", "a/twice", "twice/inner/x", "a/twice/b/twice"),
    }
    for path in sorted(paths):
        write_skill(agent, path)
    for name in ("far", "one"):
        (external / name).mkdir(parents=True)
        (external / name / "SKILL.md").write_text(SKILL.format(name=name))
    (agent.home.skills / "linked").symlink_to(external / "far")
    (agent.home.skills / "broken").mkdir()
    (agent.home.skills / "broken/SKILL.md").symlink_to("gone")
    found = index(agent.home, config.read(agent.home)).places
    hermes = agent.hermes()
    for name in sorted({Path(path).name for path in paths} | {"far", "broken", "x", "references"}):
        there = hermes.ask("find_skill", name=name)
        assert (str(found[name].folder) if name in found else None) == there, name
    assert found["linked"].linked and hermes.ask("find_skill", name="linked") is None


def test_where_hermes_refuses_to_view_a_name_it_is_flagged(agent: Agent) -> None:
    """Two folders side by side hold a change; a name that two heads declare is a warning."""
    hermes = agent.hermes()
    for path in ("web/deploy", "misc/deploy"):
        write_skill(agent, path)
    assert "mbiguous" in hermes.ask("view_skill", name="deploy")["answer"]["error"]
    pending = stage(
        hermes, action="patch", name="deploy", old_string="Step one.", new_string="Step 1."
    )
    plan = agent.plan(pending)
    assert plan.standing is Standing.HELD and plan.has(Code.NAME_SHARED)
    for path in ("first", "second"):
        write_skill(agent, path, "dup-demo")
    made = stage(hermes, action="create", name="dup-demo", content=SKILL.format(name="dup-demo"))
    assert agent.plan(made).has(Code.NAME_SHARED, Level.WARNING)
    assert hermes.ask("approve_skill", pending=made)["success"]
    assert "mbiguous" in hermes.ask("view_skill", name="dup-demo")["answer"]["error"]


@pytest.mark.parametrize(
    "value", ["true", "false", "'false'", "1", "0", "''", "'${HOME}'", "[]", "~", "off"]
)
def test_commands_run_where_placet_says_so(agent: Agent, value: str) -> None:
    """Each command that placet lists, and no other text, is run when Hermes views the skill."""
    text = f"skills:\n  write_approval: true\n  inline_shell: {value}\n"
    (agent.home.path / "config.yaml").write_text(text)
    body = (
        "A !`echo one-$((1+1))` B !` echo two-$((1+1)) ` C `echo three-$((1+1))`\n"
        "D !`echo\nfour-$((1+1))` E !`` F !` ` G !!`echo five-$((1+1))`\r\n!`echo six-$((1+1))`\n"
    )
    hermes = agent.hermes()
    pending = stage(
        hermes, action="create", name="probe", content=SKILL.format(name="probe") + body
    )
    listed = [v for v in agent.plan(pending).verdicts if v.code is Code.RUNS_WHEN_VIEWED]
    on = bool(config.read(agent.home).inline_shell)
    assert {v.level for v in listed} == {Level.WARNING if on else Level.NOTE}
    assert hermes.ask("approve_skill", pending=pending)["success"]
    seen = hermes.ask("view_skill", name="probe")["answer"]["content"]
    ran = [word for word in ("one", "two", "three", "four", "five", "six") if f"{word}-2" in seen]
    told = [
        w for w in ("one", "two", "three", "four", "five", "six") for v in listed if w in v.message
    ]
    assert ran == (told if on else [])
    assert told == ["one", "two", "five", "six"]


def test_what_a_head_grants_is_granted_by_viewing(agent: Agent) -> None:
    """Variables and files that Hermes passes on are those that placet names."""
    (agent.home.path / "token.json").write_text("{}")
    (agent.home.path / ".env").write_text("FIRST_PROBE=1\nSECOND_PROBE=1\nTHIRD_PROBE=1\n")
    head = (
        "required_environment_variables: [FIRST_PROBE]\nprerequisites: {env_vars: [SECOND_PROBE]}\n"
        "setup: {collect_secrets: [{env_var: THIRD_PROBE, prompt: x}]}\n"
        "required_credential_files: [token.json]\nallowed-tools: Bash\nhooks: {on: touch ran}\n"
    )
    text = SKILL.format(name="probe").replace("---\n\n", f"{head}---\n\n", 1)
    hermes = agent.hermes()
    pending = stage(hermes, action="create", name="probe", content=text)
    said = " ".join(v.message for v in agent.plan(pending).verdicts if v.code is Code.GRANTS)
    names = ("FIRST_PROBE", "SECOND_PROBE", "THIRD_PROBE", "token.json", "Bash", "touch ran")
    assert all(name in said for name in names)
    assert hermes.ask("approve_skill", pending=pending)["success"]
    seen = hermes.ask("view_skill", name="probe")
    assert {"FIRST_PROBE", "SECOND_PROBE", "THIRD_PROBE"} <= set(seen["variables"])
    assert seen["files"] == [str(agent.home.path / "token.json")]
    assert not list(agent.home.path.rglob("ran"))


def test_updates_of_a_bundled_skill_stop_after_a_change(agent: Agent, tmp_path: Path) -> None:
    """What was changed or deleted stays as it is; what was not is brought up to date."""
    bundle = tmp_path / "bundle"
    for name in ("arxiv", "other", "third"):
        (bundle / "lab" / name).mkdir(parents=True)
        (bundle / "lab" / name / "SKILL.md").write_text(SKILL.format(name=name))
    hermes = agent.hermes(HERMES_BUNDLED_SKILLS=str(bundle))
    assert sorted(hermes.ask("sync_bundled")["copied"]) == ["arxiv", "other", "third"]
    assert hermes.ask("provenance", name="arxiv") == "bundled"
    pending = stage(
        hermes, action="patch", name="arxiv", old_string="Step one.", new_string="Step 1."
    )
    plan = agent.plan(pending)
    assert plan.facts is not None and plan.facts.owner is Owner.BUNDLED
    assert any("Updates of this skill stop" in effect.message for effect in plan.side_effects)
    decided(agent, hermes, action="delete", name="third")
    with Desk.open(agent.home, agent.approver) as desk:
        item = agent.waiting()[pending]
        decide.approve(desk, item.proposal, None, desk.plan(item.proposal).digest or "", SEEN)
    for name in ("arxiv", "other", "third"):
        path = bundle / "lab" / name / "SKILL.md"
        path.write_text(path.read_text() + "Newer.\n")
    synced = hermes.ask("sync_bundled")
    assert (synced["user_modified"], synced["updated"]) == (["arxiv"], ["other"])
    assert hermes.ask("find_skill", name="third") is None


def test_a_change_of_a_hub_skill_lasts_until_its_next_update(agent: Agent) -> None:
    """Hermes takes no notice of the change: a new version is offered, and replaces all."""
    hermes = agent.hermes()
    text = SKILL.format(name="pdf")
    hermes.ask("hub_install", name="pdf", text=text)
    assert hermes.ask("provenance", name="pdf") == "hub"
    pending = stage(
        hermes, action="patch", name="pdf", old_string="Step one.", new_string="Step 1."
    )
    plan = agent.plan(pending)
    assert plan.facts is not None and (plan.facts.owner, plan.facts.source) == (
        Owner.HUB,
        "somebody/pdf",
    )
    assert any("takes this change out again" in effect.message for effect in plan.side_effects)
    with Desk.open(agent.home, agent.approver) as desk:
        item = agent.waiting()[pending]
        decide.approve(desk, item.proposal, None, desk.plan(item.proposal).digest or "", SEEN)
    newer = text + "Newer.\n"
    assert hermes.ask("hub_status", name="pdf", text=text) == ["up_to_date"]
    assert hermes.ask("hub_status", name="pdf", text=newer) == ["update_available"]
    hermes.ask("hub_install", name="pdf", text=newer)
    assert (agent.home.skills / "pdf/SKILL.md").read_text() == newer
    decided(agent, hermes, action="delete", name="pdf")
    assert hermes.ask("hub_status", name="pdf", text=newer + "2\n") == ["update_available"]
