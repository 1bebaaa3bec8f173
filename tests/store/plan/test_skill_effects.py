"""What operations do to the files of a skill."""

from __future__ import annotations

import os

import pytest
from homes.build import HomeBuilder, skill_text
from planning.plans import after, blockers, effects, planned, replan, warnings, words

from placet.store.model import Choice, Code, Effort, Standing, Target, TargetKind, effort_of
from placet.store.plan import inverse

MAIN = "skills/s1/SKILL.md"


def test_create_makes_one_private_file_and_a_usage_record(home: HomeBuilder) -> None:
    """D7: bookkeeping as Hermes does ungated: what the review makes, the curator may manage."""
    text = skill_text("deploy-notes")
    record = home.stage_skill("create", "deploy-notes", content=text, category="ops")
    made = planned(home, record, "skills")
    assert after(made, "skills/ops/deploy-notes/SKILL.md") == text.encode()
    assert made.changes[0].mode == 0o600
    assert made.bookkeeping is not None
    assert (made.bookkeeping.step, made.bookkeeping.by_agent) == ("created", True)
    assert "usage-record" in effects(made)
    assert made.standing is Standing.READY
    other = home.stage_skill("create", "x2", content=skill_text("x2"), origin="assistant_tool")
    plan = planned(home, other, "skills")
    assert plan.bookkeeping is not None
    assert plan.bookkeeping.by_agent is False


def test_usage_is_never_among_the_changes_nor_in_the_digest(home: HomeBuilder) -> None:
    """Design §5: Hermes rewrites `.usage.json` on every view of a skill."""
    home.skill("s1")
    record = home.stage_skill("patch", "s1", old_string="Step one.", new_string="Step 1.")
    before = planned(home, record, "skills")
    home.write("skills/.usage.json", "{}")
    assert planned(home, record, "skills").digest == before.digest
    assert all(".usage" not in change.name for change in before.changes)
    home.write(MAIN, skill_text("s1") + "More.\n")
    assert planned(home, record, "skills").digest != before.digest


def test_a_patch_applies_where_its_text_is_found_exactly_once(home: HomeBuilder) -> None:
    """D7: nothing is guessed."""
    home.skill("s1")
    record = home.stage_skill("patch", "s1", old_string="Step one.", new_string="Step 1.")
    made = planned(home, record, "skills")
    assert after(made, MAIN) == skill_text("s1").replace("Step one.", "Step 1.").encode()
    home.write(MAIN, skill_text("s1") + "Step one.\n")
    twice = planned(home, record, "skills")
    assert blockers(twice) == {Code.ANCHOR_AMBIGUOUS}
    every = home.stage_skill(
        "patch", "s1", old_string="Step one.", new_string="Step 1.", replace_all=True
    )
    text = (after(planned(home, every, "skills"), MAIN) or b"").decode()
    assert text.count("Step 1.") == 2


def test_overlapping_places_are_two_places(home: HomeBuilder) -> None:
    """D7: `aa` is in `aaa` twice, which a plain count would miss."""
    home.skill("s1", skill_text("s1") + "aaa\n")
    record = home.stage_skill("patch", "s1", old_string="aa", new_string="b")
    assert blockers(planned(home, record, "skills")) == {Code.ANCHOR_AMBIGUOUS}
    whole = home.stage_skill("patch", "s1", old_string="aaa", new_string="b")
    assert not blockers(planned(home, whole, "skills"))


def test_a_stale_patch_is_dead_with_the_closest_text(home: HomeBuilder) -> None:
    """Field report 4, D7: other white space is not the same text; it is shown, not guessed."""
    home.skill("s1", skill_text("s1") + "Always run the lint before a push.\n")
    record = home.stage_skill("patch", "s1", old_string="run  the  lint", new_string="run ruff")
    made = planned(home, record, "skills")
    assert blockers(made) == {Code.ANCHOR_MISSING}
    assert made.standing is Standing.DEAD
    assert made.changes == ()
    assert "run the lint" in words(made, Code.ANCHOR_MISSING)


def test_an_empty_change_is_never_approvable(home: HomeBuilder) -> None:
    """Field report 4: before == after has no approve key."""
    home.skill("s1")
    same = home.stage_skill("patch", "s1", old_string="Step one.", new_string="Step one.")
    assert blockers(planned(home, same, "skills")) == {Code.NO_CHANGE}
    edit = home.stage_skill("edit", "s1", content=skill_text("s1"))
    assert blockers(planned(home, edit, "skills")) == {Code.NO_CHANGE}
    other = home.stage_skill("edit", "s1", content=skill_text("s1", body="Other."))
    assert not blockers(planned(home, other, "skills"))


