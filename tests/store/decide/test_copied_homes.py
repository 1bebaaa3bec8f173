"""A home that was copied or moved while a decision was open, and what was kept aside before."""

from __future__ import annotations

import json
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from deciding.office import SIGHT, Office
from homes.build import HomeBuilder

from placet.store.decide import (
    DemoApprover,
    cancel,
    discard,
    inverse,
    retry,
    undo,
    unfinished,
    unfinished_in,
)
from placet.store.decide import carry as carrying
from placet.store.disk import swap
from placet.store.errors import LedgerError
from placet.store.ledger import audit
from placet.store.ledger.database import location
from placet.store.model import Home, Kind, Subsystem

HEAD = "---\nname: new\ndescription: A new tool.\n---\nUse it.\n"


class Stopped(BaseException):
    """Stands for a process that ends here."""


@pytest.fixture
def at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Office]]:
    """Offices in several homes, all made by one approver."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    folder = tmp_path / "both"
    approver = DemoApprover.own_home(folder)
    made: list[Office] = []

    def office(name: str) -> Office:
        if not (folder / name).exists():
            HomeBuilder(folder / name).config()
        made.append(Office(HomeBuilder(folder / name), approver))
        return made[-1]

    yield office
    for one in made:
        for desk in one.desks:
            desk.close()


def left_open(office: Office, monkeypatch: pytest.MonkeyPatch, before: str, kind: str) -> None:
    """Approve something, and stop right before `before`, as a killed process would."""
    if kind == "memory":
        office.home.memory("alpha")
        record, subsystem = office.home.stage_add("gamma", record_id="aa11"), Subsystem.MEMORY
    else:
        office.home.skill("old-tool")
        record = office.home.stage_skill("delete", "old-tool", record_id="aa11")
        subsystem = Subsystem.SKILLS
    module, name = {"swap": (swap, "swap" if kind == "memory" else "move_folder")}.get(
        before, (carrying, "close")
    )

    def stop(*given: object, **named: object) -> None:
        raise Stopped

    office.open()
    with monkeypatch.context() as patch:
        patch.setattr(module, name, stop)
        with pytest.raises(Stopped):
            office.approve(record, subsystem=subsystem)
    office.desk.close()
    office.desks.clear()


def copied(first: Office, second: Path) -> None:
    subprocess.run(["cp", "-a", str(first.home.path), str(second)], check=True)


def seen(home: HomeBuilder) -> dict[str, bytes]:
    """Everything that a decision could change in a home."""
    return {
        str(path.relative_to(home.path)): path.read_bytes()
        for top in ("memories", "skills", "pending")
        for path in sorted((home.path / top).rglob("*"))
        if path.is_file() and not path.name.endswith(".lock")
    }


KINDS = pytest.mark.parametrize("kind", ["memory", "skill"])
BEFORE = pytest.mark.parametrize("before", ["swap", "close"])


@KINDS
@BEFORE
def test_an_open_decision_of_a_copied_home_decides_nothing_in_either(
    at: Callable[[str], Office], monkeypatch: pytest.MonkeyPatch, before: str, kind: str
) -> None:
    first = at("a")
    left_open(first, monkeypatch, before, kind)
    copied(first, first.home.path.parent / "b")
    second = at("b")
    was = seen(first.home), seen(second.home)
    desk = second.open()
    (said,) = [words for words in desk.reports if "aa11" in words]
    assert str(first.home.path) in said and "retry" in said and "cancel" in said
    assert (seen(first.home), seen(second.home)) == was
    assert audit.events(desk.ledger, kind="approved") == ()
    (one,) = unfinished_in(desk.ledger)
    assert one.elsewhere == said
    other = (
        second.home.stage_add("delta")
        if kind == "memory"
        else second.home.stage_skill("create", "new", content=HEAD)
    )
    with pytest.raises(LedgerError, match="retry it"):
        second.approve(other, subsystem=Subsystem.MEMORY if kind == "memory" else Subsystem.SKILLS)
    assert seen(first.home) == was[0]
    first.open()
    assert audit.events(first.desk.ledger, kind="approved") and not unfinished(first.desk)
    assert audit.events(desk.ledger, kind="approved") == () and unfinished(desk)


@KINDS
@BEFORE
def test_a_person_has_it_in_the_copy_as_well_or_gives_it_up_there(
    at: Callable[[str], Office], monkeypatch: pytest.MonkeyPatch, before: str, kind: str
) -> None:
    first = at("a")
    left_open(first, monkeypatch, before, kind)
    untouched = seen(first.home)
    for name in ("b", "c"):
        copied(first, first.home.path.parent / name)
    second, third = at("b"), at("c")
    done = retry(second.open(), unfinished(second.desk)[0])
    assert done.kind is Kind.APPROVED and not unfinished(second.desk)
    given_up = cancel(third.open(), unfinished(third.desk)[0])
    assert given_up.kind is Kind.ABORTED and not unfinished(third.desk)
    if kind == "memory":
        assert second.memory() == "alpha\n§\ngamma" and third.memory() == "alpha"
    else:
        assert not (second.home.path / "skills/old-tool").exists()
        assert (second.home.path / "skills/.archive/old-tool/SKILL.md").exists()
        assert (third.home.path / "skills/old-tool/SKILL.md").exists()
    assert third.home.record_path(
        "aa11", Subsystem.SKILLS if kind == "skill" else Subsystem.MEMORY
    ).exists()
    assert seen(first.home) == untouched


@BEFORE
def test_a_moved_home_takes_nothing_back(
    at: Callable[[str], Office], monkeypatch: pytest.MonkeyPatch, before: str
) -> None:
    first = at("a")
    left_open(first, monkeypatch, before, "memory")
    text = first.memory()
    first.home.path.rename(first.home.path.parent / "b")
    second = at("b")
    desk = second.open()
    assert second.memory() == text and not audit.events(desk.ledger, kind="aborted")
    assert any("retry" in words for words in desk.reports)
    retry(desk, unfinished(desk)[0])
    assert second.memory() == "alpha\n§\ngamma" and second.waiting() == set()
    assert second.open().reports == []


def test_a_home_put_in_the_place_of_another_is_another(
    at: Callable[[str], Office], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same path, another folder: such as a backup that was brought back."""
    first = at("a")
    left_open(first, monkeypatch, "swap", "memory")
    first.home.path.rename(first.home.path.parent / "kept")
    subprocess.run(["cp", "-a", str(first.home.path.parent / "kept"), str(first.home.path)])
    desk = first.open()
    assert first.memory() == "alpha" and unfinished(desk)
    assert any("put in place of another" in words for words in desk.reports)


