"""Replacing, creating and removing a target by compare-and-swap (design §6, step 5).

Imported by `store.decide` alone, which finds here everything else that changes a home too: claims,
folders, the sweep. Nothing here copies over a file: the new one is written beside it, flushed, and
exchanged; what comes out is compared with what was shown; if it is anything else the two are
exchanged back. What came out stays beside the target for a while, so that a writer who still held
it open is noticed.

`token` names the files of one decision: the intent's token, or any text of letters and digits that
no other decision uses. An open intent is carried out again with `look`, then `tidy` (stage BEFORE)
and `swap`, or `undo_swap`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from placet.store.disk import attributes, read, write
from placet.store.disk.beside import (
    LIMIT,
    OLD,
    bytes_at,
    link,
    path_of,
    rename_new,
    same_file,
    target_of,
    unlink,
    write_beside,
)
from placet.store.disk.claims import (
    Claim,
    adopt,
    claim,
    remove_claim,
    restore_record,
    set_aside,
    unclaim,
)
from placet.store.disk.folders import ensure_folder, move, move_folder, remove_folders
from placet.store.disk.look import Found, Stage, look, tidy
from placet.store.disk.names import conflict_name, displaced_name, temporary_name
from placet.store.disk.read import Place
from placet.store.disk.rename import UNSUPPORTED
from placet.store.disk.rename import exchange as rename_exchange
from placet.store.disk.sweep import (
    SWEEP_SECONDS,
    LateWrite,
    displaced_by,
    forget,
    sweep_displaced,
)
from placet.store.errors import NotWritten, StalePlan, Unsafe, words_of
from placet.store.model import Change

__all__ = [
    "LIMIT",
    "SWEEP_SECONDS",
    "Claim",
    "Foreign",
    "Found",
    "LateWrite",
    "Stage",
    "Swapped",
    "adopt",
    "claim",
    "displaced_by",
    "displaced_name",
    "ensure_folder",
    "forget",
    "look",
    "move",
    "move_folder",
    "remove_claim",
    "remove_folders",
    "restore_record",
    "set_aside",
    "swap",
    "sweep_displaced",
    "tidy",
    "unclaim",
    "undo_swap",
]


class Foreign(StalePlan):
    """Somebody else wrote the target at the last moment; their bytes are in place again.

    The caller keeps `text` as a blob: a writer who read the file in the moment in which ours was
    in place may still write over theirs.

    Attributes:
        kept: A third version that slipped in meanwhile and is kept beside the target, or None.
        text: Their bytes, or None where they could not be read.
    """

    def __init__(self, message: str, kept: Path | None = None, text: bytes | None = None) -> None:
        super().__init__(message)
        self.kept = kept
        self.text = text


@dataclass(frozen=True, slots=True)
class Swapped:
    """A change that is on the disk, durable.

    Attributes:
        change: What was asked for.
        real: Where it landed after resolving links.
        displaced: The old file beside it, or None for a new one.
        method: `exchange`, `noreplace` (new), `aside` (removed), or `link-fallback` where the file
            system cannot exchange; the last one goes into the event by name.
    """

    change: Change
    real: Path
    displaced: Path | None
    method: str


def swap(change: Change, token: str, *, parent: tuple[int, int] | None = None) -> Swapped:
    """Put one change on the disk, or leave everything as it was.

    Args:
        change: Bytes before and after; None is absent.
        token: Names the files of this decision.
        parent: Device and inode of the real folder as it was shown, or None to skip that check.

    Returns:
        What was done; it is durable.

    Raises:
        StalePlan: The target is not what was shown (also as `Foreign`, found at the exchange).
        Unsafe: It cannot be replaced without breaking something; the text says what.
        NotWritten: The disk failed; the text says which bytes are in place.
    """
    before, after = change.before, change.after
    with target_of(change, parent) as place:
        if before is not None and after is not None:
            return _replace(place, change, before, after, token)
        if after is not None:
            return _create(place, change, after, token)
        if before is not None:
            return _remove(place, change, before, token)
    raise ValueError(f"{change.name}: a change from nothing to nothing")


def _replace(place: Place, change: Change, before: bytes, after: bytes, token: str) -> Swapped:
    side = displaced_name(place.name, token, before)
    with _old(place, change, before) as old:
        write_beside(place, side, after, lambda new: attributes.keep(old, new, change.mode))
    try:
        rename_exchange(place.folder, side, place.folder, place.name)
    except OSError as error:
        if error.errno in UNSUPPORTED:
            return _replace_linked(place, change, before, after, token)
        unlink(place, side)
        raise
    back = partial(_exchange_back, place, side, after, token)
    return _settled(place, change, side, before, "exchange", back)


def _settled(
    place: Place,
    change: Change,
    side: str,
    before: bytes,
    how: str,
    back: Callable[[], Path | None],
    after: bytes | None = None,
) -> Swapped:
    """Make a step last, if what came out is what was shown; else take it back.

    Args:
        place: Where the target lies.
        change: What was asked for.
        side: Name of what came out.
        before: What was shown.
        how: How the step was made.
        back: Takes the step back; returns where a foreign file was kept, if one was.
        after: What the target has to hold by now, where the step itself cannot tell.

    Raises:
        Foreign: Something else came out; the step was taken back.
    """
    try:
        came_out = bytes_at(place, side)
        stands = after is None or bytes_at(place, place.name) == after
        if came_out == before and stands:
            write.flush(place.folder)
            return Swapped(change, place.real, path_of(place, side), how)
    except OSError:
        back()
        raise
    raise _foreign(change, back(), came_out)


@contextmanager
def _old(place: Place, change: Change, before: bytes) -> Generator[int]:
    """The old file, open, if it is what was shown and may be replaced.

    Raises:
        StalePlan: It is gone or holds other bytes.
        Unsafe: It is no regular file, or has further names, a mount or an owner of its own.
    """
    try:
        descriptor = os.open(place.name, OLD, dir_fd=place.folder)
    except FileNotFoundError:
        raise _stale(change) from None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Unsafe(f"{change.name} is not a regular file; it was left alone.")
        if reason := read.unsafe(place, descriptor):
            raise Unsafe(f"{reason}. It was left alone.")
        if read.read_whole(descriptor, LIMIT) != before:
            raise _stale(change)
        yield descriptor
    finally:
        os.close(descriptor)


def _exchange_back(place: Place, side: str, ours: bytes, token: str) -> Path | None:
    """Exchange again; whatever comes out that is not ours is kept and its path returned."""
    try:
        rename_exchange(place.folder, side, place.folder, place.name)
    except OSError as error:
        raise NotWritten(
            f"{place.name} holds the approved text and could not be exchanged back"
            f" ({words_of(error)}); what was there before is kept as {side}."
        ) from error
    return _drop_ours(place, side, ours, token)


def _drop_ours(place: Place, side: str, ours: bytes, token: str) -> Path | None:
    """Leave our file to the sweep; keep any other under a name that stays.

    Ours is not removed at once: while it was in place somebody may have opened it for writing.
    """
    try:
        if bytes_at(place, side) == ours:
            _set_aside(place, side, ours, token)
            return None
        kept = conflict_name(place.name, token)
        rename_new(place, side, kept)
    except OSError:
        # it cannot be judged now, so it stays where it is; the target itself is right
        return path_of(place, side)
    return path_of(place, kept)


def _set_aside(place: Place, name: str, ours: bytes, token: str) -> str:
    """Give a file that holds our bytes a name by which the sweep removes it."""
    number = 1
    while True:
        aside = displaced_name(place.name, f"{token}-back{number}", ours)
        try:
            rename_new(place, name, aside)
        except FileExistsError:
            number += 1
            continue
        return aside


def _replace_linked(
    place: Place, change: Change, before: bytes, after: bytes, token: str
) -> Swapped:
    """Without an exchange: look again, link the old file aside, replace, look again."""
    side, new = displaced_name(place.name, token, before), temporary_name(place.name, token)
    folder = place.folder
    try:
        os.rename(side, new, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        unlink(place, side)
        raise
    try:
        link(place, place.name, side)
        if bytes_at(place, side) != before or not same_file(place, place.name, side):
            raise _stale(change)
        os.replace(new, place.name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        unlink(place, new)
        unlink(place, side)
        raise
    back = partial(_replace_back, place, side, after, token)
    return _settled(place, change, side, before, "link-fallback", back, after)


def _replace_back(place: Place, side: str, ours: bytes, token: str) -> Path | None:
    """Take our file out and put the old one back, without replacing anything."""
    new = temporary_name(place.name, token)
    try:
        rename_new(place, place.name, new)
        rename_new(place, side, place.name)
    except OSError as error:
        raise NotWritten(
            f"{place.name} could not be put back ({words_of(error)}); what was there"
            f" before is kept as {side}."
        ) from error
    return _drop_ours(place, new, ours, token)


def _create(place: Place, change: Change, after: bytes, token: str) -> Swapped:
    new = temporary_name(place.name, token)
    mode = 0o600 if change.mode is None else change.mode
    write_beside(place, new, after, lambda descriptor: os.fchmod(descriptor, mode))
    try:
        rename_new(place, new, place.name)
    except FileExistsError:
        unlink(place, new)
        raise _stale(change) from None
    except BaseException:
        unlink(place, new)
        raise
    try:
        write.flush(place.folder)
    except OSError:
        _take_out(place, change, after, token)
        raise
    return Swapped(change, place.real, None, "noreplace")


def _take_out(place: Place, change: Change, ours: bytes, token: str) -> None:
    """Remove the file that we put there, unless it is somebody else's by now."""
    side = _set_aside(place, place.name, ours, token)
    if bytes_at(place, side) != ours:
        _put_back(place, side, token, change)


