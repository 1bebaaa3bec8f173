"""What the console knows at this moment, free of widgets; screens draw it, lanes replace it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from placet.console.phrases.decisions import seen_later
from placet.store.model import (
    DECISIONS,
    Choice,
    Done,
    Event,
    Home,
    Kind,
    Plan,
    Proposal,
    Ref,
)

if TYPE_CHECKING:
    from placet.console.pages.lines import DiffDoc
    from placet.store.inbox import HomeView, Item


@dataclass(frozen=True, slots=True)
class Made:
    """Decisions of one key press, newest of the session last on the board.

    Attributes:
        home: Label of the home.
        events: Numbers of their events.
        words: The footer line.
        notes: What else to say.
    """

    home: str
    events: tuple[int, ...]
    words: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Wanted:
    """One waiting proposal as the person saw it.

    Attributes:
        proposal: What is asked.
        choice: What the person changed about it.
        seen: Digest of the plan that was shown.
    """

    proposal: Proposal
    choice: Choice
    seen: str


@dataclass(frozen=True, slots=True)
class Details:
    """What is worked out for the selected row only.

    Attributes:
        item: The row.
        plan: Against today's files, with the person's choice.
        doc: Everything about it, ready to be shown.
    """

    item: Item
    plan: Plan
    doc: DiffDoc


@dataclass(frozen=True, slots=True)
class Logged:
    """One row of a log with the home it belongs to."""

    home: Home
    event: Event


def made_of(done: Iterable[Done]) -> Made:
    """Fold what one key press decided into one line."""
    all_done = list(done)
    first = all_done[0]
    more = f" and {len(all_done) - 1} more" if len(all_done) > 1 else ""
    notes = tuple(note for one in all_done for note in one.notes)
    return Made(first.home, tuple(one.event for one in all_done), first.words + more, notes)


@dataclass(frozen=True, slots=True)
class Said:
    """What the footer says until something else is said.

    Attributes:
        words: Harmless words.
        warning: Whether it says why something did not happen.
        good: Whether it confirms a decision.
    """

    words: str = ""
    warning: bool = False
    good: bool = False


@dataclass(frozen=True, slots=True)
class Reason:
    """What a person gave with a refusal.

    Attributes:
        text: The reason, may be empty.
        each: Whether each operation of a batch is refused by itself.
        days: How long the refusal holds, in days; 0 for ever.
    """

    text: str
    each: bool = False
    days: int = 0

    def until(self, now: float) -> float | None:
        """When the refusal expires, seconds since the epoch; None for never."""
        return now + self.days * 86_400 if self.days else None


@dataclass(slots=True)
class Board:
    """Everything that is known.

    Attributes:
        homes: Homes of this run, in their order.
        problems: What to tell about the start, in words.
        views: The queue of each home by label, as last read.
        listed: How many records are listed in each home, before they are read, by label.
        choices: What the person changed about waiting proposals, by reference.
        made: Decisions of this session, newest last; undoing one takes it off.
        undone: The newest undo of this session, or None.
        refused_here: Why nothing may be decided at all, or ""; None while not known.
        read_only: Why a home is read-only, by label.
        level: The level in the words of the status bar.
        multiplexer: Name of the terminal multiplexer, or empty.
        held: Who holds the terminal, in words, or empty.
        watching: How a home is watched, in words, by label.
        heard: Wall time of the last listing, seconds since the epoch, by label.
        banner: A failure to show until everything is read again.
        said: What the footer says.
        own_events: Events of this session's own decisions.
        waiting_for: What a decision waits for, in words, or empty.
        deciding: Proposals that a decision is being carried out about.
        reasons: Reasons given in this session, newest last.
        keys: The person's key map.
    """

    homes: tuple[Home, ...]
    problems: tuple[str, ...] = ()
    views: dict[str, HomeView] = field(default_factory=dict[str, "HomeView"])
    choices: dict[Ref, Choice] = field(default_factory=dict[Ref, Choice])
    made: list[Made] = field(default_factory=list[Made])
    undone: Made | None = None
    refused_here: str | None = None
    read_only: dict[str, str] = field(default_factory=dict[str, str])
    level: str = ""
    multiplexer: str = ""
    held: str = ""
    watching: dict[str, str] = field(default_factory=dict[str, str])
    heard: dict[str, float] = field(default_factory=dict[str, float])
    banner: str = ""
    said: Said = Said()
    own_events: set[int] = field(default_factory=set[int])
    waiting_for: str = ""
    listed: dict[str, int] = field(default_factory=dict[str, int])
    deciding: set[Ref] = field(default_factory=set[Ref])
    reasons: list[str] = field(default_factory=list[str])
    keys: Mapping[str, str] = field(default_factory=dict[str, str])

    def home(self, label: str) -> Home:
        """The home with a label."""
        return next(home for home in self.homes if home.label == label)

    def items(self) -> Iterator[Item]:
        """Every row of every home, in the order of the screen."""
        for home in self.homes:
            if (view := self.views.get(home.label)) is not None:
                yield from view.items

    def may_decide(self, label: str) -> str:
        """Why nothing can be decided in a home, in words; "" where it can."""
        if self.refused_here is None:
            return "placet is still opening the ledger: press again"
        return self.refused_here or self.read_only.get(label, "")

    @property
    def waiting(self) -> int:
        """How many wait in all homes: at first as many as are listed, then as many as were read."""
        read = [view.waiting for view in self.views.values()]
        return sum(read) + sum(n for label, n in self.listed.items() if label not in self.views)

    @property
    def read_whole(self) -> bool:
        """Whether every home has been read and every record in it planned."""
        return all(home.label in self.views for home in self.homes) and not any(
            view.unplanned for view in self.views.values()
        )

    def note(self, made: Made, kind: Kind) -> None:
        """Remember what one key press decided, for `u`; an undo is no step to take back."""
        self.own_events.update(made.events)
        if kind is Kind.UNDONE:
            self.undone = made
        elif kind in DECISIONS:
            self.made.append(made)

    def taken_back(self, label: str, events: Iterable[int]) -> None:
        """Forget decisions that are undone, wherever that was asked for."""
        gone = set(events)
        self.made = [one for one in self.made if one.home != label or not gone & {*one.events}]

    def nothing_to_undo(self) -> str:
        """Why `u` has nothing to take back, in words."""
        if self.undone is None:
            return "nothing was decided in this session; 3 Audit has older ones"
        seq = self.undone.events[-1]
        return f"nothing is left to undo but undo #{seq} itself: u on its row in 3 Audit"

    def made_words(self, made: Made, kind: Kind) -> str:
        """What the footer keeps after a decision."""
        home = f"{made.home}: " if len(self.homes) > 1 else ""
        parts = [f"✓ {home}{made.words}"]
        if kind in DECISIONS and kind is not Kind.UNDONE:
            parts.append("u undo")
        return " · ".join(part for part in (*parts, seen_later(kind), *made.notes) if part)
