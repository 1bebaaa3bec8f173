"""The last net: no control character and no link leaves the program, whatever a widget does.

Everything is escaped before layout (`shown.py`); this filter only sees what slipped past that. It
counts each time it had to act, so that tests fail when it does.
"""

from __future__ import annotations

import re

from rich.segment import Segment
from textual.color import Color
from textual.filter import LineFilter

from placet.console.charset import in_ascii

_FORBIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_NOT_ASCII = re.compile("[^ -~]")
REPLACEMENT = "\ufffd"


class OutletFilter(LineFilter):
    """Replaces what must never be written to a terminal, and drops links.

    Args:
        ascii_only: Whether the terminal can draw ASCII only.

    Attributes:
        fired: How many segments held something forbidden; 0 unless there is a bug.
        last: Code points of the latest of them, such as `U+001B`, for the log.
    """

    def __init__(self, *, ascii_only: bool = False) -> None:
        super().__init__()
        self._ascii = ascii_only
        self._forbidden = _NOT_ASCII if ascii_only else _FORBIDDEN
        self._replacement = "?" if ascii_only else REPLACEMENT
        self.fired = 0
        self.last = ""

    def apply(self, segments: list[Segment], background: Color) -> list[Segment]:
        """Make one line harmless; it never becomes wider than it was measured."""
        before = self.fired
        line = [self._harmless(segment) for segment in segments]
        if self.fired == before:
            return line
        width = Segment.get_line_length(segments)
        return Segment.adjust_line_length(line, width, pad=False)

    def _harmless(self, segment: Segment) -> Segment:
        text, style, control = segment
        if self._ascii and not control:  # the framework cuts its titles with a sign of its own
            text = in_ascii(text)
        forbidden = None if control else self._forbidden.search(text)
        linked = style is not None and style.link is not None
        if forbidden is None and not linked:
            return segment if text == segment.text else Segment(text, style, control)
        self.fired += 1
        if linked and style is not None:
            style = style.update_link(None)
        if forbidden is None:
            self.last = "a link"
            return Segment(text, style, control)
        self.last = ", ".join(f"U+{ord(char):04X}" for char in self._forbidden.findall(text)[:8])
        return Segment(self._forbidden.sub(self._replacement, text), style)
