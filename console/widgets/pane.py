"""A framed part of a screen: its title and counter repaint only the frame, never what is inside."""

from __future__ import annotations

from textual.containers import Container
from textual.content import Content
from textual.geometry import Region, Size

from placet.console.widgets.line_list import LineList


class Pane(Container):
    """A frame with a title above and a counter below.

    Args:
        id: Id of the widget.
    """

    def __init__(self, *, id: str) -> None:  # noqa: A002
        super().__init__(id=id, classes="pane")
        self._edges = ["", ""]
        self._only: Region | None = None

    def set_title(self, words: str) -> None:
        """Set the title; nothing in it is markup, and nothing is drawn where it is the same."""
        if self._changes(0, words, -1):
            self.border_title = Content(words)
            self._only = None

    def set_counter(self, words: str) -> None:
        """Set the counter in the lower edge; nothing is drawn where it is the same."""
        if self._changes(1, words, self.outer_size.height - 2):
            self.border_subtitle = Content(words)
            self._only = None

    def _changes(self, edge: int, words: str, y: int) -> bool:
        if self._edges[edge] == words:
            return False
        self._edges[edge] = words
        self._only = Region(-1, y, self.outer_size.width, 1)
        return True

    def _set_dirty(self, *regions: Region) -> None:
        if self._only is not None and not regions:
            regions = (self._only,)
        super()._set_dirty(*regions)


class ListPane(Pane):
    """The frame of a list; where its height is free it is as high as the list has rows."""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the list has rows, at least one."""
        return max(self.query_one(LineList).line_count(), 1)
