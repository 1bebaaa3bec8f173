"""A bare application around one widget, with the theme variables that placet's widgets need."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from textual.app import App, ComposeResult
from textual.filter import LineFilter
from textual.message import Message
from textual.pilot import Pilot
from textual.widget import Widget

from placet.console import theming
from placet.console.outlet import OutletFilter

Found = TypeVar("Found", bound=Message)


class Host(App[None]):
    """Shows one widget on the whole screen and remembers what it says."""

    CSS = "Screen { overflow: hidden; } #here { width: 100%; height: 100%; }"

    def __init__(self, *widgets: Widget) -> None:
        super().__init__()
        self.animation_level = "none"
        self.widgets = widgets
        self.heard: list[Message] = []
        self.outlet = OutletFilter()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return theming.variable_defaults()

    def get_line_filters(self) -> list[LineFilter]:
        return [*super().get_line_filters(), self.outlet]

    def compose(self) -> ComposeResult:
        yield from self.widgets

    def run_here(self, width: int = 80, height: int = 24) -> Any:
        """Run without a terminal; every message is remembered."""
        return self.run_test(size=(width, height), message_hook=self.heard.append)

    def said(self, kind: type[Found]) -> list[Found]:
        """Every message of a kind so far, once each however far it bubbled."""
        found = {id(message): message for message in self.heard if isinstance(message, kind)}
        return list(found.values())


def screen_text(app: App[Any]) -> list[str]:
    """The text of every line of the screen; one private call, here and nowhere else."""
    strips = app.screen._compositor.render_strips()
    return ["".join(segment.text for segment in strip) for strip in strips]


async def until(pilot: Pilot[Any], true: Callable[[], object], seconds: float = 10.0) -> None:
    """Wait until something holds; fails when it does not within the deadline."""
    async with asyncio.timeout(seconds):
        while not true():
            await pilot.pause()
