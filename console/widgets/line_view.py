"""What the list and the diff have in common: lines drawn one by one, by name of look."""

from __future__ import annotations

from collections.abc import Hashable, Iterator

from rich.segment import Segment
from rich.style import Style
from textual.cache import LRUCache
from textual.errors import NoWidget
from textual.geometry import Region, Size
from textual.screen import Screen
from textual.scroll_view import ScrollView
from textual.strip import Strip

from placet.console.looks import style_of
from placet.console.pages.cells import Cells, Look
from placet.console.pages.syntax import Token

STRIPS = 4000
"""Drawn lines that are kept."""


class LineView(ScrollView, can_focus=True):
    """A view of many lines that draws only those on the screen.

    What a look means is `looks.PAINTS`; the theme variables behind it are listed in
    `theming.VARIABLES`, which the application has to supply.
    """

    DEFAULT_CSS = """
    LineView {
        overflow-x: hidden;
        overflow-y: scroll;
        min-width: 12;
        scrollbar-size-vertical: 1;
    }
    """

    def __init__(
        self,
        *,
        name: str | None = None,
        id: str | None = None,  # noqa: A002
        classes: str | None = None,
        ascii_only: bool = False,
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self.ascii_only = ascii_only
        self._strips: LRUCache[Hashable, Strip] = LRUCache(STRIPS)
        self._looks: dict[tuple[Look, Token | None], Style] = {}
        self._drawn: dict[int, Strip] = {}
        self._reports = 0
        self._reporting = False

    # what a subclass says

    def line_count(self) -> int:
        """How many lines there are."""
        raise NotImplementedError

    def draw(self, row: int, width: int) -> tuple[Cells, Look]:
        """One line and the look that fills the rest of its width."""
        raise NotImplementedError

    def drawn_as(self, row: int) -> Hashable:
        """What the drawing of a line depends on besides its width; the key of its cache."""
        raise NotImplementedError

    def after_paint(self) -> None:
        """Lines have reached the screen."""

    # drawing

    @property
    def view_size(self) -> Size:
        """Cells that lines are drawn in; `size` counts those under the scroll bar too."""
        return self.scrollable_content_region.size

    def look(self, look: Look, token: Token | None = None) -> Style:
        """The style behind a look in the present theme, in the ink of a token where it has one."""
        style = self._looks.get((look, token))
        if style is None:
            colours = self.app.theme_variables  # pyright: ignore[reportUnknownMemberType]
            style = style_of(look, colours, self.rich_style, token)
            self._looks[look, token] = style
        return style

    def render_line(self, y: int) -> Strip:
        """Draw the line that is `y` lines below the upper edge."""
        strip = self._drawn[y] = self._strip_at(y)
        return strip

    def _strip_at(self, y: int) -> Strip:
        row = self.scroll_offset.y + y
        width = self.view_size.width
        if row >= self.line_count() or width <= 0:
            return Strip.blank(max(width, 0), self.look(Look.PLAIN))
        key = (row, width, self.drawn_as(row))
        strip = self._strips.get(key)
        if strip is None:
            strip = self._draw_strip(row, width)
            self._strips[key] = strip
        return strip

    def _draw_strip(self, row: int, width: int) -> Strip:
        cells, fill = self.draw(row, width)
        segments = [Segment(c.text, self.look(c.look, c.token)) for c in cells if c.text]
        return merged(Strip(segments).adjust_cell_length(width, self.look(fill)))

    def refresh_lines(self, y_start: int, line_count: int = 1) -> None:
        """Draw some lines again, without the scroll bar beside them."""
        y = y_start - self.scroll_offset.y
        self.refresh(Region(0, y, self.view_size.width, line_count))

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        """Draw the lines again; the scroll bar only once its mark is due a cell further."""
        if round(old_value) != round(new_value):
            self.redraw()
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.position = self._mark_at(round(new_value))

    def _mark_at(self, top: int) -> int:
        step = max(self.line_count() // max(self.view_size.height, 1), 1)
        at_end = top >= self.line_count() - self.view_size.height
        return top if at_end else top - top % step

    def forget(self) -> None:
        """Throw away what was drawn and draw again what has changed."""
        self._strips.clear()
        self.redraw()

    def redraw(self) -> None:
        """Draw again exactly the lines that differ from what stands there."""
        if not self.is_attached or not self.view_size:
            self.refresh()
            return
        width, height = self.view_size
        for y in range(height):
            if self._drawn.get(y) != self._strip_at(y):
                self.refresh(Region(0, y, width, 1))
        self._report_soon()

    def notify_style_update(self) -> None:
        """The theme changed: looks and drawn lines are worth nothing any more."""
        self._looks.clear()
        self._strips.clear()
        self._drawn.clear()
        super().notify_style_update()

    def fit_virtual_size(self) -> None:
        """Tell the scroll bar how many lines there are."""
        size = Size(max(self.view_size.width, 1), self.line_count())
        if size != self.virtual_size:
            self.virtual_size = size

    def scroll_row(self, row: int) -> None:
        """Set the upper edge to a line, at once."""
        self.scroll_to(y=row, animate=False, force=True, immediate=True)

    def show_row(self, row: int) -> None:
        """Scroll as little as needed to have a line on the screen."""
        top, height = self.scroll_offset.y, max(self.view_size.height, 1)
        if row < top:
            self.scroll_row(row)
        elif row >= top + height:
            self.scroll_row(row - height + 1)

    # what is on the screen

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw a part of the view, and report once it has reached the screen."""
        strips = super().render_lines(crop)
        self._report_soon()
        return strips

    def _report_soon(self) -> None:
        self._reports += 1
        self._reporting = True
        self.call_after_refresh(self._report, self._reports)

    def _report(self, number: int) -> None:
        # only the newest one tells; one that a closing dialog took with it holds up no other
        if number != self._reports:
            return
        self._reporting = False
        if self.is_attached and self.view_size.width > 0:
            self.after_paint()

    def rows_on_screen(self) -> Iterator[int]:
        """Lines that stand on the screen in full width, with nothing drawn over them."""
        region = self.scrollable_content_region
        top = self.scroll_offset.y
        if not self._is_frontmost() or region.width <= 0:
            return
        for y in range(min(region.height, self.line_count() - top)):
            if self._uncovered(region.x, region.y + y, region.right - 1):
                yield top + y

    def _is_frontmost(self) -> bool:
        screen: Screen[object] = self.screen
        return screen.is_active

    def _uncovered(self, left: int, y: int, right: int) -> bool:
        screen: Screen[object] = self.screen
        width, height = screen.size
        if left < 0 or y < 0 or right >= width or y >= height:
            return False
        try:
            return all(screen.get_widget_at(x, y)[0] is self for x in (left, right))
        except NoWidget:  # a resize is under way: nothing stands there yet
            return False


def merged(strip: Strip) -> Strip:
    """The same strip with neighbours of one style as one segment: fewer bytes to the terminal.

    Blanks show no foreground, so they take the style before them where only that differs.
    """
    segments: list[Segment] = []
    for segment in strip:
        text, style, _ = segment
        last = segments[-1] if segments else None
        if last is not None and (last.style == style or _unseen(text, last.style, style)):
            segments[-1] = Segment(last.text + text, last.style)
        else:
            segments.append(segment)
    return Strip(segments, strip.cell_length)


def _unseen(text: str, before: Style | None, style: Style | None) -> bool:
    """Whether a run of blanks looks the same in the style before it."""
    if text.strip(" ") or before is None or style is None or before.bgcolor != style.bgcolor:
        return False
    return not any(s.underline or s.strike or s.reverse or s.underline2 for s in (before, style))
