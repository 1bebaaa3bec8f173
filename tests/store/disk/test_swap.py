"""Swapping a target: what was shown is what is written, or nothing is (K05, K08, design §6)."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from placet.store.disk import beside, rename, swap, write
from placet.store.disk.read import place_of
from placet.store.errors import NotWritten, StalePlan, Unsafe
from placet.store.model import Change

BEFORE, AFTER = b"old entry\n\xc2\xa7\nsecond", b"new entry\n\xc2\xa7\nsecond"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    """A memory file with two entries."""
    folder = tmp_path / "memories"
    folder.mkdir()
    path = folder / "MEMORY.md"
    path.write_bytes(BEFORE)
    path.chmod(0o640)
    return path


def replacing(path: Path, before: bytes | None = BEFORE, after: bytes | None = AFTER) -> Change:
    return Change(path, f"memories/{path.name}", before, after)


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def settled(folder: Path) -> list[str]:
    """Names after a sweep; our own file that was in place for a moment goes only then."""
    assert swap.sweep_displaced(folder, older_than=0.0) == []
    return names(folder)


def no_exchange(monkeypatch: pytest.MonkeyPatch, number: int = errno.EINVAL) -> None:
    """Act like a file system that knows neither of the two renames."""

    def refuse(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(swap, "rename_exchange", refuse)
    monkeypatch.setattr(rename, "noreplace", refuse)


def test_replace_exchanges_and_keeps_what_came_out(target: Path) -> None:
    """Design §6 step 5: the displaced file stays beside the target."""
    done = swap.swap(replacing(target), "12")
    assert done.method == "exchange"
    assert target.read_bytes() == AFTER
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert done.displaced is not None
    assert done.displaced.name.startswith(".MEMORY.md.placet-12")
    assert done.displaced.read_bytes() == BEFORE
    assert len(names(target.parent)) == 2


def test_new_file_is_private_and_never_replaces(tmp_path: Path) -> None:
    """D3, K08: a new file is 0600 and as safe as a replacement."""
    path = tmp_path / "USER.md"
    done = swap.swap(replacing(path, None, AFTER), "1")
    assert (done.method, done.displaced) == ("noreplace", None)
    assert path.read_bytes() == AFTER
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    with pytest.raises(StalePlan):
        swap.swap(replacing(path, None, b"other"), "2")
    assert path.read_bytes() == AFTER
    assert names(tmp_path) == ["USER.md"]


def test_removal_goes_aside(target: Path) -> None:
    """K08: a removal keeps the bytes beside it."""
    done = swap.swap(replacing(target, BEFORE, None), "3")
    assert done.method == "aside"
    assert not target.exists()
    assert done.displaced is not None and done.displaced.read_bytes() == BEFORE


@pytest.mark.parametrize("after", [AFTER, None])
def test_other_bytes_than_shown_are_left_alone(target: Path, after: bytes | None) -> None:
    """Field report 24: never merged, never overwritten."""
    target.write_bytes(b"somebody else")
    with pytest.raises(StalePlan):
        swap.swap(replacing(target, BEFORE, after), "4")
    assert target.read_bytes() == b"somebody else"
    assert names(target.parent) == ["MEMORY.md"]


def test_another_folder_than_shown_is_stale(target: Path) -> None:
    """The parent's identity is part of what was shown."""
    found = target.parent.stat()
    with pytest.raises(StalePlan):
        swap.swap(replacing(target), "4", parent=(found.st_dev, found.st_ino + 1))
    assert target.read_bytes() == BEFORE
    swap.swap(replacing(target), "4", parent=(found.st_dev, found.st_ino))
    assert target.read_bytes() == AFTER


def intruding(monkeypatch: pytest.MonkeyPatch, act: Callable[[], None]) -> None:
    """Let somebody else act right before the exchange."""
    real = rename.exchange
    calls: list[int] = []

    def late(*given: Any) -> None:
        if not calls:
            act()
        calls.append(1)
        real(*given)

    monkeypatch.setattr(swap, "rename_exchange", late)


