"""An application whose reading and deciding run on lanes of their own; widgets stay out of it."""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from textual.app import App
from textual.message import Message
from textual.screen import Screen
from textual.worker import Worker, WorkerState

from placet.console import guard
from placet.console.board import Board, Said, made_of
from placet.console.lanes import Failed, Finished, Job, Lane
from placet.console.phrases.decisions import counting, waiting_for
from placet.console.screens.room import Room
from placet.console.shown import plain
from placet.store.errors import PlacetError

if TYPE_CHECKING:
    from placet.console.desks import Desks, Opened, Vanished
    from placet.console.reader import Reader
    from placet.store.decide import Approver
    from placet.store.inbox import HomeView
    from placet.store.model import Done
    from placet.store.watch import Hint

T = TypeVar("T")

PAINT_SECONDS = 0.1
"""Least time between two paints that events, not keys, ask for."""

PAINT_SHARE = 10
"""Such paints take at most one part in so many of this thread: the rest is for keys."""

MOST_SAID = 3
"""Records that one line of the footer names."""

SETTLE_SECONDS = 0.5
"""After this time a record that is being written is looked at again."""


class Partly(Message):
    """A part of a long queue is known.

    Attributes:
        view: The home so far.
    """

    def __init__(self, view: HomeView) -> None:
        super().__init__()
        self.view = view


class Waiting(Message):
    """A decision takes its time.

    Attributes:
        words: For what, and how long already; or how many decisions of one key are made.
        counting: Whether many decisions are being made: until they are, homes are not read again.
    """

    def __init__(self, words: str, *, counting: bool = False) -> None:
        super().__init__()
        self.words = words
        self.counting = counting


