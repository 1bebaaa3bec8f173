"""Header, footer and meters (design §11, field report 43)."""

from __future__ import annotations

import pytest
from widget_host import Host, screen_text

from placet.console.pages.cells import Cell, Look, text_of
from placet.console.widgets.meters import level, usage_cells
from placet.console.widgets.status import CellLines, FooterKey, KeyBar
from placet.store.model import Usage

KEYS = [
    FooterKey("batch.approve", "a", "approve"),
    FooterKey("batch.reject", "r", "refuse", enabled=False),
    FooterKey("app.quit", "q", "quit"),
]


async def test_lines_are_shown_and_cut_with_a_mark() -> None:
    lines = CellLines(id="lines")
    app = Host(lines)
    async with app.run_here(20, 5) as pilot:
        lines.set_lines((Cell("one"),), lambda width: (Cell(f"{width} wide"),), (Cell("x" * 40),))
        await pilot.pause()
        assert [line.rstrip() for line in screen_text(app)[:3]] == [
            "one",
            "20 wide",
            "x" * 19 + ">",
        ]
        lines.set_lines((Cell("less"),))
        await pilot.pause()
        assert [line.rstrip() for line in screen_text(app)[:2]] == ["less", ""]


async def test_dimmed_key_is_told_without_colour() -> None:
    """Design §11: the footer dims the key until it counts; report 120: not by colour alone."""
    bar = KeyBar(id="keys")
    app = Host(bar)
    async with app.run_here(60, 4) as pilot:
        bar.show_keys(KEYS, (Cell("✓ added 1 to USER.md", Look.GOOD),))
        await pilot.pause()
        said, keys = (line.rstrip() for line in screen_text(app)[:2])
        assert said == "✓ added 1 to USER.md"
        assert keys == " a approve  (r refuse) q quit"


async def test_narrow_footer_leaves_whole_keys_out() -> None:
    bar = KeyBar(id="keys")
    app = Host(bar)
    async with app.run_here(24, 4) as pilot:
        bar.show_keys(KEYS)
        await pilot.pause()
        assert screen_text(app)[0].rstrip() == " a approve  (r refuse)"


async def test_pinned_keys_stay_and_others_give_way() -> None:
    bar = KeyBar(id="keys", pinned=("app.quit",))
    app = Host(bar)
    async with app.run_here(24, 4) as pilot:
        bar.show_keys(KEYS)
        await pilot.pause()
        assert screen_text(app)[0].rstrip() == " a approve  q quit"


@pytest.mark.parametrize(
    ("usage", "words", "look"),
    [
        (Usage(1364, 1562, 2200), "1,364 ▸ 1,562 of 2,200   62 % ▸ 71 %", Look.PLAIN),
        (Usage(2000, 2100, 2200), "2,000 ▸ 2,100 of 2,200   90 % ▸ 95 %", Look.WARNING),
        (Usage(2190, 2270, 2200), "over the limit", Look.BLOCKER),
        (Usage(5, 5, 2200), "5 of 2,200   0 %", Look.PLAIN),
        (Usage(0, 1, 0), "no room", Look.BLOCKER),
    ],
)
def test_meter_in_words(usage: Usage, words: str, look: Look) -> None:
    """Report 43: projected size after this proposal, and a meter that says when it is too much."""
    assert words in text_of(usage_cells("MEMORY.md", usage))
    assert level(usage) is look
