"""The console: modes, themes, the two lanes, and what must hold whatever happens."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, cast

from rich.text import Text
from textual import events
from textual.app import App, SystemCommand
from textual.binding import BindingType
from textual.driver import Driver
from textual.filter import LineFilter
from textual.message import Message
from textual.screen import Screen
from textual.worker import Worker, WorkerState

from placet.console import guard, preferences, terminal, theming
from placet.console.actions import Place
from placet.console.board import Board, Said, made_of, takeable
from placet.console.charset import ascii_only, in_ascii
from placet.console.keymap import bindings, palette, read_keymap
from placet.console.outlet import OutletFilter
from placet.console.screens.room import Room
from placet.console.session import Session
from placet.console.shown import plain
from placet.console.workers import Failed, Finished, Job, Lane
from placet.store.errors import PlacetError
from placet.store.model import Subsystem
from placet.store.staged import scan

if TYPE_CHECKING:
    from placet.console.deciding import Desks, Opened
    from placet.console.reader import Reader
    from placet.store.decide import Approver
    from placet.store.homes.find import Found
    from placet.store.inbox import HomeView
    from placet.store.model import Done, Home
    from placet.store.watch import Hint

T = TypeVar("T")

PAINT_SECONDS = 0.1
"""Least time between two paints that events, not keys, ask for."""

LOST_CHECK_SECONDS = 2.0
CLOSE_SECONDS = 8.0
"""How long a decision that is being written may hold up the exit, in seconds."""

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
    """A decision waits for a lock.

    Attributes:
        words: For what, and how long already.
    """

    def __init__(self, words: str) -> None:
        super().__init__()
        self.words = words


def _queue() -> Screen[Any]:
    from placet.console.screens.queue import QueueScreen

    return QueueScreen()


def _memory() -> Screen[Any]:
    from placet.console.screens.memory import MemoryScreen

    return MemoryScreen()


def _audit() -> Screen[Any]:
    from placet.console.screens.audit import AuditScreen

    return AuditScreen()


def _refusals() -> Screen[Any]:
    from placet.console.screens.refusals import RefusalsScreen

    return RefusalsScreen()


def _check() -> Screen[Any]:
    from placet.console.screens.check import CheckScreen

    return CheckScreen()


class PlacetApp(App[int]):
    """The approval console.

    Args:
        homes: Homes to show, fixed for the whole run.
        approver: Makes the approver, on the deciding thread; raises NotAllowed where nobody may.
        problems: What finding the homes had to say.
        chosen: The person's preferences.
        env: The process environment.
        clock: Monotonic seconds; tests set it.
        user_home: The person's home directory.
        poll: Watch by listing alone.
    """

    CSS_PATH = "placet.tcss"
    TITLE = "placet"
    MODES: ClassVar[dict[str, str | Callable[[], Screen[Any]]]] = {
        "queue": _queue,
        "memory": _memory,
        "audit": _audit,
        "refusals": _refusals,
        "check": _check,
    }
    DEFAULT_MODE = "queue"
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.APP)]
    HORIZONTAL_BREAKPOINTS: list[tuple[int, str]] | None = [  # noqa: RUF012 - as declared above it
        (0, "-narrow"),
        (100, "-wide"),
    ]
    ENABLE_COMMAND_PALETTE = True

    def __init__(
        self,
        homes: Sequence[Home],
        *,
        approver: Callable[[], Approver],
        problems: Sequence[str] = (),
        chosen: preferences.Preferences | None = None,
        env: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.monotonic,
        user_home: Path | None = None,
        poll: bool = False,
    ) -> None:
        self.env = dict(os.environ if env is None else env)
        self.user_home = user_home or Path.home()
        self.chosen = chosen or preferences.Preferences()
        super().__init__(ansi_color=True if self.env.get("NO_COLOR") else None)
        self.animation_level = "none"
        self.ascii_only = ascii_only(self.env)
        self.session = Session(clock)
        self.board = Board(tuple(homes), tuple(problems) + self.chosen.problems)
        self.board.listed = {home.label: listed(home) for home in homes}
        self.outlet = OutletFilter()
        self._approver = approver
        self._poll = poll or self.chosen.poll
        self.reading = Lane("placet-reading", self.post_message)
        self.deciding = Lane("placet-deciding", self.post_message)
        self._stop = asyncio.Event()
        self._hints: dict[str, deque[Hint]] = {home.label: deque() for home in homes}
        self._reader: Reader
        self._desks: Desks
        self._painted = 0.0
        self._use_themes()
        self.paint_due = False
        self._answered: set[str] = set()
        self.touched = False
        self._cancelled = False

    def _use_themes(self) -> None:
        found = theming.load(preferences.folder(self.env, self.user_home) / "themes")
        for theme in found.themes:
            self.register_theme(theme)
        self.board.problems += found.problems
        self.theme = theming.choose(
            self.chosen.theme,
            self.available_themes,
            few_colours=terminal.few_colours(self.env),
            no_colour=bool(self.env.get("NO_COLOR")),
        )

    # life

    def on_mount(self) -> None:
        """Start what runs besides the screens; the first paint waits for none of it."""
        keys, problems = read_keymap(self.chosen.keys)
        self.set_keymap(keys)
        self.board.keys = keys
        self.board.problems += problems
        self._handle_signals()
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self.run_worker(self._watch(), name="watching", group="watch", exit_on_error=False)
        self.set_interval(1.0, self._tick)
        if not self.is_headless:
            self.set_interval(LOST_CHECK_SECONDS, self._check_terminal)

    def _handle_signals(self) -> None:
        if self.is_headless:
            return
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, self.leave, 128 + number)

    def _check_terminal(self) -> None:
        if terminal.lost():
            self.leave(129)

    def leave(self, code: int = 0) -> None:
        """End the program; a decision that is being written is finished first."""
        self._cancelled = True
        self._stop.set()
        self.exit(code, return_code=code)

    async def on_unmount(self) -> None:
        """Close the lanes; what is being written is given time to finish."""
        self._stop.set()
        await asyncio.to_thread(self.deciding.close, CLOSE_SECONDS)
        self.reading.close(0.0)

    def get_driver_class(self) -> type[Driver]:
        """Our driver, which survives a terminal that hangs up."""
        return terminal.TerminalDriver

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Values for our own variables, so that foreign themes work too."""
        return theming.variable_defaults()

    # the two nets and the keyboard

    def get_line_filters(self) -> Sequence[LineFilter]:
        """The framework's filters, and the last net against hostile text."""
        return [*super().get_line_filters(), self.outlet]

    async def on_event(self, event: events.Event) -> None:
        """Tell the session about every key and paste before anything handles it."""
        if isinstance(event, events.Key) and not event.is_forwarded:
            self.touched = True
            self.session.key()
        elif isinstance(event, events.Paste) and not event.is_forwarded:
            self.session.paste()
        await super().on_event(event)

    # reading

    async def _watch(self) -> None:
        self.reading.submit(Job("opening the inbox", self._make_reader, self._reader_made))
        from placet.store.watch import changes

        async for hints in changes(self.board.homes, self._stop, poll=self._poll):
            self._heard(hints)

    def _make_reader(self) -> None:
        from placet.console.reader import Reader

        self._reader = Reader(self.board.homes, ascii_only=self.ascii_only)

    def _reader_made(self, _: object) -> None:
        for home in self.board.homes:
            self.refresh_home(home.label)
        self.deciding.submit(Job("opening the ledger", self._open_desks, self._desks_open))

    def _heard(self, hints: Iterable[Hint]) -> None:
        labels: set[str] = set()
        for hint in hints:
            label = hint.home.label
            if hint.area == "state":
                self.board.watching[label] = hint.name
            else:
                self._hints[label].append(hint)
                labels.add(label)
        for label in labels:
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
        from placet.console.deciding import Desks

        self._desks = Desks(
            self.board.homes, self._approver, self._tell_wait, lambda: self._cancelled
        )
        return self._desks.open()

    def _desks_open(self, opened: Opened) -> None:
        board = self.board
        board.refused_here = opened.refused
        board.read_only |= opened.read_only
        board.level, board.multiplexer = opened.level, opened.multiplexer
        for label, reports in opened.reports.items():
            for words in reports:
                self.say(f"{label}: {words}")
            self.refresh_home(label)
        if self.is_web:
            board.refused_here = "Nothing is decided over the web."
        self.changed()

    def _tell_wait(self, path: Path, seconds: float) -> None:
        self.post_message(Waiting(f"waiting {seconds:.0f} s for {path.name}; esc gives up"))

    def on_waiting(self, message: Waiting) -> None:
        """A decision waits for a lock."""
        self.board.waiting_for = message.words
        self.changed()

    def give_up(self) -> bool:
        """Stop waiting for a lock; False where nothing waits."""
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
        refused = takeable(view)
        gone = [left.proposal for left in view.left if left.event is None]
        unseen = any(change.event == 0 for change in view.ungated)
        if not (refused or gone or unseen):
            return

        def work() -> list[Done]:
            self._desks.vanished(label, gone)
            return self._desks.look_after(label, refused, notice=unseen)

        def done(taken: list[Done]) -> None:
            for one in taken:
                self.say(one.words)
            self.refresh_home(label)

        self.deciding.submit(Job("looking after the home", work, done, key=f"after {label}"))

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
        worker = cast("Worker[Any]", event.worker)  # pyright: ignore[reportUnknownMemberType]
        error = worker.error
        if event.state is WorkerState.ERROR and isinstance(error, Exception):
            self._banner(worker.name, error)

    def _banner(self, name: str, error: Exception) -> None:
        words = guard.report(error, self.state_folder)
        self.board.banner = f"{name} failed: {words}"
        self.changed()

    # telling

    def say(self, words: str, *, warning: bool = False, good: bool = False) -> None:
        """Say something in the footer until something else is said."""
        shown = plain(in_ascii(words) if self.ascii_only else words)
        self.board.said = Said(shown, warning, good)
        self.changed(now=True)

    def changed(self, *, now: bool = False) -> None:
        """Something that is drawn has changed; what events ask for is bounded to ten a second."""
        wait = self._painted + PAINT_SECONDS - time.monotonic()
        if now or wait <= 0:
            self._paint()
        elif not self.paint_due:
            self.paint_due = True
            self.set_timer(wait, self._paint)

    def _paint(self) -> None:
        self.paint_due = False
        self._painted = time.monotonic()
        for screen in reversed(self.screen_stack):
            if isinstance(screen, Room):
                screen.board_changed()

    def _tick(self) -> None:
        if isinstance(self.screen, Room):
            self.screen.draw_status()

    # actions that are at hand everywhere

    async def action_screen_queue(self) -> None:
        """Go to the Queue."""
        await self._go("queue")

    async def action_screen_memory(self) -> None:
        """Go to Memory."""
        await self._go("memory")

    async def action_screen_audit(self) -> None:
        """Go to Audit."""
        await self._go("audit")

    async def action_screen_refusals(self) -> None:
        """Go to Refusals."""
        await self._go("refusals")

    async def action_screen_check(self) -> None:
        """Go to Check."""
        await self._go("check")

    async def _go(self, mode: str) -> None:
        if len(self.screen_stack) > 1 or self.current_mode == mode:
            return
        await self.switch_mode(mode)
        if isinstance(self.screen, Room):
            self.screen.board_changed()

    def action_help_toggle(self) -> None:
        """Show every key, or close that."""
        from placet.console.screens.help import HelpScreen

        if isinstance(self.screen, HelpScreen):
            self.screen.dismiss()
        elif isinstance(self.screen, Room):
            self.push_screen(HelpScreen(self.session.clock, self.board.keys))

    def action_palette_open(self) -> None:
        """Find a command by its name."""
        self.action_command_palette()

    def action_pane_next(self) -> None:
        """Focus the next pane."""
        self.screen.focus_next()

    def action_pane_prev(self) -> None:
        """Focus the previous pane."""
        self.screen.focus_previous()

    def action_pane_zoom(self) -> None:
        """Give the focused pane the whole screen, or take it back."""
        if isinstance(self.screen, Room):
            self.screen.zoom()

    def action_app_back(self) -> None:
        """One step back; it never quits."""
        if isinstance(self.screen, Room):
            self.screen.step_back()

    def action_app_reload(self) -> None:
        """Read everything again."""
        self.board.banner = ""
        for home in self.board.homes:
            self.refresh_home(home.label, full=True)
        self.say("read again from disk")

    def action_app_suspend(self) -> None:
        """Go to the shell."""
        self.action_suspend_process()

    def action_app_quit(self) -> None:
        """Quit, unless something typed would be lost."""
        if isinstance(self.screen, Room) and self.screen.keeps_unsaved():
            return
        self.leave(0)

    async def action_quit(self) -> None:
        """Quit, as the framework's own key asks for."""
        self.action_app_quit()

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Every action at hand, and the themes."""
        place = screen.place if isinstance(screen, Room) else Place.APP
        for entry in palette(place):
            yield SystemCommand(entry.title, entry.words, partial(self._run, screen, entry.method))
        yield SystemCommand("look: theme", "Choose a theme.", self.action_change_theme)

    async def _run(self, screen: Screen[Any], method: str) -> None:
        await self.run_action(method, default_namespace=screen.focused or screen)

    # when the console itself fails

    @property
    def state_folder(self) -> Path:
        """Folder of the console's own log."""
        return preferences.state_folder(self.env, self.user_home)

    def _fatal_error(self) -> None:
        error = sys.exc_info()[1]
        words = "an unknown failure" if error is None else guard.report(error, self.state_folder)
        message = f"placet stopped: {words}. What was decided is kept; nothing else was written."
        self._exit_renderables.append(Text(message))
        self._close_messages_no_wait()


