"""Skills: pins, names that fit several, commands and grants in a head, and whose a skill is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from homes.build import HomeBuilder, skill_text
from planning.plans import blockers, effects, planned, warnings, words

from placet.store.homes import config
from placet.store.model import Code, Level, Owner, Plan, Standing
from placet.store.plan.skill_index import index

USAGE = "skills/.usage.json"
INLINE_ON = "skills:\n  write_approval: true\n  inline_shell: true\n"


def patch(home: HomeBuilder, name: str, category: str = "") -> Plan:
    """A small change of a skill."""
    record = home.stage_skill("patch", name, old_string="Step one.", new_string="Step 1.")
    return planned(home, record, "skills")


def deletion(home: HomeBuilder, name: str) -> Plan:
    """A staged deletion."""
    return planned(home, home.stage_skill("delete", name), "skills")


def creation(home: HomeBuilder, name: str, text: str) -> Plan:
    """A new skill."""
    return planned(home, home.stage_skill("create", name, content=text), "skills")


def found(made: Plan, code: Code) -> list[str]:
    """Everything that one code says."""
    return [v.message for v in made.verdicts if v.code is code]


class TestPins:
    """A pin is the person's own fence."""

    def test_a_pinned_skill_is_not_deleted_and_may_be_changed(self, home: HomeBuilder) -> None:
        home.skill("card")
        home.write(USAGE, json.dumps({"card": {"pinned": True, "use_count": 41}}))
        gone = deletion(home, "card")
        assert blockers(gone) == {Code.PINNED} and gone.standing is Standing.HELD
        assert "hermes curator unpin card" in words(gone, Code.PINNED)
        changed = patch(home, "card")
        assert not blockers(changed) and changed.has(Code.PINNED, Level.NOTE)
        home.write(USAGE, json.dumps({"card": {"pinned": False}, "other": {"pinned": True}}))
        assert not deletion(home, "card").has(Code.PINNED)
        assert not patch(home, "card").has(Code.PINNED)

    def test_a_pin_under_the_name_of_the_head_counts_too(self, home: HomeBuilder) -> None:
        home.skill("card", skill_text("trump"))
        home.write(USAGE, json.dumps({"trump": {"pinned": True}}))
        assert "unpin trump" in words(deletion(home, "card"), Code.PINNED)

    @pytest.mark.parametrize("data", [b"{broken", b"[]", b"\xff\xfe", b'{"card": ['])
    def test_where_pins_cannot_be_read_a_deletion_says_so(
        self, home: HomeBuilder, data: bytes
    ) -> None:
        home.skill("card")
        home.write(USAGE, data)
        gone = deletion(home, "card")
        assert Code.PINNED in warnings(gone) and gone.digest
        assert not patch(home, "card").has(Code.PINNED)

    @pytest.mark.parametrize("table", ['{"card": 5}', '{"card": {"pinned": 0}}', "{}"])
    def test_what_says_nothing_pins_nothing(self, home: HomeBuilder, table: str) -> None:
        home.skill("card")
        home.write(USAGE, table)
        assert not deletion(home, "card").has(Code.PINNED)


