"""What a file is beside its bytes survives a swap, or the swap is refused (K08)."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from swapping.files import AFTER, BEFORE, names, replacing

from placet.store.disk import swap
from placet.store.errors import Unsafe


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
