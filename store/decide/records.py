"""The staged record of a decision: claimed before, removed after, put back by an undo."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from placet.store.decide.body import who
from placet.store.decide.desk import Desk
from placet.store.decide.ruling import Staged
from placet.store.disk import lock, swap
from placet.store.errors import AlreadyDecided, Busy, Cancelled, NotFound, StalePlan
from placet.store.ledger import audit, blobs, decisions, intents, proposals
from placet.store.ledger.decisions import Decision
from placet.store.model import Home, Kind, Life, Proposal, Subsystem, sha256
from placet.store.staged import scan

_PAUSE = 0.01


@dataclass
class Held:
    """A claimed record, or none for a person's own change.

    Attributes:
        staged: The record, or None.
        kept: Whether a decision or an intent owns the claim by now; else it is given back.
    """

    staged: Staged | None
    kept: bool = False


def staged_of(proposal: Proposal, *, keep: bool = True) -> Staged | None:
    """The record of a proposal, or None for a person's own change."""
    if not proposal.name:
        return None
    return Staged(
        proposal.subsystem, proposal.id, proposal.name, proposal.sha256, proposal.origin, keep
    )


@contextmanager
def claimed(
    desk: Desk, proposal: Proposal, cancelled: Callable[[], bool] | None = None
) -> Generator[Held, None, None]:
    """Hold the claim of a proposal's record; it is given back unless `kept` is set.

    Raises:
        AlreadyDecided: Someone decided it first.
        StalePlan: It holds other bytes than were shown.
        NotFound: It is gone and nobody of us decided it.
        Busy: Another process has held it for longer than the bound.
    """
    proposal = _as_waiting(desk, proposal)
    held = Held(staged_of(proposal))
    if held.staged is not None:
        _claim(desk, proposal, cancelled)
        held.staged = replace(held.staged, aside=aside_of(desk.home, held.staged))
    try:
        if held.staged is not None:
            _refuse_decided(desk, held)
        yield held
    finally:
        if held.staged is not None and not held.kept:
            give_back(desk, held.staged)


def _as_waiting(desk: Desk, proposal: Proposal) -> Proposal:
    """A proposal that was shown as a claim, by the name that it bears now that it waits again.

    Raises:
        AlreadyDecided: It is decided; only the last step was missing.
        Busy: It is claimed still.
    """
    if not scan.is_claim(proposal.name):
        return proposal
    name = scan.record_name(proposal.name)
    if swap.adopt(desk.home, proposal.subsystem, name) is None:
        return replace(proposal, name=name, claimed=False)
    require_undecided(desk, proposal)
    raise Busy(unfinished_words(desk, proposal))


def unfinished_words(desk: Desk, proposal: Proposal) -> str:
    """Why a claimed record cannot be decided about now, and what becomes of it."""
    key = (proposal.subsystem, proposal.id)
    if any((i.subsystem, i.id) == key for i in intents.open_ones(desk.ledger)):
        return (
            f"{proposal.ref} is unfinished: it was decided and is not yet written. Nothing was"
            " decided now; retry or cancel that decision (on its row in the Queue, or `placet"
            " unfinished`)."
        )
    return (
        f"{proposal.ref} is unfinished: a placet process has claimed it and decides about it, or"
        " was stopped while it did. Nothing was decided now. If nobody finishes it, the next"
        " decision ten seconds after the claim gives it back to the queue; try again then."
    )


def _claim(desk: Desk, proposal: Proposal, cancelled: Callable[[], bool] | None) -> None:
    """Take the claim, waiting while another process holds it."""
    expected = _expected(proposal)
    deadline = time.monotonic() + lock.WAIT_SECONDS
    while True:
        try:
            swap.claim(desk.home, proposal.subsystem, proposal.name, expected)
            return
        except (NotFound, Busy) as error:
            require_undecided(desk, proposal)
            gone = isinstance(error, NotFound)
            if gone and swap.adopt(desk.home, proposal.subsystem, proposal.name) is None:
                require_undecided(desk, proposal)  # decided between the two looks
                raise
            if cancelled is not None and cancelled():
                raise Cancelled("Gave up waiting for the other placet.") from None
            if time.monotonic() > deadline:
                raise Busy(
                    f"Another placet is deciding about {proposal.ref}; nothing was decided."
                ) from None
            time.sleep(_PAUSE)