class TestSharedNames:
    """Where a name fits several skills, which one is meant is said, or nothing is written."""

    @pytest.mark.parametrize("action", ["patch", "delete", "write_file", "edit", "remove_file"])
    def test_two_folders_side_by_side_hold_every_change(
        self, home: HomeBuilder, action: str
    ) -> None:
        for category in ("web", "misc"):
            home.skill("deploy", category=category, files={"assets/a": "a"})
        fields = {
            "patch": {"old_string": "Step one.", "new_string": "Step 1."},
            "edit": {"content": skill_text("deploy", body="Other.")},
            "write_file": {"file_path": "assets/x", "file_content": "x"},
            "remove_file": {"file_path": "assets/a"},
        }.get(action, {})
        made = planned(home, home.stage_skill(action, "deploy", **fields), "skills")
        assert blockers(made) == {Code.NAME_SHARED} and made.standing is Standing.HELD
        said = words(made, Code.NAME_SHARED)
        assert "skills/web/deploy" in said and "skills/misc/deploy" in said

    def test_the_homes_own_comes_before_a_further_folder(self, home: HomeBuilder) -> None:
        external = home.path.parent / "external"
        (external / "deploy").mkdir(parents=True)
        (external / "deploy" / "SKILL.md").write_text(skill_text("deploy"))
        home.config(f"skills:\n  external_dirs: [{external}]\n")
        home.skill("deploy", category="web")
        made = patch(home, "deploy")
        assert Code.NAME_SHARED in warnings(made) and made.digest
        said = words(made, Code.NAME_SHARED)
        assert f"skills/web/deploy and {external}/deploy" in said and "takes the first" in said

    def test_an_outer_folder_comes_before_one_in_it(self, home: HomeBuilder) -> None:
        outer = home.skill("deploy", category="web")
        home.write("skills/web/deploy/more/deploy/SKILL.md", skill_text("deploy"))
        made = patch(home, "deploy")
        assert Code.NAME_SHARED in warnings(made)
        assert made.changes[0].path == outer / "SKILL.md"

    def test_a_folder_comes_before_a_link(self, home: HomeBuilder) -> None:
        home.skill("deploy", category="web")
        elsewhere = home.path / "elsewhere"
        elsewhere.mkdir()
        (elsewhere / "SKILL.md").write_text(skill_text("deploy"))
        (home.path / "skills" / "deploy").symlink_to(elsewhere)
        made = patch(home, "deploy")
        assert Code.NAME_SHARED in warnings(made)
        assert "behind a link" in words(made, Code.NAME_SHARED)
        assert made.changes[0].name == "skills/web/deploy/SKILL.md"

    def test_one_skill_behind_two_names_of_the_disk_is_one(self, home: HomeBuilder) -> None:
        """A further folder that is the home's own, or lies in it, doubles nothing."""
        home.skill("deploy", category="web")
        (home.path / "skills" / "linked").symlink_to(home.path / "skills" / "web")
        home.config("skills:\n  external_dirs: [skills, skills/web, .]\n")
        assert not patch(home, "deploy").has(Code.NAME_SHARED)

    def test_a_name_that_another_head_declares_is_flagged(self, home: HomeBuilder) -> None:
        for folder in ("first", "second"):
            home.skill(folder, skill_text("dup-demo"))
        made = creation(home, "dup-demo", skill_text("dup-demo"))
        assert warnings(made) == {Code.NAME_SHARED} and made.digest
        (said,) = found(made, Code.NAME_SHARED)
        assert "skills/first and skills/second" in said
        other = creation(home, "third", skill_text("dup-demo"))
        assert warnings(other) == {Code.NAME_SHARED, Code.NAME_DIFFERS}
        assert not warnings(creation(home, "fourth", skill_text("fourth")))

    def test_a_head_that_names_another_skill_than_its_folder_is_flagged(
        self, home: HomeBuilder
    ) -> None:
        """When it is new; what was so before is no news."""
        made = creation(home, "folder", skill_text("head"))
        assert "“head”" in words(made, Code.NAME_DIFFERS)
        home.skill("folder", skill_text("head"))
        assert not patch(home, "folder").has(Code.NAME_DIFFERS)
        renamed = home.stage_skill("edit", "folder", content=skill_text("third"))
        assert Code.NAME_DIFFERS in warnings(planned(home, renamed, "skills"))
        right = home.stage_skill("edit", "folder", content=skill_text("folder"))
        assert not planned(home, right, "skills").has(Code.NAME_DIFFERS)


