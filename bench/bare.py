"""The reference application: a bare Textual list of one line per row."""

from __future__ import annotations

from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.app import App, ComposeResult
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip


class Rows(ScrollView, can_focus=True):
    """Rows drawn on demand with a cursor moved by `j`."""

    BINDINGS: ClassVar = [("j", "down", "down")]

    def on_mount(self) -> None:
        self.cursor = 0
        self.virtual_size = Size(40, 200)

    def render_line(self, y: int) -> Strip:
        style = Style(reverse=y == self.cursor)
        return Strip([Segment(f"row {y} of the bare application".ljust(60), style)])

    def action_down(self) -> None:
        self.cursor += 1
        self.refresh()


class Bare(App[None]):
    """Nothing but the rows."""

    def __init__(self) -> None:
        super().__init__()
        self.animation_level = "none"

    def compose(self) -> ComposeResult:
        yield Rows()


if __name__ == "__main__":
    Bare().run(mouse=False)
