"""The log: read a page, follow it, verify it, accept an alarm."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import NamedTuple

import click

from placet.console.commands import ask, deciding, shapes
from placet.console.commands.event_words import lines_of
from placet.console.commands.options import json_option, reason_option
from placet.console.commands.run import FINDINGS, OK, Run
from placet.store import decide
from placet.store.ledger import audit as log
from placet.store.ledger.database import Ledger
from placet.store.model import Event, Home, Kind

POLL_SECONDS = 0.2
"""How often a followed log is asked whether it has changed, in seconds."""

PAGE = 500

Row = tuple[Home, Event]


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
    limit: int,
    kind: str | None,
    actor: str,
    target: str,
    text: str,
    reason: str,
) -> int:
    """The log: read, follow, verify.

    The newest N events of all homes, by time, the newest last.
    """
    if follow + verify + accept > 1:
        raise click.UsageError("--follow, --verify and --accept exclude each other.")
    if verify:
        return _verify(run)
    if accept:
        return _accept(run, reason)
    filters = Filters(kind or "", actor, target, text)
    rows = _newest(run.homes, limit, filters)
    _print(run, rows)
    if follow:
        _follow(run, filters)
    run.tell_problems()
    return OK


def _newest(homes: Sequence[Home], limit: int, filters: Filters) -> list[Row]:
    found: list[Row] = []
    for home in homes:
        ledger = Ledger.open_reading(home)
        if ledger is None:
            continue
        with closing(ledger):
            found += [(home, event) for event in filters.events(ledger, limit=limit)]
    found.sort(key=lambda row: (float(log.body(row[1]).get("at", 0)), row[1].seq))
    return found[-limit:] if limit else []


def _print(run: Run, rows: Sequence[Row]) -> None:
    page = run.page()
    for home, event in rows:
        if run.as_json:
            run.emit(_shape(home, event))
        else:
            for line in lines_of(home.label, event):
                page.say(line)
    if not run.as_json:
        run.print(page)


def _shape(home: Home, event: Event) -> shapes.Shape:
    body = log.body(event)
    return {
        "event": f"{home.label}:#{event.seq}",
        "at": shapes.time_of(body.get("at")),
        "kind": body.get("kind"),
        "profile": home.label,
        "body": body,
        "prev": event.prev,
        "hash": event.hash,
    }


def _follow(run: Run, filters: Filters) -> None:
    """Print new events until interrupted; a log that appears later is followed too."""
    tails = [_Tail(home, filters) for home in run.homes]
    try:
        while True:
            sys.stdout.flush()
            time.sleep(POLL_SECONDS)
            for tail in tails:
                _print(run, [(tail.home, event) for event in tail.new()])
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
        self._ledger = Ledger.open_reading(home)
        self._last = 0 if self._ledger is None else log.head(self._ledger)
        self._version = -1
        self._identity = _identity(home)

    def new(self) -> Iterator[Event]:
        """Events since the last look; cheap where nothing was written."""
        if self._identity != _identity(self.home) or self._ledger is None:
            self._reopen()
        if self._ledger is None:
            return
        version = int(self._ledger.rows("PRAGMA data_version")[0][0])
        if version == self._version:
            return
        self._version = version
        head = log.head(self._ledger)
        while events := self._filters.events(self._ledger, after=self._last, limit=PAGE):
            self._last = events[-1].seq
            yield from events
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
    from placet.store.ledger.database import location

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
        ledger = Ledger.open_reading(home)
        if ledger is None:
            findings, head = [], 0
        else:
            with closing(ledger):
                findings, head = log.verify(ledger), log.head(ledger)
        bad = bad or bool(findings)
        if run.as_json:
            run.emit({"home": home.label, "events": head, "findings": findings})
        else:
            page.say(f"home {home.label}: {head} events, {len(findings)} findings")
            for finding in findings:
                page.say(f"x {finding}", 2)
    if not run.as_json:
        run.print(page)
    return FINDINGS if bad else OK


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
            _print(run, [(home, event)])
            accepted += 1
    if not accepted:
        run.note("No log raises an alarm; there is nothing to accept.")
    return OK
