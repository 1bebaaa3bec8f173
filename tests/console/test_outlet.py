"""The last net: it lets the program's own text pass and nothing else."""

from __future__ import annotations

import pytest
from rich.segment import ControlType, Segment
from rich.style import Style
from textual.color import Color

from placet.console.outlet import REPLACEMENT, OutletFilter

BLACK = Color(0, 0, 0)
PAYLOADS = [
    "\x1b]52;c;cHduZWQ=\x07",
    "\x1b[2J",
    "\x9b2J",
    "\u202e",
    "\u200b",
    "\u2028",
    "\u2066",
    "\U000e0041",
    "\ufe0f",
    "\ud800",
    "\r",
    "\n",
    "\t",
    "\x7f",
]


def filtered(*segments: Segment) -> tuple[OutletFilter, list[Segment]]:
    """Run one line through a fresh filter."""
    outlet = OutletFilter()
    return outlet, outlet.apply(list(segments), BLACK)


@pytest.mark.parametrize("payload", PAYLOADS, ids=ascii)
def test_nothing_forbidden_leaves(payload: str) -> None:
    """C02: replaced, counted, and named for the log."""
    outlet, line = filtered(Segment("before "), Segment(f"x{payload}y"), Segment(" after"))
    text = "".join(segment.text for segment in line)
    assert payload not in text
    assert REPLACEMENT in text
    assert outlet.fired == 1
    assert outlet.last.startswith(f"U+{ord(payload[0]):04X}")


def test_own_text_passes_untouched_and_is_not_counted() -> None:
    """The positive side: ordinary lines, borders, badges and emoji cost nothing."""
    segments = [Segment("│ + é 端口 👩 ‹U+202E RLO› ^[ · → ␊ │", Style(bold=True)), Segment("")]
    outlet, line = filtered(*segments)
    assert line == segments
    assert outlet.fired == 0


def test_links_are_dropped() -> None:
    """injection §2: OSC 8 is never emitted from content; the words stay."""
    outlet, line = filtered(Segment("docs", Style(link="https://x.test", bold=True)))
    assert line[0].text == "docs"
    assert line[0].style is not None
    assert line[0].style.link is None
    assert line[0].style.bold
    assert (outlet.fired, outlet.last) == (1, "a link")


def test_a_line_never_becomes_wider() -> None:
    """What had no width gets one; the row is cut, so that it cannot spill into the next."""
    segments = [Segment("a" + "\u200b" * 10), Segment("bc")]
    outlet, line = filtered(*segments)
    assert outlet.fired == 1
    assert Segment.get_line_length(line) == Segment.get_line_length(segments) == 3


def test_the_frameworks_own_control_segments_pass() -> None:
    """Cursor movements of the framework are no content."""
    control = Segment("\x1b[H", None, [(ControlType.HOME,)])
    outlet, line = filtered(control)
    assert line == [control]
    assert outlet.fired == 0
