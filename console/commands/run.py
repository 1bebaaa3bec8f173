"""What every verb shares: the homes of this run, references, printing, and refusals."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from placet.console.charset import ascii_only
from placet.console.commands import output, shapes
from placet.console.commands.output import OK, REFUSED, USAGE
from placet.console.phrases.homes import doubt
from placet.console.phrases.undoing import three_texts
from placet.console.shown import spoken
from placet.store.errors import (
    AlreadyDecided,
    Ambiguous,
    Blocked,
    Busy,
    Cancelled,
    Conflict,
    LedgerError,
    NotAllowed,
    NotFound,
    NotWritten,
    PlacetError,
    ReadOnly,
    StalePlan,
    Unsafe,
)
from placet.store.homes import places
from placet.store.homes.find import Found, find
from placet.store.inbox import HomeView, Item, bearing
from placet.store.model import Home, Life, Plan, Ref, Subsystem
from placet.store.staged import scan

if TYPE_CHECKING:
    from placet.console.commands import words
    from placet.store.inbox.inbox import Inbox
    from placet.store.ledger.database import Ledger

Answer = TypeVar("Answer")

ERROR_NAMES: tuple[tuple[type[PlacetError], str], ...] = (
    (NotAllowed, "not-allowed"),
    (StalePlan, "stale-plan"),
    (AlreadyDecided, "already-decided"),
    (NotFound, "not-found"),
    (Ambiguous, "ambiguous"),
    (Blocked, "blocked"),
    (Busy, "busy"),
    (Cancelled, "cancelled"),
    (NotWritten, "not-written"),
    (Unsafe, "unsafe"),
    (Conflict, "conflict"),
    (LedgerError, "ledger"),
    (ReadOnly, "read-only"),
)
"""Stable names of refusals in JSON."""


class Run:
    """One invocation of the command line.

    Attributes:
        as_json: Whether the verb was asked for JSON.
        known_until: Number of the newest event before a deciding verb recorded what is ungated.
    """

    def __init__(self, environment: Mapping[str, str]) -> None:
        self.given: tuple[Path, ...] = ()
        self.environment = environment
        self.as_json = False
        self.known_until = 0
        self._unread = False

    @cached_property
    def found(self) -> Found:
        """The homes, looked up once."""
        return find(self.given, self.environment, places.home(self.environment))

    @property
    def homes(self) -> tuple[Home, ...]:
        """The homes of this run."""
        return self.found.homes

    @property
    def ascii(self) -> bool:
        """Whether the locale promises no more than ASCII."""
        return ascii_only(self.environment)

    @cached_property
    def inbox(self) -> Inbox:
        """The model of what waits."""
        from placet.store.inbox.inbox import Inbox

        return Inbox(self.homes)

    def page(self) -> words.Page:
        """An empty page of plain text."""
        from placet.console.commands import words

        return words.Page(ascii_only=self.ascii)

    def views(self) -> tuple[HomeView, ...]:
        """Every home as it is now."""
        return tuple(self.inbox.refresh(home) for home in self.homes)

    def print(self, page: words.Page) -> None:
        """Data for people, to standard output."""
        sys.stdout.write(page.text())

    def emit(self, shape: Mapping[str, Any]) -> None:
        """Data for programs, one line to standard output."""
        sys.stdout.write(shapes.dumps(shape) + "\n")

    def note(self, text: str) -> None:
        """Words beside the data, to standard error."""
        complain(text, OK, ascii=self.ascii)

    def outcome(self) -> int:
        """Say what finding the homes had to say; returns the exit code of a verb that looks.

        That is 1 where there is no home to look at, or a ledger could not be read.
        """
        for problem in self.found.problems:
            self.note(problem)
        return REFUSED if self._unread or not self.homes else OK

    def look(self, home: Home, act: Callable[[Ledger], Answer], otherwise: Answer) -> Answer:
        """Read the ledger of a home; one that is gone or damaged is said, and the verb goes on.

        Args:
            home: Whose.
            act: What to read.
            otherwise: The answer where there is no ledger, or none that can be read.
        """
        from placet.store.ledger import database, reaching

        try:
            with reaching.reading(database.location(home)):
                ledger = database.Ledger.open_reading(home)
                if ledger is None:
                    self._doubt(home, database.lost(home))
                    return otherwise
                with closing(ledger):
                    if ledger.alarm:
                        self.note(f"home {home.label}: {doubt(ledger.alarm)}")
                    return act(ledger)
        except PlacetError as error:
            self._doubt(home, str(error))
        return otherwise

    def _doubt(self, home: Home, words: str) -> None:
        if words:
            self._unread = True
            self.note(f"home {home.label}: {doubt(words)}")

    def home(self, label: str) -> Home:
        """The home of a label; an empty one is the only home there is.

        Raises:
            NotFound: There is no such home, or none at all.
            Ambiguous: None is named and there are several.
        """
        if not label and len(self.homes) == 1:
            return self.homes[0]
        fitting = [home for home in self.homes if label in (home.label, str(home.path))]
        if fitting:
            return fitting[0]
        labels = tuple(home.label for home in self.homes)
        if not labels:
            raise NotFound(" ".join(("There is no home to look at.", *self.found.problems)))
        if label:
            raise NotFound(f"There is no home {label} here; there are: {', '.join(labels)}.")
        raise Ambiguous("Several homes are open; name one as HOME: before it.", labels)

    def resolve(self, text: str) -> Ref:
        """Find the one staged record that `[home:][memory/|skills/]id` names.

        Raises:
            NotFound: None is staged under it; says what became of it where that is known.
            Ambiguous: Several are.
        """
        fitting = tuple(ref for ref in self._staged(text) if text in forms(ref))
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            choices = tuple(str(ref) for ref in fitting)
            raise Ambiguous(f"{text} fits several proposals.", choices)
        from placet.console.commands.fate import became

        raise NotFound(f"No proposal {text} waits.{became(self.homes, text)}")

    def _staged(self, text: str) -> Iterable[Ref]:
        """The staged records with the id that ends `text`."""
        wanted = id_of(text)
        for home in self.homes:
            for subsystem in Subsystem:
                if scan.staged_under(home, subsystem, wanted):
                    yield Ref(home.label, subsystem, wanted)

    def item(self, text: str) -> Item:
        """The row of a reference, planned against today's files."""
        ref = self.resolve(text)
        home = self.home(ref.home)
        self.inbox.refresh(home, hints=bearing.on_one(home, ref))
        return self.inbox.item(ref)

    def unread(self, item: Item) -> int:
        """How many other records wait in the home of a row and were not read, in a long queue."""
        home = item.proposal.home
        return max(0, bearing.waiting(home) - len(self.inbox.view(home).members()))

    def refuse(self, error: PlacetError) -> int:
        """Say why nothing was done; returns the exit code."""
        plan = getattr(error, "plan", None)
        if self.as_json:
            self.emit(self._refusal(error, plan))
        complain(str(error), REFUSED, ascii=self.ascii)
        if isinstance(error, Ambiguous):
            for choice in error.choices:
                self.note(f"  {choice}")
            return USAGE
        if isinstance(error, Conflict) and not self.as_json:
            self._three_texts(error)
        return REFUSED

    def _refusal(self, error: PlacetError, plan: Plan | None) -> shapes.Shape:
        names = (name for kind, name in ERROR_NAMES if isinstance(error, kind))
        shape: shapes.Shape = {"error": next(names, "refused"), "message": str(error)}
        if isinstance(error, (StalePlan, Blocked)):
            shape["proposal"] = None if plan is None else shapes.proposal(plan, Life.WAITING, ())
        if isinstance(error, Ambiguous):
            shape["choices"] = list(error.choices)
        if isinstance(error, Conflict):
            shape["texts"] = {"was": error.was, "decided": error.decided, "now": error.now}
        return shape

    def _three_texts(self, error: Conflict) -> None:
        page = self.page()
        for title, text in three_texts(error):
            page.say(title)
            page.block(text)
        self.print(page)