def test_memories_put_in_the_place_of_others_are_others(
    at: Callable[[str], Office], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = at("a")
    left_open(first, monkeypatch, "swap", "memory")
    folder = first.home.path / "memories"
    folder.rename(first.home.path / "memories.old")
    subprocess.run(["cp", "-a", str(first.home.path / "memories.old"), str(folder)])
    desk = first.open()
    assert first.memory() == "alpha" and unfinished(desk)


def test_what_was_kept_aside_comes_back_in_the_home_where_it_lies(
    at: Callable[[str], Office],
) -> None:
    first = at("a")
    place = first.home.pending() / "odd.json"
    place.mkdir()
    (place / "inside").write_text("kept")
    done = discard(first.desk, [first.proposal("odd")], sight=SIGHT)[0]
    copied(first, first.home.path.parent / "b")
    second = at("b")
    for office in (second, first):
        undo(office.desk, inverse(office.desk, done.event), "", SIGHT)
        assert (office.home.pending() / "odd.json/inside").read_text() == "kept"
        assert list((office.home.path / "placet/aside").iterdir()) == []


def test_an_undo_says_that_what_was_kept_aside_is_gone(at: Callable[[str], Office]) -> None:
    first = at("a")
    (first.home.pending() / "odd.json").mkdir()
    done = discard(first.desk, [first.proposal("odd")], sight=SIGHT)[0]
    next((first.home.path / "placet/aside").iterdir()).rmdir()
    (first.home.pending() / "odd.json").mkdir()
    planned = inverse(first.desk, done.event)
    assert any("was not put back" in words for words in planned.lost)


def older(home: Home, written_in: Path) -> None:
    """Make the ledger what an older placet left: whole paths, of the home that it ran in."""
    with closing(sqlite3.connect(location(home))) as db:
        for token, decision, changes in db.execute("SELECT token, decision, changes FROM intents"):
            plain, rows = json.loads(decision), json.loads(changes)
            plain.pop("made_in")
            move = plain["ruling"].pop("move")
            ends = (
                [str(written_in / move[end]) for end in ("source", "destination")] if move else None
            )
            plain["ruling"]["archive"] = ends
            for row in rows:
                row["path"] = str(written_in / row["path"])
            values = (json.dumps(plain), json.dumps(rows), token)
            db.execute("UPDATE intents SET decision = ?, changes = ? WHERE token = ?", values)
        db.execute("PRAGMA user_version = 1")
        db.commit()


@KINDS
@pytest.mark.parametrize("copy", [False, True])
def test_an_open_decision_of_an_older_placet_waits_for_a_person(
    at: Callable[[str], Office], monkeypatch: pytest.MonkeyPatch, kind: str, copy: bool
) -> None:
    first = at("a")
    left_open(first, monkeypatch, "swap", kind)
    older(first.home.home, first.home.path)
    second = first
    if copy:
        copied(first, first.home.path.parent / "b")
        second = at("b")
    was = seen(first.home), seen(second.home)
    desk = second.open()
    assert (seen(first.home), seen(second.home)) == was
    assert any("retry" in words for words in desk.reports)
    retry(desk, unfinished(desk)[0])
    assert seen(second.home) != was[1] and (not copy or seen(first.home) == was[0])
    assert audit.verify(desk.ledger) == []
