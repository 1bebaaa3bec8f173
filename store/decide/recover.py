"""Finishing or undoing what a stopped process left, and what a full disk held up (design §6).

Nothing is guessed: bytes that are neither what was there nor what was to be written end the
attempt, and the record goes back to the queue.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path

from placet.store.decide import carry, records
from placet.store.decide.body import who
from placet.store.decide.desk import Desk, Waiting
from placet.store.decide.ruling import Ruling, Staged
from placet.store.disk import lock, swap
from placet.store.disk.swap import Stage
from placet.store.errors import (
    AlreadyDecided,
    Busy,
    LedgerError,
    NotFound,
    NotWritten,
    PlacetError,
    ReadOnly,
    StalePlan,
    Unsafe,
    cause_of,
    words_of,
)
from placet.store.ledger import audit, blobs, decisions, intents, proposals
from placet.store.ledger.decisions import Decision
from placet.store.ledger.intents import Intent
from placet.store.model import (
    Change,
    Kind,
    Life,
    Subsystem,
    Target,
    TargetKind,
    sha256,
)
from placet.store.staged import scan

CLAIM_SECONDS = 10.0
"""Age from which a claim without an intent is taken for left behind, in seconds."""

_TEMPORARY = re.compile(r"\..+\.placet-[0-9a-f]{16}\.new", re.DOTALL)


def recover(desk: Desk, claim_seconds: float = CLAIM_SECONDS) -> list[str]:
    """Finish or undo everything that a stopped process left in this home.

    What a living process is at work on holds its lock, and is passed over.

    Args:
        desk: Whose home.
        claim_seconds: Age from which a claim without an intent goes back to the queue.

    Returns:
        What was done, in words; also added to `desk.reports`.
    """
    start = len(desk.reports)
    for intent in intents.open_ones(desk.ledger):
        if words := carry.stuck(desk, intent):
            desk.reports.append(words)
        else:
            _try(desk, intent)
    for subsystem, name in list(records.unfinished(desk.home)):
        desk.reports += _orphan(desk, subsystem, name, claim_seconds)
    return desk.reports[start:]


def tidy(desk: Desk, seconds: float = CLAIM_SECONDS) -> None:
    """Remove temporary files of our own that a stopped process never put in their place.

    Args:
        desk: Whose home.
        seconds: Age from which nobody is at work on one any more.
    """
    home = desk.home
    places = (
        *(home.pending(subsystem) for subsystem in Subsystem),
        home.skills,
        home.path / "placet-public",
        blobs.folder(home),
    )
    for place in places:
        for path in _temporaries(place):
            try:
                if _age(path) >= seconds:
                    path.unlink()
            except OSError:
                continue  # its owner was quicker


def _temporaries(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [Path(entry.path) for entry in entries if _TEMPORARY.fullmatch(entry.name)]
    except OSError:
        return []  # no such folder, or not ours to look at


def _try(desk: Desk, intent: Intent) -> None:
    """Resume one intent if its lock is free now; taking a target's lock does so by itself."""
    target = carry.ruling_of(desk, intent).lands if intent.changes else None
    try:
        with locked(desk, target, wait_seconds=0):
            if target is None:
                desk.reports.append(resume(desk, intent))
    except Busy:
        return  # somebody is at work on it


def ready(desk: Desk) -> None:
    """Make sure that something may be decided now: no alarm, and no leftovers of a crash.

    Raises:
        NotAllowed: Somebody else holds the terminal now, who may not decide.
        LedgerError: An alarm is open.
    """
    desk.require_may_decide()
    recover(desk)


