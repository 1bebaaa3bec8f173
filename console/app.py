"""The console: modes, themes, keys, and what must hold whatever happens."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar
from weakref import WeakKeyDictionary

from rich.text import Text
from textual import events
from textual.app import SystemCommand
from textual.binding import BindingType
from textual.command import CommandPalette
from textual.content import Content
from textual.dom import DOMNode
from textual.driver import Driver
from textual.filter import LineFilter
from textual.screen import Screen
from textual.widget import Widget

from placet.console import guard, preferences, terminal, theming
from placet.console.actions import Place
from placet.console.board import Board
from placet.console.charset import ascii_only
from placet.console.keymap import bindings, elsewhere, palette, read_keymap
from placet.console.outlet import OutletFilter
from placet.console.screens.room import Room
from placet.console.session import Session
from placet.console.working import WorkingApp
from placet.store.homes import places
from placet.store.model import Subsystem
from placet.store.staged import scan

if TYPE_CHECKING:
    from placet.store.decide import Approver
    from placet.store.homes.find import Found
    from placet.store.model import Home

LOST_CHECK_SECONDS = 2.0

PALETTE_WIDTH = 12
"""The framework's palette cannot be drawn in fewer cells; it is closed before it fails."""

SWITCH_SECONDS = 0.001
"""How long the reading lane may keep a key waiting: a key passes through three threads."""

CLOSE_SECONDS = 8.0
"""How long a decision that is being written may hold up the exit, in seconds."""


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


