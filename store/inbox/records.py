"""What is staged in one home, kept between listings: only new and changed names are read again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from placet.store.inbox.order import Item
from placet.store.model import Code, Home, Proposal, Subsystem
from placet.store.staged import parse, scan

PARTS = 10
"""A known record is looked at again every so many listings, besides what events name."""

SLICE = 100
"""Records read between two pauses."""

Key = tuple[Subsystem, str]
Stamp = tuple[int, int, int, int]


@dataclass(slots=True)
class Entry:
    """One record as last read.

    Attributes:
        proposal: The record understood; the last good one while the file is being written.
        stamp: Change time in ns, size, inode and modification time in ns when it was read.
        modified: Modification time, seconds since the epoch.
        basis: What its row was worked out from, or None where that is due.
        item: Its row in the queue, or None where that is due.
    """

    proposal: Proposal
    stamp: Stamp | None
    modified: float
    basis: object = None
    item: Item | None = None

    @property
    def staged(self) -> float:
        """When it was staged, as far as known; orders the queue."""
        created = self.proposal.created_at
        return self.modified if created is None else created


class Records:
    """The records of one home.

    Attributes:
        entries: Every record that is listed now, by folder and file name.
        left: Records that two listings in a row did not show, since they were last asked for.
        problems: Folders that cannot be listed, in words.
        listed: How many names the last listing held.
    """

    def __init__(self, home: Home) -> None:
        self.entries: dict[Key, Entry] = {}
        self.left: list[Entry] = []
        self.problems: tuple[str, ...] = ()
        self.listed = 0
        self._home = home
        self._turn = 0

    def refresh(self, now: float, named: Iterable[Key], *, full: bool) -> Iterator[int]:
        """List both folders and read what is new or changed, in slices.

        Args:
            now: Seconds since the epoch.
            named: Records that an event named.
            full: Whether to look at every record again.

        Yields:
            How many are still to be read.
        """
        listed = self._list()
        gone = self.entries.keys() - listed
        if gone:
            # One listing during a rename can miss both names, so a second one decides.
            listed |= self._list()
            self._forget(self.entries.keys() - listed, listed)
        self.listed = len(listed)
        due = self._due(listed, frozenset(named), full=full)
        stamps = {key: _stamp(self._home, key) for key in due}
        changed = [key for key in due if self._differs(key, stamps[key])]
        changed.sort(key=lambda key: ((stamps[key] or (0,))[-1], key))
        for start in range(0, len(changed), SLICE):
            for key in changed[start : start + SLICE]:
                self._read(key, stamps[key], now)
            yield max(0, len(changed) - start - SLICE)

    def _list(self) -> set[Key]:
        listings = {subsystem: scan.names(self._home, subsystem) for subsystem in Subsystem}
        self.problems = tuple(found.problem for found in listings.values() if found.problem)
        return {(subsystem, name) for subsystem, found in listings.items() for name in found.names}

    def _due(self, listed: set[Key], named: frozenset[Key], *, full: bool) -> list[Key]:
        """Names to look at: all, or the new, the named, the unsettled, and a tenth of the rest."""
        if full:
            return list(listed)
        self._turn = (self._turn + 1) % PARTS
        return [
            key
            for number, key in enumerate(sorted(listed))
            if key not in self.entries
            or key in named
            or number % PARTS == self._turn
            or self.entries[key].proposal.settling
        ]

    def _differs(self, key: Key, stamp: Stamp | None) -> bool:
        known = self.entries.get(key)
        return known is None or known.stamp != stamp or known.proposal.settling

    def _read(self, key: Key, stamp: Stamp | None, now: float) -> None:
        record = scan.read(self._home, *key)
        proposal = parse.understand(record, now)
        known = self.entries.get(key)
        if known is not None and proposal.settling and known.proposal.operations:
            proposal = replace(known.proposal, settling=True)
        self.entries[key] = Entry(proposal, stamp, record.modified)

    def _forget(self, gone: Iterable[Key], listed: set[Key]) -> None:
        """Drop entries; those not merely claimed or given back are kept in `left`."""
        for key in list(gone):
            entry = self.entries.pop(key)
            subsystem, name = key
            plain = scan.record_name(name)
            if not {(subsystem, plain), (subsystem, scan.claim_name(plain))} & listed:
                self.left.append(entry)

    def take_left(self) -> tuple[Entry, ...]:
        """Records that vanished since this was last asked."""
        left, self.left = tuple(self.left), []
        return left


def malformed(proposal: Proposal) -> bool:
    """Whether the parser could not understand the record."""
    return any(v.code is Code.MALFORMED for v in proposal.verdicts)


def _stamp(home: Home, key: Key) -> Stamp | None:
    subsystem, name = key
    try:
        found = os.lstat(home.pending(subsystem) / name)
    except OSError:
        return None
    return (found.st_ctime_ns, found.st_size, found.st_ino, found.st_mtime_ns)
