"""A screen of one list and, beside it, a document about the row under the cursor."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence

from textual import on
from textual.widget import Widget

from placet.console.pages.lines import DiffDoc
from placet.console.screens.editor import Edit, EditingRoom
from placet.console.widgets.diff_view import DiffView
from placet.console.widgets.line_list import LineList, ListRow
from placet.console.widgets.pane import ListPane, Pane

REST_SECONDS = 0.06


class ListingRoom(EditingRoom):
    """List and document; Memory, Audit and Refusals are of this kind."""

    AUTO_FOCUS = "#list"
    needs = (*EditingRoom.needs, "#list-pane", "#list")
    list_title = ""
    needle = ""

    def body(self) -> Iterable[Widget]:
        """The list, and the document beside or below it."""
        ascii_only = self.placet.ascii_only
        with ListPane(id="list-pane"):
            yield self.list_widget()
        with Pane(id="diff-pane"):
            yield DiffView(id="diff", ascii_only=ascii_only)

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

    def set_rows(self, rows: Sequence[ListRow], title: str) -> None:
        """Show rows."""
        self.list.set_rows(rows)
        self.set_title(self.query_one("#list-pane"), title)
        if self.diff.subject is None or self.diff.subject != self.subject:
            self.show_row()

    def document_of(self, key: Hashable) -> DiffDoc | None:
        """What is shown about a row; None where it comes later, through `show`."""
        raise NotImplementedError

    def show_again(self) -> None:
        """Show what the cursor stands on."""
        self.board_changed()
        self.show_row()

    def show_row(self) -> None:
        """Show what the cursor stands on."""
        key = self.subject
        doc = self.document_of(key) if key is not None else None
        if doc is not None:
            self.show(key, doc)
        self.draw_keys()

    @on(LineList.Highlighted, "#list")
    def row_highlighted(self, message: LineList.Highlighted) -> None:
        """The cursor moved."""
        message.stop()
        self.placet.fade()
        self.set_timer(REST_SECONDS, lambda: self._rested(message.key))

    def _rested(self, key: Hashable) -> None:
        if self.prepared and key == self.subject:
            self.show_row()

    @on(LineList.Selected, "#list")
    def row_selected(self, message: LineList.Selected) -> None:
        """Enter goes to the document."""
        message.stop()
        self.diff.focus()

    @on(LineList.Idle, "#list")
    def list_idle(self, message: LineList.Idle) -> None:
        """A key of the list did nothing: say why."""
        message.stop()
        self.say(message.words, warning=True)

    @on(LineList.OnScreen, "#list")
    def rows_on_screen(self, message: LineList.OnScreen) -> None:
        """The session knows which rows a key may be about."""
        message.stop()
        self.placet.session.on_screen(message.keys)

    def steps_back(self) -> Iterable[Callable[[], bool]]:
        """Also: from the document to the list."""
        return (*super().steps_back(), self._to_list)

    def _to_list(self) -> bool:
        if self.focused is self.list:
            return False
        self.list.focus()
        return True

    def narrow(self, text: str) -> None:
        """Filter the list."""
        self.needle = text
        self.board_changed()

    def holds(self, *texts: str) -> bool:
        """Whether a row with these texts passes the filter."""
        wanted = self.needle.casefold()
        return not wanted or any(wanted in text.casefold() for text in texts)

    def edit_of(self) -> Edit | None:
        """Nothing is edited here unless a screen says so."""
        return None