class PlacetApp(WorkingApp):
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
    VERTICAL_BREAKPOINTS: list[tuple[int, str]] | None = [  # noqa: RUF012 - as declared above it
        (0, "-tiny"),
        (8, "-low"),
        (16, "-tall"),
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
        self.user_home = user_home or places.home(self.env)
        self.chosen = chosen or preferences.Preferences()
        board = Board(tuple(homes), tuple(problems) + self.chosen.problems)
        board.listed = {home.label: listed(home) for home in homes}
        super().__init__(
            board,
            approver=approver,
            ascii_only=ascii_only(self.env),
            ansi=True if self.env.get("NO_COLOR") else None,
            poll=poll or self.chosen.poll,
        )
        self.animation_level = "none"
        self.session = Session(clock)
        self.set_class(self.ascii_only, "ascii")
        self.outlet = OutletFilter(ascii_only=self.ascii_only)
        self.touched = False
        self._aimed = WeakKeyDictionary[events.Event, Widget | None]()
        self._use_themes()

    def _use_themes(self) -> None:
        config = places.config(self.env, self.user_home)
        found = theming.load(config and config / "themes")
        for theme in found.themes:
            self.register_theme(theme)
        self.board.problems += found.problems
        self.theme = theming.choose(
            self.chosen.theme,
            self.available_themes,
            few_colours=terminal.few_colours(self.env),
            no_colour=bool(self.env.get("NO_COLOR")),
        )
        wanted = self.chosen.theme
        if wanted and wanted not in self.available_themes:
            words = f"config.toml: there is no theme {wanted!r}; {self.theme} is used."
            self.board.problems += (words,)

    # life

    def get_default_screen(self) -> Screen[Any]:
        """The Queue; as the default screen it is styled once, as a mode it would be twice."""
        return _queue()

    def on_mount(self) -> None:
        """Start what runs besides the screens; the first paint waits for none of it."""
        self.add_mode("queue", _queue)  # pyright: ignore[reportUnknownMemberType]
        keys, problems = read_keymap(self.chosen.keys)
        self.set_keymap(keys)
        self.board.keys = keys
        self.board.problems += problems
        self._handle_signals()
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        self.start_watching()
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
        self.stop_waiting()
        self.exit(code, return_code=code)

    async def on_unmount(self) -> None:
        """Close the lanes; what is being written is given time to finish."""
        self.stopping.set()
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
        if isinstance(event, events.Key | events.Paste) and self._re_aimed(event):
            return
        if isinstance(event, events.Key) and not event.is_forwarded:
            self.touched = self.said_is_old = True
            if not (isinstance(self.top, Room) and self.top.typing):
                self.fade()
            self.session.key()
        elif isinstance(event, events.Paste) and not event.is_forwarded:
            self.session.paste()
        elif isinstance(event, events.Resize) and event.size.width < PALETTE_WIDTH:
            self._close_palette()
        await super().on_event(event)

    def _re_aimed(self, event: events.Event) -> bool:
        """Give what was typed behind the key that opens a field to that field.

        The framework sends a key to what has the focus when it arrives and acts on it when it
        comes back. Typed fast, the next keys are under way before the field is there: they would
        be lost, or act as keys of the screen.
        """
        field = self.focused
        if not event.is_forwarded:
            self._aimed[event] = field
            return False
        if field is None or self._aimed.get(event, field) is field:
            return False
        if not field.check_consume_key("a", "a"):
            return False
        self._aimed[event] = field
        return field.post_message(event)

    def _close_palette(self) -> None:
        if isinstance(self.top, CommandPalette):
            self.top.dismiss()

    def on_key(self, event: events.Key) -> None:
        """A key that nothing answers to here says why it does nothing."""
        if not isinstance(self.screen, Room) or event.key in self.screen.active_bindings:
            return
        words = elsewhere(event.character or event.key, self.board.keys)
        words = words or elsewhere(event.key, self.board.keys)
        if words:
            self.say(words, warning=True)

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
        if self.current_mode == mode and len(self.screen_stack) == 1:
            self.say(f"nothing to open: this is {mode.capitalize()} already", warning=True)
            return
        if len(self.screen_stack) > 1:
            self.say("esc leaves this first; then another screen can be opened", warning=True)
            return
        self.fade()
        await self.switch_mode(mode)
        if isinstance(self.screen, Room):
            self.screen.board_changed()

    def action_help_toggle(self) -> None:
        """Show every key, or close that."""
        from placet.console.screens.help import HelpScreen

        if isinstance(self.screen, HelpScreen):
            self.screen.dismiss()
        elif isinstance(self.screen, Room):
            clock, place = self.session.clock, self.screen.place
            self.push_screen(HelpScreen(clock, self.board.keys, place, self.size.width))

    def action_palette_open(self) -> None:
        """Find a command by its name, where there is room for that."""
        if self.size.width < PALETTE_WIDTH:
            self.say("too narrow for the list of commands", warning=True)
            return
        self.action_command_palette()

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
        """Go to the shell, where there is one."""
        if self._driver is None or not self._driver.can_suspend:
            self.say("nothing to go to: this terminal has no shell behind placet", warning=True)
            return
        self.action_suspend_process()

    def action_app_quit(self) -> None:
        """Quit, unless something typed would be lost; a review is only left."""
        from placet.console.screens.dialogs import AskDialog

        if isinstance(self.screen, AskDialog):
            return
        if isinstance(self.screen, Room) and self.screen.leave():
            return
        if not self._unsaved():
            self.leave(0)
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self.leave(0)

        words = "What you typed is not decided yet; it would be lost."
        body = [Content(words)]
        self.push_screen(AskDialog(self.session.clock, body, "Quit?", "quit", "go on"), answered)

    def _unsaved(self) -> bool:
        """Whether something typed would be lost, on whichever screen."""
        screens = (screen for stack in self._screen_stacks.values() for screen in stack)
        kept = any(isinstance(screen, Room) and screen.unsaved() for screen in screens)
        return kept or any(choice.edited for choice in self.board.choices.values())

    async def action_quit(self) -> None:
        """Quit, as the framework's own key asks for."""
        self.action_app_quit()

    def get_system_commands(self, screen: Screen[Any]) -> Iterable[SystemCommand]:
        """Every action at hand, and the themes."""
        place = screen.place if isinstance(screen, Room) else Place.APP
        for entry in palette(place):
            if self._owner(screen, entry.method) is not None:
                command = partial(self._run, screen, entry.method)
                yield SystemCommand(entry.title, entry.words, command)
        yield SystemCommand("look: theme", "Choose a theme.", self.action_change_theme)

    def _owner(self, screen: Screen[Any], method: str) -> DOMNode | None:
        """What a key would reach: from the focused widget outwards, who has the action."""
        nodes = (screen.focused or screen).ancestors_with_self
        return next((node for node in nodes if hasattr(node, f"action_{method}")), None)

    def _run(self, screen: Screen[Any], method: str) -> None:
        """Run a command once the screen is back and shows what is true now: a command decides
        only about what a key would have decided about."""
        screen.call_later(self.call_later, self._act, screen, method)

    async def _act(self, screen: Screen[Any], method: str) -> None:
        owner = self._owner(screen, method) if self.top is screen else None
        if owner is not None:
            await self.run_action(method, default_namespace=owner)

    # when the console itself fails

    @property
    def state_folder(self) -> Path | None:
        """Folder of the console's own log, or None where there is no place for it."""
        return places.state(self.env, self.user_home)

    def _fatal_error(self) -> None:
        error = sys.exc_info()[1]
        words = "an unknown failure" if error is None else guard.report(error, self.state_folder)
        message = f"placet stopped: {words}. What was decided is kept; nothing else was written."
        self._exit_renderables.append(Text(message))
        self._close_messages_no_wait()


def run(
    found: Found,
    *,
    poll: bool = False,
    mouse: bool | None = None,
    approver: Callable[[], Approver] | None = None,
) -> int:
    """Run the console on this terminal, which `commands/screen.py` has found to be one.

    Args:
        found: Homes to show, and what finding them had to say.
        poll: Watch by listing alone.
        mouse: Whether the mouse works; None: the preferences, else not over SSH.
        approver: Makes the approver, on the deciding thread; None: the person at this terminal.

    Returns:
        The exit code.
    """
    env = dict(os.environ)
    chosen = preferences.load(places.config(env, places.home(env)))
    app = PlacetApp(
        found.homes,
        approver=approver or _person,
        problems=found.problems,
        chosen=chosen,
        env=env,
        poll=poll,
    )
    sys.setswitchinterval(SWITCH_SECONDS)
    wanted = chosen.mouse if mouse is None else mouse
    app.run(mouse=not env.get("SSH_CONNECTION") if wanted is None else wanted)
    return app.return_code or 0


def listed(home: Home) -> int:
    """How many records a home lists: names alone, so that the first paint can say it."""
    return sum(len(scan.names(home, subsystem).names) for subsystem in Subsystem)


def _person() -> Approver:
    from placet.store.decide import Approver

    return Approver.here()
