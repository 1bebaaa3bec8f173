"""A record that disappeared without placet: what became of it is told by its effect alone."""

from __future__ import annotations

import time
from collections.abc import Iterator

from placet.store.decide import body, ungated
from placet.store.decide.desk import Desk
from placet.store.decide.recover import locked
from placet.store.decide.settle import watched_files
from placet.store.disk import swap
from placet.store.errors import Busy, StalePlan
from placet.store.formats import section
from placet.store.ledger import audit, blobs, decisions, files, intents, proposals
from placet.store.ledger.proposals import Known
from placet.store.model import (
    Action,
    Choice,
    Context,
    Event,
    FileKind,
    FileState,
    Kind,
    Life,
    Operation,
    Proposal,
    Snapshot,
    Target,
    TargetKind,
)
from placet.store.plan import plan, snapshot
from placet.store.staged import scan


def resolve(desk: Desk, proposal: Proposal) -> Event:
    """Say what became of a record that is missing from two listings.

    Args:
        desk: Of its home.
        proposal: As last seen.

    Returns:
        The event that explains it: a decision or taking of ours, or a new `applied-elsewhere`,
        `withdrawn-elsewhere` or `gone`, recorded once.

    Raises:
        StalePlan: It is in the queue after all.
        Busy: Another placet is deciding about it just now.
    """
    desk.require_no_alarm()
    _require_missing(desk, proposal)
    known = _explained(desk, proposal)
    if known is not None:
        return known
    with locked(desk, proposal.target):
        change = _newest_change(desk, proposal.target)
        kind = _judged(desk, proposal)
        return _record(desk, proposal, kind, change)


def _require_missing(desk: Desk, proposal: Proposal) -> None:
    """Look at the file, then at the ledger: one listing during a rename can miss both names."""
    if swap.adopt(desk.home, proposal.subsystem, proposal.name) is not None:
        raise Busy(f"Another placet is deciding about {proposal.ref}.")
    if scan.read(desk.home, proposal.subsystem, proposal.name).raw == proposal.raw:
        raise StalePlan(f"{proposal.ref} is in the queue.")
    key = (proposal.subsystem, proposal.id, proposal.sha256)
    if any((i.subsystem, i.id, i.sha256) == key for i in intents.open_ones(desk.ledger)):
        raise Busy(f"Another placet is deciding about {proposal.ref}.")


def _explained(desk: Desk, proposal: Proposal) -> Event | None:
    """The event that already explains the absence, or None."""
    key = (proposal.subsystem, proposal.id, proposal.sha256)
    first = decisions.standing(desk.ledger, *key)
    if first is not None:
        return audit.get(desk.ledger, first.event)
    known = proposals.get(desk.ledger, *key)
    if known is None or known.event is None or known.life not in (Life.TAKEN, Life.GONE):
        return None
    return audit.get(desk.ledger, known.event)


def _newest_change(desk: Desk, target: Target | None) -> int | None:
    """Record the change of the file first, so that the event can name it."""
    for watched, path in watched_files(desk.home):
        if watched == target:
            ungated.record(desk, watched, path)
            found = [e for e in files.open_ungated(desk.ledger) if audit.body(e)["path"] == path]
            return found[-1].seq if found else None
    return None


def _record(desk: Desk, proposal: Proposal, kind: Kind, change: int | None) -> Event:
    ledger = desk.ledger
    with ledger.immediate():
        known = _explained(desk, proposal)
        if known is not None:
            return known
        details = {
            "actor": audit.UNKNOWN_ACTOR,
            "noticed_by": body.who(desk),
            **body.of_proposal(proposal),
            "target": str(proposal.target) if proposal.target else "",
            "ref": f"{proposal.subsystem.value}/{proposal.id}",
            "sha256": proposal.sha256,
        }
        if change is not None:
            details["concerns"] = change
        event = audit.append(ledger, kind, details)
        proposals.put(
            ledger,
            Known(
                proposal.subsystem,
                proposal.id,
                proposal.sha256,
                proposal.name,
                proposal.origin,
                time.time(),
                Life.GONE,
                event.seq,
            ),
        )
    return event


def _judged(desk: Desk, proposal: Proposal) -> Kind:
    target = proposal.target
    if target is None or not proposal.operations:
        return Kind.GONE
    if target.kind is TargetKind.SKILL:
        return Kind.APPLIED_ELSEWHERE if _in_skill(desk, proposal) else Kind.GONE
    befores = list(_befores(desk, target))
    now = desk.home.file(target)
    state = snapshot.file_state(now)
    if any(_applied(desk, proposal, before, state) for before in befores):
        return Kind.APPLIED_ELSEWHERE
    return Kind.WITHDRAWN_ELSEWHERE if len(befores) == 1 else Kind.GONE


def _befores(desk: Desk, target: Target) -> Iterator[bytes | None]:
    """Earlier bytes of the file, newest first: as last known, and before each open change."""
    path = next(p for t, p in watched_files(desk.home) if t == target)
    known = files.known(desk.ledger, path)
    if known is not None:
        yield blobs.get(desk.home, known[0]) if known[0] else None
    for event in reversed(files.open_ungated(desk.ledger)):
        found = audit.body(event)
        if found["path"] == path:
            yield blobs.get(desk.home, found["before"]) if found["before"] else None


def _applied(desk: Desk, proposal: Proposal, before: bytes | None, now: FileState) -> bool:
    """Whether every put is an entry that was not, and every drop is gone."""
    kind = FileKind.ABSENT if before is None else FileKind.FILE
    then = FileState(now.path, now.real, kind, before, now.mode, now.parent)
    planned = plan(proposal, Snapshot({"": then}), Context(desk.config()), Choice())
    old, new = _entries(before), _entries(now.data)
    acting = [o for o in planned.operations if o.applied and o.before != o.after]
    if not acting:
        return False
    puts = [o.after for o in acting if o.after is not None]
    drops = [o.before for o in acting if o.before is not None]
    return all(p in new and p not in old for p in puts) and not any(d in new for d in drops)


def _entries(data: bytes | None) -> list[str]:
    if data is None:
        return []
    try:
        return section.parse(data.decode("utf-8"))
    except UnicodeDecodeError:
        return []


def _in_skill(desk: Desk, proposal: Proposal) -> bool:
    """Whether a skill holds now what the record asked for."""
    operation = proposal.operations[0]
    found = snapshot.take(proposal, desk.config())
    state = found.files.get(operation.path or "SKILL.md")
    data = None if state is None else state.data
    if operation.action in (Action.DELETE, Action.REMOVE_FILE):
        return data is None
    return data is not None and _holds(operation, data)


def _holds(operation: Operation, data: bytes) -> bool:
    new = (operation.content or "").encode("utf-8", "surrogatepass")
    if operation.action is not Action.PATCH:
        return data == new
    old = (operation.old or "").encode("utf-8", "surrogatepass")
    return bool(new) and new in data and old not in data
