"""Presses the key of every action that the registry offers, and notes which did nothing."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from driving.console import Driver
from textual.widget import Widget

from placet.console.actions import ACTIONS, INSIDE, Action, Place
from placet.console.board import Said
from placet.console.keymap import offered
from placet.console.screens.dialogs import AskDialog, Field
from placet.console.screens.diff_keys import DiffRoom
from placet.console.screens.review import ReviewScreen
from placet.console.screens.room import Room
from placet.console.widgets.line_list import LineList

WAYS = {
    Place.QUEUE: ("1",),
    Place.MEMORY: ("2",),
    Place.AUDIT: ("3",),
    Place.REFUSALS: ("4",),
    Place.CHECK: ("5",),
    Place.REVIEW: ("2", "o"),
}
"""How each screen is reached; in the editor another text is typed each time."""

TO_THE_END = frozenset({"item.prev", "item.first", "item.page_up"})
"""Actions that have somewhere to go at the end."""

DIFF_TO_THE_END = frozenset({"diff.up", "diff.half_up", "hunk.prev"})
"""The same, for what moves the diff whatever has the focus."""

SILENCE = 0.3
"""Seconds after which nothing more is expected of a key."""

MOST_ROWS = 14
"""Rows of a list on which an action is tried."""


class Press(NamedTuple):
    """One key to try.

    Attributes:
        screen: On which screen.
        focus: Which kind of widget has the focus: `LIST` or `DIFF`.
        action: What the key is for.
    """

    screen: Place
    focus: Place
    action: Action

    def __str__(self) -> str:
        focus = "list" if self.focus is Place.LIST else "diff"
        return f"{self.screen.name.lower()}-{focus}-{self.action.id}"


class Seen(NamedTuple):
    """What a press did.

    Attributes:
        moved: Whether anything in the body or the stack of screens changed.
        words: What was said.
        warning: Whether that was why nothing happened.
    """

    moved: bool
    words: str
    warning: bool

    @property
    def silent(self) -> bool:
        """Neither a change nor a word."""
        return not self.moved and not self.words

    @property
    def acted(self) -> bool:
        """More than words about why nothing happened."""
        return self.moved or bool(self.words and not self.warning)


def presses() -> Iterator[Press]:
    """Everything that the registry offers outside of the editor, in every focus."""
    for screen, inside in INSIDE.items():
        here = {action.id for action in offered(screen)}
        for focus in (Place.LIST, Place.DIFF):
            if focus in inside:
                wanted = {screen, Place.APP, focus}
                wanted |= {Place.GROUPS} & set(inside) if focus is Place.LIST else set[Place]()
                for action in ACTIONS:
                    if action.id in here and action.places & wanted:
                        yield Press(screen, focus, action)


class Presser:
    """Presses keys on one console.

    Args:
        driver: The console.
        once: Says which keys need not be tried on a second row.
    """

    def __init__(self, driver: Driver, once: Callable[[Press], bool]) -> None:
        self.driver = driver
        self.once = once
        self.app = driver.app
        self.typed = 0
        self.left: list[int] = []
        self.app.leave = lambda code=0: self.left.append(code)  # type: ignore[method-assign]

    async def try_all(self, wanted: Sequence[Press]) -> dict[Press, list[Seen]]:
        """Press every key, each until it acted on some row."""
        return {press: await self._try(press) for press in wanted}

    async def _try(self, press: Press) -> list[Seen]:
        found: list[Seen] = []
        for row in range(1 if self.once(press) else MOST_ROWS):
            await self._go_to(press.screen)
            if not await self._to_row(row) and row:
                break
            found.append(await self._press(press))
            if found[-1].acted:
                break
        return found

    async def _go_to(self, screen: Place) -> None:
        top = self.app.screen
        if screen is Place.REVIEW and isinstance(top, ReviewScreen) and not _is_deep(top):
            return
        await self._out()
        keys = WAYS[screen]
        if self.app.current_mode != screen.value.lower():
            await self.driver.key(keys[0])
        if screen is Place.REVIEW:
            await self._to_row(0)
            await self.driver.key(*keys[1:])
            self.typed += 1
            await self.driver.type(f"x{self.typed}")
            await self.driver.key("escape")

    async def _out(self) -> None:
        """Back to a bare screen."""
        for _ in range(12):
            room = self.app.screen
            if isinstance(room, AskDialog):
                await self.driver.key("y")
            elif len(self.app.screen_stack) > 1 or (isinstance(room, Room) and _is_deep(room)):
                await self.driver.key("escape")
            else:
                return
        raise AssertionError(f"no way out of this:\n{self.driver.text()}")

    async def _to_row(self, row: int) -> bool:
        room = self.app.screen
        if not room.query(LineList) or row >= len(room.query_one(LineList).rows):
            return False
        rows = room.query_one(LineList)
        rows.move_to(rows.rows[row].key)
        if isinstance(room, DiffRoom):
            await self.driver.until(lambda: room.diff.subject == rows.key, "the row's text")
        await self.driver.settled()
        return True

    def _focus(self, widget: Widget) -> None:
        widget.focus(scroll_visible=False)

    async def _press(self, press: Press) -> Seen:
        room = self.app.screen
        assert isinstance(room, DiffRoom)
        room.diff.action_item_first()
        focus = room.query_one("#list" if press.focus is Place.LIST else "#diff")
        await self._prepare(room, press.action.id, focus)
        self._focus(focus)
        await self.driver.settled()
        self.app.board.said = Said()
        self.left.clear()
        before = self._look()
        await self.driver.key(press.action.keys[0])
        await self._until_something_happens(before)
        said = self.app.board.said
        moved = self._look() != before or bool(self.left)
        if room.is_attached:
            room.diff.wrap = True
        return Seen(moved, said.words, said.warning)

    async def _until_something_happens(self, before: object) -> None:
        """A key that did nothing so far is given some time: words take a few messages."""
        end = time.monotonic() + SILENCE
        while time.monotonic() < end and not self.left and not self.app.board.said.words:
            if self._look() != before:
                return
            await self.driver.pilot.pause(0.01)

    async def _prepare(self, room: DiffRoom, action: str, focus: Widget) -> None:
        """Bring about what the action is for."""
        if action in TO_THE_END | DIFF_TO_THE_END:
            self._focus(focus if action in TO_THE_END else room.diff)
            await self.driver.key("G")
        elif action in ("diff.left", "diff.right"):
            room.diff.wrap = False
            await self.driver.key(*("L",) * (action == "diff.left"))
        elif action in ("search.next", "search.prev"):
            self._focus(room.diff)
            await self.driver.key("slash", "e", "enter")
        elif action == "op.all":
            await self.driver.key("-")
        elif action == "app.back":
            await self.driver.key("slash")

    def _look(self) -> object:
        """Everything that is drawn between the head of the screen and its footer."""
        screen = self.app.screen
        strips = screen._compositor.render_strips()
        if isinstance(screen, Room):
            body = screen.query_one("#body").region
            strips = strips[body.y : body.bottom]
        else:
            strips = strips[1:]
        drawn = [[(_untimed(s.text), s.style) for s in strip] for strip in strips]
        find = isinstance(screen, Room) and bool(screen.query(Field))
        return len(self.app.screen_stack), type(screen).__name__, find, drawn


def _untimed(text: str) -> str:
    return re.sub(r"\d+ s ago", "s ago", text)


def _is_deep(room: Room) -> bool:
    """Whether something of a room is open that esc closes."""
    editing = getattr(room, "editing", None) is not None
    needles = any(getattr(room, "_needles", ("",)))
    return bool(editing or needles or room.query(Field) or room.query(".-behind"))