def test_a_patch_of_a_crlf_file_says_that_line_ends_change(home: HomeBuilder) -> None:
    """K04 for skills: read with universal newlines, written with LF."""
    home.skill("s1", skill_text("s1").replace("\n", "\r\n"))
    record = home.stage_skill("patch", "s1", old_string="Step one.\n", new_string="Step 1.\n")
    made = planned(home, record, "skills")
    assert b"\r" not in (after(made, MAIN) or b"")
    assert "line-endings" in effects(made)
    home.skill("s1")
    assert "line-endings" not in effects(planned(home, record, "skills"))


def test_a_patch_that_breaks_the_head_is_dead(home: HomeBuilder) -> None:
    """D7: frontmatter-broken."""
    home.skill("s1")
    old = "description: Neutral test skill.\n"
    broken = home.stage_skill("patch", "s1", old_string=old, new_string="")
    assert blockers(planned(home, broken, "skills")) == {Code.FRONTMATTER_BROKEN}
    fine = home.stage_skill("patch", "s1", old_string=old, new_string="description: Other.\n")
    assert not blockers(planned(home, fine, "skills"))


def test_a_patch_may_delete_text_of_a_supporting_file(home: HomeBuilder) -> None:
    """An empty new text removes what it finds; no head is asked of a supporting file."""
    home.skill("s1", files={"references/notes.md": "alpha\nbeta\n"})
    record = home.stage_skill(
        "patch", "s1", file_path="references/notes.md", old_string="alpha\n", new_string=""
    )
    made = planned(home, record, "skills")
    assert after(made, "skills/s1/references/notes.md") == b"beta\n"
    missing = home.stage_skill(
        "patch", "s1", file_path="references/gone.md", old_string="alpha\n", new_string=""
    )
    assert blockers(planned(home, missing, "skills")) == {Code.MISSING_TARGET}


@pytest.mark.parametrize(
    ("name", "fields", "code"),
    [
        ("s1", {"content": skill_text("s1")}, Code.NAME_TAKEN),
        ("../evil", {"content": skill_text("evil")}, Code.PATH_REFUSED),
        ("x1", {"content": skill_text("x1"), "category": "../up"}, Code.PATH_REFUSED),
        ("x1", {"content": "just text"}, Code.FRONTMATTER_BROKEN),
        ("x1", {"content": skill_text("x1", body="y" * 100_000)}, Code.TOO_LARGE),
    ],
)
def test_a_create_that_hermes_would_refuse_is_dead(
    home: HomeBuilder, name: str, fields: dict[str, str], code: Code
) -> None:
    """D7: name-taken, path-refused, frontmatter-broken, too-large."""
    home.skill("s1")
    made = planned(home, home.stage_skill("create", name, **fields), "skills")
    assert blockers(made) == {code}
    assert made.standing is Standing.DEAD
    assert not blockers(
        planned(home, home.stage_skill("create", "x1", content=skill_text("x1")), "skills")
    )


def test_exactly_100_000_characters_fit(home: HomeBuilder) -> None:
    """D7: the limit counts characters and is inclusive."""
    head = skill_text("big1", body="B")
    text = head + "é" * (100_000 - len(head))
    fits = planned(home, home.stage_skill("create", "big1", content=text), "skills")
    assert not blockers(fits)
    over = planned(home, home.stage_skill("create", "big1", content=text + "x"), "skills")
    assert blockers(over) == {Code.TOO_LARGE}


@pytest.mark.parametrize(
    "path",
    [
        "references/../../../x.md",
        "extra/outside.md",
        "/etc/passwd",
        "references/a\nb.md",
        ".hidden",
    ],
)
def test_paths_that_leave_the_allowed_folders_are_refused(home: HomeBuilder, path: str) -> None:
    """D7: path-refused; nothing is read at such a path either."""
    home.skill("s1")
    record = home.stage_skill("write_file", "s1", file_path=path, file_content="x")
    assert blockers(planned(home, record, "skills")) == {Code.PATH_REFUSED}
    fine = home.stage_skill("write_file", "s1", file_path="references/x.md", file_content="x")
    made = planned(home, fine, "skills")
    assert after(made, "skills/s1/references/x.md") == b"x"