def _expected(proposal: Proposal) -> bytes | None:
    """The bytes that were shown; None for what is no readable record, such as a folder."""
    if proposal.raw:
        return proposal.raw
    now = scan.read(proposal.home, proposal.subsystem, proposal.name).raw
    return None if now is None else b""


def aside_of(home: Home, staged: Staged) -> str:
    """Where a record that is no readable file is kept as it is, or empty for a file."""
    taken = swap.adopt(home, staged.subsystem, staged.name)
    if taken is None or taken.raw is not None:
        return ""
    name = f"{int(time.time() * 1000)}-{staged.id.replace(':', '-')}"
    return intents.inside(home, kept_aside(home, name))


def kept_aside(home: Home, aside: str) -> Path:
    """Where in this home a record is kept as it is.

    Args:
        home: Today's home, which may be a copy of the one that the record was staged in.
        aside: `Staged.aside`; in an old log a whole path, of which the name alone counts.
    """
    return home.private / "aside" / PurePosixPath(aside).name


def require_undecided(desk: Desk, proposal: Proposal) -> None:
    """Refuse what somebody has decided, or the refusal rule has taken, already.

    Raises:
        AlreadyDecided: With who, when and what.
    """
    ledger = desk.ledger
    first = decisions.standing(ledger, proposal.subsystem, proposal.id, proposal.sha256)
    if first is not None:
        raise AlreadyDecided(decisions.decided_words(first))
    known = proposals.get(ledger, proposal.subsystem, proposal.id, proposal.sha256)
    if known is not None and known.life is Life.TAKEN:
        raise AlreadyDecided(
            f"{proposal.ref} was taken out of the queue as refused before (#{known.event});"
            " put it back to decide about it."
        )


def _refuse_decided(desk: Desk, held: Held) -> None:
    """A claimed record with a standing decision is a leftover: it goes, and that is said."""
    staged = held.staged
    assert staged is not None
    first = decisions.standing(desk.ledger, staged.subsystem, staged.id, staged.sha256)
    if first is None:
        return
    held.kept = True
    remove_leftover(desk, staged, first)
    raise AlreadyDecided(f"{decisions.decided_words(first)} {left_words(desk.home, staged)}")


def remove_leftover(desk: Desk, staged: Staged, first: Decision) -> None:
    """Remove a claimed record that came back although it is decided: on record first, then gone.

    Its bytes are those that the decision kept; undoing the decision brings them back. What is no
    readable file has no bytes to compare, so that it is moved aside as it is.
    """
    with desk.ledger.immediate():
        body = {
            **who(desk),
            "ref": f"{staged.subsystem.value}/{staged.id}",
            "sha256": staged.sha256,
            "concerns": first.event,
            "outcome": "leftover removed",
            **({"aside": staged.aside} if staged.aside else {}),
        }
        audit.append(desk.ledger, Kind.RECOVERED, body)
    remove(desk, staged)


def left_words(home: Home, staged: Staged) -> str:
    """Where the leftover of a decision went."""
    if staged.aside:
        return f"What lay in the queue under its name is kept at {kept_aside(home, staged.aside)}."
    return "The copy that lay in the queue was removed; undo the decision to get it back."


def bytes_of(desk: Desk, staged: Staged) -> tuple[bytes, ...]:
    """The bytes of a claimed record, to be kept; none where it is no readable file."""
    taken = swap.adopt(desk.home, staged.subsystem, staged.name)
    return () if taken is None or taken.raw is None else (taken.raw,)


def has_claim(desk: Desk, staged: Staged) -> bool:
    """Whether the claim of a record is there with the bytes that were decided about."""
    taken = swap.adopt(desk.home, staged.subsystem, staged.name)
    if taken is None:
        return False
    return staged.aside != "" if taken.raw is None else sha256(taken.raw) == staged.sha256


