"""Drives the console through Textual's pilot, with a clock of its own and no sleeping."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

from homes.build import HomeBuilder
from textual.pilot import Pilot

from placet.console.app import PlacetApp
from placet.console.preferences import Preferences
from placet.console.screens.editor import EditingRoom
from placet.console.screens.judging import JudgingRoom
from placet.console.screens.listing import ListingRoom
from placet.console.screens.queue import QueueScreen
from placet.console.screens.review import ReviewScreen
from placet.console.screens.room import Room
from placet.console.session import Force
from placet.store.decide import DemoApprover
from placet.store.errors import NotAllowed
from placet.store.model import Home

DEADLINE = 20.0
"""Longest wait for anything, in seconds."""


class Clock:
    """Monotonic seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now

    def pass_by(self, seconds: float) -> None:
        """Let time pass."""
        self.now += seconds


class Driver:
    """A running console.

    Attributes:
        app: The application.
        pilot: Textual's pilot.
        clock: The session's clock.
        home: The home it is about.
    """

    def __init__(self, app: PlacetApp, pilot: Pilot[int], clock: Clock, home: HomeBuilder) -> None:
        self.app = app
        self.pilot = pilot
        self.clock = clock
        self.home = home

    # waiting

    async def until(self, true: Callable[[], object], what: str = "") -> None:
        """Wait until something holds."""
        end = time.monotonic() + DEADLINE
        while not true():
            assert self.app.is_running, "the console has ended"
            assert time.monotonic() < end, f"not in time {what}:\n{self.text()}"
            await self.pilot.pause(0.01)

    async def settled(self) -> None:
        """Wait until nothing is being read, decided or drawn."""
        await self.until(self._is_settled)
        await self.pilot.pause()

    def _is_settled(self) -> bool:
        app = self.app
        busy = not (app.reading.idle and app.deciding.idle) or app.paint_due
        if busy or app.board.refused_here is None:
            return False
        screen = app.screen
        if isinstance(screen, JudgingRoom) and not self._is_painted(screen):
            return False
        if isinstance(screen, QueueScreen):
            return screen.editing is not None or self._is_shown(screen)
        if isinstance(screen, ListingRoom):
            return screen.list.key is None or screen.diff.subject == screen.list.key
        return True

    def _is_painted(self, screen: JudgingRoom) -> bool:
        if screen.pending is not None or not screen.prepared or _repaints(screen):
            return False
        if isinstance(screen, ReviewScreen) and screen.diff.subject is None:
            return False
        why = self.app.session.why_not(Force.APPROVING, screen.diff.subject)
        editing = isinstance(screen, EditingRoom) and screen.editing is not None
        return editing or screen.diff.subject is None or not why.startswith("not on the screen")

    def _is_shown(self, screen: QueueScreen) -> bool:
        key, details = screen.list.key, screen.details
        if key is None:
            return screen.diff.subject is None
        if details is not None and details.item.ref == key:
            wanted = self.app.board.choices.get(details.item.ref)
            return wanted is None or wanted == details.plan.choice
        return screen.diff.subject == key

    # keys

    async def key(self, *keys: str) -> None:
        """Press keys as a person does: each after a pause, then look what happens."""
        for key in keys:
            await self.settled()
            self.clock.pass_by(1.0)
            await self.pilot.press(key)
            self.clock.pass_by(0.2)
        await self.settled()

    async def type(self, text: str) -> None:
        """Type text as a person does."""
        for character in text:
            self.clock.pass_by(0.15)
            await self.pilot.press(character if character != "\n" else "enter")
        self.clock.pass_by(0.3)

    async def burst(self, *keys: str) -> None:
        """Press keys all at once, as an unbracketed paste arrives."""
        await self.pilot.press(*keys)
        self.clock.pass_by(0.5)
        await self.settled()

    # looking

    @property
    def queue(self) -> QueueScreen:
        """The Queue."""
        screens = [s for s in self.app.screen_stack if isinstance(s, QueueScreen)]
        return screens[0]

    @property
    def said(self) -> str:
        """What the footer says."""
        return self.app.board.said.words

    def text(self) -> str:
        """The screen as text."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip) for strip in strips)

    def rows(self) -> int:
        """How many rows the list of the Queue has."""
        return len(self.queue.list.rows)

    def events(self) -> list[dict[str, Any]]:
        """Every event of the home's log."""
        return events_of(self.home)

    def kinds(self) -> list[str]:
        """Kinds of the events, the first one first."""
        return [event["kind"] for event in self.events()]

    def room(self) -> Room:
        """The screen, which is one of ours."""
        return cast(Room, self.app.screen)


def _repaints(screen: JudgingRoom) -> bool:
    """Whether something of a screen is still to be drawn; the one look into the framework."""
    return bool(screen._dirty_widgets or screen._repaint_required or screen.diff._reporting)


def events_of(home: HomeBuilder) -> list[dict[str, Any]]:
    """Every event of a home's log, read without the code under test."""
    path = home.path / "placet" / "placet.db"
    if not path.exists():
        return []
    with closing(sqlite3.connect(path)) as db:
        return [json.loads(row[0]) for row in db.execute("SELECT body FROM audit ORDER BY seq")]


def own_home(tmp_path: Path) -> tuple[HomeBuilder, DemoApprover]:
    """A home that its own approver may decide in."""
    path = tmp_path / "home"
    approver = DemoApprover.own_home(path)
    return HomeBuilder(path).config(), approver


def nobody() -> DemoApprover:
    """An approver for processes that may not decide."""
    raise NotAllowed("Nothing is decided here: this is a test.")


def make_app(
    homes: list[Home],
    approver: Callable[[], Any],
    tmp_path: Path,
    clock: Clock,
    chosen: Preferences | None = None,
    **env: str,
) -> PlacetApp:
    """The console on some homes, apart from the person's own files."""
    environment = {"TERM": "xterm-256color", "LANG": "C.UTF-8", "COLORTERM": "truecolor"}
    environment |= {"XDG_STATE_HOME": str(tmp_path / "state")}
    environment |= {"XDG_CONFIG_HOME": str(tmp_path / "config")} | env
    return PlacetApp(
        homes,
        approver=approver,
        chosen=chosen or Preferences(),
        env=environment,
        user_home=tmp_path,
        clock=clock,
    )


@asynccontextmanager
async def quick() -> AsyncIterator[None]:
    """Do not wait for an idle processor after every key: `settled` knows what to wait for."""

    async def briefly(*_: object, **__: object) -> None:
        for _turn in range(5):
            await asyncio.sleep(0)

    with patch("textual.pilot.wait_for_idle", briefly), patch("textual.app.wait_for_idle", briefly):
        yield


@asynccontextmanager
async def running(
    home: HomeBuilder,
    approver: DemoApprover | None,
    tmp_path: Path,
    *,
    size: tuple[int, int] = (80, 24),
    others: tuple[HomeBuilder, ...] = (),
    **env: str,
) -> AsyncIterator[Driver]:
    """A running console on a home; at the end the last net must not have been needed."""
    clock = Clock()
    homes = [one.home for one in (home, *others)]
    make = nobody if approver is None else (lambda: approver)
    app = make_app(homes, make, tmp_path, clock, **env)
    async with quick(), app.run_test(size=size) as pilot:
        driver = Driver(app, pilot, clock, home)
        await driver.until(lambda: len(app.board.views) == len(homes))
        await driver.settled()
        yield driver
        assert app.outlet.fired == 0, app.outlet.last
        assert not app.board.banner, app.board.banner