def test_a_link_out_of_the_skill_is_refused(home: HomeBuilder) -> None:
    """D7, field report 55: a path inside that leads outside is left alone."""
    folder = home.skill("s1")
    home.write("elsewhere/x.md", "secret")
    (folder / "references").symlink_to(home.path / "elsewhere")
    record = home.stage_skill("write_file", "s1", file_path="references/x.md", file_content="x")
    assert blockers(planned(home, record, "skills")) == {Code.PATH_REFUSED}


def test_remove_file_takes_one_file(home: HomeBuilder) -> None:
    """D7: and never SKILL.md by itself."""
    home.skill("s1", files={"references/notes.md": "alpha\n"})
    record = home.stage_skill("remove_file", "s1", file_path="references/notes.md")
    made = planned(home, record, "skills")
    assert after(made, "skills/s1/references/notes.md") is None
    assert made.operations[0].before == "alpha\n"
    assert Code.HIGH_IMPACT in warnings(made)
    gone = home.stage_skill("remove_file", "s1", file_path="references/gone.md")
    assert blockers(planned(home, gone, "skills")) == {Code.MISSING_TARGET}
    main = home.stage_skill("remove_file", "s1", file_path="SKILL.md")
    assert blockers(planned(home, main, "skills")) == {Code.PATH_REFUSED}


def test_delete_shows_every_file_and_where_it_goes(home: HomeBuilder) -> None:
    """Design §5: every file as removed, its destination `.archive/`, binary files too."""
    folder = home.skill("s1", files={"assets/logo.png": b"\x89PNG\xff", "references/a.md": "a"})
    (folder / "references" / "link.md").symlink_to("/etc/hosts")
    made = planned(home, home.stage_skill("delete", "s1"), "skills")
    assert made.removes == folder
    assert [change.name for change in made.changes] == [
        "skills/s1/SKILL.md",
        "skills/s1/assets/logo.png",
        "skills/s1/references/a.md",
    ]
    assert {change.destination for change in made.changes} == {".archive/"}
    assert made.changes[1].before == b"\x89PNG\xff"
    assert {"archived", "links-moved"} <= effects(made)
    assert effort_of(made) is Effort.TYPED_TARGET
    assert made.bookkeeping is not None
    assert made.bookkeeping.step == "dropped"


@pytest.mark.parametrize(("heir", "dead"), [("s2", False), ("", False), ("s1", True), ("no", True)])
def test_the_heir_of_a_deleted_skill_has_to_exist(home: HomeBuilder, heir: str, dead: bool) -> None:
    """D7: bad-absorbed-into names a missing skill or the deleted one itself."""
    home.skill("s1")
    home.skill("s2", category="ops")
    made = planned(home, home.stage_skill("delete", "s1", absorbed_into=heir), "skills")
    assert (blockers(made) == {Code.BAD_ABSORBED_INTO}) is dead
    assert bool(made.digest) is not dead


@pytest.mark.parametrize("action", ["edit", "delete", "write_file", "remove_file", "patch"])
def test_a_skill_that_is_not_there_is_a_missing_target(home: HomeBuilder, action: str) -> None:
    """D7: missing-target."""
    fields = {
        "edit": {"content": skill_text("no")},
        "write_file": {"file_path": "references/x.md", "file_content": "x"},
        "remove_file": {"file_path": "references/x.md"},
        "patch": {"old_string": "a", "new_string": "b"},
        "delete": {},
    }[action]
    made = planned(home, home.stage_skill(action, "no", **fields), "skills")
    assert blockers(made) == {Code.MISSING_TARGET}


def test_a_linked_skill_is_found_and_shown_and_stays_untouched_outside(home: HomeBuilder) -> None:
    """Field report 5, D7: the true text is shown; outside the home nothing is changed."""
    shared = home.path.parent / "shared" / "backup"
    home.skill("s1")
    shared.mkdir(parents=True)
    (shared / "SKILL.md").write_text(skill_text("backup"))
    (home.path / "skills" / "backup").symlink_to(shared)
    record = home.stage_skill("patch", "backup", old_string="Step one.", new_string="Step 1.")
    made = planned(home, record, "skills")
    assert blockers(made) == {Code.OUTSIDE_HOME}
    assert made.standing is Standing.HELD
    assert str(shared) in words(made, Code.OUTSIDE_HOME)
    assert made.operations[0].before == skill_text("backup")
    inside = home.path / "skills" / "again"
    inside.symlink_to(home.path / "skills" / "s1")
    again = home.stage_skill("patch", "again", old_string="Step one.", new_string="Step 1.")
    plan = planned(home, again, "skills")
    assert not blockers(plan)
    assert "link" in effects(plan)


