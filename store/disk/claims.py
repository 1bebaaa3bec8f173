"""Taking a staged record out of everybody's sight while it is decided about, and back.

A claim is a rename to `.<name>.placet`: Hermes lists `*.json` only, so it cannot apply the record
meanwhile. Claims need no flush of their own: the commit that follows makes them durable on every
journalling file system, and recovery copes with a claim that a power cut took back.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from placet.store.disk import beside, folders, write
from placet.store.disk.read import Place, place_of
from placet.store.errors import Busy, NotFound, NotWritten, StalePlan, words_of
from placet.store.model import Home, Subsystem
from placet.store.staged.scan import bytes_of, claim_name


@dataclass(frozen=True, slots=True)
class Claim:
    """A record that this process has taken.

    Attributes:
        home: Where it is staged.
        subsystem: Folder it lies in.
        name: File name of the record.
        raw: Its bytes, or None for what is no readable record (a folder, a pipe, too large).
    """

    home: Home
    subsystem: Subsystem
    name: str
    raw: bytes | None

    @property
    def path(self) -> Path:
        """Where the claim lies."""
        return self.home.pending(self.subsystem) / claim_name(self.name)


def claim(home: Home, subsystem: Subsystem, name: str, expected: bytes | None) -> Claim:
    """Take a staged record, if it still holds the bytes that were shown.

    Args:
        home: Where it is staged.
        subsystem: Its folder.
        name: Its file name (`Proposal.name`).
        expected: The bytes that were shown; None for a record that could not be read.

    Raises:
        NotFound: There is no such record any more: somebody else applied or withdrew it.
        Busy: Another placet process has a claim of this name.
        StalePlan: It holds other bytes; it was put back.
        NotWritten: The folder cannot be written.
    """
    taken = Claim(home, subsystem, name, expected)
    with _folder(home, subsystem, name) as place:
        try:
            beside.rename_new(place, name, claim_name(name))
        except FileNotFoundError:
            raise NotFound(f"The staged record {name} is gone; nothing was decided.") from None
        except FileExistsError:
            raise Busy(
                f"Another placet is deciding about {name}, or was stopped while it did;"
                " nothing was decided. Try again in ten seconds."
            ) from None
        if not _holds(place, claim_name(name), expected):
            _give_back(place, taken)
            raise StalePlan(f"The staged record {name} was rewritten; nothing was decided.")
    return taken


def adopt(home: Home, subsystem: Subsystem, name: str) -> Claim | None:
    """A claim that an earlier process left, for recovery; None where there is none."""
    with _folder(home, subsystem, name) as place:
        try:
            raw = bytes_of(place.folder, claim_name(name))
        except FileNotFoundError:
            return None
    return Claim(home, subsystem, name, raw)


def unclaim(taken: Claim) -> bool:
    """Give a record its name back, without replacing a newer one.

    Returns:
        False if the name is taken: the newer record stays, the claim stays too; its bytes belong
        into the blobs and the claim is removed with `remove_claim`. Also False if the claim is
        gone.
    """
    with _folder(taken.home, taken.subsystem, taken.name) as place:
        given = _give_back(place, taken)
        if given:
            write.flush(place.folder)
        return given


def _give_back(place: Place, taken: Claim) -> bool:
    try:
        beside.rename_new(place, claim_name(taken.name), taken.name)
    except (FileExistsError, FileNotFoundError):
        return False
    return True


def remove_claim(taken: Claim) -> bytes | None:
    """Remove the claimed record for good, durable.

    Returns:
        None as a rule; the bytes found if somebody changed them after the claim, so that the
        caller keeps them and says so.
    """
    name = claim_name(taken.name)
    with _folder(taken.home, taken.subsystem, taken.name) as place:
        found = beside.bytes_at(place, name)
        beside.unlink(place, name)
        write.flush(place.folder)
    return None if found in (None, taken.raw) else found


def set_aside(taken: Claim, destination: Path) -> None:
    """Move a claim that is no readable record (a folder, a pipe) out of the queue as it is.

    Undo is `folders.move(destination, taken.home.pending(…) / taken.name)`.
    """
    write.private_folder(destination.parent)
    folders.move(taken.path, destination)


def restore_record(home: Home, subsystem: Subsystem, name: str, data: bytes) -> Path:
    """Stage a record again byte for byte, durable, without replacing anything.

    Returns:
        Its path; it is no error if the very same bytes lie there already.

    Raises:
        StalePlan: Another record has that name; it was left alone.
        NotWritten: The disk failed.
    """
    folder = home.pending(subsystem)
    folders.ensure_folder(folder)
    with _folder(home, subsystem, name) as place:
        try:
            write.write_new(place.real, data, 0o644)
        except FileExistsError:
            if beside.bytes_at(place, name) != data:
                raise StalePlan(
                    f"Another record is staged as {name}; the earlier one was not put back."
                ) from None
    return folder / name


def _holds(place: Place, name: str, expected: bytes | None) -> bool:
    try:
        return bytes_of(place.folder, name) == expected
    except FileNotFoundError:
        return False


@contextmanager
def _folder(home: Home, subsystem: Subsystem, name: str) -> Generator[Place]:
    """The staging folder, opened without following a link at the record's own name."""
    if "/" in name or "\0" in name or name in ("", ".", ".."):
        raise NotFound("The record's name leads out of its folder; nothing was decided.")
    try:
        with place_of(home.pending(subsystem) / name, follow=False, flushable=True) as place:
            yield place
    except FileNotFoundError as error:
        raise NotFound(f"The folder of {name} is gone; nothing was decided.") from error
    except OSError as error:
        raise NotWritten(
            f"The staged record {name} could not be moved: {words_of(error)}."
        ) from error