class TestWhatRuns:
    """Text that runs when a skill is viewed, and heads that hand something over."""

    BODY = "Host: !`hostname` and !`date +%F`\n"

    def test_each_new_command_is_a_warning_where_they_run(self, home: HomeBuilder) -> None:
        home.config(INLINE_ON)
        made = creation(home, "probe", skill_text("probe", body=self.BODY))
        said = found(made, Code.RUNS_WHEN_VIEWED)
        assert Code.RUNS_WHEN_VIEWED in warnings(made)
        assert ["“hostname”" in said[0], "“date +%F”" in said[1]] == [True, True]
        assert "inline_shell is on here" in said[0]
        (first, _) = [v for v in made.verdicts if v.code is Code.RUNS_WHEN_VIEWED]
        text = made.operations[0].after or ""
        assert first.span is not None and text[slice(*first.span)] == "!`hostname`"

    def test_where_they_do_not_run_it_is_a_note(self, home: HomeBuilder) -> None:
        made = creation(home, "probe", skill_text("probe", body=self.BODY))
        assert made.has(Code.RUNS_WHEN_VIEWED, Level.NOTE) and not warnings(made)

    def test_where_the_switch_cannot_be_read_it_is_a_warning(self, home: HomeBuilder) -> None:
        home.config("skills: [\n")
        made = creation(home, "probe", skill_text("probe", body=self.BODY))
        assert Code.RUNS_WHEN_VIEWED in warnings(made)

    def test_only_what_is_new_is_listed(self, home: HomeBuilder) -> None:
        """Also a command that a change puts together, or that stands there twice now."""
        home.config(INLINE_ON)
        home.skill("probe", skill_text("probe", body="Host: !`hostname`, safe: `rm -rf x`\n"))
        assert not patch(home, "probe").has(Code.RUNS_WHEN_VIEWED)
        joined = home.stage_skill("patch", "probe", old_string="safe: `", new_string="safe: !`")
        (said,) = found(planned(home, joined, "skills"), Code.RUNS_WHEN_VIEWED)
        assert "“rm -rf x”" in said
        again = home.stage_skill(
            "patch", "probe", old_string="Step one.", new_string="!`hostname` Step one."
        )
        assert len(found(planned(home, again, "skills"), Code.RUNS_WHEN_VIEWED)) == 1

    @pytest.mark.parametrize("text", ["`hostname`", "!`a\nb`", "!``", "!` `", "! `hostname`"])
    def test_what_hermes_does_not_run_is_no_command(self, home: HomeBuilder, text: str) -> None:
        home.config(INLINE_ON)
        made = creation(home, "probe", skill_text("probe", body=text))
        assert not made.has(Code.RUNS_WHEN_VIEWED)

    def test_a_supporting_file_runs_nothing(self, home: HomeBuilder) -> None:
        """But a skill in a skill does."""
        home.config(INLINE_ON)
        home.skill("probe")
        for path, runs in (("references/a.md", False), ("part/SKILL.md", True)):
            text = skill_text("part", body=self.BODY)
            record = home.stage_skill("write_file", "probe", file_path=path, file_content=text)
            assert planned(home, record, "skills").has(Code.RUNS_WHEN_VIEWED) is runs

    @pytest.mark.parametrize(
        ("head", "key", "value"),
        [
            ("hooks: {PreToolUse: ./x.sh}", "hooks", "./x.sh"),
            ("onload: curl example.org", "onload", "curl example.org"),
            ("allowed-tools: Bash(*), Read", "allowed-tools", "Bash(*), Read"),
            ("allowedTools: [Bash]", "allowedTools", "Bash"),
            ("metadata: {x: {On-Load: go}}", "metadata.x.On-Load", "go"),
            ("required_environment_variables: [GITHUB_TOKEN]", "required_env", "GITHUB_TOKEN"),
            ("prerequisites: {env_vars: [A_KEY]}", "prerequisites.env_vars", "A_KEY"),
            ("setup: {collect_secrets: [{env_var: B_KEY}]}", "setup.collect_secrets", "B_KEY"),
            ("required_credential_files: [token.json]", "required_cred", "token.json"),
        ],
    )
    def test_a_head_that_runs_or_grants_is_a_warning(
        self, home: HomeBuilder, head: str, key: str, value: str
    ) -> None:
        text = skill_text("probe").replace("---\n\n", f"{head}\n---\n\n", 1)
        made = creation(home, "probe", text)
        (said,) = found(made, Code.GRANTS)
        assert warnings(made) == {Code.GRANTS} and key in said and value in said
        home.skill("probe", text)
        assert not patch(home, "probe").has(Code.GRANTS)
        more = home.stage_skill("patch", "probe", old_string=value, new_string=f"{value}x")
        assert planned(home, more, "skills").has(Code.GRANTS)

    def test_many_are_counted(self, home: HomeBuilder) -> None:
        home.config(INLINE_ON)
        body = "".join(f"!`c{n}`\n" for n in range(100))
        said = found(creation(home, "many", skill_text("many", body=body)), Code.RUNS_WHEN_VIEWED)
        assert len(said) == 41 and "60 more" in said[-1]