def test_external_skills_are_shown_and_never_changed(home: HomeBuilder) -> None:
    """D7: a skill of an external root."""
    external = home.path.parent / "external"
    (external / "far").mkdir(parents=True)
    (external / "far" / "SKILL.md").write_text(skill_text("far"))
    home.config(f"skills:\n  external_dirs: [{external}]\n")
    record = home.stage_skill("patch", "far", old_string="Step one.", new_string="Step 1.")
    made = planned(home, record, "skills")
    assert blockers(made) == {Code.OUTSIDE_HOME}
    assert made.operations[0].after is not None
    home.skill("far")
    assert not blockers(planned(home, record, "skills")), "the home's own skill comes first"


def test_overwriting_a_binary_file_is_said(home: HomeBuilder) -> None:
    """Design §5: the sides are bytes."""
    home.skill("s1", files={"assets/x.bin": b"\xff\x00\xfe"})
    record = home.stage_skill("write_file", "s1", file_path="assets/x.bin", file_content="text")
    made = planned(home, record, "skills")
    assert made.changes[0].before == b"\xff\x00\xfe"
    assert "binary-replaced" in effects(made)
    patch = home.stage_skill(
        "patch", "s1", file_path="assets/x.bin", old_string="a", new_string="b"
    )
    assert blockers(planned(home, patch, "skills")) == {Code.UNREADABLE}


def test_a_rewrite_that_keeps_little_is_marked(home: HomeBuilder) -> None:
    """Field report 1 for whole files; design §5: a skill file is one entry."""
    home.skill("s1", skill_text("s1", body="Many words stand here. " * 40))
    made = planned(
        home, home.stage_skill("edit", "s1", content=skill_text("s1", body="Short.")), "skills"
    )
    assert {Code.KEEPS_UNDER_HALF, Code.HIGH_IMPACT} <= warnings(made)
    kept = skill_text("s1", body="Many words stand here. " * 41)
    more = planned(home, home.stage_skill("edit", "s1", content=kept), "skills")
    assert not {Code.KEEPS_UNDER_HALF, Code.HIGH_IMPACT} & warnings(more)


def test_an_edit_of_a_patch_replaces_its_new_text(home: HomeBuilder) -> None:
    """Q07 for skills."""
    home.skill("s1")
    record = home.stage_skill("patch", "s1", old_string="Step one.", new_string="Step 1.")
    made = planned(home, record, "skills", choice=Choice(edited=((1, "Step I."),)))
    assert b"Step I." in (after(made, MAIN) or b"")
    assert made.operations[0].proposed == "Step 1."


def test_files_of_a_deleted_skill_can_be_put_back(home: HomeBuilder) -> None:
    """Q10 for skills: also files outside the folders that Hermes allows."""
    target = Target(TargetKind.SKILL, "s9")
    files = [("SKILL.md", skill_text("s9").encode(), None), ("README.md", b"\xff", 0o644)]
    made = replan(home, inverse.restore(home.home, target, files, category="ops"))
    assert after(made, "skills/ops/s9/README.md") == b"\xff"
    assert made.bookkeeping is not None
    assert made.bookkeeping.step == "created"
    assert not blockers(made)
    up = inverse.restore(home.home, target, [("../../x", b"x", None)])
    assert blockers(replan(home, up))


def test_a_deleted_folder_is_put_back_under_any_category(home: HomeBuilder) -> None:
    """Q10: a folder that a person named is no name that Hermes would give, and still comes back."""
    target = Target(TargetKind.SKILL, "My Skill")
    files = [("SKILL.md", skill_text("x").encode(), None)]
    made = replan(home, inverse.restore(home.home, target, files, category="My Notes"))
    assert after(made, "skills/My Notes/My Skill/SKILL.md") == files[0][1]
    up = inverse.restore(home.home, target, files, category="../up")
    assert blockers(replan(home, up))


def test_a_hard_linked_file_moves_along_with_its_folder(home: HomeBuilder) -> None:
    """K08: moving a folder parts no names; replacing the file would."""
    folder = home.skill("s1")
    os.link(folder / "SKILL.md", home.path / "second-name")
    assert not blockers(planned(home, home.stage_skill("delete", "s1"), "skills"))
    patch = home.stage_skill("patch", "s1", old_string="Step one.", new_string="Step 1.")
    assert blockers(planned(home, patch, "skills")) == {Code.UNSAFE_FILE}
