"""What a screen is told about a home at one moment: values that are replaced, never changed."""

from __future__ import annotations

from dataclasses import dataclass, replace

from placet.store.inbox.order import Item
from placet.store.model import (
    BACKGROUND_REVIEW,
    Home,
    HomeConfig,
    Life,
    Proposal,
    Ref,
    Standing,
    Ungated,
)


@dataclass(frozen=True, slots=True)
class Taken:
    """A record removed by the refusal rule; its bytes are kept and it can be put back.

    Attributes:
        ref: Reference it had.
        sha256: SHA-256 of its bytes.
        event: Number of the event that took it.
        at: When, seconds since the epoch, or None.
        target: What it was for, as far as the event tells.
        origin: Who staged it.
        raw: Its bytes, or None where they were erased.
    """

    ref: Ref
    sha256: str
    event: int
    at: float | None
    target: str
    origin: str
    raw: bytes | None


@dataclass(frozen=True, slots=True)
class Left:
    """A record that is not listed any more.

    Attributes:
        proposal: The record as last read.
        event: The event that explains it, or None: it is to be resolved as vanished.
        words: What happened, in words.
    """

    proposal: Proposal
    event: int | None
    words: str


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
        left: Records that vanished, and why as far as known; named once, in the last view of the
            refresh that missed them.
        problems: What cannot be read, in words.
        waiting: How many records wait: every staged record without a final answer, whatever its
            group, unfinished ones and those that are about to be taken out included.
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

    def oldest_seconds(self, now: float) -> int | None:
        """Age of the oldest waiting record in whole seconds, or None where nothing waits.

        Args:
            now: Seconds since the epoch.
        """
        return None if self.oldest is None else max(0, int(now - self.oldest))

    def takeable(self) -> list[Proposal]:
        """Waiting records that the refusal rule takes out of the queue."""
        return [
            member.proposal
            for member in self.members()
            if member.plan.standing is Standing.REFUSED
            and member.life is Life.WAITING
            and member.proposal.origin == BACKGROUND_REVIEW
        ]

    def find(self, ref: Ref) -> Item | None:
        """The row of a reference, with its twins; one that is folded heads the others then."""
        row = next((row for row in self.items if ref == row.ref or ref in row.same), None)
        if row is None:
            return None
        members = {member.ref: member for member in row.members}
        return replace(members.pop(ref), twins=tuple(members.values()))