def run(
    found: Found,
    user_home: Path,
    *,
    poll: bool = False,
    mouse: bool | None = None,
    approver: Callable[[], Approver] | None = None,
) -> int:
    """Run the console on this terminal.

    Args:
        found: Homes to show, and what finding them had to say.
        user_home: The person's home directory.
        poll: Watch by listing alone.
        mouse: Whether the mouse works; None: the preferences, else not over SSH.
        approver: Makes the approver, on the deciding thread; None: the person at this terminal.

    Returns:
        The exit code; 2 where there is no terminal that will do.
    """
    env = dict(os.environ)
    reason = terminal.refusal(env, interactive=terminal.interactive())
    if reason:
        sys.stderr.write(plain(reason) + "\n")
        return 2
    chosen = preferences.load(preferences.folder(env, user_home))
    app = PlacetApp(
        found.homes,
        approver=approver or _person,
        problems=found.problems,
        chosen=chosen,
        env=env,
        user_home=user_home,
        poll=poll,
    )
    wanted = chosen.mouse if mouse is None else mouse
    app.run(mouse=not env.get("SSH_CONNECTION") if wanted is None else wanted)
    return app.return_code or 0


def listed(home: Home) -> int:
    """How many records a home lists: names alone, so that the first paint can say it."""
    return sum(len(scan.names(home, subsystem).names) for subsystem in Subsystem)


def _person() -> Approver:
    from placet.store.decide import Approver

    return Approver.here()