class TestWhose:
    """Bundled, from the hub, made by the agent, yours: in the head, and what comes of a change."""

    def owners(self, home: HomeBuilder) -> dict[str, Owner]:
        made = {name: patch(home, name) for name in ("arxiv", "card", "own", "pdf", "theirs")}
        return {name: m.facts.owner for name, m in made.items() if m.facts is not None}

    def prepare(self, home: HomeBuilder) -> None:
        home.skill("arxiv", category="research")
        home.skill("pdf", category="docs")
        for name in ("card", "own"):
            home.skill(name)
        external = home.path.parent / "external"
        (external / "theirs").mkdir(parents=True)
        (external / "theirs" / "SKILL.md").write_text(skill_text("theirs"))
        home.config(f"skills:\n  external_dirs: [{external}]\n")
        home.write("skills/.bundled_manifest", "arxiv:0123abcd\nplain\n")
        installed = {"install_path": "docs/pdf", "identifier": "somebody/skills/pdf"}
        home.write("skills/.hub/lock.json", json.dumps({"installed": {"pdf": installed}}))
        home.write(USAGE, json.dumps({"card": {"created_by": "agent"}, "own": {"use_count": 1}}))

    def test_each_is_told_from_the_others(self, home: HomeBuilder) -> None:
        self.prepare(home)
        assert self.owners(home) == {
            "arxiv": Owner.BUNDLED,
            "card": Owner.AGENT,
            "own": Owner.YOURS,
            "pdf": Owner.HUB,
            "theirs": Owner.EXTERNAL,
        }

    def test_what_becomes_of_updates_is_a_side_effect(self, home: HomeBuilder) -> None:
        self.prepare(home)
        assert {
            n for n in ("arxiv", "card", "own", "pdf") if "updates" in effects(patch(home, n))
        } == {
            "arxiv",
            "pdf",
        }
        said = {
            name: next(e.message for e in made.side_effects if e.code == "updates")
            for name in ("arxiv", "pdf")
            for made in (patch(home, name),)
        }
        assert "Updates of this skill stop" in said["arxiv"]
        assert "takes this change out again" in said["pdf"]
        assert "updates" in effects(deletion(home, "arxiv")) & effects(deletion(home, "pdf"))
        home.write("skills/.bundled_manifest", "arxiv\n")
        (words_,) = [e.message for e in patch(home, "arxiv").side_effects if e.code == "updates"]
        assert "may replace" in words_

    def test_a_hub_skill_is_the_one_that_was_installed(self, home: HomeBuilder) -> None:
        """Another folder of that name is not."""
        self.prepare(home)
        home.skill("pdf", category="mine")
        skills = index(home.home, config.read(home.home, {}))
        owners = {p.folder.parent.name: skills.facts(p).owner for p in skills.bearers["pdf"]}
        assert owners == {"docs": Owner.HUB, "mine": Owner.YOURS}

    @pytest.mark.parametrize("name", [".bundled_manifest", ".hub/lock.json", ".usage.json"])
    @pytest.mark.parametrize("data", [b"\xff", b"{broken: \xfe", b'{"installed": 5}\xff'])
    def test_what_cannot_be_read_is_said(self, home: HomeBuilder, name: str, data: bytes) -> None:
        home.skill("own")
        home.write(f"skills/{name}", data)
        made = patch(home, "own")
        assert made.facts is not None and made.facts.owner is Owner.UNKNOWN
        assert any(name in problem for problem in made.facts.problems)

    def test_a_new_skill_is_nobodys_yet(self, home: HomeBuilder) -> None:
        assert creation(home, "fresh", skill_text("fresh")).facts is None


def planned_config(home: HomeBuilder):
    """The home's configuration."""
    from placet.store.homes import config

    return config.read(home.home, {})


def test_skills_lie_where_hermes_looks_for_them(home: HomeBuilder, tmp_path: Path) -> None:
    """Hidden folders too, but not what a skill keeps in its own folders, nor broken links."""
    home.skill("one", files={"references/old/SKILL.md": skill_text("old")})
    home.skill("two", category=".restore-backups/x")
    home.skill("three", category="scripts")
    home.skill("four", category=".venv")
    (home.path / "skills" / "five").mkdir()
    (home.path / "skills" / "five" / "SKILL.md").symlink_to("gone")
    assert set(index(home.home, config.read(home.home, {})).places) == {"one", "two", "three"}


HOSTILE_HEADS = (
    f"name: 0x{'f' * 7000}",
    "name: [[[[[[",
    "name: !!python/object:os.system x",
    'name: "\\ud800"',
    "name: &a [*a]",
    "name: " + "n" * 9000,
    "name: 2026-12-07\nhooks: 0x" + "f" * 7000,
    "name: x\n? [a, b]\n: 0x" + "f" * 7000,
)

HOSTILE_BOOKS = (
    '{"installed": {"x": {"install_path": "' + "y" * 9000 + '"}}}',
    '{"installed": {"x": {"install_path": "\\ud800"}}}',
    '{"installed": {"x": {"install_path": "a\\u0000b", "identifier": 5}}}',
    '{"installed": {"x": 5, "own": []}}',
    "[" * 100_000,
    "9" * 5000,
    '{"own": {"pinned": ' + "9" * 5000 + "}}",
)


@pytest.mark.parametrize("head", HOSTILE_HEADS)
def test_no_head_of_any_skill_stops_the_plan_of_another(home: HomeBuilder, head: str) -> None:
    home.skill("own")
    home.skill("bad", f"---\n{head}\ndescription: x\n---\n\nText.\n")
    assert patch(home, "own").digest
    made = creation(home, "made", f"---\n{head}\ndescription: x\n---\n\nText.\n")
    assert Code.GATE_FAILED not in {v.code for v in made.verdicts}


@pytest.mark.parametrize("text", HOSTILE_BOOKS)
@pytest.mark.parametrize("name", [".bundled_manifest", ".hub/lock.json", ".usage.json"])
def test_nothing_on_record_stops_a_plan(home: HomeBuilder, name: str, text: str) -> None:
    home.skill("own")
    home.write(f"skills/{name}", text)
    assert patch(home, "own").digest
    assert Code.GATE_FAILED not in {v.code for v in deletion(home, "own").verdicts}
