"""Keys of a screen that move, change or search the diff, whichever pane has the focus."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on

from placet.console.screens.room import Room
from placet.console.shown import plain
from placet.console.widgets.diff_view import DiffView

if TYPE_CHECKING:
    from textual.widgets import Input

    from placet.console.screens.dialogs import Field


class DiffRoom(Room):
    """A screen with a diff view.

    Attributes:
        finder: The field to type in what is looked for, there while it is typed.
        searching_diff: Whether what is typed is looked for in the diff, not in the list.
    """

    finder: Field | None = None
    searching_diff = False
    _needles: tuple[str, str] = ("", "")

    @property
    def diff(self) -> DiffView:
        """The view of the change."""
        return self.query_one("#diff", DiffView)

    @on(DiffView.Told)
    def diff_told(self, message: DiffView.Told) -> None:
        """Say what there is to say about a key of the diff."""
        message.stop()
        self.say(message.words, warning=message.warning)

    # finding

    def action_search_open(self) -> None:
        """Type what to look for, in the pane that has the focus."""
        if self.finder is None:
            self.searching_diff = self.focused is self.diff
            self.finder = self._field(self._needles[self.searching_diff])
            self.mount(self.finder, before="#keys")
        self.set_focus(self.finder)

    def _field(self, text: str) -> Field:
        from placet.console.screens.dialogs import Field

        field = Field(self.placet.session.clock, hint="find")
        with field.prevent(Field.Changed):
            field.value = text
        field.cursor_position = len(text)
        return field

    def close_search(self) -> None:
        """Take the field away; the focus goes back to the pane that is searched."""
        if self.finder is not None:
            self.finder.remove()
            self.finder = None
        self.focus_home()
        if self.searching_diff:
            self.diff.focus()

    def on_input_submitted(self, message: Input.Submitted) -> None:
        """Enter ends typing; the filter stays."""
        message.stop()
        self.close_search()

    def on_input_changed(self, message: Input.Changed) -> None:
        """Filter while typing."""
        message.stop()
        if message.input is self.finder:
            self.find(message.value)

    def find(self, text: str) -> None:
        """Search in the diff, or filter the list."""
        first, second = self._needles
        self._needles = (first, text) if self.searching_diff else (text, second)
        if not self.searching_diff:
            self.narrow(text)
        elif not self.diff.search(text) and text:
            self.say("not found in what is shown here", warning=True)

    def leave_search(self) -> bool:
        """End what was searched last, then what else is; False where nothing is."""
        if self.finder is None and not any(self._needles):
            return False
        if self.finder is None and not self._needles[self.searching_diff]:
            self.searching_diff = not self.searching_diff
        self.find("")
        self.close_search()
        return True

    def narrow(self, text: str) -> None:
        """Show only rows that hold `text`."""

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
        if not self.diff.doc.folds:
            self.say("nothing is folded here: all of it shows", warning=True)
            return
        self.diff.action_view_context()

    def action_view_wrap(self) -> None:
        """Wrap long lines, or not."""
        self.diff.action_view_wrap()
        self.say("long lines wrap" if self.diff.wrap else "long lines run on: H and L move")

    def action_view_invisibles(self) -> None:
        """Show blanks and line ends too, or not."""
        self.diff.action_view_invisibles()
        shown = "show" if self.diff.invisibles else "do not show"
        self.say(f"blanks, line ends and joiners {shown}; hidden characters always do")

    def action_copy_shown(self) -> None:
        """Copy the document as it is shown."""
        self._copy([f"{line.sign} {plain(line.text)}" for line in self.diff.doc.lines])

    def action_copy_raw(self) -> None:
        """Copy the raw text of the document, hidden characters included."""
        self._copy([line.text for line in self.diff.doc.lines])

    def _copy(self, lines: list[str]) -> None:
        if not lines:
            self.say("there is nothing here to copy", warning=True)
            return
        text = "\n".join(lines)
        self.placet.copy_to_clipboard(text.encode("utf-8", "backslashreplace").decode("utf-8"))
        self.say("sent to the terminal's clipboard (it may be blocked)")
