"""Everything the console decides; lives on the deciding thread, which owns the desks."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from placet.console.board import Wanted
from placet.console.phrases.events import held
from placet.store import decide
from placet.store.errors import Cancelled, NotAllowed, NotFound, PlacetError, ReadOnly
from placet.store.model import Done, Home, Proposal, Ref, Sight

TELL_SECONDS = 0.25
"""How often it is told how many of many decisions are made."""

if TYPE_CHECKING:
    from placet.store.decide import Approver, Desk, Inverse
    from placet.store.ledger.intents import Intent


@dataclass(frozen=True, slots=True)
class Opened:
    """What opening the desks found.

    Attributes:
        refused: Why nothing may be decided at all, or empty.
        level: The level in the words of the status bar.
        multiplexer: Name of the terminal multiplexer, or empty.
        held: Who holds the terminal, in words, or empty.
        read_only: Why a home is read-only, by label.
        reports: What recovery did, by label.
    """

    refused: str = ""
    level: str = ""
    multiplexer: str = ""
    held: str = ""
    read_only: dict[str, str] = field(default_factory=dict[str, str])
    reports: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])


@dataclass(frozen=True, slots=True)
class Vanished:
    """What became of a record that left without us.

    Attributes:
        id: Its id.
        kind: Kind of the event that explains it.
        seq: Number of that event.
    """

    id: str
    kind: str
    seq: int


class Desks:
    """One desk a home.

    Args:
        homes: Homes of this run.
        approver: Makes the approver.
        waiting: Is told what lock is waited for, and for how many seconds.
        counted: Is told how many of how many decisions of one key are made.
        cancelled: Whether the person gave up waiting.
    """

    def __init__(
        self,
        homes: Sequence[Home],
        approver: Callable[[], Approver],
        waiting: Callable[[Path, float], None],
        counted: Callable[[int, int], None],
        cancelled: Callable[[], bool],
    ) -> None:
        self._homes = {home.label: home for home in homes}
        self._make = approver
        self._approver: Approver | None = None
        self._desks: dict[str, Desk] = {}
        self._waiting = waiting
        self._tell_count = counted
        self._cancelled = cancelled

    def open(self) -> Opened:
        """Find out whether this process may decide, and open every home that it can."""
        try:
            self._approver = self._make()
        except NotAllowed as error:
            return Opened(refused=str(error))
        read_only: dict[str, str] = {}
        reports: dict[str, tuple[str, ...]] = {}
        for label, home in self._homes.items():
            try:
                if home.path.is_dir():
                    reports[label] = tuple(self.desk(label).reports)
            except PlacetError as error:
                read_only[label] = str(error)
        return Opened(
            level=self._approver.level_words(),
            multiplexer=self._approver.in_multiplexer(),
            held=held({"evidence": self._approver.evidence()}),
            read_only=read_only,
            reports=reports,
        )

    def desk(self, label: str) -> Desk:
        """The desk of a home, opened when first needed.

        Raises:
            ReadOnly: Nothing can be decided there.
            LedgerError: Its ledger cannot be used.
        """
        if self._approver is None:
            raise ReadOnly("Nothing is decided here: this process may not decide.")
        if label not in self._desks:
            self._desks[label] = decide.Desk.open(self._homes[label], self._approver)
        return self._desks[label]

    # what a key decides

    def approve(
        self, label: str, wanted: Wanted, twins: Iterable[Proposal], sight: Sight
    ) -> list[Done]:
        """Approve one proposal, and settle its twins."""
        return decide.approve_alike(
            self.desk(label),
            wanted.proposal,
            twins,
            wanted.choice,
            wanted.seen,
            sight,
            waiting=self._waiting,
            cancelled=self._cancelled,
            counting=self._counting,
        )

    def reject(
        self,
        label: str,
        proposals: Iterable[Proposal],
        reason: str,
        each: bool,
        sight: Sight,
        until: float | None = None,
    ) -> list[Done]:
        """Refuse one value, however often it was proposed; `until` as in `decide.reject`."""
        return decide.reject_alike(
            self.desk(label),
            proposals,
            reason=reason,
            each=each,
            until=until,
            sight=sight,
            counting=self._counting,
        )

    def discard(
        self, label: str, proposals: Iterable[tuple[Proposal, str]], sight: Sight
    ) -> list[Done]:
        """Take records out of the queue, each with its own reason."""
        desk = self.desk(label)
        return decide.discard_each(desk, proposals, sight=sight, counting=self._counting)

    def inverses(self, label: str, events: Iterable[int]) -> list[Inverse]:
        """The inverse of every decision of a group, the newest first."""
        desk = self.desk(label)
        return [decide.inverse(desk, seq) for seq in sorted(events, reverse=True)]

    def undo(self, label: str, inverses: Iterable[Inverse], seen: str, sight: Sight) -> list[Done]:
        """Undo a group of decisions; `seen` is the digest of the one that has a diff."""
        desk = self.desk(label)
        acts = [
            partial(decide.undo, desk, one, seen if one.proposal is not None else "", sight)
            for one in inverses
        ]
        return decide.all_that_can(self._counting(acts))

    def vouch(
        self, label: str, wanted: Wanted, operations: Iterable[int], reason: str, sight: Sight
    ) -> list[Done]:
        """Vouch for the exact text of operations that hold a threat; `seen` is the plan's state."""
        desk = self.desk(label)
        proposal, choice, seen = wanted.proposal, wanted.choice, wanted.seen
        done: list[Done] = []
        for number in operations:
            done.append(decide.vouch(desk, proposal, choice, number, reason, seen, sight=sight))
            seen = desk.plan(proposal, choice).state
        return done

    def _counting(self, acts: Sequence[Callable[[], Done]]) -> Iterator[Callable[[], Done]]:
        """Each in turn, telling how far it is; the person may stop between two of them."""
        due = time.monotonic() + TELL_SECONDS
        for number, act in enumerate(acts):
            if number and self._cancelled():
                yield partial(_stopped, number, len(acts))
                return
            if number and time.monotonic() >= due:
                self._tell_count(number, len(acts))
                due = time.monotonic() + TELL_SECONDS
            yield act

    def retry(self, label: str, ref: Ref) -> list[Done]:
        """Finish a decision that is made and not yet written."""
        desk = self.desk(label)
        return [decide.retry(desk, intent) for intent in _intents(desk, ref)]

    def cancel(self, label: str, ref: Ref) -> list[Done]:
        """Give up a decision that is made and not yet written; its record goes back."""
        desk = self.desk(label)
        return [decide.cancel(desk, intent) for intent in _intents(desk, ref)]

    def lift(self, label: str, fingerprint: str) -> list[Done]:
        """Lift a refusal."""
        return [decide.lift(self.desk(label), fingerprint)]

    def put_back(self, label: str, sha256: str) -> list[Done]:
        """Put a taken record back."""
        return [decide.put_back(self.desk(label), sha256)]

    def keep(self, label: str, seq: int) -> list[Done]:
        """Keep an ungated change."""
        return [decide.keep(self.desk(label), seq)]

    def revert(self, label: str, seq: int) -> Proposal:
        """The planned revert of an ungated change."""
        return decide.revert_proposal(self.desk(label), seq)

    # what happens by itself

    def look_after(self, label: str, refused: Iterable[Proposal], *, notice: bool) -> list[Done]:
        """Record ungated changes, and take what the refusal rule covers."""
        desk = self.desk(label)
        if notice:
            decide.notice(desk)
        wanted = list(refused)
        return decide.take(desk, wanted) if wanted else []

    def vanished(self, label: str, gone: Iterable[Proposal]) -> list[Vanished]:
        """Resolve records that vanished without us, by what they left on disk."""
        desk = self.desk(label)
        found: list[Vanished] = []
        for proposal in gone:
            try:
                event = decide.resolve(desk, proposal)
            except PlacetError:
                continue  # it is back, or another placet decides about it: the next listing tells
            kind = json.loads(event.body)["kind"]
            found.append(Vanished(proposal.id, kind, event.seq))
        return found

    def close(self) -> None:
        """Close every ledger."""
        for desk in self._desks.values():
            desk.ledger.close()
        self._desks.clear()


def _stopped(made: int, of: int) -> Done:
    raise Cancelled(f"You stopped after {made:,} of {of:,}; the others are as they were.")


def _intents(desk: Desk, ref: Ref) -> list[Intent]:
    """Open intents about one record.

    Raises:
        NotFound: There is none any more.
    """
    found = [
        intent
        for intent in decide.unfinished(desk)
        if (intent.subsystem, intent.id) == (ref.subsystem, ref.id)
    ]
    if not found:
        raise NotFound(f"The decision about {ref.id} is finished, or being finished; look again.")
    return found
