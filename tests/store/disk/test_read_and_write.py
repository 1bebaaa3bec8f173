"""Reading a file with its identity, and writing our own files."""

from __future__ import annotations

import errno
import os
import socket
import stat
from pathlib import Path
from typing import Any

import pytest

from placet.store.disk import read, write
from placet.store.model import FileKind

LIMIT = 1000


def test_a_file_is_read_with_its_identity(tmp_path: Path) -> None:
    """Bytes, mode and folder, through a link once."""
    file, link = tmp_path / "real.md", tmp_path / "link.md"
    file.write_bytes(b"\xff\r\ntext")
    file.chmod(0o640)
    link.symlink_to(file)
    state = read.read(link, LIMIT)
    assert (state.kind, state.data, state.mode) == (FileKind.FILE, b"\xff\r\ntext", 0o640)
    assert (state.path, state.real) == (link, file)
    assert state.parent == (tmp_path.stat().st_dev, tmp_path.stat().st_ino)
    assert (state.problem, state.unsafe) == ("", "")
    other = read.read(link, LIMIT, follow_once=False)
    assert other.kind is FileKind.SPECIAL and other.data is None


def test_unreadable_is_never_empty(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Field reports 38, 39, D1: absent, folder, pipe, too large, denied are different states."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "large").write_bytes(b"x" * (LIMIT + 1))
    (tmp_path / "loop").symlink_to("loop")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(os.path.relpath(tmp_path / "socket"))
    expected = {
        "nothing": FileKind.ABSENT,
        "no folder/nothing": FileKind.ABSENT,
        "empty": FileKind.FILE,
        "folder": FileKind.DIRECTORY,
        "pipe": FileKind.SPECIAL,
        "socket": FileKind.SPECIAL,
        "large": FileKind.TOO_LARGE,
    }
    for name, kind in expected.items():
        state = read.read(tmp_path / name, LIMIT)
        assert state.kind is kind, name
        assert (state.data is not None) == (kind is FileKind.FILE)
        assert bool(state.problem) == (kind not in (FileKind.FILE, FileKind.ABSENT))
    assert read.read(tmp_path / "loop", LIMIT).kind not in (FileKind.FILE, FileKind.ABSENT)
    real = os.open

    def deny(path: Any, *given: Any, **named: Any) -> int:
        if path == "empty":
            raise PermissionError(errno.EACCES, "Permission denied", path)
        return real(path, *given, **named)

    monkeypatch.setattr(os, "open", deny)
    state = read.read(tmp_path / "empty", LIMIT)
    assert state.kind is FileKind.UNREADABLE and "not treated as empty" in state.problem


def test_exactly_the_limit_is_read(tmp_path: Path) -> None:
    """The bound counts bytes and is inclusive."""
    (tmp_path / "full").write_bytes(b"x" * LIMIT)
    assert read.read(tmp_path / "full", LIMIT).data == b"x" * LIMIT


def test_a_link_swapped_in_meanwhile_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The path is resolved once; afterwards every component must be a real folder."""
    inside, outside = tmp_path / "inside", tmp_path / "outside"
    for folder, text in ((inside, b"ours"), (outside, b"theirs")):
        folder.mkdir()
        (folder / "f").write_bytes(text)
    assert read.read(inside / "f", LIMIT).data == b"ours"
    real = os.path.realpath

    def swapped(path: Any, **named: Any) -> str:
        found = real(path, **named)
        inside.rename(tmp_path / "moved")
        inside.symlink_to(outside)
        return found

    monkeypatch.setattr(os.path, "realpath", swapped)
    assert read.read(inside / "f", LIMIT).data is None


def test_what_cannot_be_replaced_is_said_when_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """K08: hard links and foreign owners are known before anybody decides."""
    file = tmp_path / "f"
    file.write_bytes(b"x")
    assert read.read(file, LIMIT).unsafe == ""
    monkeypatch.setattr(os, "geteuid", lambda: file.stat().st_uid + 4096)
    assert "another user" in read.read(file, LIMIT).unsafe
    monkeypatch.undo()
    os.link(file, tmp_path / "g")
    assert "hard links" in read.read(file, LIMIT).unsafe


def test_own_files_are_written_whole(tmp_path: Path) -> None:
    """New never replaces, replace always does, both with the mode asked for."""
    path = tmp_path / "own"
    write.write_new(path, b"one", 0o600)
    with pytest.raises(FileExistsError):
        write.write_new(path, b"two")
    assert path.read_bytes() == b"one"
    write.replace_own(path, b"two", 0o644)
    assert path.read_bytes() == b"two"
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    write.append(path, b" and three\n")
    assert path.read_bytes() == b"two and three\n"
    assert os.listdir(tmp_path) == ["own"]


@pytest.mark.parametrize("step", ["open", "write", "fchmod", "fsync", "link", "rename"])
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO])
def test_a_failing_write_leaves_the_old_file(tmp_path: Path, step: str, number: int) -> None:
    """K05 for placet's own files."""
    path = tmp_path / "own"
    path.write_bytes(b"old")
    new = tmp_path / "new"

    def fail(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, step, fail)
        if step != "link":
            with pytest.raises(OSError):
                write.replace_own(path, b"new")
        if step != "rename":
            with pytest.raises(OSError):
                write.write_new(new, b"new")
    assert path.read_bytes() == b"old"
    assert "new" not in os.listdir(tmp_path)
    assert [name for name in os.listdir(tmp_path) if name.endswith(".new")] == []


def test_private_folders_are_made_once(tmp_path: Path) -> None:
    """0700 whatever the umask, parents included, and never through a link."""
    old = os.umask(0o077)
    try:
        write.private_folder(tmp_path / "a" / "b", 0o755)
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "a" / "b").stat().st_mode) == 0o755
    write.private_folder(tmp_path / "a" / "b")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    with pytest.raises(NotADirectoryError):
        write.private_folder(tmp_path / "link")
