"""A list of what is in the home, each row with a document about it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from textual import on

from placet.console.pages.lines import DiffDoc
from placet.console.screens.editor import Edit
from placet.console.screens.list_room import REST_SECONDS, ListRoom
from placet.console.widgets.line_list import LineList, ListRow


class ListingRoom(ListRoom):
    """A list whose rows are read at once; Memory, Audit and Refusals are of this kind."""

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

    @on(LineList.OnScreen, "#list")
    def rows_on_screen(self, message: LineList.OnScreen) -> None:
        """The session knows which rows a key may be about."""
        message.stop()
        self.placet.session.on_screen(message.keys)

    def holds(self, *texts: str) -> bool:
        """Whether a row with these texts passes the filter."""
        wanted = self.needle.casefold()
        return not wanted or any(wanted in text.casefold() for text in texts)

    def edit_of(self) -> Edit | None:
        """Nothing is edited here unless a screen says so."""
        return None
