"""The model behind the queue, free of any interface: what waits in each home, and how it stands.

State always comes from listings; hints only say where to look first. Nothing here writes.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing

from placet.store.errors import NotFound
from placet.store.homes.provenance import Provenance, find_session
from placet.store.inbox import order
from placet.store.inbox.order import Item
from placet.store.inbox.planner import Moved, Planner
from placet.store.inbox.records import Entry, Key, Records
from placet.store.inbox.remembered import Reading, Remembered
from placet.store.inbox.views import HomeView, Left, Progress
from placet.store.model import (
    BACKGROUND_REVIEW,
    Choice,
    Home,
    Life,
    Plan,
    Proposal,
    Ref,
    TargetKind,
)
from placet.store.plan import Together
from placet.store.plan import knock_on as plan_knock_on
from placet.store.plan import together as plan_together
from placet.store.watch import Area, Hint

SLICE = 50
"""Rows planned between two pauses."""

SHOW_SECONDS = 0.25
"""Shortest time between two views of one refresh; the first comes with the first slice."""

SHOW_SHARE = 10
"""Making a view takes at most one part in so many of a refresh, however long the queue is."""


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

    def knock_on(self, plan: Plan) -> tuple[Ref, ...]:
        """Other waiting proposals that approving this plan would leave unable to apply."""
        return plan_knock_on(plan, self._others(plan.proposal))

    def together(self, plan: Plan) -> Together | None:
        """What the plan's file would hold with everything that could be approved for it."""
        return plan_together(plan, self._others(plan.proposal))

    def provenance(self, item: Item) -> Provenance | None:
        """Session and message that staged this row; None for the background review, which leaves
        no trace there (what is known is its origin)."""
        if item.proposal.origin == BACKGROUND_REVIEW:
            return None
        return find_session(item.proposal.home, item.proposal.id)

    def _others(self, proposal: Proposal) -> list[Plan]:
        """Plans of the other records for the same file or skill."""
        target, ref = proposal.target, proposal.ref
        members = self._states[ref.home].view.members()
        return [
            other.plan
            for other in members
            if other.ref != ref
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
        self._due: set[Key] = set()
        self._skills: frozenset[str] = frozenset()
        self._items: tuple[Item, ...] | None = ()
        self._oldest: float | None = None
        self._show_due = 0.0
        self.view = HomeView(home, self._planner.config, home.path.is_dir())

    def refresh(self, *, full: bool, hints: tuple[Hint, ...]) -> Iterator[Progress]:
        """List, read, plan; the view is renewed now and then, and at the end."""
        now, self._show_due = self._clock(), 0.0
        with closing(Reading(self.home)) as reading:
            self._look(reading, now, full=full)
            for read in self._reads(now, full=full, hints=hints):
                self._due.update(read)
                if read:
                    self._look_at_skills()
                yield from self._plan_due(reading, now)
            if self._due:
                self._due.intersection_update(self._records.entries)
            left = [reading.why(entry.proposal) for entry in self._records.take_left()]
            self._remembered = reading.noted(self._remembered)
            self._show(now, tuple(left))

    def plan_again(self, item: Item, choice: Choice | None) -> Plan:
        """Plan against today's files, with whatever choice; similar refusals are named."""
        with closing(Reading(self.home)) as reading:
            self._look(reading, self._clock(), full=False)
            return reading.asked(
                lambda ledger: self._planner.plan(item.proposal, ledger, choice, similar=True)
            )

    def _reads(self, now: float, *, full: bool, hints: tuple[Hint, ...]) -> Iterator[Sequence[Key]]:
        """Read records: those that events named, or, where more may have changed, by listing."""
        named = [(h.subsystem, h.name) for h in hints if h.area is Area.RECORDS and h.subsystem]
        listing = full or not hints or any(hint.area is Area.SCAN for hint in hints)
        before = len(self._records.entries)
        if listing:
            yield from self._records.refresh(now, full=full)
        else:
            yield from self._records.look_at(named, now)
        if len(self._records.entries) != before or self._records.left:
            self._items = None

    def _look(self, reading: Reading, now: float, *, full: bool) -> None:
        """Look at ledger, configuration and files; what moved makes plans due again."""
        before = self._remembered
        self._remembered = reading.remembered(before)
        moved = reading.touched_since(before.head, (self.view.scanned, now))
        moved |= self._planner.look(self._skills)
        moved |= Moved(everything=full or not self._remembered.like(before))
        if moved:
            entries = self._records.entries
            self._due.update(key for key in entries if moved.covers(entries[key].proposal))

    def _look_at_skills(self) -> None:
        """Follow the skills that something staged is about."""
        targets = (entry.proposal.target for entry in self._records.entries.values())
        skills = frozenset(t.skill for t in targets if t and t.kind is TargetKind.SKILL)
        if skills != self._skills:
            self._skills = skills
            self._planner.look(skills)

    def _plan_due(self, reading: Reading, now: float) -> Iterator[Progress]:
        entries = self._records.entries
        due = sorted(self._due & entries.keys(), key=lambda key: (entries[key].staged, key))
        for start in range(0, len(due), SLICE):
            for key in due[start : start + SLICE]:
                self._plan(entries[key], reading)
                self._due.discard(key)
            self._items = None
            self._show_sometimes(now)
            yield Progress(self._records.listed, self._unplanned())

    def _unplanned(self) -> int:
        return self._records.listed - len(self._records.entries) + len(self._due)

    def _plan(self, entry: Entry, reading: Reading) -> None:
        proposal = entry.proposal
        key = (proposal.subsystem, proposal.id, proposal.sha256)
        unfinished = proposal.claimed or key in self._remembered.intents
        life = Life.UNFINISHED if unfinished else Life.WAITING
        planned = reading.asked(lambda ledger: self._planner.plan(proposal, ledger))
        entry.item = order.item(proposal, planned, life, entry.staged)

    def _show_sometimes(self, now: float) -> None:
        begun = time.monotonic()
        if begun >= self._show_due:
            self._show(now)
            done = time.monotonic()
            self._show_due = done + max(SHOW_SECONDS, (done - begun) * SHOW_SHARE)

    def _show(self, now: float, left: tuple[Left, ...] = ()) -> None:
        memory, records = self._remembered, self._records
        if self._items is None:
            entries = records.entries.values()
            self._items = order.rows(entry.item for entry in entries if entry.item)
            self._oldest = min((entry.staged for entry in entries), default=None)
        self.view = HomeView(
            home=self.home,
            config=self._planner.config,
            exists=self.home.path.is_dir(),
            items=self._items,
            ungated=memory.ungated,
            taken=memory.taken,
            left=left,
            problems=(*records.problems, *memory.problems),
            waiting=records.listed,
            oldest=self._oldest,
            settling=records.unsettled,
            unplanned=self._unplanned(),
            alarm=memory.alarm,
            head=memory.head,
            scanned=now,
        )