def _remove(place: Place, change: Change, before: bytes, token: str) -> Swapped:
    side = displaced_name(place.name, token, before)
    with _old(place, change, before):
        rename_new(place, place.name, side)
    back = partial(_put_back, place, side, token, change)
    return _settled(place, change, side, before, "aside", back)


def _put_back(place: Place, side: str, token: str, change: Change) -> None:
    """Give a file its name back; a newer one of that name stays, and ours is kept beside it."""
    try:
        rename_new(place, side, place.name)
    except FileExistsError:
        kept = conflict_name(place.name, token)
        rename_new(place, side, kept)
        raise _foreign(change, path_of(place, kept)) from None


def _stale(change: Change) -> StalePlan:
    return StalePlan(f"{change.name} is not what was shown; nothing was written. Look again.")


def _foreign(change: Change, kept: Path | None, text: bytes | None = None) -> Foreign:
    more = f" A third version is kept as {kept}." if kept else ""
    return Foreign(
        f"{change.name} was written by somebody else at the last moment; their text is in place"
        f" and nothing was decided. Look again.{more}",
        kept,
        text,
    )


def undo_swap(change: Change, token: str) -> Path | None:
    """Take one change back, as recovery and a failed group do.

    Acts on what lies on the disk, so it needs nothing but the change and its token. Only bytes
    that are still ours are taken out.

    Returns:
        A third version that slipped in and is kept beside the target, or None.

    Raises:
        StalePlan: The target is not what we wrote; it was left alone.
        NotWritten: The disk failed.
    """
    found = look(change, token)
    if found.stage is Stage.BEFORE:
        return None
    if found.stage is Stage.OTHER:
        raise _stale(change)
    kept = None
    with target_of(change) as place:
        if change.after is None:
            _bring_back(place, change, token, found)
        elif change.before is None:
            _take_out(place, change, change.after, token)
        elif found.displaced is None:
            _replace(place, change, change.after, change.before, f"{token}u")
        else:
            kept = _swap_displaced(place, change.before, change.after, token)
        write.flush(place.folder)
    return kept


def _swap_displaced(place: Place, before: bytes, after: bytes, token: str) -> Path | None:
    side = displaced_name(place.name, token, before)
    try:
        rename_exchange(place.folder, side, place.folder, place.name)
    except OSError as error:
        if error.errno not in UNSUPPORTED:
            raise
        return _replace_back(place, side, after, token)
    return _drop_ours(place, side, after, token)


def _bring_back(place: Place, change: Change, token: str, found: Found) -> None:
    before = change.before or b""
    if found.displaced is None:
        _create(place, change, before, token)
    else:
        _put_back(place, displaced_name(place.name, token, before), token, change)