def remove(desk: Desk, staged: Staged) -> None:
    """Remove a decided record, whether it is claimed or came back under its own name."""
    taken = swap.adopt(desk.home, staged.subsystem, staged.name)
    if taken is None:
        withdraw(desk, staged)
        return
    if staged.aside:
        if taken.raw is None:
            swap.set_aside(taken, kept_aside(desk.home, staged.aside))
        return
    if taken.raw is not None and sha256(taken.raw) == staged.sha256:
        changed = swap.remove_claim(taken)
    else:
        changed = taken.raw  # not what was decided about: somebody wrote into it
        give_back(desk, staged)
    if changed is not None:
        _report_late(desk, staged, changed)


def withdraw(desk: Desk, staged: Staged) -> None:
    """Take a record that waits out of the queue, if it still holds the very same bytes."""
    raw = scan.read(desk.home, staged.subsystem, staged.name).raw
    if staged.aside:
        if raw is not None or os.path.lexists(kept_aside(desk.home, staged.aside)):
            return  # it is a readable file by now, or lies where it is kept already
    elif raw is None or sha256(raw) != staged.sha256:
        return
    try:
        taken = swap.claim(desk.home, staged.subsystem, staged.name, raw)
    except (NotFound, StalePlan, Busy):
        return  # somebody else has it by now, with whatever bytes
    if staged.aside:
        swap.set_aside(taken, kept_aside(desk.home, staged.aside))
    else:
        swap.remove_claim(taken)


def _report_late(desk: Desk, staged: Staged, data: bytes) -> None:
    digest = blobs.put(desk.home, data)
    with desk.ledger.immediate():
        body = {
            **who(desk),
            "ref": f"{staged.subsystem.value}/{staged.id}",
            "sha256": staged.sha256,
            "found": digest,
        }
        audit.append(desk.ledger, Kind.LATE_WRITE, body)


def give_back(desk: Desk, staged: Staged) -> None:
    """Give a claimed record its name back; where a newer one has it, ours is kept as bytes."""
    taken = swap.adopt(desk.home, staged.subsystem, staged.name)
    if taken is None or swap.unclaim(taken):
        return
    if taken.raw is None:
        return  # no bytes to keep: it stays a claim, and is listed as one
    digest = blobs.put(desk.home, taken.raw)
    with desk.ledger.immediate():
        body = {
            **who(desk),
            "ref": f"{staged.subsystem.value}/{staged.id}",
            "sha256": digest,
            "why": "a newer record of the same name is in the queue; these bytes are kept",
        }
        audit.append(desk.ledger, Kind.ABORTED, body)
    swap.remove_claim(taken)


def restore(desk: Desk, staged: Staged) -> tuple[str, ...]:
    """Stage a record again, byte for byte; words where that cannot be done."""
    ref = f"{staged.subsystem.value}/{staged.id}"
    if staged.aside:
        return _move_back(desk.home, staged)
    data = blobs.get(desk.home, staged.sha256)
    if data is None:
        return (f"The bytes of {ref} were not kept, so it was not put back.",)
    try:
        swap.restore_record(desk.home, staged.subsystem, staged.name, data)
    except StalePlan as error:
        return (str(error),)
    return ()


def _move_back(home: Home, staged: Staged) -> tuple[str, ...]:
    source, place = kept_aside(home, staged.aside), home.pending(staged.subsystem) / staged.name
    if not os.path.lexists(source):
        if os.path.lexists(place):
            return ()  # a step that is repeated after a crash
        ref = f"{staged.subsystem.value}/{staged.id}"
        return (f"{ref} is not at {source} any more, so it was not put back.",)
    swap.ensure_folder(place.parent)
    try:
        swap.move(source, place)
    except StalePlan as error:
        return (str(error),)
    return ()


def unfinished(home: Home) -> Iterator[tuple[Subsystem, str]]:
    """Every claim in the home: folder and name of the record."""
    for subsystem in Subsystem:
        for name in scan.names(home, subsystem).names:
            if scan.is_claim(name):
                yield subsystem, scan.record_name(name)
