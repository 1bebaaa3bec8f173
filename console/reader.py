"""Everything the console reads from disk; lives on the reading thread."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from placet.console import memory_files
from placet.console.board import Details, Logged
from placet.console.memory_files import MemoryFile
from placet.console.pages.document import Words, document
from placet.console.phrases.decisions import decided
from placet.console.phrases.provenance import provenance_words
from placet.console.since import since
from placet.store.inbox import HomeView, Item
from placet.store.inbox.inbox import Inbox
from placet.store.inbox.planner import Planner
from placet.store.ledger import audit, blobs, decisions, kept, refusals
from placet.store.ledger.database import Ledger, looking
from placet.store.ledger.refusals import Refusal
from placet.store.model import (
    Choice,
    Home,
    Plan,
    Proposal,
    TargetKind,
    sha256,
)
from placet.store.watch import Hint

PAGE = 500
"""Rows of the log that are read at a time."""

BLAMED = 5_000
"""Newest decisions that are searched for the one that wrote an entry."""


class Reader:
    """The inboxes, the ledgers opened for looking, and the memory files.

    Args:
        homes: Homes of this run.
    """

    def __init__(self, homes: Sequence[Home]) -> None:
        self.homes = tuple(homes)
        self._inbox = Inbox(homes)

    # the queue

    def refresh(
        self,
        home: Home,
        full: bool,
        hints: Iterable[Hint],
        between: Callable[[HomeView], None],
    ) -> HomeView:
        """Bring one home up to date.

        Args:
            home: Which home.
            full: Look at every record again.
            hints: Events that tell where to look first.
            between: Is given every view but the last.
        """
        shown = self._inbox.view(home)
        for progress in self._inbox.slices(home, full, hints):
            view = self._inbox.view(home)
            if progress.left and view is not shown:
                shown = view
                between(view)
        return self._inbox.view(home)

    def details(self, item: Item, choice: Choice | None) -> Details:
        """Plan the selected row anew, find out where it comes from, and draw it."""
        plan = self._inbox.plan(item, choice)
        base = since(item.proposal)
        known = Words(
            provenance=provenance_words(item.proposal, self._inbox.provenance(item)),
            notes=(base,) if base else (),
            twins=item.times,
            knock_on=tuple(ref for ref in self._inbox.knock_on(plan) if ref not in item.same),
            together=self._inbox.together(plan),
        )
        return Details(item, plan, document(plan, known))

    def plan(self, proposal: Proposal, choice: Choice | None = None) -> Plan:
        """Plan a person's own change against today's files."""
        planner = Planner(proposal.home)
        target = proposal.target
        planner.look([target.skill] if target and target.kind is TargetKind.SKILL else [])
        with looking(proposal.home) as ledger:
            return planner.plan(proposal, ledger, choice)

    # memory

    def memory(self) -> tuple[MemoryFile, ...]:
        """Every memory file of every home."""
        return tuple(
            memory_files.read(home, target, self._inbox.view(home).config.limit(target))
            for home in self.homes
            for target in memory_files.TARGETS.values()
        )

    # the log and the refusals

    def newest(self, limit: int, text: str = "", kind: str = "") -> list[Logged]:
        """The newest rows of every home, merged by time, oldest first."""
        found = [
            Logged(home, event)
            for home, ledger in self._ledgers()
            for event in audit.events(ledger, limit=limit, text=text, kind=kind)
        ]
        return sorted(found, key=_when)[-limit:]

    def before(self, seqs: dict[str, int], limit: int, text: str = "") -> list[Logged]:
        """Rows before the given number of each home, merged by time, oldest first."""
        found = [
            Logged(home, event)
            for home, ledger in self._ledgers()
            for event in audit.events(ledger, before=seqs.get(home.label), limit=limit, text=text)
            if seqs.get(home.label, 0) > 1
        ]
        return sorted(found, key=_when)[-limit:]

    def after(self, seqs: dict[str, int], text: str = "") -> list[Logged]:
        """Rows after the given number of each home, merged by time, oldest first."""
        found = [
            Logged(home, event)
            for home, ledger in self._ledgers()
            for event in audit.events(ledger, after=seqs.get(home.label, 0), limit=PAGE, text=text)
        ]
        return sorted(found, key=_when)

    def refusals(self) -> list[tuple[Home, Refusal, str]]:
        """Every standing refusal and its text as far as it is kept, each home's newest first."""
        return [
            (home, refusal, refusals.text_of(ledger, refusal) or "")
            for home, ledger in self._ledgers()
            for refusal in refusals.list_refusals(ledger)
        ]

    def recorded(self, home: Home, seq: int) -> list[tuple[str, str | None, str | None]]:
        """What a decision changed: target, text before and text after of each operation."""
        with looking(home) as ledger:
            if ledger is None:
                return []
            return [
                (op.target, _text(ledger, op.before), _text(ledger, op.after))
                for op in decisions.operations(ledger, seq)
            ]

    def blame(self, home: Home, target: str, text: str) -> str:
        """Which decision wrote an entry, in words; "" where none of placet's did."""
        wanted = sha256(text.encode("utf-8", "surrogatepass"))
        with looking(home) as ledger:
            if ledger is None:
                return ""
            for decision in decisions.newest(ledger, limit=BLAMED, standing_only=False):
                for op in decisions.operations(ledger, decision.event):
                    if op.after == wanted and op.target == target and not op.dropped:
                        return f"written when it was {decided(decision)}"
        return ""

    def verify(self) -> list[str]:
        """What is wrong with the logs, one sentence each, the home named."""
        return [
            f"{home.label}: {words}" for home in self.homes for words in audit.verify_home(home)[0]
        ]

    def _ledgers(self) -> Iterator[tuple[Home, Ledger]]:
        for home in self.homes:
            with looking(home) as ledger:
                if ledger is not None:
                    yield home, ledger


def _when(logged: Logged) -> tuple[float, int]:
    return (audit.at(logged.event) or 0.0, logged.event.seq)


def _text(ledger: Ledger, digest: str | None) -> str | None:
    if digest is None:
        return None
    data = blobs.get(ledger.home, digest)
    if data is None:
        return f"(the text {kept.why_gone(ledger, digest)})"
    return data.decode("utf-8", "surrogatepass")
