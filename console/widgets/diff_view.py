"""The complete diff of one plan, drawn by the line, that knows what of it has been seen."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from typing import ClassVar

from textual import events, work
from textual.binding import BindingType
from textual.message import Message
from textual.reactive import reactive

from placet.console.actions import Place
from placet.console.keymap import bindings
from placet.console.pages.cells import Cells, Look
from placet.console.pages.lines import DiffDoc, DiffLine, Span
from placet.console.pages.seen import Position, Seen
from placet.console.pages.wrapping import Drawing
from placet.console.rows import DiffRows, layout
from placet.console.widgets.cursor_view import CursorView

HEAVY = 200_000
"""Characters from which a document is laid out in a thread."""


class DiffView(CursorView):
    """Shows a `DiffDoc` completely, row by row, and notes in a `Seen` what was on the screen.

    The line cursor (j k, hunks) says which operation `op.toggle` and the editor mean; scrolling
    takes it along. Nothing here decides.

    Args:
        ascii_only: Whether the terminal can draw ASCII only.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.DIFF)]

    wrap: reactive[bool] = reactive(True, init=False)
    """Whether long lines are broken; off, the view is a window that H and L move."""

    invisibles: reactive[bool] = reactive(False, init=False)
    """Whether blanks, line ends and joiners show too; hidden characters always show."""

    whole: reactive[bool] = reactive(False, init=False)
    """Whether unchanged lines far from any change show too; else each run of them is one row."""

    class Of(Message):
        """Base of this widget's messages; `view` is the sender."""

        def __init__(self, view: DiffView) -> None:
            super().__init__()
            self.view = view

        @property
        def control(self) -> DiffView:
            """The view that sent it, for `@on(..., "#id")`."""
            return self.view

    class Painted(Of):
        """Rows of a plan reached the screen and were noted as seen; for `Session.painted`.

        Attributes:
            subject: What is shown.
            state: State of the plan that is shown.
            rows: Display rows in all.
        """

        def __init__(self, view: DiffView) -> None:
            super().__init__(view)
            self.subject = view.subject
            self.state = view.doc.state
            self.rows = view.line_count()

    class Moved(Of):
        """Cursor or scroll moved; `words` is the counter "row 14 of 14 · seen to the end"."""

        def __init__(self, view: DiffView) -> None:
            super().__init__(view)
            self.words = view.counter

        def can_replace(self, message: Message) -> bool:
            """Only the newest place matters."""
            return isinstance(message, DiffView.Moved)

    class Told(Of):
        """What there is to say about a key; `warning` where the words tell why it did nothing."""

        def __init__(self, view: DiffView, words: str, *, warning: bool) -> None:
            super().__init__(view)
            self.words = words
            self.warning = warning

    class _Laid(Message):
        def __init__(self, rows: DiffRows, line: int) -> None:
            super().__init__()
            self.rows = rows
            self.line = line

    def __init__(
        self,
        *,
        name: str | None = None,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
        ascii_only: bool = False,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes, ascii_only=ascii_only)
        self.doc = DiffDoc()
        self.seen = Seen(())
        self.subject: Hashable = None
        self._rows: DiffRows = layout(self.doc, 80)
        self._offset = 0
        self._epoch = 0
        self._told: Hashable = None
        self._staying = 0
        self._needle = ""
        self._matches: list[Position] = []
        self._match = -1
        self._matched: dict[int, list[Span]] = {}

    # what is shown

    def show_doc(self, subject: Hashable, doc: DiffDoc, seen: Seen) -> None:
        """Show a document; the same subject and state keep cursor and scroll.

        Args:
            subject: What it is about, as `Session.show` was told.
            doc: What to show (`rows.document`).
            seen: What has been seen of it (`Session.show` returns it).
        """
        known = subject == self.subject and bool(self.doc.lines)
        same = known and doc.state == self.doc.state
        line = self._rows.line_of(self._cursor) if same and len(self._rows) else 0
        if not same:
            line = doc.operations.get(self._staying, 0) if known else 0
            self._staying = 0
        self.subject, self.doc, self.seen, self._told = subject, doc, seen, None
        if not same:
            self._matches, self._match, self._matched = [], -1, {}
            self._cursor, self._offset = 0, 0
        self._lay_out(line)

    def stay_on(self, operation: int) -> None:
        """Have the cursor on this operation in the next state of what is shown, not at the top."""
        self._staying = operation

    def clear(self) -> None:
        """Show nothing."""
        self.show_doc(None, DiffDoc(), Seen(()))

    @property
    def ready(self) -> bool:
        """Whether the document is laid out for the present width."""
        return self._fits(self._rows)

    def _fits(self, rows: DiffRows) -> bool:
        drawn = (rows.width, rows.wrap, rows.whole, rows.drawing)
        drawing = Drawing(self.ascii_only, self.invisibles)
        wanted = (self.view_size.width, self.wrap, self.whole, drawing)
        return rows.doc is self.doc and drawn == wanted

    @property
    def operation(self) -> int:
        """Number of the operation under the line cursor, or 0."""
        if not self.ready or not len(self._rows):
            return 0
        return self.doc.lines[self._rows.line_of(self._cursor)].operation

    @property
    def counter(self) -> str:
        """Where one is and whether all has been seen, in words."""
        total = len(self._rows)
        if not total or self._rows.doc is not self.doc:
            return ""
        last = min(self.scroll_offset.y + max(self.view_size.height, 1), total)
        words = "seen to the end" if self.seen.complete else "more to see"
        return f"row {last} of {total} · {words}"

    def jump(self, position: Position) -> None:
        """Bring a place to the screen: unseen rows start at the upper edge."""
        if not self.ready:
            return
        row = self._rows.row_at(position.line, position.start)
        self.scroll_row(row)
        self._cursor = row
        if not self.wrap:
            self._offset = self._rows.column_of(position)
        self._moved(redraw=True)

    # laying out

    def _lay_out(self, line: int = 0) -> None:
        if self.view_size.width <= 0:
            return
        make = partial(
            layout,
            self.doc,
            self.view_size.width,
            wrap=self.wrap,
            drawing=Drawing(self.ascii_only, self.invisibles),
            whole=self.whole,
        )
        if self.doc.weight <= HEAVY:
            self._take(make(), line)
        else:
            if self._rows.doc is not self.doc:
                self._rows = layout(_notice(self.doc), self.view_size.width)
                self._epoch += 1
                self.fit_virtual_size()
                self.refresh()
            self._lay_out_aside(make, line)

    @work(thread=True, exclusive=True, group="layout", exit_on_error=False, description="layout")
    def _lay_out_aside(self, make: partial[DiffRows], line: int) -> None:
        self.post_message(self._Laid(make(), line))

    def on_diff_view__laid(self, message: _Laid) -> None:
        """A heavy document is ready."""
        message.stop()
        if self._fits(message.rows):
            self._take(message.rows, message.line)

    def _take(self, rows: DiffRows, line: int) -> None:
        self._rows = rows
        self._epoch += 1
        self._cursor = rows.row_at(line) if len(rows) else 0
        self.fit_virtual_size()
        self.scroll_row(min(self.scroll_offset.y, self._cursor))
        self.show_row(self._cursor)
        self._moved(redraw=True)

    def on_resize(self, event: events.Resize) -> None:
        """Wrap anew; the line under the cursor stays."""
        if not self.ready:
            self._lay_out_again()

    def watch_wrap(self) -> None:
        """Wrap anew."""
        self._offset = 0
        self._lay_out_again()

    def watch_invisibles(self) -> None:
        """Escape and wrap anew."""
        self._lay_out_again()

    def watch_whole(self) -> None:
        """Fold or unfold."""
        self._lay_out_again()

    def _follow_width(self) -> None:
        """Wrap anew where the scroll bar came or went without a resize."""
        if self._rows.doc is self.doc and not self.ready:
            self._lay_out_again()

    def _lay_out_again(self) -> None:
        known = self._rows.doc is self.doc and len(self._rows)
        self._lay_out(self._rows.line_of(self._cursor) if known else 0)

    # drawing

    def line_count(self) -> int:
        """How many rows there are at this width."""
        return len(self._rows)

    def drawn_as(self, row: int) -> Hashable:
        """The cache key of a row."""
        return (self._epoch, self._offset, self._match, row == self._cursor)

    def draw(self, row: int, width: int) -> tuple[Cells, Look]:
        """Draw a row: cursor mark, sign, text."""
        line = self._rows.line_of(row)
        here = row == self._cursor
        gutter = self._rows.gutter(row, cursor=here)
        matches = self._matched.get(line, ())
        fill = self._rows.doc.lines[line].look  # a hidden view may hold rows of the former document
        return (*gutter, *self._rows.cells(row, self._offset, matches)), fill

    def after_paint(self) -> None:
        """Note what is on the screen."""
        if not self.ready or self._rows.clipped:
            self._follow_width()
            return
        positions = [self._rows.position(row, self._offset) for row in self.rows_on_screen()]
        fresh = self.seen.add(positions)
        shown = (self.subject, self.doc.state, self.line_count())
        if positions and (fresh or shown != self._told):
            self._told = shown
            self.post_message(self.Painted(self))
            self._moved()

    # moving

    def _moved(self, redraw: bool = False) -> None:
        if redraw:
            self.redraw()
        self.post_message(self.Moved(self))

    def go(self, row: int) -> None:
        """Put the line cursor on a row, or the one nearest to it, and show it."""
        if not len(self._rows):
            return
        old, self._cursor = self._cursor, max(min(row, len(self._rows) - 1), 0)
        self.show_row(self._cursor)
        self.refresh_lines(old)
        self.refresh_lines(self._cursor)
        self._moved()

    def idle(self, words: str) -> None:
        """Say why a key did nothing."""
        self.post_message(self.Told(self, words, warning=True))

    def turn(self, rows: int) -> None:
        """Scroll by some rows; the cursor stays on the screen."""
        if len(self._rows) <= self.view_size.height:
            words = "nothing to scroll: all of it is on the screen"
            self.idle(words if self.line_count() else self.EMPTY)
            return
        self.scroll_row(max(self.scroll_offset.y + rows, 0))
        top, height = self.scroll_offset.y, max(self.view_size.height, 1)
        inside = max(min(self._cursor, top + height - 1, len(self._rows) - 1), top)
        self.go(inside)

    def action_diff_down(self) -> None:
        """Scroll down by a row."""
        self.turn(1)

    def action_diff_up(self) -> None:
        """Scroll up by a row."""
        self.turn(-1)

    def action_diff_half_down(self) -> None:
        """Scroll half a page down."""
        self.turn(max(self.view_size.height // 2, 1))

    def action_diff_half_up(self) -> None:
        """Scroll half a page up."""
        self.turn(-max(self.view_size.height // 2, 1))

    def action_diff_left(self) -> None:
        """Move the window left, with wrapping off."""
        self._shift(-1)

    def action_diff_right(self) -> None:
        """Move the window right, with wrapping off."""
        self._shift(1)

    def _shift(self, direction: int) -> None:
        if self.wrap:
            self.idle("nothing to the side: lines are wrapped, and w changes that")
            return
        step = max(self._rows.room // 2, 1)
        offset = max(min(self._offset + direction * step, self._rows.reach), 0)
        if offset == self._offset:
            self.idle(f"nothing further to the {'right' if direction > 0 else 'left'}")
            return
        self._offset = offset
        self._moved(redraw=True)

    def action_hunk_next(self) -> None:
        """Next change or operation."""
        self._hunk(1)

    def action_hunk_prev(self) -> None:
        """Previous change or operation."""
        self._hunk(-1)

    def _hunk(self, direction: int) -> None:
        hunks = self.doc.hunks if self.ready else ()
        if not hunks:
            self.idle("nothing to go to: no change is shown here")
            return
        line = self._rows.line_of(self._cursor)
        ahead = [h for h in hunks if (h - line) * direction > 0]
        if ahead:
            target = ahead[0] if direction > 0 else ahead[-1]
            self.go(self._rows.row_at(target))
        else:
            self.idle(f"nothing further {'down' if direction > 0 else 'up'}: no more changes")

    def action_view_wrap(self) -> None:
        """Wrap long lines, or not."""
        self.wrap = not self.wrap

    def action_view_invisibles(self) -> None:
        """Show blanks, line ends and joiners too, or not."""
        self.invisibles = not self.invisibles

    def action_view_context(self) -> None:
        """Show the whole file, or the change with the lines around it."""
        self.whole = not self.whole

    # searching

    def search(self, needle: str) -> int:
        """Highlight every place of a text and go to the first one from the cursor on.

        Returns:
            How many places there are.
        """
        self._needle = needle
        self._matches = list(self.doc.find(needle))
        self._matched = {}
        for place in self._matches:
            spans = self._matched.setdefault(place.line, [])
            spans.append((place.start, place.end, Look.MATCH))
        line = self._rows.line_of(self._cursor) if len(self._rows) else 0
        ahead = (n for n, place in enumerate(self._matches) if place.line >= line)
        self._match = next(ahead, 0) if self._matches else -1
        self._epoch += 1
        self._to_match()
        return len(self._matches)

    def action_search_next(self) -> None:
        """Next match."""
        self._step_match(1)

    def action_search_prev(self) -> None:
        """Previous match."""
        self._step_match(-1)

    def _step_match(self, direction: int) -> None:
        if self._matches:
            self._match = (self._match + direction) % len(self._matches)
            self._to_match()
            words = f"match {self._match + 1} of {len(self._matches)}"
            self.post_message(self.Told(self, words, warning=False))
        elif not self._needle:
            self.idle("nothing is searched for: / in the text begins, from the list after enter")
        elif not self.search(self._needle):
            self.idle(f"nothing here holds “{self._needle}”")

    def _to_match(self) -> None:
        if self._match < 0 or not self.ready:
            self._moved(redraw=True)
            return
        place = self._matches[self._match]
        if any(first <= place.line < after for first, after in self.doc.folds):
            self.whole = True
        if not self.wrap:
            self._offset = max(self._rows.column_of(place) - 4, 0)
        self.go(self._rows.row_at(place.line, place.start))
        self._moved(redraw=True)


def _notice(doc: DiffDoc) -> DiffDoc:
    """What stands in the view until a heavy document is laid out; it never counts as seen."""
    words = f"{doc.weight:,} characters in {len(doc.lines):,} lines: being laid out"
    return DiffDoc((DiffLine(" ", words, Look.NOTE),))
