"""Swapping where the system knows no exchange, and on another system (design §6, §15)."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from swapping.files import AFTER, BEFORE, names, no_exchange, replacing, settled

from placet.store.disk import rename, swap, write
from placet.store.errors import StalePlan, Unsafe


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
