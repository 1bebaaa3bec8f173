"""Claiming a staged record, giving it back, removing it (design §6 steps 1 and 7)."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest

from placet.store.disk import claims, folders, rename
from placet.store.errors import Busy, NotFound, StalePlan
from placet.store.model import Home, Subsystem
from placet.store.staged.scan import claim_name, names, read

RAW = b'{"id": "a1"}'
MEMORY = Subsystem.MEMORY


@pytest.fixture
def staged(tmp_path: Path) -> Home:
    """A home with one staged record `a1.json`."""
    home = Home(tmp_path)
    home.pending(MEMORY).mkdir(parents=True)
    (home.pending(MEMORY) / "a1.json").write_bytes(RAW)
    return home


@pytest.fixture(params=["renameat2", "without"])
def either_way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the system's own rename, and on a file system that does not know it."""
    if request.param == "without":

        def refuse(*_: object) -> None:
            raise OSError(errno.EINVAL, "no")

        monkeypatch.setattr(rename, "noreplace", refuse)


@pytest.mark.usefixtures("either_way")
def test_a_claim_hides_the_record_and_gives_it_back(staged: Home) -> None:
    """Step 1: out of Hermes' `*.json`, listed by placet, back with the same bytes."""
    record = staged.pending(MEMORY) / "a1.json"
    inode = record.stat().st_ino
    taken = claims.claim(staged, MEMORY, "a1.json", RAW)
    assert not record.exists() and taken.path.name == claim_name("a1.json")
    assert taken.path.name in names(staged, MEMORY).names
    assert claims.unclaim(taken)
    assert record.read_bytes() == RAW and record.stat().st_ino == inode


@pytest.mark.usefixtures("either_way")
def test_other_bytes_are_given_back(staged: Home) -> None:
    """Q03: the staged file rewritten between showing and deciding."""
    with pytest.raises(StalePlan):
        claims.claim(staged, MEMORY, "a1.json", b"what was shown")
    assert os.listdir(staged.pending(MEMORY)) == ["a1.json"]


@pytest.mark.usefixtures("either_way")
def test_a_claim_is_never_replaced(staged: Home) -> None:
    """Two processes, or a newer record under the same name: the first claim stands."""
    first = claims.claim(staged, MEMORY, "a1.json", RAW)
    with pytest.raises(NotFound):
        claims.claim(staged, MEMORY, "a1.json", RAW)
    newer = staged.pending(MEMORY) / "a1.json"
    newer.write_bytes(b"newer")
    with pytest.raises(Busy):
        claims.claim(staged, MEMORY, "a1.json", b"newer")
    assert first.path.read_bytes() == RAW and newer.read_bytes() == b"newer"


@pytest.mark.usefixtures("either_way")
def test_a_newer_record_stays_when_a_claim_comes_back(staged: Home) -> None:
    """Abort: renamed back without replacing; the newer file stays, ours is still there."""
    taken = claims.claim(staged, MEMORY, "a1.json", RAW)
    newer = staged.pending(MEMORY) / "a1.json"
    newer.write_bytes(b"newer")
    assert not claims.unclaim(taken)
    assert newer.read_bytes() == b"newer" and taken.path.read_bytes() == RAW
    assert claims.adopt(staged, MEMORY, "a1.json") == taken
    assert claims.remove_claim(taken) is None
    assert claims.adopt(staged, MEMORY, "a1.json") is None


def test_a_claim_changed_meanwhile_is_handed_over(staged: Home) -> None:
    """Nothing is lost: bytes written into the claim are returned for keeping."""
    taken = claims.claim(staged, MEMORY, "a1.json", RAW)
    taken.path.write_bytes(b"rewritten")
    assert claims.remove_claim(taken) == b"rewritten"
    assert os.listdir(staged.pending(MEMORY)) == []


@pytest.mark.parametrize("name", ["../a1.json", "", "..", "x/../a1.json", "a\0b"])
def test_names_never_lead_out(staged: Home, name: str) -> None:
    """Q12: ids are never used as paths."""
    with pytest.raises(NotFound):
        claims.claim(staged, MEMORY, name, RAW)
    assert claims.claim(staged, MEMORY, "a1.json", RAW).raw == RAW


@pytest.mark.parametrize("what", ["folder", "pipe", "link"])
def test_what_is_no_record_can_be_set_aside_and_back(staged: Home, what: str) -> None:
    """Discarding something unreadable keeps it as it is."""
    odd = staged.pending(MEMORY) / "odd.json"
    make: dict[str, Any] = {
        "folder": odd.mkdir,
        "pipe": lambda: os.mkfifo(odd),
        "link": lambda: odd.symlink_to("/etc/hostname"),
    }
    make[what]()
    mode = odd.lstat().st_mode
    taken = claims.claim(staged, MEMORY, "odd.json", None)
    aside = staged.private / "aside" / "odd"
    claims.set_aside(taken, aside)
    assert os.listdir(staged.pending(MEMORY)) == ["a1.json"]
    folders.move(aside, odd)
    assert odd.lstat().st_mode == mode


def test_an_unreadable_record_that_is_readable_now_is_stale(staged: Home) -> None:
    """Consent to `cannot be read` is no consent to bytes."""
    with pytest.raises(StalePlan):
        claims.claim(staged, MEMORY, "a1.json", None)
    assert os.listdir(staged.pending(MEMORY)) == ["a1.json"]


