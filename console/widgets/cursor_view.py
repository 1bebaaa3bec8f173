"""Lines with a cursor among them: the keys that move it, for the list and the diff alike."""

from __future__ import annotations

from typing import ClassVar

from placet.console.widgets.line_view import LineView


class CursorView(LineView):
    """A view of lines, one of which is meant by the keys.

    Attributes:
        EMPTY: Why a key that moves does nothing where there is no line.
    """

    EMPTY: ClassVar[str] = "nothing is shown here"

    _cursor: int = 0

    # what a subclass says

    def go(self, row: int) -> None:
        """Put the cursor on a row, or the one nearest to it, and show it."""
        raise NotImplementedError

    def idle(self, words: str) -> None:
        """Say why a key did nothing."""
        raise NotImplementedError

    def turn(self, rows: int) -> None:
        """Go on by a page; the number of its rows is negative for going back."""
        self.step(self._cursor + rows)

    # moving

    def step(self, row: int) -> None:
        """Put the cursor on a row, where there is one."""
        if self.line_count():
            self.go(row)
        else:
            self.idle(self.EMPTY)

    @property
    def page(self) -> int:
        """Rows that a page key goes on by."""
        return max(self.view_size.height - 1, 1)

    def action_item_next(self) -> None:
        """Cursor to the next row."""
        self.step(self._cursor + 1)

    def action_item_prev(self) -> None:
        """Cursor to the previous row."""
        self.step(self._cursor - 1)

    def action_item_first(self) -> None:
        """Cursor to the first row."""
        self.step(0)

    def action_item_last(self) -> None:
        """Cursor to the last row."""
        self.step(self.line_count() - 1)

    def action_item_page_down(self) -> None:
        """One page down."""
        self.turn(self.page)

    def action_item_page_up(self) -> None:
        """One page up."""
        self.turn(-self.page)
