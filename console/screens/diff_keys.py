"""Keys of a screen that move or change the diff, whichever pane has the focus."""

from __future__ import annotations

from placet.console.screens.room import Room
from placet.console.shown import plain
from placet.console.widgets.diff_view import DiffView


class DiffRoom(Room):
    """A screen with a diff view."""

    @property
    def diff(self) -> DiffView:
        """The view of the change."""
        return self.query_one("#diff", DiffView)

    def action_diff_down(self) -> None:
        """Scroll down by a row."""
        self.diff.action_diff_down()

    def action_diff_up(self) -> None:
        """Scroll up by a row."""
        self.diff.action_diff_up()

    def action_diff_half_down(self) -> None:
        """Scroll half a page down."""
        self.diff.action_diff_half_down()

    def action_diff_half_up(self) -> None:
        """Scroll half a page up."""
        self.diff.action_diff_half_up()

    def action_diff_left(self) -> None:
        """Move the window left."""
        self.diff.action_diff_left()

    def action_diff_right(self) -> None:
        """Move the window right."""
        self.diff.action_diff_right()

    def action_hunk_next(self) -> None:
        """Next change or operation."""
        self.diff.action_hunk_next()

    def action_hunk_prev(self) -> None:
        """Previous change or operation."""
        self.diff.action_hunk_prev()

    def action_search_next(self) -> None:
        """Next match."""
        self.diff.action_search_next()

    def action_search_prev(self) -> None:
        """Previous match."""
        self.diff.action_search_prev()

    def action_view_context(self) -> None:
        """Show the whole file, or the change with the lines around it."""
        self.diff.action_view_context()

    def action_view_wrap(self) -> None:
        """Wrap long lines, or not."""
        self.diff.action_view_wrap()

    def action_view_invisibles(self) -> None:
        """Show blanks and line ends too, or not."""
        self.diff.action_view_invisibles()

    def action_copy_shown(self) -> None:
        """Copy the document as it is shown."""
        lines = (f"{line.sign} {plain(line.text)}" for line in self.diff.doc.lines)
        self._copy("\n".join(lines))

    def action_copy_raw(self) -> None:
        """Copy the raw text of the document, hidden characters included."""
        self._copy("\n".join(line.text for line in self.diff.doc.lines))

    def _copy(self, text: str) -> None:
        self.placet.copy_to_clipboard(text.encode("utf-8", "backslashreplace").decode("utf-8"))
        self.say("sent to the terminal's clipboard (it may be blocked)")