def test_a_writer_at_the_last_moment_keeps_his_text(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Field report 26: a writer that ignores the lock is found at the exchange; swapped back."""

    def editor() -> None:
        other = target.with_name("edited")
        other.write_bytes(b"from vim")
        other.rename(target)

    intruding(monkeypatch, editor)
    with pytest.raises(swap.Foreign) as caught:
        swap.swap(replacing(target), "5")
    assert (caught.value.kept, caught.value.text) == (None, b"from vim")
    assert target.read_bytes() == b"from vim"
    assert settled(target.parent) == ["MEMORY.md"]


def test_an_append_at_the_last_moment_is_kept(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same through `echo >>`."""

    def append() -> None:
        with target.open("ab") as file:
            file.write(b"appended")

    intruding(monkeypatch, append)
    with pytest.raises(swap.Foreign):
        swap.swap(replacing(target), "5")
    assert target.read_bytes() == BEFORE + b"appended"


def test_a_third_version_is_kept_beside(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """T02: whatever slips in between the two exchanges has a kept copy."""
    real = rename.exchange
    texts = iter((b"first foreign", b"second foreign"))

    def late(*given: Any) -> None:
        other = target.with_name("edited")
        other.write_bytes(next(texts))
        other.rename(target)
        real(*given)

    monkeypatch.setattr(swap, "rename_exchange", late)
    with pytest.raises(swap.Foreign) as caught:
        swap.swap(replacing(target), "6")
    kept = caught.value.kept
    assert kept is not None and kept.read_bytes() == b"second foreign"
    assert target.read_bytes() == b"first foreign"


def test_a_symlinked_file_stays_a_link(tmp_path: Path, target: Path) -> None:
    """K08, field report 42: dotfile managers link MEMORY.md away."""
    link = tmp_path / "linked" / "MEMORY.md"
    link.parent.mkdir()
    link.symlink_to(target)
    done = swap.swap(replacing(link), "7")
    assert link.is_symlink()
    assert done.real == target
    assert target.read_bytes() == AFTER
    assert names(link.parent) == ["MEMORY.md"]


def test_a_dangling_link_gets_its_file(tmp_path: Path) -> None:
    """Format §1.5: a dangling link reads as absent and the write makes its target."""
    link, real = tmp_path / "MEMORY.md", tmp_path / "real" / "m.md"
    real.parent.mkdir()
    link.symlink_to(real)
    swap.swap(replacing(link, None, AFTER), "7")
    assert link.is_symlink() and real.read_bytes() == AFTER


@pytest.mark.parametrize("after", [AFTER, None])
def test_a_hard_linked_file_is_refused(target: Path, after: bytes | None) -> None:
    """K08: replacing one name would part it from the other."""
    other = target.with_name("other name")
    os.link(target, other)
    with pytest.raises(Unsafe, match="hard links"):
        swap.swap(replacing(target, BEFORE, after), "8")
    assert target.read_bytes() == BEFORE and target.samefile(other)
    other.unlink()
    swap.swap(replacing(target, BEFORE, after), "8")
    assert (target.read_bytes() if after else None) == after


@pytest.fixture
def mounted(target: Path) -> Iterator[Path]:
    """The target, bind-mounted onto itself from the same file system."""
    source = target.parent.parent / "source.md"
    source.write_bytes(BEFORE)
    if subprocess.run(["mount", "--bind", source, target], capture_output=True).returncode:
        pytest.skip("mounting is not allowed here")
    yield target
    subprocess.run(["umount", target], check=True)


def test_a_mounted_file_is_refused(mounted: Path) -> None:
    """K08, field report 42: a single file mounted into a container."""
    with pytest.raises(Unsafe, match="mounted"):
        swap.swap(replacing(mounted), "9")
    assert mounted.read_bytes() == BEFORE
    assert names(mounted.parent) == ["MEMORY.md"]


def test_group_and_mode_survive(target: Path) -> None:
    """Field report 40: 0660 in a setgid folder stays 0660 with its group."""
    if os.geteuid():
        pytest.skip("only root may give a file to another group")
    target.parent.chmod(0o2770)
    os.chown(target, 1, 2)
    target.chmod(0o660)
    swap.swap(replacing(target), "10")
    found = target.stat()
    assert (found.st_uid, found.st_gid, stat.S_IMODE(found.st_mode)) == (1, 2, 0o660)


ACCESS_LIST = bytes.fromhex(
    "02000000"  # version
    "01000600ffffffff"  # owner rw
    "0200040000100000"  # user 4096 r
    "04000400ffffffff"  # group r
    "10000400ffffffff"  # mask r
    "20000000ffffffff"  # others none
)


def test_attributes_and_access_list_survive(target: Path) -> None:
    """K08, field report 40."""
    try:
        os.setxattr(target, "user.note", b"mine")
        os.setxattr(target, "system.posix_acl_access", ACCESS_LIST)
    except OSError:
        pytest.skip("no extended attributes on this file system")
    mode = target.stat().st_mode
    swap.swap(replacing(target), "11")
    assert os.getxattr(target, "user.note") == b"mine"
    assert os.getxattr(target, "system.posix_acl_access") == ACCESS_LIST
    assert target.stat().st_mode == mode


def test_an_inherited_access_list_is_not_added(target: Path) -> None:
    """K08: the folder's default list must not open a file that had none."""
    try:
        os.setxattr(target.parent, "system.posix_acl_default", ACCESS_LIST)
    except OSError:
        pytest.skip("no access lists on this file system")
    swap.swap(replacing(target), "11")
    assert "system.posix_acl_access" not in os.listxattr(target)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_an_access_list_that_cannot_be_kept_is_refused(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K08: refused with the reason, not half done."""
    real = os.listxattr
    monkeypatch.setattr(
        os, "listxattr", lambda f: ["system.posix_acl_access"] if f != target else real(f)
    )
    monkeypatch.setattr(os, "getxattr", lambda f, _: ACCESS_LIST + bytes([f % 250]))

    def refuse(*_: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "setxattr", refuse)
    with pytest.raises(Unsafe, match="access list"):
        swap.swap(replacing(target), "11")
    assert target.read_bytes() == BEFORE
    assert names(target.parent) == ["MEMORY.md"]


STEPS = ["open", "write", "fchmod", "fsync", "rename_exchange"]


def failing(monkeypatch: pytest.MonkeyPatch, step: str, nth: int, number: int) -> list[int]:
    """Let the nth call of one step fail; returns a list that grows with each call."""
    owner: Any = swap if step == "rename_exchange" else rename if step == "noreplace" else os
    real = getattr(owner, step)
    calls: list[int] = []

    def fail(*given: Any, **named: Any) -> Any:
        calls.append(1)
        if len(calls) == nth:
            raise OSError(number, os.strerror(number))
        return real(*given, **named)

    monkeypatch.setattr(owner, step, fail)
    return calls


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EROFS, errno.EDQUOT])
@pytest.mark.parametrize("step", [*STEPS, "noreplace"])
@pytest.mark.parametrize("change", ["replace", "create", "remove"])
def test_every_failing_step_leaves_the_old_bytes(
    target: Path, change: str, step: str, number: int
) -> None:
    """K05: a write that fails at any step raises and leaves the old bytes."""
    sides = {"replace": (BEFORE, AFTER), "create": (None, AFTER), "remove": (BEFORE, None)}
    before, after = sides[change]
    for nth in range(1, 60):
        target.write_bytes(BEFORE)
        if before is None:
            target.unlink()
        with pytest.MonkeyPatch.context() as patch:
            calls = failing(patch, step, nth, number)
            try:
                done = swap.swap(replacing(target, before, after), f"n{nth}")
            except (NotWritten, Unsafe):
                done = None
            reached = len(calls) >= nth
        now = target.read_bytes() if target.exists() else None
        if not reached:
            assert done is not None and now == after
            return
        assert done is None, f"call {nth} of {step} failed and was not reported"
        assert now == before
        assert settled(target.parent) == ([] if before is None else ["MEMORY.md"])
    raise AssertionError("the step never ran out of calls")


@pytest.mark.parametrize("sides", [(BEFORE, AFTER), (None, AFTER)])
def test_failing_again_and_again_leaves_the_old_bytes(
    target: Path, sides: tuple[bytes | None, bytes | None]
) -> None:
    """K05, design §6 "retry": the folder cannot be flushed, three times, then it can."""
    before, after = sides
    if before is None:
        target.unlink()
    change = replacing(target, before, after)
    for _ in range(3):
        with pytest.MonkeyPatch.context() as patch:
            failing(patch, "fsync", 2, errno.EIO)
            with pytest.raises(NotWritten):
                swap.swap(change, "again")
        assert swap.look(change, "again").stage is swap.Stage.BEFORE
        assert swap.tidy(change, "again") == ()
    swap.swap(change, "again")
    assert target.read_bytes() == AFTER
    assert settled(target.parent) == ["MEMORY.md"]


def test_a_short_write_is_completed(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """K05: the system may write less than asked for."""
    real = os.write
    monkeypatch.setattr(os, "write", lambda f, data: real(f, bytes(data)[:3]))
    swap.swap(replacing(target), "12")
    assert target.read_bytes() == AFTER


@pytest.mark.parametrize("number", [errno.EINVAL, errno.ENOSYS, errno.ENOTSUP])
def test_without_exchange_the_old_file_is_linked_aside(
    target: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    """Design §6: the method is named, so that the event and `check` can say it."""
    no_exchange(monkeypatch, number)
    done = swap.swap(replacing(target), "13")
    assert done.method == "link-fallback"
    assert target.read_bytes() == AFTER
    assert done.displaced is not None and done.displaced.read_bytes() == BEFORE
    assert len(names(target.parent)) == 2
    new = target.with_name("USER.md")
    assert swap.swap(replacing(new, None, AFTER), "14").method == "noreplace"
    with pytest.raises(StalePlan):
        swap.swap(replacing(new, None, b"other"), "15")
    swap.swap(replacing(new, AFTER, None), "16")
    assert not new.exists()


def test_without_exchange_a_foreign_text_is_put_back(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same check after the replacement, where there is no exchange."""
    no_exchange(monkeypatch)
    held = target.open("ab", buffering=0)
    real = os.replace

    def late(*given: Any, **named: Any) -> None:
        held.write(b"appended")
        real(*given, **named)

    monkeypatch.setattr(os, "replace", late)
    with pytest.raises(swap.Foreign):
        swap.swap(replacing(target), "17")
    held.close()
    assert target.read_bytes() == BEFORE + b"appended"
    assert settled(target.parent) == ["MEMORY.md"]


def test_without_links_nothing_is_done(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file system that can neither exchange nor link is refused by name."""
    no_exchange(monkeypatch)

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refuse)
    with pytest.raises(Unsafe, match="neither exchange nor link"):
        swap.swap(replacing(target), "18")
    assert target.read_bytes() == BEFORE
    assert names(target.parent) == ["MEMORY.md"]


@pytest.mark.parametrize("sides", [(BEFORE, AFTER), (None, AFTER), (BEFORE, None)])
def test_undo_brings_everything_back(
    target: Path, sides: tuple[bytes | None, bytes | None]
) -> None:
    """Recovery and a failed group take a change back from what lies on the disk."""
    before, after = sides
    if before is None:
        target.unlink()
    change = replacing(target, before, after)
    assert swap.look(change, "19").stage is swap.Stage.BEFORE
    swap.swap(change, "19")
    assert swap.look(change, "19").stage is swap.Stage.AFTER
    assert swap.undo_swap(change, "19") is None
    assert swap.look(change, "19").stage is swap.Stage.BEFORE
    assert (target.read_bytes() if target.exists() else None) == before
    assert settled(target.parent) == ([] if before is None else ["MEMORY.md"])


def test_undo_after_the_sweep_writes_the_old_bytes_again(target: Path) -> None:
    """The displaced file may be gone by then; its bytes are in the change."""
    change = replacing(target)
    done = swap.swap(change, "20")
    assert done.displaced is not None
    swap.forget(done.displaced)
    swap.undo_swap(change, "20")
    assert target.read_bytes() == BEFORE


def test_undo_leaves_foreign_bytes_alone(target: Path) -> None:
    """Recovery never guesses."""
    change = replacing(target)
    swap.swap(change, "21")
    target.write_bytes(b"somebody else")
    assert swap.look(change, "21").stage is swap.Stage.OTHER
    with pytest.raises(StalePlan):
        swap.undo_swap(change, "21")
    assert target.read_bytes() == b"somebody else"


def test_a_foreign_displaced_file_is_recognised(target: Path) -> None:
    """Crash right after the exchange that displaced somebody else's text."""
    change = replacing(target)
    done = swap.swap(change, "22")
    assert done.displaced is not None
    done.displaced.write_bytes(b"foreign")
    assert swap.look(change, "22").stage is swap.Stage.FOREIGN
    swap.undo_swap(change, "22")
    assert target.read_bytes() == b"foreign"


def test_tidy_removes_only_what_is_ours(target: Path) -> None:
    """Crash while the new file was being written: the cut-off copy goes, anything else stays."""
    change = replacing(target)
    side = target.with_name(swap.displaced_name(target.name, "23", BEFORE))
    side.write_bytes(AFTER[:4])
    assert swap.tidy(change, "23") == ()
    assert names(target.parent) == ["MEMORY.md"]
    side.write_bytes(b"not ours")
    assert swap.tidy(change, "23") == (side,)
    assert side.read_bytes() == b"not ours"


def test_the_sweep_reports_a_late_writer(target: Path) -> None:
    """Design §6: re-hashed after two seconds; changed → reported, kept until it is forgotten."""
    held = target.open("ab", buffering=0)
    done = swap.swap(replacing(target), "24")
    assert done.displaced is not None
    assert swap.sweep_displaced(target.parent) == []
    assert done.displaced.exists(), "too young to be removed"
    held.write(b"late")
    held.close()
    (late,) = swap.sweep_displaced(target.parent, older_than=0.0)
    assert (late.target, late.token, late.data) == (target, "24", BEFORE + b"late")
    assert late.displaced.exists()
    swap.forget(late.displaced)
    assert names(target.parent) == ["MEMORY.md"]


def test_the_sweep_removes_what_nobody_touched(target: Path) -> None:
    """The ordinary case, also below a skill folder."""
    done = swap.swap(replacing(target), "25")
    assert done.displaced is not None
    assert swap.sweep_displaced(target.parent.parent, older_than=0.0) == []
    assert done.displaced.exists(), "folders below are left out unless asked for"
    assert swap.sweep_displaced(target.parent.parent, older_than=0.0, below=True) == []
    assert names(target.parent) == ["MEMORY.md"]


def test_long_names_fit(tmp_path: Path) -> None:
    """A file name of 255 bytes still has room for ours beside it."""
    path = tmp_path / ("ü" * 127)
    path.write_bytes(BEFORE)
    done = swap.swap(replacing(path), "26")
    assert path.read_bytes() == AFTER
    assert done.displaced is not None
    assert swap.sweep_displaced(tmp_path, older_than=0.0) == []
    assert names(tmp_path) == [path.name]


def test_the_fake_of_another_system_is_called_by_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """macOS takes `renameatx_np` with its own flags; the call is faked."""
    calls: list[tuple[Any, ...]] = []

    def fake(*given: Any) -> int:
        calls.append(given)
        return 0

    monkeypatch.setattr(rename.sys, "platform", "darwin")
    monkeypatch.setattr(rename, "_call", lambda: fake)
    rename.exchange(3, "a", 4, "b")
    rename.noreplace(3, "a", 4, "b")
    assert calls == [(3, b"a", 4, b"b", 2), (3, b"a", 4, b"b", 4)]


def test_flush_uses_the_full_flush_of_macos(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Design §15: `F_FULLFSYNC` there; the plain call where a file system does not know it."""
    asked: list[int] = []

    def full(_: int, command: int) -> int:
        asked.append(command)
        if len(asked) == 2:
            raise OSError(errno.ENOTSUP, "no")
        return 0

    plain: list[int] = []
    monkeypatch.setattr(write.sys, "platform", "darwin")
    monkeypatch.setattr(write.fcntl, "F_FULLFSYNC", 51, raising=False)
    monkeypatch.setattr(write.fcntl, "fcntl", full)
    monkeypatch.setattr(os, "fsync", plain.append)
    write.flush(7)
    write.flush(8)
    assert (asked, plain) == ([51, 51], [8])


def test_a_folder_in_place_of_the_file_is_refused(target: Path) -> None:
    """Field report 39: a directory is neither empty nor absent."""
    target.unlink()
    target.mkdir()
    with pytest.raises(Unsafe, match="not a regular file"):
        swap.swap(replacing(target), "27")
    with pytest.raises(StalePlan):
        swap.swap(replacing(target, None, AFTER), "28")
    assert target.is_dir() and names(target.parent) == ["MEMORY.md"]


def test_bytes_at_refuses_what_is_no_file(tmp_path: Path) -> None:
    """A pipe with the name of a displaced file is an error, never read and never empty."""
    os.mkfifo(tmp_path / "pipe")
    with place_of(tmp_path / "pipe", follow=False) as place:
        with pytest.raises(OSError, match="not a regular file"):
            beside.bytes_at(place, "pipe")
        assert beside.bytes_at(place, "nothing") is None