def test_a_record_is_restored_byte_for_byte(staged: Home) -> None:
    """Q10: without replacing, also when the folder is gone."""
    path = staged.pending(MEMORY) / "b2.json"
    assert claims.restore_record(staged, MEMORY, "b2.json", RAW) == path
    assert path.read_bytes() == RAW and path.stat().st_mode & 0o777 == 0o644
    assert claims.restore_record(staged, MEMORY, "b2.json", RAW) == path
    with pytest.raises(StalePlan):
        claims.restore_record(staged, MEMORY, "b2.json", b"other")
    assert path.read_bytes() == RAW
    other = claims.restore_record(staged, Subsystem.SKILLS, "c3.json", RAW)
    assert other.read_bytes() == RAW


def test_a_folder_moves_as_a_whole_and_back(tmp_path: Path) -> None:
    """K08: a directory move is as safe as a replacement; D7 moves a deleted skill to `.archive`."""
    skill = tmp_path / "skills" / "tidy"
    (skill / "references").mkdir(parents=True)
    (skill / "SKILL.md").write_bytes(b"text")
    (skill / "references" / "x.md").write_bytes(b"more")
    (skill / ".hidden").write_bytes(b"not shown")
    shown = {"SKILL.md": b"text", "references/x.md": b"more"}
    destination = tmp_path / "skills" / ".archive" / "tidy-20260101"
    folders.move_folder(skill, destination, shown)
    assert not skill.exists()
    assert (destination / "references" / "x.md").read_bytes() == b"more"
    folders.move_folder(destination, skill, shown)
    assert (skill / ".hidden").exists() and not destination.exists()


@pytest.mark.parametrize("late", [False, True])
def test_a_folder_with_something_else_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, late: bool
) -> None:
    """A file that was not shown, before the move and at the last moment."""
    skill, destination = tmp_path / "tidy", tmp_path / ".archive" / "tidy"
    skill.mkdir()
    (skill / "SKILL.md").write_bytes(b"text")
    real = rename.noreplace

    def intrude(*given: Any) -> None:
        (skill / "new.md").write_bytes(b"new")
        monkeypatch.setattr(rename, "noreplace", real)
        real(*given)

    if late:
        monkeypatch.setattr(rename, "noreplace", intrude)
    else:
        (skill / "new.md").write_bytes(b"new")
    with pytest.raises(StalePlan, match=r"new\.md"):
        folders.move_folder(skill, destination, {"SKILL.md": b"text"})
    assert sorted(os.listdir(skill)) == ["SKILL.md", "new.md"]
    assert not destination.parent.exists()


def test_a_move_replaces_nothing(tmp_path: Path) -> None:
    """Also where the destination is an empty folder, which a plain rename would replace."""
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
    (tmp_path / "a" / "x").write_bytes(b"x")
    with pytest.raises(StalePlan):
        folders.move(tmp_path / "a", tmp_path / "b")
    with pytest.raises(NotFound):
        folders.move(tmp_path / "nothing", tmp_path / "c")
    assert os.listdir(tmp_path / "a") == ["x"]


def test_folders_are_made_and_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """K08: a new folder is flushed, and a failing flush leaves none of them."""
    wanted = tmp_path / "one" / "two" / "three"
    made = folders.ensure_folder(wanted)
    assert made == (tmp_path / "one", tmp_path / "one" / "two", wanted)
    assert folders.ensure_folder(wanted) == ()
    folders.remove_folders(made)
    assert os.listdir(tmp_path) == []

    calls: list[int] = []

    def fail(_: int) -> None:
        calls.append(1)
        if len(calls) == 2:
            raise OSError(errno.EIO, "broken")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(claims.NotWritten):
        folders.ensure_folder(wanted)
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("what", ["hard link", "too large", "unreadable"])
def test_what_scan_does_not_read_is_claimed_as_that(staged: Home, what: str) -> None:
    """One rule for what a record is: what is shown as unreadable is claimed as unreadable."""
    odd = staged.pending(MEMORY) / "odd.json"
    odd.write_bytes(b"x" * ((1 << 20) + 1 if what == "too large" else 3))
    if what == "hard link":
        os.link(odd, staged.path / "other name")
    if what == "unreadable":
        if os.geteuid() == 0:
            pytest.skip("root reads everything")
        odd.chmod(0)
    assert read(staged, MEMORY, "odd.json").raw is None
    with pytest.raises(StalePlan):
        claims.claim(staged, MEMORY, "odd.json", b"xxx")
    taken = claims.claim(staged, MEMORY, "odd.json", None)
    assert claims.adopt(staged, MEMORY, "odd.json") == taken
    assert claims.unclaim(taken) and odd.exists()


@pytest.mark.usefixtures("either_way")
@pytest.mark.parametrize("size", [128, 129, 247, 248, 255])
def test_a_long_name_is_claimed_and_given_back(staged: Home, size: int) -> None:
    """A claim's name never takes more than the 255 bytes of a file name."""
    name = "n" * (size - 5) + ".json"
    (staged.pending(MEMORY) / name).write_bytes(RAW)
    taken = claims.claim(staged, MEMORY, name, RAW)
    assert taken.path.name in names(staged, MEMORY).names
    assert not taken.path.name.endswith(".json")
    assert claims.unclaim(taken)
    assert (staged.pending(MEMORY) / name).read_bytes() == RAW
