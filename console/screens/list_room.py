"""A screen of a list and, beside or below it, what the row under the cursor is about."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable

from textual import on
from textual.widget import Widget

from placet.console.screens.editor import EditingRoom
from placet.console.widgets.diff_view import DiffView
from placet.console.widgets.line_list import LineList
from placet.console.widgets.pane import ListPane, Pane

REST_SECONDS = 0.06
"""The document follows once the selection has rested for so long."""


class ListRoom(EditingRoom):
    """List and document; Queue, Memory, Audit and Refusals are of this kind."""

    AUTO_FOCUS = "#list"
    needs = (*EditingRoom.needs, "#list-pane", "#list")
    needle = ""

    def body(self) -> Iterable[Widget]:
        """The list, and the document beside or below it."""
        with ListPane(id="list-pane"):
            yield self.list_widget()
        with Pane(id="diff-pane"):
            yield DiffView(id="diff", ascii_only=self.placet.ascii_only)

    def list_widget(self) -> Widget:
        """The list, for `body`."""
        return LineList(id="list", ascii_only=self.placet.ascii_only)

    @property
    def list(self) -> LineList:
        """The list of rows."""
        return self.query_one("#list", LineList)

    @property
    def subject(self) -> Hashable:
        """Key of the row under the cursor."""
        return self.list.key

    def focus_home(self) -> None:
        """Focus the list."""
        self.list.focus()

    @on(LineList.Selected, "#list")
    def row_selected(self, message: LineList.Selected) -> None:
        """Enter goes to the document; it never decides."""
        message.stop()
        self.diff.focus()

    @on(LineList.Idle, "#list")
    def list_idle(self, message: LineList.Idle) -> None:
        """A key of the list did nothing: say why."""
        message.stop()
        self.say(message.words, warning=True)

    def narrow(self, text: str) -> None:
        """Filter the list."""
        self.needle = text
        self.board_changed()

    def steps_back(self) -> Iterable[Callable[[], bool]]:
        """Also: from the document to the list."""
        return (*super().steps_back(), self._to_list)

    def _to_list(self) -> bool:
        if self.focused is self.list:
            return False
        self.list.focus()
        return True