class WorkingApp(App[int]):
    """What the console does besides drawing: watch, read, decide, and say what came of it.

    Args:
        board: What is known.
        approver: Makes the approver, on the deciding thread; raises NotAllowed where nobody may.
        ascii_only: Whether the terminal can draw ASCII only.
        ansi: Whether the terminal's own colours are kept; None leaves it to the theme.
        poll: Watch by listing alone.
    """

    def __init__(
        self,
        board: Board,
        *,
        approver: Callable[[], Approver],
        ascii_only: bool,
        ansi: bool | None,
        poll: bool,
    ) -> None:
        super().__init__(ansi_color=ansi)
        self.board = board
        self.ascii_only = ascii_only
        self.reading = Lane("placet-reading", self.post_message)
        self.deciding = Lane("placet-deciding", self.post_message)
        self.paint_due = False
        self.said_is_old = False
        self.stopping = asyncio.Event()
        self._approver = approver
        self._poll = poll
        self._hints: dict[str, deque[Hint]] = {home.label: deque() for home in board.homes}
        self._reader: Reader
        self._desks: Desks
        self._paint_from = 0.0
        self._answered: set[str] = set()
        self._cancelled = False
        self._counting = False

    @property
    @abstractmethod
    def state_folder(self) -> Path | None:
        """Folder of the console's own log."""

    def stop_waiting(self) -> None:
        """Give up every wait for a lock, stop between two decisions, and stop watching."""
        self._cancelled = True
        self.stopping.set()

    def start_watching(self) -> None:
        """Begin to watch, read and decide; meant for after the first paint."""
        self.run_worker(self._watch(), name="watching", group="watch", exit_on_error=False)

    # reading

    async def _watch(self) -> None:
        self.reading.submit(Job("opening the inbox", self._make_reader, self._reader_made))
        from placet.store.watch import changes

        async for hints in changes(self.board.homes, self.stopping, poll=self._poll):
            self._heard(hints)

    def _make_reader(self) -> None:
        from placet.console.reader import Reader

        self._reader = Reader(self.board.homes)

    def _reader_made(self, _: object) -> None:
        for home in self.board.homes:
            self.refresh_home(home.label)
        self.deciding.submit(Job("opening the ledger", self._open_desks, self._desks_open))

    def _heard(self, hints: Iterable[Hint]) -> None:
        labels = {label for label, kept in self._hints.items() if kept}
        for hint in hints:
            label = hint.home.label
            if hint.area == "state":
                self.board.watching[label] = hint.name
            else:
                self._hints[label].append(hint)
                labels.add(label)
        for label in labels:
            if not self._counting:  # the end of what is counted has everything read again
                self.refresh_home(label)

    def refresh_home(self, label: str, *, full: bool = False) -> None:
        """Read one home again, on the reading thread."""
        home, hints = self.board.home(label), self._hints[label]

        def work() -> HomeView:
            found = [hints.popleft() for _ in range(len(hints))]
            return self._reader.refresh(home, full, found, self._between)

        key = "" if full else f"refresh {label}"
        self.reading.submit(Job(f"reading {plain(label)}", work, self._view_read, key=key))

    def read(self, name: str, work: Callable[[Reader], T], done: Callable[[T], None]) -> None:
        """Read something on the reading thread and hand it to `done` on this one.

        Args:
            name: What it is, in words; a newer request of the same name replaces a waiting one.
            work: Is given the reader.
            done: Is given what `work` returned.
        """
        self.reading.submit(Job(name, lambda: work(self._reader), done, key=name))

    def _between(self, view: HomeView) -> None:
        self.post_message(Partly(view))

    def on_partly(self, message: Partly) -> None:
        """A part of a long queue is known."""
        self._show_view(message.view)

    def _show_view(self, view: HomeView) -> None:
        self.board.views[view.home.label] = view
        self.board.heard[view.home.label] = view.scanned
        self.changed(now=view.home.label in self._answered)
        self._answered.discard(view.home.label)

    def _view_read(self, view: HomeView) -> None:
        for left in view.left:
            if left.event is not None and left.event not in self.board.own_events:
                self.say(f"{left.proposal.id}: {left.words}")
        self._show_view(view)
        self._look_after(view)
        if view.settling:
            self.set_timer(SETTLE_SECONDS, lambda: self.refresh_home(view.home.label))

    # deciding

    def _open_desks(self) -> Opened:
        from placet.console.desks import Desks

        self._desks = Desks(
            self.board.homes,
            self._approver,
            self._tell_wait,
            self._tell_count,
            lambda: self._cancelled,
        )
        self.deciding.at_end = self._desks.close
        return self._desks.open()

    def _desks_open(self, opened: Opened) -> None:
        board = self.board
        board.refused_here = opened.refused
        board.read_only |= opened.read_only
        board.level, board.multiplexer = opened.level, opened.multiplexer
        board.held = opened.held
        for label, reports in opened.reports.items():
            for words in reports:
                self.say(f"{label}: {words}")
            self.refresh_home(label)
        if self.is_web:
            board.refused_here = "Nothing is decided over the web."
        self.changed()

    def _tell_wait(self, path: Path, seconds: float) -> None:
        self.post_message(Waiting(waiting_for(path.name, seconds, "esc")))

    def _tell_count(self, made: int, of: int) -> None:
        self.post_message(Waiting(counting(made, of), counting=True))

    def on_waiting(self, message: Waiting) -> None:
        """A decision waits for a lock, or is one of many."""
        if self.deciding.idle:
            return  # it has ended meanwhile
        self.board.waiting_for = message.words
        self._counting = message.counting
        self.changed()

    def give_up(self) -> bool:
        """Stop waiting for a lock, or between two of many decisions; False where nothing is."""
        if not self.board.waiting_for:
            return False
        self._cancelled = True
        return True

    def decide(
        self,
        label: str,
        name: str,
        work: Callable[[Desks], list[Done]],
        *,
        done: Callable[[list[Done]], None] | None = None,
        failed: Callable[[Exception], bool] | None = None,
    ) -> bool:
        """Decide something on the deciding thread.

        Args:
            label: Home that it concerns.
            name: What it is, in words.
            work: Is given the desks.
            done: Is called besides what every decision does.
            failed: Is asked first what to do with an exception; True means: dealt with.

        Returns:
            False where nothing can be decided; the reason has been said.
        """
        reason = self.board.may_decide(label)
        if self.board.waiting_for:
            reason = "a decision is still being made; esc ends that"
        if reason:
            self.say(reason, warning=True)
            return False

        def finish(all_done: list[Done]) -> None:
            self._decided(label, all_done)
            if done is not None:
                done(all_done)

        def fail(error: Exception) -> None:
            self._end_wait()
            self.refresh_home(label)
            if failed is None or not failed(error):
                self._say_failure(name, error)

        self._cancelled = False
        self.deciding.submit(Job(name, lambda: work(self._desks), finish, fail))
        return True

    def prepare(
        self,
        label: str,
        name: str,
        work: Callable[[Desks], T],
        done: Callable[[T], None],
        failed: Callable[[Exception], bool] | None = None,
    ) -> None:
        """Work something out at a desk, such as an inverse, without deciding anything."""
        reason = self.board.may_decide(label)
        if reason:
            self.say(reason, warning=True)
            return

        def fail(error: Exception) -> None:
            if failed is None or not failed(error):
                self._say_failure(name, error)

        self.deciding.submit(Job(name, lambda: work(self._desks), done, fail))

    def _decided(self, label: str, all_done: list[Done]) -> None:
        self._end_wait()
        self._answered.add(label)
        self.refresh_home(label)
        if not all_done:
            return
        made = made_of(all_done)
        self.board.note(made, all_done[0].kind)
        self.say(self.board.made_words(made, all_done[0].kind), good=True)

    def _end_wait(self) -> None:
        self.board.waiting_for = ""
        if self._counting:
            self._counting = False
            self._heard(())
        self._cancelled = False

    def _say_failure(self, name: str, error: Exception) -> None:
        if isinstance(error, PlacetError):
            self.say(str(error), warning=True)
        else:
            self._banner(name, error)

    def _look_after(self, view: HomeView) -> None:
        """Record ungated changes, take what is refused, resolve what vanished; quietly."""
        label = view.home.label
        if self.board.may_decide(label) or view.alarm:
            return
        refused = view.takeable()
        gone = [left.proposal for left in view.left if left.event is None]
        unseen = any(change.event == 0 for change in view.ungated)
        if not (refused or gone or unseen):
            return

        def work() -> tuple[list[Vanished], list[Done]]:
            vanished = self._desks.vanished(label, gone)
            return vanished, self._desks.look_after(label, refused, notice=unseen)

        def done(found: tuple[list[Vanished], list[Done]]) -> None:
            vanished, taken = found
            for one in taken:
                self.say(one.words)
            self._say_vanished(vanished)
            self.refresh_home(label)

        self.deciding.submit(Job("looking after the home", work, done, key=f"after {label}"))

    def _say_vanished(self, vanished: Iterable[Vanished]) -> None:
        """Say what became of records that left the queue without this console."""
        words = [
            f"{one.id}: {one.kind.replace('-', ' ')}"
            for one in vanished
            if one.seq not in self.board.own_events
        ]
        if words:
            more = f" · and {len(words) - MOST_SAID} more" if len(words) > MOST_SAID else ""
            self.say(" · ".join(words[:MOST_SAID]) + more)

    # what jobs report

    def on_finished(self, message: Finished) -> None:
        """A job ended well: its result is used here, on the interface's thread."""
        try:
            message.job.done(message.value)
        finally:
            message.lane.heard()

    def on_failed(self, message: Failed) -> None:
        """A job ended with an exception: visible, never silent."""
        message.lane.heard()
        if message.job.failed is not None:
            message.job.failed(message.error)
        elif isinstance(message.error, PlacetError):
            self.say(str(message.error), warning=True)
        else:
            self._banner(message.job.name, message.error)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """A worker that failed is a visible banner."""
        told: Any = event  # the framework leaves open what its worker returns
        error = told.worker.error
        if event.state is WorkerState.ERROR and isinstance(error, Exception):
            self._banner(told.worker.name, error)

    def _banner(self, name: str, error: Exception) -> None:
        words = guard.report(error, self.state_folder)
        self.board.banner = f"{name} failed: {words}"
        self.changed()

    # telling

    def say(self, words: str, *, warning: bool = False, good: bool = False) -> None:
        """Say something in the footer until something else is said."""
        self.board.said = Said(words, warning, good)
        self.said_is_old = False
        self.changed(now=True)

    def fade(self) -> None:
        """Clear what was said before the last key; a decision stays said until the next one."""
        if self.said_is_old and not self.board.said.good and self.board.said.words:
            self.board.said = Said()
            self.changed(now=True)

    def changed(self, *, now: bool = False) -> None:
        """Something that is drawn has changed; what events ask for is bounded to ten a second."""
        wait = self._paint_from - time.monotonic()
        if now or wait <= 0:
            self._paint()
        elif not self.paint_due:
            self.paint_due = True
            self.set_timer(wait, self._paint)

    @property
    def top(self) -> Screen[Any] | None:
        """The screen that gets the keys; None while screens are being changed or taken down."""
        stack = self.screen_stack
        return stack[-1] if stack else None

    def _paint(self) -> None:
        self.paint_due = False
        begun = time.monotonic()
        for screen in reversed(self.screen_stack):
            if isinstance(screen, Room):
                screen.board_changed()
        took = time.monotonic() - begun
        self._paint_from = begun + max(PAINT_SECONDS, took * PAINT_SHARE)

    def _tick(self) -> None:
        if isinstance(self.top, Room):
            self.top.draw_status()
