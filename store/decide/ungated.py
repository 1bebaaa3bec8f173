"""Changes of watched files that no decision explains: recorded once, kept or reverted."""

from __future__ import annotations

import time
from collections.abc import Iterator

from placet.store import watched
from placet.store.decide import body
from placet.store.decide.desk import Desk
from placet.store.decide.records import Held
from placet.store.decide.recover import locked, ready
from placet.store.decide.ruling import Ruling
from placet.store.decide.settle import watched_files
from placet.store.decide.simply import decide
from placet.store.disk import read
from placet.store.errors import AlreadyDecided, Busy, NotFound
from placet.store.formats import section
from placet.store.ledger import audit, blobs, decisions, files, intents, refusals
from placet.store.model import (
    Action,
    Change,
    Done,
    Event,
    FileKind,
    FileState,
    Kind,
    Outcome,
    Proposal,
    Snapshot,
    Target,
    TargetKind,
    Ungated,
    sha256,
)
from placet.store.plan import inverse
from placet.store.text import times
from placet.store.text.fingerprint import operation_print

KEPT_BYTES = 1 << 20
"""Largest text whose bytes are kept at sight, in bytes."""

WAIT_SECONDS = 0.5
"""How long judging a changed file waits for its lock; the next look tries again."""

_READABLE = (FileKind.FILE, FileKind.ABSENT)


def baseline(desk: Desk) -> Event:
    """Record the first known bytes of every watched file, when `placet/` is made."""
    states = {path: _state(desk, target) for target, path in watched_files(desk.home)}
    usable = {path: state for path, state in states.items() if state.kind in _READABLE}
    _keep(desk, *usable.values())
    with desk.ledger.immediate():
        event = audit.append(
            desk.ledger,
            Kind.BASELINE,
            {
                **body.who(desk),
                "files": [{"path": p, "after": _digest(s)} for p, s in sorted(usable.items())],
                "unreadable": sorted(states.keys() - usable.keys()),
                **_not_kept(*usable.values()),
            },
        )
        for path, state in usable.items():
            files.remember(desk.ledger, path, _digest(state), event.seq)
    return event


def notice(desk: Desk) -> list[Ungated]:
    """Look at every watched file and record what no decision explains, once.

    Args:
        desk: Whose home.

    Returns:
        Every open ungated change, oldest first; `event` is 0 where its file is in use just now.
    """
    if not desk.ledger.alarm:
        for target, path in watched_files(desk.home):
            if _differs(desk, path, _state(desk, target)):
                _judge(desk, target, path)
    return list(watched.ungated(desk.ledger))


def _judge(desk: Desk, target: Target, path: str) -> None:
    try:
        with locked(desk, target, wait_seconds=WAIT_SECONDS):
            record(desk, target, path)
    except Busy:
        return  # a writer is at work; what it leaves is judged at the next look


def record(desk: Desk, target: Target, path: str) -> Event | None:
    """Record a change of one watched file, its lock held; None where there is none to record."""
    state = _state(desk, target)
    if not _differs(desk, path, state):
        return None
    _keep(desk, state)
    with desk.ledger.immediate():
        known = files.known(desk.ledger, path)
        if known is not None and (known[0] == _digest(state) or _intended(desk, path, state)):
            return None
        event = audit.append(desk.ledger, *_event(desk, target, path, state, known))
        files.remember(desk.ledger, path, _digest(state), event.seq)
    return event


def _event(
    desk: Desk, target: Target, path: str, state: FileState, known: tuple[str | None, int] | None
) -> tuple[Kind, dict[str, object]]:
    if known is None:
        first = {"path": path, "after": _digest(state)}
        named = {"target": str(target), "files": [first], **_not_kept(state)}
        return Kind.BASELINE, {**body.who(desk), **named}
    return Kind.UNGATED, {
        "actor": audit.UNKNOWN_ACTOR,
        "noticed_by": body.who(desk),
        "target": str(target),
        "path": path,
        "before": known[0],
        "after": _digest(state),
        "since": known[1],
        "names": list(_names(desk, target, known[0], state.data)),
        **_not_kept(state),
    }


def _state(desk: Desk, target: Target) -> FileState:
    return read.read(desk.home.file(target), watched.MAX_BYTES)


def _digest(state: FileState) -> str | None:
    return None if state.data is None else sha256(state.data)


def _differs(desk: Desk, path: str, state: FileState) -> bool:
    """Whether a readable file is not what the log last recorded of it."""
    if state.kind not in _READABLE:
        return False
    known = files.known(desk.ledger, path)
    return known is None or known[0] != _digest(state)


def _intended(desk: Desk, path: str, state: FileState) -> bool:
    """Whether an open intent has just put these bytes there."""
    changes = [c for found in intents.open_ones(desk.ledger) for c in found.changes]
    return any(c.name == path and c.after == state.data for c in changes)


def _keep(desk: Desk, *states: FileState) -> None:
    small = (s.data for s in states if s.data is not None and not _is_huge(s))
    blobs.put_all(desk.home, tuple(small))


def _is_huge(state: FileState) -> bool:
    return state.data is not None and len(state.data) > KEPT_BYTES


