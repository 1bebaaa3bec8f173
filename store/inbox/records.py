"""What is staged in one home, kept between listings: only new and changed names are read again."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from placet.store.inbox.order import Item
from placet.store.model import Home, Proposal, Subsystem
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
        item: Its row in the queue, or None while it is not planned yet.
    """

    proposal: Proposal
    stamp: Stamp | None
    modified: float
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
        left: Records that two looks in a row did not find, since they were last asked for.
        problems: Folders that cannot be listed, in words.
    """

    def __init__(self, home: Home) -> None:
        self.entries: dict[Key, Entry] = {}
        self.left: list[Entry] = []
        self.problems: tuple[str, ...] = ()
        self._home = home
        self._folders = {subsystem: str(home.pending(subsystem)) for subsystem in Subsystem}
        self._names: dict[Subsystem, set[str]] = {s: set() for s in Subsystem}
        self._turn = 0
        self._unsettled: set[Key] = set()

    def refresh(self, now: float, *, full: bool) -> Iterator[list[Key]]:
        """List both folders and read what is new or changed, oldest files first.

        Args:
            now: Seconds since the epoch.
            full: Whether to look at every record again, not only at a tenth of the known ones.

        Yields:
            Records just read, in slices; the first one is yielded even if it is empty.
        """
        before = self._names
        self._names = self._list()
        gone = {s: before[s] - self._names[s] for s in Subsystem}
        if any(gone.values()):
            # One listing during a rename can miss both names, so a second one decides.
            again = self._list()
            self._names = {s: self._names[s] | again[s] for s in Subsystem}
            self._forget((s, name) for s in Subsystem for name in gone[s] - self._names[s])
        due = {(s, name) for s in Subsystem for name in self._names[s] - before[s]}
        due |= self._unsettled | set(self.entries if full else self._tenth())
        yield from self._read_changed(due, now)

    def look_at(self, named: Iterable[Key], now: float) -> Iterator[list[Key]]:
        """Look at single records that events named, without listing anything.

        Args:
            named: Folder and file name of each.
            now: Seconds since the epoch.

        Yields:
            Records just read, in slices.
        """
        there: set[Key] = set()
        for key in named:
            found = [k for k in (key, _other_name(key), key) if self._stamp(k) is not None]
            for subsystem, name in found:
                self._names[subsystem].add(name)
            there.update(found)
            if key not in found:
                self._names[key[0]].discard(key[1])
                self._forget([key])
        yield from self._read_changed(there | self._unsettled, now)

    @property
    def listed(self) -> int:
        """How many records there are."""
        return sum(map(len, self._names.values()))

    @property
    def unsettled(self) -> bool:
        """Whether a record is being written, so that another look is due soon."""
        return bool(self._unsettled)

    def take_left(self) -> tuple[Entry, ...]:
        """Records that vanished since this was last asked."""
        left, self.left = tuple(self.left), []
        return left

    def _stamp(self, key: Key) -> Stamp | None:
        """Identity of the file as it is now; by plain strings, for ten thousand of them."""
        subsystem, name = key
        try:
            found = os.lstat(f"{self._folders[subsystem]}/{name}")
        except (OSError, ValueError):
            return None
        return (found.st_ctime_ns, found.st_size, found.st_ino, found.st_mtime_ns)

    def _list(self) -> dict[Subsystem, set[str]]:
        listings = {subsystem: scan.names(self._home, subsystem) for subsystem in Subsystem}
        self.problems = tuple(found.problem for found in listings.values() if found.problem)
        return {subsystem: set(found.names) for subsystem, found in listings.items()}

    def _tenth(self) -> Iterable[Key]:
        self._turn = (self._turn + 1) % PARTS
        return islice(self.entries, self._turn, None, PARTS)

    def _read_changed(self, due: Iterable[Key], now: float) -> Iterator[list[Key]]:
        stamps = {key: self._stamp(key) for key in due}
        changed = [key for key in stamps if self._differs(key, stamps[key])]
        changed.sort(key=lambda key: ((stamps[key] or (0,))[-1], key))
        for start in range(0, max(1, len(changed)), SLICE):
            part = changed[start : start + SLICE]
            for key in part:
                self._read(key, stamps[key], now)
            yield part

    def _differs(self, key: Key, stamp: Stamp | None) -> bool:
        known = self.entries.get(key)
        return known is None or known.stamp != stamp or key in self._unsettled

    def _read(self, key: Key, stamp: Stamp | None, now: float) -> None:
        record = scan.read(self._home, *key)
        proposal = parse.understand(record, now)
        self._unsettled.discard(key)
        if proposal.settling:
            self._unsettled.add(key)
            known = self.entries.get(key)
            if known is not None and known.proposal.operations:
                proposal = replace(known.proposal, settling=True)
        self.entries[key] = Entry(proposal, stamp, record.modified)

    def _forget(self, gone: Iterable[Key]) -> None:
        """Drop entries; those not merely claimed or given back are kept in `left`."""
        for key in gone:
            entry = self.entries.pop(key, None)
            self._unsettled.discard(key)
            if entry and _other_name(key)[1] not in self._names[key[0]]:
                self.left.append(entry)


def _other_name(key: Key) -> Key:
    """The name that the same record has while it is claimed, or has when it is given back."""
    subsystem, name = key
    bare = scan.record_name(name)
    return (subsystem, bare if bare != name else scan.claim_name(bare))
