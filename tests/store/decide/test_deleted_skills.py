"""A deleted skill: what goes with it, where it goes, and what its undo brings back."""

from __future__ import annotations

import json
import os
import re
import stat
from pathlib import Path
from typing import Any

import pytest
from deciding.office import SIGHT, Office
from homes.build import skill_text

from placet.store.decide.undo import inverse, undo
from placet.store.disk import read
from placet.store.ledger import audit, kept
from placet.store.model import Done, FileKind, Subsystem

SKILLS = Subsystem.SKILLS
RECORD = {"pinned": False, "use_count": 41, "created_by": "agent", "state": "stale", "x": None}


def deleted(office: Office, name: str = "card", **fields: Any) -> Done:
    """A staged deletion, approved as shown."""
    return office.approve(office.home.stage_skill("delete", name, **fields), subsystem=SKILLS)


def back(office: Office, seq: int) -> Done:
    """An undo, carried out as shown."""
    made = inverse(office.desk, seq)
    seen = made.plan.digest if made.plan else ""
    return undo(office.desk, made, seen or "", SIGHT)


def everything(folder: Path) -> dict[str, Any]:
    """Kind, permissions, attributes and content of all that is in a folder, empty folders too."""
    return {path.relative_to(folder).as_posix(): _one(path) for path in folder.rglob("*")}


def _one(path: Path) -> tuple[Any, ...]:
    if path.is_symlink():
        return ("link", str(path.readlink()))
    mode = stat.S_IMODE(path.stat().st_mode)
    return (mode, _attributes(path), path.read_bytes() if path.is_file() else None)


def _attributes(path: Path) -> dict[str, bytes]:
    return {name: os.getxattr(path, name) for name in os.listxattr(path)}


def rich_skill(office: Office, category: str = "ops") -> Path:
    """A skill with a script, an empty folder, links and an attribute."""
    files = {"scripts/run.sh": "#!/bin/sh\n", "references/a.md": "kept\n", ".env": "A=1\n"}
    folder = office.home.skill("card", category=category, files=files)
    (folder / "scripts/run.sh").chmod(0o755)
    (folder / "SKILL.md").chmod(0o640)
    (folder / "templates/empty").mkdir(parents=True)
    (folder / "references/hosts").symlink_to("/etc/hosts")
    (folder / "references/nowhere").symlink_to("gone")
    (folder / "assets").symlink_to("references")
    try:
        os.setxattr(folder / "references/a.md", "user.placet.test", b"kept")
    except OSError:
        pass  # this file system has none
    return folder


def test_a_deleted_skill_comes_back_with_everything_that_was_in_it(office: Office) -> None:
    """Permissions, empty folders, links and attributes too; nothing of it stays in the archive."""
    folder = rich_skill(office)
    before = everything(folder)
    done = deleted(office)
    assert not folder.exists()
    undone = back(office, done.event)
    assert everything(folder) == before
    assert undone.words == "restored card"
    assert not list((office.home.path / "skills/.archive").iterdir())
    again = back(office, undone.event)
    assert not folder.exists()
    back(office, again.event)
    assert everything(folder) == before


def test_links_move_along_with_a_deleted_skill(office: Office) -> None:
    """A link to a file is shown by name and target, and no reason to call the folder changed."""
    folder = rich_skill(office)
    (folder / "references/readme.md").symlink_to("../SKILL.md")
    record = office.proposal(office.home.stage_skill("delete", "card"), SKILLS)
    plan = office.desk.plan(record)
    (words,) = [e.message for e in plan.side_effects if e.code == "links-moved"]
    assert (
        "readme.md is a link to ../SKILL.md" in words and "hosts is a link to /etc/hosts" in words
    )
    event = audit.get(office.desk.ledger, office.say_yes(record).event)
    assert event is not None and audit.body(event)["archive"] == "skills/.archive/card"
    archived = office.home.path / "skills/.archive/card/references/readme.md"
    assert archived.is_symlink() and not folder.exists()


def test_a_link_that_leads_elsewhere_by_now_asks_for_new_consent(office: Office) -> None:
    """The target of a link is shown, so it is part of what was agreed to."""
    folder = rich_skill(office)
    record = office.proposal(office.home.stage_skill("delete", "card"), SKILLS)
    before = office.desk.plan(record).digest
    (folder / "references/hosts").unlink()
    (folder / "references/hosts").symlink_to("/etc/passwd")
    assert before and office.desk.plan(record).digest not in (None, before)