def _not_kept(*states: FileState) -> dict[str, list[str | None]]:
    """What an event says about files too large to keep."""
    huge = [_digest(state) for state in states if _is_huge(state)]
    return {"not_kept": huge} if huge else {}


def _names(desk: Desk, target: Target, before: str | None, after: bytes | None) -> Iterator[str]:
    """Decisions whose text this change carries, in words without any of the text."""
    if target.kind is TargetKind.SOUL:
        return
    old = _entries(blobs.get(desk.home, before) if before else None)
    new = _entries(after)
    moment = times.utc(time.time())
    for entry in (e for e in new if e not in old):
        words = _known_text(desk, operation_print(str(target), "put", entry))
        if words:
            yield f"{words}, written by someone else, noticed {moment}"
    for entry in (e for e in old if e not in new):
        words = _known_text(desk, operation_print(str(target), "drop", entry))
        if words:
            yield f"{words}, removed by someone else, noticed {moment}"


def _known_text(desk: Desk, fp: str) -> str:
    hit = refusals.standing(desk.ledger, fp)
    if hit is not None:
        return f"refused on {times.day(hit.date)} (#{hit.event})"
    for decision, _ in decisions.with_print(desk.ledger, fp):
        ended = "" if decision.ended_by is None else f", undone by #{decision.ended_by}"
        return f"{decision.kind.value} on {times.day(decision.at)} (#{decision.event}{ended})"
    return ""


def _entries(data: bytes | None) -> list[str]:
    if data is None:
        return []
    try:
        return section.unique(section.parse(data.decode("utf-8")))
    except UnicodeDecodeError:
        return []


def keep(desk: Desk, seq: int, *, reason: str = "") -> Done:
    """Keep an ungated change as it is; the item closes, the file is not touched.

    Args:
        desk: Whose.
        seq: Number of its event.
        reason: The person's words.

    Raises:
        NotFound: There is no such ungated change.
        AlreadyDecided: It was kept or reverted before.
    """
    ready(desk)
    event = require_open(desk, seq)
    found = audit.body(event)
    ruling = Ruling(
        kind=Kind.KEPT,
        target=str(found.get("target", "")),
        details={
            **body.who(desk),
            "path": found["path"],
            "before": found["before"],
            "after": found["after"],
            "words": f"kept the change of {found['path']}",
        },
        actor=body.actor(desk),
        reason=reason,
        concerns=seq,
    )
    return decide(desk, ruling, Held(None), check=lambda: _still_open(desk, seq))


def require_open(desk: Desk, seq: int) -> Event:
    """The event of an ungated change that nobody has answered.

    Raises:
        NotFound: There is no such ungated change.
        AlreadyDecided: It was kept or reverted before.
    """
    event = audit.get(desk.ledger, seq)
    if event is None or audit.body(event)["kind"] != Kind.UNGATED:
        raise NotFound(f"#{seq} is no ungated change.")
    _still_open(desk, seq)
    return event


def _still_open(desk: Desk, seq: int) -> None:
    for answer in decisions.answers(desk.ledger, seq):
        if answer.kind in (Kind.KEPT, Kind.REVERTED):
            raise AlreadyDecided(
                f"#{seq} was {answer.kind.value} by {answer.actor} (#{answer.event}) before."
            )


def revert_proposal(desk: Desk, seq: int) -> Proposal:
    """The change that takes an ungated one back, to be planned, shown and approved like any other.

    Args:
        desk: Whose.
        seq: Number of its event.

    Raises:
        NotFound: There is no such change, or its earlier bytes were not kept.
        AlreadyDecided: It was kept or reverted before.
        Conflict: Its text has changed since; carries the three texts.
    """
    event = require_open(desk, seq)
    found = audit.body(event)
    target = next(t for t, path in watched_files(desk.home) if path == found["path"])
    before, after = _side(desk, found["before"], seq), _side(desk, found["after"], seq)
    place = desk.home.file(target)
    change = Change(place, str(found["path"]), before, after)
    return inverse.build(
        desk.home,
        target,
        _outcomes(target, before, after),
        [change],
        Snapshot({"": _state(desk, target)}),
        seq,
        kind=Kind.REVERTED,
    )


def _side(desk: Desk, digest: str | None, seq: int) -> bytes | None:
    if digest is None:
        return None
    data = blobs.get(desk.home, digest)
    if data is None:
        raise NotFound(f"The bytes of #{seq} were not kept, so it cannot be reverted.")
    return data


def _outcomes(target: Target, before: bytes | None, after: bytes | None) -> tuple[Outcome, ...]:
    """What the change did, entry by entry, for a file that moved on since."""
    if target.kind is TargetKind.SOUL:
        return ()
    old, new = _entries(before), _entries(after)
    gone = [(Action.REMOVE, entry, None) for entry in old if entry not in new]
    came = [(Action.ADD, None, entry) for entry in new if entry not in old]
    pairs: list[tuple[Action, str | None, str | None]] = [*gone, *came]
    return tuple(Outcome(n, a, target, b, c) for n, (a, b, c) in enumerate(pairs, 1))
