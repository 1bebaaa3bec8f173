"""A list of keyed rows that keeps its cursor and its scroll while rows come and go."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import ClassVar, NamedTuple

from textual import events
from textual.binding import BindingType
from textual.message import Message

from placet.console.actions import Place
from placet.console.keymap import bindings
from placet.console.pages.cells import Cell, Cells, Look, padded
from placet.console.widgets.cursor_view import CursorView


class ListRow(NamedTuple):
    """One row of a list: one short line of harmless cells.

    Attributes:
        key: What the row is about; unique in its list, kept while the rows change.
        cells: Its cells, or a function from the width in cells to them, called when it is drawn.
        group: Group it belongs to; a folded group shows its header only.
        header: Whether it is the header of its group.
    """

    key: Hashable
    cells: Cells | Callable[[int], Cells]
    group: str = ""
    header: bool = False


class LineList(CursorView):
    """A list by the line: only what is on the screen is drawn, however many rows there are.

    j k g G home end pageup pagedown move. Enter opens a row or folds a header; it never decides,
    and space is left to the screen.

    Args:
        ascii_only: Whether the terminal can draw ASCII only.
    """

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.LIST)]
    EMPTY: ClassVar[str] = "nothing to go to: the list is empty"

    class Of(Message):
        """Base of this widget's messages; `line_list` is the sender."""

        def __init__(self, line_list: LineList) -> None:
            super().__init__()
            self.line_list = line_list

        @property
        def control(self) -> LineList:
            """The list that sent it, for `@on(..., "#id")`."""
            return self.line_list

    class Highlighted(Of):
        """The cursor stands on another row; `key` is None in an empty list."""

        def __init__(self, line_list: LineList, key: Hashable | None) -> None:
            super().__init__(line_list)
            self.key = key

    class Selected(Of):
        """Enter was pressed on a row."""

        def __init__(self, line_list: LineList, key: Hashable) -> None:
            super().__init__(line_list)
            self.key = key

    class Folded(Of):
        """A group was folded or unfolded."""

        def __init__(self, line_list: LineList, group: str, folded: bool) -> None:
            super().__init__(line_list)
            self.group = group
            self.folded = folded

    class Idle(Of):
        """A key did nothing; `words` tell why."""

        def __init__(self, line_list: LineList, words: str) -> None:
            super().__init__(line_list)
            self.words = words

    class OnScreen(Of):
        """Exactly the rows `keys` stand on the screen; for `Session.on_screen`."""

        def __init__(self, line_list: LineList, keys: tuple[Hashable, ...]) -> None:
            super().__init__(line_list)
            self.keys = keys

    def __init__(
        self,
        *,
        name: str | None = None,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
        ascii_only: bool = False,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes, ascii_only=ascii_only)
        self._all: Sequence[ListRow] = ()
        self._rows: Sequence[ListRow] = ()
        self._places: dict[Hashable, int] = {}
        self._on_screen: tuple[Hashable, ...] = ()
        self._epoch = 0
        self._wanted: Hashable | None = None
        self.folded: set[str] = set()

    # rows

    @property
    def key(self) -> Hashable | None:
        """Key of the row under the cursor, or None in an empty list."""
        return self._rows[self._cursor].key if self._rows else None

    @property
    def row(self) -> ListRow | None:
        """The row under the cursor, or None in an empty list."""
        return self._rows[self._cursor] if self._rows else None

    @property
    def rows(self) -> Sequence[ListRow]:
        """The rows as they stand now, folded ones left out."""
        return self._rows

    def set_rows(self, rows: Sequence[ListRow], folded: Iterable[str] | None = None) -> None:
        """Show other rows; neither cursor nor scroll moves under the reader.

        The cursor stays on its key; where that is gone, on the next row that is left, else on the
        one before.

        Args:
            rows: All rows in order, headers included.
            folded: Groups that are folded from now on; None leaves them as they are.
        """
        if folded is not None:
            self.folded = set(folded)
        self._all = rows
        self._apply()

    def move_to(self, key: Hashable) -> bool:
        """Put the cursor on a row, unfolding its group; False where there is no such row."""
        if key not in self._places:
            group = next((row.group for row in self._all if row.key == key), None)
            if group is None:
                return False
            self.fold(group, False)
        self.go(self._places[key])
        return True

    def fold(self, group: str, folded: bool) -> None:
        """Fold or unfold a group; its header takes the cursor where that was inside."""
        if (group in self.folded) is folded:
            return
        row = self.row
        if folded:
            self.folded.add(group)
        else:
            self.folded.discard(group)
        inside = row is not None and row.group == group and not row.header
        self._apply(self._header(group) if folded and inside else None)
        self.post_message(self.Folded(self, group, folded))

    def _header(self, group: str) -> Hashable | None:
        return next((row.key for row in self._all if row.header and row.group == group), None)

    def _apply(self, cursor: Hashable | None = None) -> None:
        before, old_cursor = self._rows, self._cursor
        old_key, top = self.key, self.scroll_offset.y
        self._rows = [r for r in self._all if r.header or r.group not in self.folded]
        self._places = {row.key: place for place, row in enumerate(self._rows)}
        wanted = old_key if cursor is None else cursor
        self._cursor = self._places.get(wanted, -1)
        if self._cursor < 0:
            self._cursor = self._nearest(before, old_cursor)
        self._epoch += 1
        self.fit_virtual_size()
        self.scroll_row(self._top_after(before, old_cursor, top))
        self.forget()
        if self.key != old_key:
            self.post_message(self.Highlighted(self, self.key))

    def _nearest(self, before: Sequence[ListRow], cursor: int) -> int:
        after = (row.key for row in before[cursor + 1 :])
        earlier = (row.key for row in reversed(before[:cursor]))
        for keys in (after, earlier):
            for key in keys:
                if key in self._places:
                    return self._places[key]
        return max(min(cursor, len(self._rows) - 1), 0)

    def _top_after(self, before: Sequence[ListRow], cursor: int, top: int) -> int:
        height = max(self.view_size.height, 1)
        if not before or top <= cursor < top + height:
            return max(self._cursor - (cursor - top), 0)
        anchor = before[min(top, len(before) - 1)].key
        return self._places.get(anchor, top)

    # drawing

    def line_count(self) -> int:
        """How many rows stand, folded ones left out."""
        return len(self._rows)

    def drawn_as(self, row: int) -> Hashable:
        """The cache key of a row."""
        return (self._epoch, row == self._cursor and (True, self.has_focus))

    def draw(self, row: int, width: int) -> tuple[Cells, Look]:
        """Draw a row: mark, then its cells, cut to the width."""
        here, item = row == self._cursor, self._rows[row]
        mark = self._mark(item)
        room = width - 2 - len(mark.text)
        cells = item.cells(room) if callable(item.cells) else item.cells
        line = padded((mark, *cells), width - 1)
        edge = ("|" if self.ascii_only else "▌") if here else " "
        if here and self.has_focus:
            line = tuple(cell if cell.look is Look.SUSPECT else _lit(cell) for cell in line)
        return (Cell(edge, Look.CURSOR if here else Look.GUTTER), *line), Look.PLAIN

    def _mark(self, item: ListRow) -> Cell:
        if not item.header:
            return Cell("")
        signs = ("> ", "v ") if self.ascii_only else ("▸ ", "▾ ")
        return Cell(signs[item.group not in self.folded], Look.HEADING)

    def after_paint(self) -> None:
        """Say which rows stand on the screen, where that changed."""
        keys = tuple(self._rows[row].key for row in self.rows_on_screen())
        if keys != self._on_screen:
            self._on_screen = keys
            self.post_message(self.OnScreen(self, keys))

    def on_resize(self, event: events.Resize) -> None:
        """Keep the cursor on the screen."""
        self.fit_virtual_size()
        self.show_row(self._cursor)

    def on_focus(self) -> None:
        """The cursor row looks different with the focus."""
        self.redraw()

    def on_blur(self) -> None:
        """The cursor row looks different without the focus."""
        self.redraw()

    # moving

    def go(self, row: int) -> None:
        """Put the cursor on a row, or the one nearest to it, and show it."""
        if not self._rows:
            return
        place = max(min(row, len(self._rows) - 1), 0)
        old, self._cursor = self._cursor, place
        self._bring(place)
        if old != place:
            self.refresh_lines(old)
            self.refresh_lines(place)
            self.post_message(self.Highlighted(self, self.key))

    def _bring(self, place: int) -> None:
        """Have a row on the screen; a list that must scroll goes on by two thirds, so that most
        keys draw two rows and not all of them."""
        top, height = self.scroll_offset.y, max(self.view_size.height, 1)
        if place == top + height:
            place = min(place + height * 2 // 3, len(self._rows) - 1)
        elif place == top - 1:
            place = max(place - height * 2 // 3, 0)
        self.show_row(place)

    def idle(self, words: str) -> None:
        """Say why a key did nothing."""
        self.post_message(self.Idle(self, words))

    def action_op_open(self) -> None:
        """Fold or unfold a header, else say that the row was chosen."""
        row = self.row
        if row is None:
            self.idle("nothing to open: the list is empty")
            return
        if row.header:
            self.fold(row.group, row.group not in self.folded)
        else:
            self.post_message(self.Selected(self, row.key))


class GroupedList(LineList):
    """A list whose rows stand in groups, which left and right fold and unfold."""

    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.GROUPS)]

    def action_group_unfold(self) -> None:
        """Unfold the group of the row under the cursor."""
        row = self.row
        if row is not None and row.header and row.group in self.folded:
            self.fold(row.group, False)
        else:
            self.idle("nothing to unfold: put the cursor on a folded group")

    def action_group_fold(self) -> None:
        """Fold the group of the row under the cursor."""
        row = self.row
        group = row.group if row is not None else ""
        if group and group not in self.folded and self._header(group) is not None:
            self.fold(group, True)
        else:
            self.idle("nothing to fold: put the cursor into an unfolded group")


def _lit(cell: Cell) -> Cell:
    """A cell under the cursor; a badge keeps the look that no content can have."""
    return Cell(cell.text, Look.CURSOR)