def forms(ref: Ref) -> tuple[str, ...]:
    """Every way to write a reference."""
    short = f"{ref.subsystem.value}/{ref.id}"
    return (ref.id, short, f"{ref.home}:{ref.id}", f"{ref.home}:{short}")


def id_of(text: str) -> str:
    """The id at the end of a reference, in any of its `forms`."""
    begin = text.rfind("sha256:")
    return text[begin:] if begin >= 0 else text.rpartition(":")[2].rpartition("/")[2]


def complain(text: str, code: int, *, ascii: bool = True) -> int:  # noqa: A002
    """Words to standard error, harmless whatever they quote; returns the exit code."""
    output.say(spoken(text, ascii=ascii))
    return code


def number_of(text: str) -> tuple[str, int]:
    """Read `[home:]#12` or `[home:]12`.

    Returns:
        The home's label, or empty, and the number of the event.

    Raises:
        NotFound: It is no number.
    """
    label, _, number = text.rpartition(":")
    digits = number.removeprefix("#")
    if not (digits.isascii() and digits.isdigit()) or len(digits) > 18:
        raise NotFound(f"{text} is no event number; `placet audit` lists them, such as #12.")
    return label, int(digits)


def total(results: Sequence[str]) -> str:
    """A sentence that adds up, such as "3 discarded, 1 not: 4 in all."."""
    kinds = dict.fromkeys(results)
    parts = [f"{sum(1 for r in results if r == kind)} {kind}" for kind in kinds]
    return f"{', '.join(parts)}: {len(results)} in all."