def test_deleting_right_after_a_patch_is_no_surprise(office: Office) -> None:
    """What placet leaves beside a file for a while is no file of the skill."""
    folder = office.home.skill("card", files={"references/a.md": "one\n"})
    for path, old, new in (("", "Step one.", "Step 1."), ("references/a.md", "one", "two")):
        fields = {"file_path": path} if path else {}
        patch = office.home.stage_skill("patch", "card", old_string=old, new_string=new, **fields)
        office.approve(patch, subsystem=SKILLS)
    assert [name for name in os.listdir(folder) if ".placet-" in name]
    record = office.proposal(office.home.stage_skill("delete", "card"), SKILLS)
    plan = office.desk.plan(record)
    assert [c.name for c in plan.changes] == ["skills/card/SKILL.md", "skills/card/references/a.md"]
    for name in list(folder.rglob(".*.placet-*")):
        name.unlink()  # as the sweep does it after two seconds
    assert office.desk.plan(record).digest == plan.digest
    office.say_yes(record)
    assert not folder.exists()


def test_what_is_archived_bears_the_name_that_hermes_restores_by(office: Office) -> None:
    """The name itself; where that is taken, the name and 14 digits."""
    names = []
    for _ in range(3):
        office.home.skill("old-tool", category="ops")
        deleted(office, "old-tool")
        names.append(sorted(os.listdir(office.home.path / "skills/.archive")))
    assert names[0] == ["old-tool"]
    assert all(re.fullmatch(r"old-tool-\d{14}", name) for name in names[2][1:])
    assert len(names[2]) == 3 and names[2][0] == "old-tool"


@pytest.mark.parametrize("compact", [True, False])
def test_the_usage_record_comes_back_to_the_byte(office: Office, compact: bool) -> None:
    """Pin, counters, who made it, also keys that nobody knows; and the file where nobody wrote."""
    office.home.skill("card")
    table = {"card": RECORD, "other": {"pinned": True}}
    text = json.dumps(table) if compact else json.dumps(table, indent=2, sort_keys=True)
    office.home.write("skills/.usage.json", text, mode=0o644)
    done = deleted(office)
    books = office.home.path / "skills/.usage.json"
    assert "card" not in json.loads(books.read_bytes())
    back(office, done.event)
    assert books.read_text() == text and stat.S_IMODE(books.stat().st_mode) == 0o644
    assert kept.missing(office.desk.ledger) == []


def test_the_usage_record_comes_back_beside_what_hermes_wrote_since(office: Office) -> None:
    """Other skills keep what was counted meanwhile; a newer record of this one is named."""
    office.home.skill("card")
    office.home.write("skills/.usage.json", json.dumps({"card": RECORD}))
    done = deleted(office)
    since = {"card": {"view_count": 1}, "other": {"view_count": 7}}
    office.home.write("skills/.usage.json", json.dumps(since))
    undone = back(office, done.event)
    now = json.loads(office.home.read("skills/.usage.json") or b"")
    assert now == {"card": RECORD, "other": {"view_count": 7}}
    assert any("newer record of card" in note for note in undone.notes)


def test_a_skill_without_a_usage_record_gets_none_by_an_undo(office: Office) -> None:
    """What was not there does not come back."""
    office.home.skill("card")
    office.home.write("skills/.usage.json", '{"other": {}}')
    back(office, deleted(office).event)
    assert office.home.read("skills/.usage.json") == b'{"other": {}}'


def test_the_usage_record_comes_back_where_the_skill_already_has(office: Office) -> None:
    """Hermes' own restore brings the folder; the undo then still gives the record back."""
    folder = office.home.skill("card")
    office.home.write("skills/.usage.json", json.dumps({"card": RECORD}))
    done = deleted(office)
    (office.home.path / "skills/.archive/card").rename(folder)
    assert inverse(office.desk, done.event).plan is None
    back(office, done.event)
    assert json.loads(office.home.read("skills/.usage.json") or b"") == {"card": RECORD}


def test_without_the_archived_folder_the_files_come_back_from_what_was_kept(
    office: Office,
) -> None:
    """Bytes and permissions; what cannot come back is said, the archive is left alone."""
    folder = rich_skill(office)
    before = everything(folder)
    done = deleted(office)
    archived = office.home.path / "skills/.archive/card"
    (archived / "references/a.md").write_text("changed there\n")
    plan = inverse(office.desk, done.event).plan
    assert plan is not None and plan.returns is None
    (words,) = [e.message for e in plan.side_effects if e.code == "files-rewritten"]
    assert "skills/.archive/card" in words and "references/hosts" in words
    back(office, done.event)
    files = {name: one for name, one in before.items() if one[0] != "link" and one[2] is not None}
    now = {name: one for name, one in everything(folder).items() if one[-1] is not None}
    assert {name: (one[0], one[2]) for name, one in now.items()} == {
        name: (one[0], one[2]) for name, one in files.items()
    }
    assert (archived / "references/a.md").read_text() == "changed there\n"


