"""What the ledger of one home says that the queue has to show; read-only, leaves no file behind."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar

from placet.store import watched
from placet.store.errors import NotALedger, PlacetError
from placet.store.inbox.planner import Moved
from placet.store.inbox.views import Left, Taken
from placet.store.ledger import audit, blobs, database, decisions, intents, proposals, reaching
from placet.store.ledger.database import Ledger
from placet.store.model import (
    Event,
    Home,
    Kind,
    Life,
    Proposal,
    Ref,
    Subsystem,
    Ungated,
)

MAX_EVENTS = 500
"""Newer events than these are not read one by one: everything is planned again instead."""

Answer = TypeVar("Answer")

RecordKey = tuple[Subsystem, str, str]


@dataclass(frozen=True, slots=True)
class Remembered:
    """What the ledger said at one moment.

    Attributes:
        head: Number of the newest event.
        ungated: Open changes that no decision explains, oldest first; `event` 0 where no placet
            process has recorded it yet.
        taken: Records that can be put back, newest first.
        intents: Records with an open intent.
        alarm: The ledger's alarm, in words, or empty.
        problems: Why the ledger cannot be read, in words.
    """

    head: int = 0
    ungated: tuple[Ungated, ...] = ()
    taken: tuple[Taken, ...] = ()
    intents: frozenset[RecordKey] = frozenset()
    alarm: str = ""
    problems: tuple[str, ...] = ()

    def like(self, other: Remembered) -> bool:
        """Whether what no event tells is the same: open intents, and a readable ledger."""
        return (self.intents, self.alarm, self.problems) == (
            other.intents,
            other.alarm,
            other.problems,
        )


class Reading:
    """One look into the ledger of a home, on one thread; a broken ledger is named and left alone.

    Attributes:
        ledger: The open ledger, or None where the home has none or it cannot be read.
        problem: Why it cannot be read, in words, or empty.
        alarm: That it is gone or replaced by something else, in words, or empty.
    """

    def __init__(self, home: Home) -> None:
        self.ledger: Ledger | None = None
        self.problem = ""
        self.alarm = ""
        self._home = home
        with self._guarded():
            self.ledger = Ledger.open_reading(home)
            self.alarm = "" if self.ledger else database.lost(home)

    def close(self) -> None:
        """Close the ledger."""
        if self.ledger is not None:
            self.ledger.close()

    def fail(self, error: Exception) -> None:
        """Go on without the ledger, which cannot be read."""
        if isinstance(error, NotALedger):
            self.alarm = str(error).rstrip(".")
        else:
            self.problem = str(error)
        self.close()
        self.ledger = None

    @contextmanager
    def _guarded(self) -> Generator[None]:
        try:
            with reaching.reading(database.location(self._home)):
                yield
        except PlacetError as error:
            self.fail(error)

    def asked(self, act: Callable[[Ledger | None], Answer]) -> Answer:
        """Do something with the ledger, or without it where it cannot be read."""
        if self.ledger is not None:
            with self._guarded():
                return act(self.ledger)
        return act(None)

    def remembered(self, before: Remembered) -> Remembered:
        """Read what the queue shows; parts that no event can have changed are kept."""
        if self.ledger is not None:
            with self._guarded():
                return _remembered(self.ledger, before)
        return Remembered(alarm=self.alarm, problems=(self.problem,) if self.problem else ())

    def noted(self, found: Remembered) -> Remembered:
        """The same, with what was only noticed while planning: that a part cannot be read."""
        if self.problem and self.problem not in found.problems:
            return replace(found, problems=(*found.problems, self.problem))
        return found

    def touched_since(self, head: int, expired: tuple[float, float]) -> Moved:
        """Targets that events after `head`, or a refusal that expired meanwhile, bear on.

        Args:
            head: Number of the newest event that was known.
            expired: The stretch of time since, seconds since the epoch.
        """
        if self.ledger is not None:
            with self._guarded():
                return _touched(self.ledger, head, expired)
        return Moved()

    def why(self, proposal: Proposal) -> Left:
        """Explain why a record is not listed any more."""
        if self.ledger is not None:
            with self._guarded():
                return _why(self.ledger, proposal)
        return Left(proposal, None, "is gone")


def _remembered(ledger: Ledger, before: Remembered) -> Remembered:
    head = audit.head(ledger)
    same = head == before.head and head > 0
    return Remembered(
        head=head,
        ungated=watched.ungated(ledger),
        taken=before.taken if same else tuple(_taken(ledger)),
        intents=frozenset(_open_intents(ledger)),
        alarm=ledger.alarm,
    )


def _touched(ledger: Ledger, head: int, expired: tuple[float, float]) -> Moved:
    sql = "SELECT count(*) FROM refusals WHERE lifted IS NULL AND until > ? AND until <= ?"
    lapsed = ledger.row(sql, expired)
    newer = audit.events(ledger, after=head, limit=MAX_EVENTS)
    if len(newer) == MAX_EVENTS or (lapsed is not None and lapsed[0]):
        return Moved(everything=True)
    named = [str(audit.body(event).get("target") or "") for event in newer]
    if any(not name and _decides(event) for name, event in zip(named, newer, strict=True)):
        return Moved(everything=True)
    return Moved(targets=frozenset(_bare(name) for name in named if name))


def _why(ledger: Ledger, proposal: Proposal) -> Left:
    key = (proposal.subsystem, proposal.id, proposal.sha256)
    decision = decisions.standing(ledger, *key)
    if decision is not None:
        words = f"{decision.kind.value} by {decision.actor} (#{decision.event})"
        return Left(proposal, decision.event, words)
    known = proposals.get(ledger, *key)
    if known is not None and known.life in (Life.TAKEN, Life.GONE, Life.DECIDED):
        words = known.life.value
        if known.life is Life.TAKEN:
            words = "left the queue, because it repeats what was refused"
        return Left(proposal, known.event, f"{words} (#{known.event})")
    return Left(proposal, None, "is gone")


def _decides(event: Event) -> bool:
    kind = audit.body(event).get("kind")
    return kind not in (Kind.BASELINE.value, Kind.UNGATED.value, Kind.RECOVERED.value)


def _bare(target: str) -> str:
    return target.partition("/")[0] if target.startswith("skill:") else target


def _open_intents(ledger: Ledger) -> Iterator[RecordKey]:
    for intent in intents.open_ones(ledger):
        yield (intent.subsystem, intent.id, intent.sha256)


def _taken(ledger: Ledger) -> Iterator[Taken]:
    for known in proposals.living(ledger, Life.TAKEN):
        event = audit.get(ledger, known.event) if known.event else None
        body = audit.body(event) if event else {}
        yield Taken(
            Ref(ledger.home.label, known.subsystem, known.id),
            known.sha256,
            known.event or 0,
            None if event is None else audit.at(event),
            str(body.get("target", "")),
            known.origin,
            blobs.get(ledger.home, known.sha256),
        )