@contextmanager
def locked(
    desk: Desk,
    target: Target | None,
    *,
    wait_seconds: float = lock.WAIT_SECONDS,
    waiting: Waiting | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Generator[None, None, None]:
    """Hold the lock of a target and finish what was left there; nothing for no target.

    Raises:
        Busy: It was not free within `wait_seconds`.
        Cancelled: `cancelled` said so.
        ReadOnly: Its lock file cannot be made or opened.
    """
    if target is None:
        yield
        return
    path = lock.lock_path(desk.home, target)
    held = lock.held([path], wait_seconds=wait_seconds, waiting=waiting, cancelled=cancelled)
    with ExitStack() as stack:
        try:
            stack.enter_context(held)
        except OSError as error:
            raise ReadOnly(
                f"The lock {path} cannot be taken: {words_of(error)}. Nothing was decided."
            ) from error
        leftovers(desk, target)
        yield


def leftovers(desk: Desk, target: Target) -> None:
    """Finish what was left at a target, and look at its displaced files; its lock is held.

    Raises:
        LedgerError: What was left there cannot be finished: a person has to end it first.
    """
    for intent in intents.open_ones(desk.ledger):
        wanted = carry.ruling_of(desk, intent).lands
        if intent.paths and wanted is not None and wanted.kind is target.kind:
            carry.require_no_person(desk, intent)
            desk.reports.append(resume(desk, intent))
    for folder in _folders(desk, target):
        desk.reports += _sweep(desk, folder, below=target.kind is TargetKind.SKILL)


def resume(desk: Desk, intent: Intent) -> str:
    """Lead one intent of a stopped process to its end, with its lock held; says what was done."""
    current = intents.get(desk.ledger, intent.token)
    if current is None:
        return f"Another placet finished the decision {intent.token}."
    if words := carry.stuck(desk, current):
        return words
    ruling = carry.ruling_of(desk, current)
    seq = carry.event_of(current)
    try:
        if seq is not None:
            carry.finish(desk, current, ruling)
            return f"Finished the last steps of #{seq}."
        return _judge(desk, current, ruling)
    except (NotWritten, LedgerError, OSError) as error:
        return f"{ruling.ref or ruling.target} is not finished: {cause_of(error)}."


def _judge(desk: Desk, intent: Intent, ruling: Ruling) -> str:
    stages = _stages(intent, ruling)
    if stages & {Stage.FOREIGN, Stage.OTHER}:
        return _give_up(desk, intent, ruling, "the file was written by someone else meanwhile")
    claim_gone = ruling.staged is not None and not records.has_claim(desk, ruling.staged)
    if claim_gone and Stage.BEFORE in stages:
        return _give_up(desk, intent, ruling, "its record is gone")
    try:
        done = carry.complete(desk, intent, ruling, recovered=True)
    except (StalePlan, Unsafe, AlreadyDecided) as error:
        return f"{ruling.ref or ruling.target} was decided, and not written: {error}"
    return f"Finished #{done.event}, which was decided and not completely written: {done.words}."


def _stages(intent: Intent, ruling: Ruling) -> set[Stage]:
    if ruling.move is not None:
        return {Stage.AFTER if carry.moved(ruling.move) else Stage.BEFORE}
    return {_stage(change, intent.token) for change in intent.changes}


def _stage(change: Change, token: str) -> Stage:
    if not change.path.parent.exists():
        return Stage.BEFORE if change.before is None else Stage.OTHER
    return swap.look(change, token).stage


def _give_up(desk: Desk, intent: Intent, ruling: Ruling, why: str) -> str:
    notes = carry.take_back(intent, ruling)
    event = carry.abort(desk, intent, ruling, why, notes)
    return f"{ruling.ref or ruling.target} was decided and is not written (#{event.seq}): {why}."


def _orphan(desk: Desk, subsystem: Subsystem, name: str, seconds: float) -> list[str]:
    """A claim that no intent owns: remove what is decided, give back what was left behind."""
    if any(i.name == name and i.subsystem is subsystem for i in intents.open_ones(desk.ledger)):
        return []
    try:
        taken = swap.adopt(desk.home, subsystem, name)
        if taken is None:
            return []
        raw = taken.raw or b""
        staged = Staged(subsystem, scan.safe_id(name), name, sha256(raw))
        if taken.raw is None:
            staged = replace(staged, aside=records.aside_of(desk.home, staged))
        ended = decisions.standing(desk.ledger, subsystem, staged.id, staged.sha256)
        if ended is not None:
            return _decided(desk, staged, ended)
        if _is_taken(desk, staged):
            records.remove(desk, staged)
            return [f"Removed {name}, which was taken out as refused before."]
        if _age(taken.path) < seconds:
            return []
        records.give_back(desk, staged)
    except (NotFound, OSError):
        return []  # its owner was quicker
    except PlacetError as error:
        return [f"{name}: {error}"]
    return [f"Gave {name} back to the queue: it was claimed and never decided."]


def _decided(desk: Desk, staged: Staged, first: Decision) -> list[str]:
    """Finish the last step of a decision, or remove what came back after it."""
    event = audit.get(desk.ledger, first.event)
    aside = "" if event is None else str(audit.body(event).get("aside", ""))
    if aside and not os.path.lexists(records.kept_aside(desk.home, aside)):
        staged = replace(staged, aside=aside)
    records.remove_leftover(desk, staged, first)
    kept = f" {records.left_words(desk.home, staged)}" if staged.aside else ""
    return [f"Removed {staged.name}, which was decided before.{kept}"]


def _is_taken(desk: Desk, staged: Staged) -> bool:
    known = proposals.get(desk.ledger, staged.subsystem, staged.id, staged.sha256)
    return known is not None and known.life is Life.TAKEN


def _age(path: Path) -> float:
    """Seconds since the file was renamed; a clock set back counts as old."""
    age = time.time() - path.lstat().st_ctime
    return age if age >= 0 else CLAIM_SECONDS


def _folders(desk: Desk, target: Target) -> list[Path]:
    """Folders that hold the displaced files of a target: the real ones, behind links."""
    if target.kind is TargetKind.SKILL:
        return [desk.home.skills] if desk.home.skills.is_dir() else []
    folder = desk.home.file(target).resolve().parent
    return [folder] if folder.is_dir() else []


def _sweep(desk: Desk, folder: Path, *, below: bool) -> list[str]:
    """Remove old displaced files; one that was written late is kept and recorded."""
    reports: list[str] = []
    for late in swap.sweep_displaced(folder, below=below):
        if late.data is None:
            reports.append(f"{late.displaced} cannot be read and was left where it is.")
            continue
        digest = blobs.put(desk.home, late.data)
        body = {
            **who(desk),
            "path": _inside(desk, late.target),
            "token": late.token,
            "found": digest,
        }
        with desk.ledger.immediate():
            event = audit.append(desk.ledger, Kind.LATE_WRITE, body)
        swap.forget(late.displaced)
        reports.append(
            f"Somebody wrote into {late.target.name} after it was replaced; their text is kept"
            f" (#{event.seq})."
        )
    return reports


def _inside(desk: Desk, path: Path) -> str:
    inside = path.is_relative_to(desk.home.path)
    return path.relative_to(desk.home.path).as_posix() if inside else str(path)
