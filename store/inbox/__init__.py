"""The model behind the queue, free of any interface: what waits in each home, and how it stands.

State always comes from listings; hints only say where to look first. Nothing here writes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

from placet.store.errors import NotFound
from placet.store.homes.provenance import Provenance, find_session
from placet.store.inbox import order
from placet.store.inbox.order import FOLDED, Group, Item, grouped
from placet.store.inbox.planner import Planner
from placet.store.inbox.records import Entry, Key, Records
from placet.store.inbox.remembered import Left, Reading, Remembered, Taken
from placet.store.ledger.database import Ledger
from placet.store.model import (
    BACKGROUND_REVIEW,
    Choice,
    Home,
    HomeConfig,
    Life,
    Plan,
    Ref,
    TargetKind,
    Ungated,
)
from placet.store.plan import knock_on as plan_knock_on
from placet.store.watch import Area, Hint

__all__ = [
    "FOLDED",
    "Group",
    "HomeView",
    "Inbox",
    "Item",
    "Left",
    "Progress",
    "Provenance",
    "Remembered",
    "Taken",
    "grouped",
]

SLICE = 50
"""Rows planned between two pauses."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a refresh is.

    Attributes:
        listed: Records listed.
        left: Records still to be read or planned.
    """

    listed: int
    left: int


@dataclass(frozen=True, slots=True)
class HomeView:
    """One home at one moment.

    Attributes:
        home: Which home.
        config: Hermes' configuration of it.
        exists: Whether the home is there at all.
        items: Rows in the fixed order: unfinished; ready and warning, oldest first; then the
            folded groups. Identical proposals are one row.
        ungated: Open changes that no decision explains, oldest first.
        taken: Records removed by the refusal rule that can be put back, newest first.
        left: Records that vanished since the view before, and why as far as known.
        problems: What cannot be read, in words.
        waiting: How many records wait, folded and unfinished ones included.
        oldest: When the oldest waiting record was staged, seconds since the epoch, or None.
        settling: Whether a record is being written, so that another look is due within a second.
        unplanned: Records listed but not yet planned.
        alarm: Alarm of the ledger, in words, or empty.
        head: Number of the newest event, 0 where there is none.
        scanned: When the listing was made, seconds since the epoch.
    """

    home: Home
    config: HomeConfig
    exists: bool
    items: tuple[Item, ...] = ()
    ungated: tuple[Ungated, ...] = ()
    taken: tuple[Taken, ...] = ()
    left: tuple[Left, ...] = ()
    problems: tuple[str, ...] = ()
    waiting: int = 0
    oldest: float | None = None
    settling: bool = False
    unplanned: int = 0
    alarm: str = ""
    head: int = 0
    scanned: float = 0.0

    def members(self) -> tuple[Item, ...]:
        """Every waiting record, folded ones included, in the order of the rows."""
        return tuple(member for row in self.items for member in row.members)

    def find(self, ref: Ref) -> Item | None:
        """The row of a reference; a folded twin is found as itself."""
        return next((member for member in self.members() if member.ref == ref), None)


class Inbox:
    """What waits in several homes.

    Refreshing works on one thread at a time and may be called from any; views are values that
    are replaced, never changed, so that another thread may hold one.
    """

    def __init__(self, homes: Sequence[Home], *, clock: Callable[[], float] = time.time) -> None:
        self.homes = tuple(homes)
        self._clock = clock
        self._states = {home.label: _State(home, clock) for home in homes}

    def refresh(self, home: Home, full: bool = False, hints: Iterable[Hint] = ()) -> HomeView:
        """Bring one home up to date.

        Args:
            home: Which home.
            full: Whether to look at every record again, whatever its stamp says.
            hints: Events that tell where to look first.
        """
        for _ in self.slices(home, full, hints):
            pass
        return self.view(home)

    def slices(
        self, home: Home, full: bool = False, hints: Iterable[Hint] = ()
    ) -> Iterator[Progress]:
        """Bring one home up to date in slices; after each one `view` shows what is known."""
        state = self._states[home.label]
        with state.lock:
            yield from state.refresh(full=full, hints=tuple(hints))

    def view(self, home: Home) -> HomeView:
        """The home as last refreshed."""
        return self._states[home.label].view

    def views(self) -> tuple[HomeView, ...]:
        """Every home in the order of this run."""
        return tuple(self.view(home) for home in self.homes)

    def item(self, ref: Ref) -> Item:
        """The row of a reference.

        Raises:
            NotFound: Nothing of that reference waits.
        """
        state = self._states.get(ref.home)
        found = state.view.find(ref) if state else None
        if found is None:
            raise NotFound(f"{ref} does not wait (any more).")
        return found

    def plan(self, item: Item, choice: Choice | None = None) -> Plan:
        """Plan one row against the files as they are at this moment, with another choice."""
        state = self._states[item.ref.home]
        with state.lock:
            return state.plan_again(item, choice)

    def knock_on(self, item: Item) -> tuple[Ref, ...]:
        """Other waiting proposals that approving this row would leave unable to apply."""
        return plan_knock_on(item.plan, self._others(item))

    def provenance(self, item: Item) -> Provenance | None:
        """Session and message that staged this row; None for the background review, which leaves
        no trace there (what is known is its origin)."""
        if item.proposal.origin == BACKGROUND_REVIEW:
            return None
        return find_session(item.proposal.home, item.proposal.id)

    def _others(self, item: Item) -> list[Plan]:
        """Plans of the other records for the same file or skill."""
        target = item.plan.proposal.target
        members = self._states[item.ref.home].view.members()
        return [
            other.plan
            for other in members
            if other.ref != item.ref
            and target is not None
            and other.proposal.target is not None
            and (other.proposal.target.kind, other.proposal.target.skill)
            == (target.kind, target.skill)
        ]


class _State:
    """Everything kept about one home between two listings."""

    def __init__(self, home: Home, clock: Callable[[], float]) -> None:
        self.lock = threading.RLock()
        self.home = home
        self._clock = clock
        self._records = Records(home)
        self._planner = Planner(home)
        self._remembered = Remembered()
        self._left: list[Entry] = []
        self.view = HomeView(home, self._planner.config, home.path.is_dir())

    def refresh(self, *, full: bool, hints: tuple[Hint, ...]) -> Iterator[Progress]:
        """List, read, plan; the view is renewed after every slice."""
        named = [
            (hint.subsystem, hint.name)
            for hint in hints
            if hint.area is Area.RECORDS and hint.subsystem is not None
        ]
        full = full or not self._records.entries
        now = self._clock()
        if full:
            self._planner = Planner(self.home)
        self._left = []
        with closing(Reading(self.home)) as reading:
            self._begin(reading, now)
            for left in self._records.refresh(now, named, full=full):
                yield from self._plan_due(reading, now, left)
            yield from self._plan_due(reading, now, 0)
            self._left += self._records.take_left()
            self._show(reading, now, 0)

    def plan_again(self, item: Item, choice: Choice | None) -> Plan:
        """Plan against today's files, with whatever choice."""
        self._look()
        with closing(Reading(self.home)) as reading:
            return self._planner.plan(item.proposal, reading.ledger, choice)

    def _look(self) -> None:
        targets = (entry.proposal.target for entry in self._records.entries.values())
        self._planner.look(t.skill for t in targets if t and t.kind is TargetKind.SKILL)

    def _begin(self, reading: Reading, now: float) -> None:
        """Look at the ledger and the files; forget plans of targets that something was said of."""
        before = self._remembered
        self._remembered = reading.remembered(before)
        touched = reading.touched_since(before.head, (self.view.scanned, now))
        if not touched:
            return
        for entry in self._records.entries.values():
            if touched.covers(entry.proposal.target):
                entry.basis = None

    def _plan_due(self, reading: Reading, now: float, unread: int) -> Iterator[Progress]:
        self._look()
        entries = self._records.entries
        due = sorted(self._due(), key=lambda key: (entries[key].staged, key))
        for start in range(0, len(due), SLICE):
            for key in due[start : start + SLICE]:
                self._plan(entries[key], reading.ledger)
            unplanned = unread + max(0, len(due) - start - SLICE)
            self._show(reading, now, unplanned)
            yield Progress(self._records.listed, unplanned)

    def _due(self) -> list[Key]:
        basis = self._planner.basis
        return [
            key
            for key, entry in self._records.entries.items()
            if entry.item is None or entry.basis != basis(entry.proposal)
        ]

    def _plan(self, entry: Entry, ledger: Ledger | None) -> None:
        proposal = entry.proposal
        life = Life.UNFINISHED if self._unfinished(entry) else Life.WAITING
        planned = self._planner.plan(proposal, ledger)
        entry.item = order.item(proposal, planned, life, entry.staged)
        entry.basis = self._planner.basis(proposal)

    def _unfinished(self, entry: Entry) -> bool:
        proposal = entry.proposal
        key = (proposal.subsystem, proposal.id, proposal.sha256)
        return proposal.claimed or key in self._remembered.intents

    def _show(self, reading: Reading, now: float, unplanned: int) -> None:
        items = [entry.item for entry in self._records.entries.values() if entry.item]
        memory = self._remembered
        self.view = HomeView(
            home=self.home,
            config=self._planner.config,
            exists=self.home.path.is_dir(),
            items=order.rows(items),
            ungated=memory.ungated,
            taken=memory.taken,
            left=tuple(reading.why(entry.proposal) for entry in self._left),
            problems=(*self._records.problems, *memory.problems),
            waiting=self._records.listed,
            oldest=min((item.staged for item in items), default=None),
            settling=any(item.proposal.settling for item in items),
            unplanned=unplanned,
            alarm=memory.alarm,
            head=memory.head,
            scanned=now,
        )
