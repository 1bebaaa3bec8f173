"""The log: read a page, follow it, verify it, accept an alarm."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import click

from placet.console.commands import ask, deciding, output, shapes
from placet.console.commands.options import json_option, reason_option
from placet.console.commands.output import FINDINGS, OK
from placet.console.commands.run import Run
from placet.console.phrases.amounts import counted
from placet.console.phrases.events import details_of, line_of
from placet.console.phrases.unfinished import about, unfinished
from placet.store import decide
from placet.store.errors import PlacetError
from placet.store.ledger import audit as log
from placet.store.ledger import kept, reaching
from placet.store.ledger.database import Ledger, location, lost
from placet.store.model import Event, Home, Kind
from placet.store.text import times

POLL_SECONDS = 0.2
"""How often a followed log is asked whether it has changed, in seconds."""

PAGE = 500


class Row(NamedTuple):
    """One event as it is printed.

    Attributes:
        home: Whose log it is in.
        event: The row.
        gone: What became of texts that it names and that are not there, or empty.
    """

    home: Home
    event: Event
    gone: str


class Filters(NamedTuple):
    """Which events are wanted; empty for all."""

    kind: str = ""
    actor: str = ""
    target: str = ""
    text: str = ""

    def events(self, ledger: Ledger, *, limit: int, after: int | None = None) -> tuple[Event, ...]:
        """A page of a log under these filters."""
        return log.events(
            ledger,
            after=after,
            limit=limit,
            kind=self.kind,
            actor=self.actor,
            target=self.target,
            text=self.text,
        )


@click.command()
@click.option("--follow", is_flag=True, help="Go on printing new events until interrupted.")
@click.option("--verify", is_flag=True, help="Recompute everything; exit 3 where it fails.")
@click.option("--accept", is_flag=True, help="Accept an alarm, as a decision in the log.")
@click.option("--full", is_flag=True, help="Everything that each event says, below its line.")
@click.option("--limit", type=click.IntRange(min=0), default=100, show_default=True, metavar="N")
@click.option("--kind", type=click.Choice([kind.value for kind in Kind]), default=None)
@click.option("--actor", default="", metavar="NAME")
@click.option("--target", default="", metavar="TARGET", help="memory, user, soul, skill:NAME")
@click.option("--text", default="", metavar="WORDS", help="Only events with all these words.")
@reason_option
@json_option
@click.pass_obj
def audit(
    run: Run,
    follow: bool,
    verify: bool,
    accept: bool,
    full: bool,
    limit: int,
    kind: str | None,
    actor: str,
    target: str,
    text: str,
    reason: str,
) -> int:
    """The log: read, follow, verify.

    The newest N events of all homes, by time, the newest last, one a line.
    """
    if follow + verify + accept > 1:
        raise click.UsageError("--follow, --verify and --accept exclude each other.")
    if verify:
        return _verify(run)
    if accept:
        return _accept(run, reason)
    filters = Filters(kind or "", actor, target, text)
    _print(run, _newest(run, limit, filters), full=full)
    if follow:
        _follow(run, filters, full=full)
    return run.outcome()


def _newest(run: Run, limit: int, filters: Filters) -> list[Row]:
    found: list[Row] = []
    for home in run.homes:

        def read(ledger: Ledger) -> list[Row]:
            return [_row(ledger, event) for event in filters.events(ledger, limit=limit)]

        found += run.look(home, read, list[Row]())
    found.sort(key=lambda row: (_when(row.event), row.event.seq))
    return found[-limit:] if limit else []


def _row(ledger: Ledger, event: Event) -> Row:
    return Row(ledger.home, event, kept.gone(ledger, log.body(event)))


def _when(event: Event) -> float:
    return log.at(event) or 0.0


def _print(run: Run, rows: Sequence[Row], *, full: bool) -> None:
    page = run.page()
    for home, event, gone in rows:
        if run.as_json:
            run.emit(_shape(home, event, gone))
            continue
        page.say(line_of(home.label, event, gone))
        for line in details_of(event) if full else ():
            page.say(line)
    if not run.as_json:
        run.print(page)


def _shape(home: Home, event: Event, gone: str) -> shapes.Shape:
    body = log.body(event)
    return {
        "event": f"{home.label}:#{event.seq}",
        "at": times.stamp(log.at(event)),
        "kind": body.get("kind"),
        "profile": home.label,
        "body": body,
        "prev": event.prev,
        "hash": event.hash,
        "text_gone": gone or None,
    }


def _follow(run: Run, filters: Filters, *, full: bool) -> None:
    """Print new events until interrupted; a log that appears later is followed too."""
    tails = [_Tail(home, filters) for home in run.homes]
    try:
        while True:
            sys.stdout.flush()
            if output.is_unread():
                return
            time.sleep(POLL_SECONDS)
            for tail in tails:
                _print(run, list(tail.new()), full=full)
                if words := tail.problem():
                    run.note(words)
    except KeyboardInterrupt:
        return
    finally:
        for tail in tails:
            tail.close()


class _Tail:
    """The end of one home's log."""

    def __init__(self, home: Home, filters: Filters) -> None:
        self.home = home
        self._filters = filters
        self._ledger: Ledger | None = None
        self._last = 0
        self._version = -1
        self._identity = _identity(home)
        self._problem = self._told = ""
        with self._reading():
            self._ledger = Ledger.open_reading(home)
            self._last = 0 if self._ledger is None else log.head(self._ledger)

    def problem(self) -> str:
        """Why the log cannot be followed just now, in words, each time it becomes another one."""
        new, self._told = self._problem != self._told, self._problem
        return f"home {self.home.label}: {self._problem}" if new and self._problem else ""

    @contextmanager
    def _reading(self) -> Generator[None]:
        """Follow on later where the log cannot be read now."""
        try:
            with reaching.reading(location(self.home)):
                yield
            self._problem = "" if self._ledger else lost(self.home)
        except PlacetError as error:
            self._problem = str(error)
            self.close()

    def new(self) -> Iterator[Row]:
        """Events since the last look; cheap where nothing was written."""
        with self._reading():
            if self._identity != _identity(self.home) or self._ledger is None:
                self._reopen()
            if self._ledger is not None:
                yield from self._since(self._ledger)

    def _since(self, ledger: Ledger) -> Iterator[Row]:
        version = int(ledger.rows("PRAGMA data_version")[0][0])
        if version == self._version:
            return
        self._version = version
        head = log.head(ledger)
        while events := self._filters.events(ledger, after=self._last, limit=PAGE):
            self._last = events[-1].seq
            yield from (_row(ledger, event) for event in events)
        self._last = max(self._last, head)

    def _reopen(self) -> None:
        self.close()
        self._identity = _identity(self.home)
        self._ledger = Ledger.open_reading(self.home)
        self._version = -1
        if self._ledger is not None and log.head(self._ledger) < self._last:
            self._last = 0

    def close(self) -> None:
        """Close the ledger."""
        if self._ledger is not None:
            self._ledger.close()
            self._ledger = None


