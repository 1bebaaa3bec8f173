"""What every screen of the console shares: status, tabs, banner, the footer, and its keys."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, ClassVar, cast

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.dom import DOMNode
from textual.screen import Screen
from textual.widget import Widget

from placet.console import header
from placet.console.actions import Place
from placet.console.charset import in_ascii
from placet.console.keymap import footer
from placet.console.pages.cells import Cells
from placet.console.widgets.status import CellLines, FooterKey, KeyBar

if TYPE_CHECKING:
    from placet.console.app import PlacetApp


ALARM_LINES = 5
"""Lines of alarms above a screen; Check has room for all of them."""

ALARM_LINES_LOW = 2
"""The same on a screen of few lines."""

PINNED = ("help.toggle", "app.quit")
"""Keys that stay in the footer however narrow it is."""


class Room(Screen[None], inherit_bindings=False):
    """A screen with a header of two lines and a footer of two.

    Of the framework's own keys it keeps the one that copies; tab is in the registry.

    Attributes:
        place: Which screen it is, for keys and palette.
        needs: Widgets that have to be there before anything is drawn.
    """

    place: ClassVar[Place]
    needs: ClassVar[tuple[str, ...]] = ("#status", "#keys")
    _composed = False
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+c,super+c", "screen.copy_text", "copy", show=False)
    ]

    @property
    def placet(self) -> PlacetApp:
        """The application."""
        return cast("PlacetApp", self.app)  # pyright: ignore[reportUnknownMemberType]

    @property
    def prepared(self) -> bool:
        """Whether its widgets are there, and not being taken down."""
        return self._composed and self.is_attached and self.placet.is_running

    @property
    def tab(self) -> Place:
        """Which screen is marked in the line of tabs."""
        return self.place

    @property
    def on_top(self) -> bool:
        """Whether it is the screen that gets the keys."""
        return self.prepared and self.placet.top is self

    def compose(self) -> ComposeResult:
        """Header, body, footer."""
        ascii_only = self.placet.ascii_only
        yield CellLines(id="status", ascii_only=ascii_only)
        yield CellLines(id="tabs", ascii_only=ascii_only)
        yield CellLines(id="alarms", ascii_only=ascii_only)
        with Container(id="body"):
            yield from self.body()
        yield KeyBar(id="keys", ascii_only=ascii_only, pinned=PINNED)

    def body(self) -> Iterable[Widget]:
        """What this screen is for."""
        return ()

    def on_mount(self) -> None:
        """Draw what is known; what is not comes later."""
        self._begin()

    def _begin(self) -> None:
        """Begin as soon as every widget is there; containers mount theirs in their own time."""
        if not all(self.query(name) for name in self.needs):
            self.call_after_refresh(self._begin)
            return
        self._composed = True
        if self.focused is None:
            self.focus_home()
        self.opened()

    def opened(self) -> None:
        """Every widget is there: draw what is known."""
        self.board_changed()

    def on_resize(self) -> None:
        """Draw the header for another width and height."""
        self.call_after_refresh(self.draw_status)

    # drawing

    def board_changed(self) -> None:
        """The board has changed: draw what of it is shown here."""
        if self.prepared:
            self.draw_status()
            self.draw_keys()

    def draw_status(self) -> None:
        """Draw the header; cheap enough for every second."""
        if not self.prepared:
            return
        board, ascii_only = self.placet.board, self.placet.ascii_only
        self._lines("status").set_lines(header.status(board, time.time(), ascii_only=ascii_only))
        self._lines("tabs").set_lines(header.tabs(board, self.tab))
        room = ALARM_LINES_LOW if self.has_class("-low") else ALARM_LINES
        found = header.alarms(board, ascii_only=ascii_only, width=self.size.width, room=room)
        alarms = self._lines("alarms")
        alarms.display = bool(found)
        alarms.set_lines(*found)

    def draw_keys(self) -> None:
        """Draw the keys at hand; a deciding key that would not count yet is dimmed."""
        if not self.prepared:
            return
        keys = [
            FooterKey(name, self.words(key), self.words(short), self.enabled(name))
            for name, key, short in self.footer_keys()
        ]
        self.query_one("#keys", KeyBar).show_keys(keys, self.said())

    def said(self) -> Cells:
        """What was said last, as it is drawn."""
        return header.said(self.placet.board, ascii_only=self.placet.ascii_only)

    def footer_keys(self) -> Iterable[tuple[str, str, str]]:
        """Id, key and short words of the footer, from left to right."""
        return footer(self.place, self.placet.board.keys)

    def enabled(self, action: str) -> bool:
        """Whether pressing the key of an action now would do it."""
        return True

    def _lines(self, name: str) -> CellLines:
        return self.query_one(f"#{name}", CellLines)

    def words(self, text: str) -> str:
        """Our own words as this terminal can draw them."""
        return in_ascii(text.replace("␣", "space")) if self.placet.ascii_only else text

    def say(self, words: str, *, warning: bool = False) -> None:
        """Say something in the footer."""
        self.placet.say(words, warning=warning)

    def focus_home(self) -> None:
        """Focus what the screen is mainly about."""

    # going back

    def step_back(self) -> None:
        """One step back: stop waiting, close the search, unzoom, go to the list."""
        if not any(step() for step in self.steps_back()):
            self.say("nothing to leave here; q quits", warning=True)

    def steps_back(self) -> Iterable[Callable[[], bool]]:
        """Steps of esc, the innermost first; each says whether it did something."""
        return (self.placet.give_up, self.leave_search, self.unzoom)

    def leave_search(self) -> bool:
        """Close the search and clear it; False where there is none."""
        return False

    def unzoom(self) -> bool:
        """Show every pane again; False where none was hidden."""
        behind = self.query(".-behind")
        self.remove_class("-zoomed")
        behind.remove_class("-behind")
        return bool(behind)

    def action_pane_next(self) -> None:
        """Focus the next pane."""
        self.focus_next()

    def action_pane_prev(self) -> None:
        """Focus the previous pane."""
        self.focus_previous()

    def action_pane_zoom(self) -> None:
        """Give the focused pane the room of all of them, or take it back.

        Header, footer and messages stay: they are outside of the panes.
        """
        if self.unzoom():
            return
        panes = self.query(".pane")
        front = set(self.focused.ancestors) if self.focused is not None else set[DOMNode]()
        others = [pane for pane in panes if pane not in front]
        if len(others) == len(panes):
            self.say("nothing to zoom: tab goes to a pane", warning=True)
            return
        self.set_class(bool(others), "-zoomed")
        for pane in others:
            pane.add_class("-behind")

    def leave(self) -> bool:
        """Leave a screen that stands on another one; False where quitting is meant."""
        return False

    @property
    def typing(self) -> bool:
        """Whether keys are text now, so that what was said about it stays."""
        return False

    def unsaved(self) -> bool:
        """Whether something typed here would be lost by leaving."""
        return False