@pytest.mark.parametrize("how", ["file", "mode", "link", "new", "gone", "folder", "whole"])
def test_what_was_changed_in_the_archive_does_not_come_back(office: Office, how: str) -> None:
    """Neither text, nor permissions, nor where a link leads, nor what was put there."""
    folder = rich_skill(office)
    text = (folder / "scripts/run.sh").read_bytes()
    done = deleted(office)
    archived = office.home.path / "skills/.archive/card"
    change_archive(archived, how)
    before = everything(archived)
    plan = inverse(office.desk, done.event).plan
    assert plan is not None and plan.returns is None
    back(office, done.event)
    assert not folder.is_symlink() and not (folder / "references").is_symlink()
    assert (folder / "scripts/run.sh").read_bytes() == text
    assert stat.S_IMODE((folder / "scripts/run.sh").stat().st_mode) == 0o755
    assert not (folder / "references/hosts").exists() and not (folder / "new").exists()
    assert everything(archived) == before


def change_archive(archived: Path, how: str) -> None:
    """One change that somebody may make to an archived skill."""
    elsewhere = archived.parent.parent.parent / "elsewhere"
    match how:
        case "file":
            (archived / "scripts/run.sh").write_text("#!/bin/sh\nrm -rf ~\n")
        case "mode":
            (archived / "references/a.md").chmod(0o777)
        case "link":
            (archived / "references/hosts").unlink()
            (archived / "references/hosts").symlink_to("/etc/passwd")
        case "new":
            (archived / "new").symlink_to("/etc")
        case "gone":
            (archived / "references/a.md").unlink()
        case "folder":
            (archived / "references").rename(elsewhere)
            (archived / "references").symlink_to(elsewhere)
        case _:
            archived.rename(elsewhere)
            archived.symlink_to(elsewhere)


def test_names_that_are_no_text_go_and_come(office: Office) -> None:
    """A link whose name and target are no UTF-8, in a folder with a blank in its name."""
    folder = office.home.skill("my card", category="my notes")
    os.symlink(b"/tmp/\xff", os.fsencode(folder) + b"/\xfe")
    before = everything(folder)
    back(office, deleted(office, "my card").event)
    assert everything(folder) == before


def test_an_archive_that_moves_under_the_undo_is_stale(office: Office) -> None:
    """The digest holds whether the folder itself comes back."""
    rich_skill(office)
    done = deleted(office)
    shown = inverse(office.desk, done.event)
    archived = office.home.path / "skills/.archive/card"
    archived.rename(archived.with_name("elsewhere"))
    assert shown.proposal is not None and shown.plan is not None
    assert office.desk.plan(shown.proposal).digest != shown.plan.digest


def test_a_removed_file_comes_back_with_its_permissions(office: Office) -> None:
    """A script that was executable is executable again."""
    folder = office.home.skill("card", files={"scripts/run.sh": "#!/bin/sh\n"})
    (folder / "scripts/run.sh").chmod(0o755)
    record = office.home.stage_skill("remove_file", "card", file_path="scripts/run.sh")
    done = office.approve(record, subsystem=SKILLS)
    assert not (folder / "scripts/run.sh").exists()
    undone = back(office, done.event)
    assert stat.S_IMODE((folder / "scripts/run.sh").stat().st_mode) == 0o755
    again = back(office, undone.event)
    back(office, again.event)
    assert stat.S_IMODE((folder / "scripts/run.sh").stat().st_mode) == 0o755


def test_an_undo_looks_at_the_folder_that_was_decided_about(office: Office) -> None:
    """Another skill of that name that came since is left alone."""
    office.home.skill("card", category="web")
    made = office.home.stage_skill("write_file", "card", file_path="assets/a", file_content="x")
    wrote = office.approve(made, subsystem=SKILLS)
    other = office.home.skill("card", skill_text("card", body="Other."), category="misc")
    before = everything(other)
    back(office, wrote.event)
    assert not (office.home.path / "skills/web/card/assets/a").exists()
    assert everything(other) == before


def test_a_nested_skill_file_is_undone_in_its_own_place(office: Office) -> None:
    """`part/SKILL.md` of a skill lies in the skill's folder, not in one of its own."""
    folder = office.home.skill("card")
    text = skill_text("part")
    record = office.home.stage_skill(
        "write_file", "card", file_path="part/SKILL.md", file_content=text
    )
    done = office.approve(record, subsystem=SKILLS)
    undone = back(office, done.event)
    assert not (folder / "part/SKILL.md").exists() and (folder / "SKILL.md").exists()
    back(office, undone.event)
    assert (folder / "part/SKILL.md").read_text() == text


def test_pipes_in_a_deleted_skill_are_named(office: Office) -> None:
    """What is no file and no link moves along as well, unread."""
    folder = office.home.skill("card")
    os.mkfifo(folder / "pipe")
    assert read.read(folder / "pipe", 1).kind is FileKind.SPECIAL
    done = deleted(office)
    assert not folder.exists()
    back(office, done.event)
    assert stat.S_ISFIFO((folder / "pipe").stat().st_mode)