def _identity(home: Home) -> tuple[int, int] | None:
    try:
        found = location(home).lstat()
    except OSError:
        return None
    return (found.st_dev, found.st_ino)


def _verify(run: Run) -> int:
    """Recompute every log; findings end with exit code 3."""
    bad = False
    page = run.page()
    for home in run.homes:
        findings, head = log.verify_home(home)
        open_ones = [f"{about(one)}: {unfinished(one)}" for one in decide.unfinished_at(home)]
        bad = bad or bool(findings)
        if run.as_json:
            found = {"findings": findings, "unfinished": open_ones}
            run.emit({"home": home.label, "events": head, **found})
        else:
            counts = f"{counted(head, 'event')}, {counted(len(findings), 'finding')}"
            page.say(f"home {home.label}: {counts}")
            for finding in findings:
                page.say(f"x {finding}", 2)
            for words in open_ones:
                page.say(f"unfinished: {words} (see `placet unfinished`)", 2)
    if not run.as_json:
        run.print(page)
    code = run.outcome()
    return FINDINGS if bad else code


def _accept(run: Run, reason: str) -> int:
    """Accept what is wrong with the logs, each by a typed word."""
    who = deciding.approver()
    accepted = 0
    for home in run.homes:
        with decide.Desk.open(home, who) as desk:
            if not desk.ledger.alarm:
                continue
            run.note(f"home {home.label}: {desk.ledger.alarm}")
            ask.word("accept", "From here on the log counts as it is.", ascii=run.ascii)
            event = decide.accept(desk, reason)
            _print(run, [_row(desk.ledger, event)], full=False)
            accepted += 1
    if not accepted:
        run.note("No log raises an alarm; there is nothing to accept.")
    return OK
