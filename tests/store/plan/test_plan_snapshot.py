"""Reading the files behind a proposal, and finding skills."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from homes.build import HomeBuilder, skill_text
from planning.plans import proposal_of, snapshot_of

from placet.store.homes import config
from placet.store.model import FileKind, HomeConfig, SkillPlace
from placet.store.plan.skill_index import index


def _index(home: HomeBuilder) -> Mapping[str, SkillPlace]:
    return index(home.home, config.read(home.home, {})).places


def test_skills_are_found_at_any_depth_and_not_in_skipped_folders(home: HomeBuilder) -> None:
    """format.md §2.3: a folder of that name that holds a SKILL.md."""
    home.skill("one")
    home.skill("two", category="ops/deep")
    home.skill("hidden", category=".archive")
    home.skill("tool", category="node_modules")
    (home.path / "skills" / "empty").mkdir()
    assert set(_index(home)) == {"one", "two"}


def test_a_real_folder_comes_before_a_link_of_the_same_name(home: HomeBuilder) -> None:
    """Hermes does not see the link, so the folder is the skill it means."""
    home.skill("one", category="zz")
    elsewhere = home.path.parent / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "SKILL.md").write_text(skill_text("one"))
    (home.path / "skills" / "one").symlink_to(elsewhere)
    place = _index(home)["one"]
    assert place.folder.parent.name == "zz"
    assert not place.linked


def test_a_link_to_everything_is_not_walked(home: HomeBuilder, tmp_path: Path) -> None:
    """A link to a large tree, or back into its own, must not send the search through it."""
    deep = tmp_path / "tree" / "a" / "b" / "c"
    deep.mkdir(parents=True)
    (deep / "SKILL.md").write_text(skill_text("c"))
    (tmp_path / "tree" / "near").mkdir()
    (tmp_path / "tree" / "near" / "SKILL.md").write_text(skill_text("near"))
    home.skill("one")
    (home.path / "skills" / "tree").symlink_to(tmp_path / "tree")
    (home.path / "skills" / "loop").symlink_to(home.path / "skills")
    places = _index(home)
    assert set(places) == {"one", "near"}
    assert places["near"].linked
    assert not places["one"].linked


def test_nothing_raises_and_nothing_is_made(home: HomeBuilder) -> None:
    """Design §3: reading leaves no file behind; a home without folders is a home."""
    before = home.tree()
    config_ = HomeConfig(external_dirs=(Path("/nonexistent"),))
    assert index(home.home, config_).places == {}
    proposal = proposal_of(home, home.stage_add("x"))
    home.record_path(proposal.id).unlink()
    state = snapshot_of(home, proposal).files[""]
    assert state.kind is FileKind.ABSENT
    assert state.parent is None
    os.rmdir(home.path / "pending" / "memory")
    os.rmdir(home.path / "pending")
    assert home.tree() == before


def test_a_path_that_is_not_allowed_is_never_read(home: HomeBuilder) -> None:
    """Field report 55: what a record names is checked before it is used as a path."""
    home.skill("s1")
    home.write("secret.md", "secret")
    record = home.stage_skill("write_file", "s1", file_path="../../secret.md", file_content="x")
    proposal = proposal_of(home, record, "skills")
    assert set(snapshot_of(home, proposal).files) == {"SKILL.md"}
    fine = home.stage_skill("write_file", "s1", file_path="assets/a.md", file_content="x")
    assert set(snapshot_of(home, proposal_of(home, fine, "skills")).files) == {
        "SKILL.md",
        "assets/a.md",
    }
    bad = home.stage_skill("create", "..", content=skill_text("x"))
    assert not snapshot_of(home, proposal_of(home, bad, "skills")).files
