"""Layout of the console at every size: the change is never pushed off the screen."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from driving.console import Driver, own_home, running
from homes.build import HomeBuilder
from rich.segment import Segment
from rich.style import Style
from textual.command import CommandPalette
from textual.geometry import Region
from textual.strip import Strip
from textual.widget import Widget

from placet.console.actions import Place
from placet.console.lanes import Job
from placet.console.screens.help import help_lines
from placet.console.widgets.line_view import merged
from placet.store.decide import DemoApprover
from placet.store.ledger.refusals import Refusal, list_refusals

SIZES = [(40, 10), (80, 12), (80, 10), (60, 9), (80, 24), (120, 12), (200, 60)]


def _filled(tmp_path: Path, waiting: int) -> tuple[HomeBuilder, DemoApprover]:
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    for number in range(waiting):
        home.stage_add(f"entry number {number}")
    return home, approver


def _visible_rows(driver: Driver) -> int:
    return len(list(driver.queue.diff.rows_on_screen()))


@pytest.mark.parametrize("size", SIZES)
async def test_the_change_is_on_the_screen_and_can_be_approved(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    """Finding 5: with 30 waiting the diff has rows at every size, and `a` works."""
    home, approver = _filled(tmp_path, 30)
    async with running(home, approver, tmp_path, size=size) as driver:
        assert _visible_rows(driver) >= 1
        assert len(list(driver.queue.list.rows_on_screen())) >= 1
        for _ in range(12):
            await driver.key("a")
            if "approved" in driver.kinds():
                break
        assert "approved" in driver.kinds()


async def test_a_short_list_leaves_its_room_to_the_change(tmp_path: Path) -> None:
    """Finding 23: the strip is as high as the list, at most about a third."""
    home, approver = _filled(tmp_path, 2)
    async with running(home, approver, tmp_path, size=(80, 24)) as driver:
        assert driver.queue.list.size.height == 2
        await driver.key("a", "a")
        assert driver.queue.list.size.height == 1
        for number in range(30):
            home.stage_add(f"later {number}")
        await driver.key("ctrl+r")
        await driver.until(lambda: driver.rows() == 30)
        await driver.settled()
        assert 4 <= driver.queue.list.size.height <= 8


async def test_zoom_keeps_header_and_footer_and_gives_way_to_the_editor(tmp_path: Path) -> None:
    """Findings 6 and 21."""
    home, approver = _filled(tmp_path, 3)
    async with running(home, approver, tmp_path, size=(80, 24)) as driver:
        await driver.key("enter", "f")
        queue = driver.queue
        assert not queue.query_one("#list-pane").display
        assert "3 waiting" in driver.text()
        assert "quit" in driver.text()
        await driver.key("e")
        assert queue.pad is not None
        assert "entry number" in driver.text()
        assert "╱" not in driver.text()
        assert queue.query_one("#list-pane").display
        await driver.key("escape")
        await driver.key("f")
        assert not queue.query_one("#list-pane").display
        await driver.key("escape")
        assert queue.query_one("#list-pane").display


async def test_nothing_is_repainted_while_nothing_changes(tmp_path: Path) -> None:
    """Findings 10 and 11: the same rows, title and keys again draw no line."""
    home, approver = _filled(tmp_path, 30)
    async with running(home, approver, tmp_path, size=(80, 24)) as driver:
        queue = driver.queue
        drawn: list[tuple[Widget, int]] = []
        views = [queue.list, queue.diff, queue.query_one("#tabs"), queue.query_one("#keys")]
        panes = [queue.query_one("#list-pane"), queue.query_one("#diff-pane")]
        for widget in [*views, *panes]:
            _count(widget, drawn)
        queue.board_changed()
        await driver.settled()
        assert drawn == []
        queue.list.action_item_next()
        assert {(widget, y) for widget, y in drawn} == {(queue.list, 0), (queue.list, 1)}


def _count(widget: Widget, drawn: list[tuple[Widget, int]]) -> None:
    """Note every line of a widget that is marked for drawing."""
    mark = widget._set_dirty

    def noted(*regions: Region) -> None:
        drawn.extend((widget, region.y) for region in regions or (Region(0, -1, 1, 1),))
        mark(*regions)

    widget._set_dirty = noted  # type: ignore[method-assign]


def test_neighbours_of_one_style_are_one_segment() -> None:
    """Finding 12: bytes per key; blanks take the style before them, an underline stays its own."""
    red, bold, under = Style(color="red"), Style(bold=True), Style(underline=True)
    strip = Strip([Segment("a", red), Segment("b", red), Segment("  ", bold), Segment(" ", under)])
    assert list(merged(strip)) == [Segment("ab  ", red), Segment(" ", under)]
    assert merged(strip).cell_length == strip.cell_length


async def test_the_palette_gives_way_where_it_cannot_be_drawn(tmp_path: Path) -> None:
    """Finding 9: any size is survived, with the palette open too."""
    home, approver = _filled(tmp_path, 2)
    async with running(home, approver, tmp_path, size=(80, 24)) as driver:
        await driver.pilot.press("ctrl+p")
        await driver.until(lambda: isinstance(driver.app.screen, CommandPalette))
        await driver.pilot.resize_terminal(1, 24)
        await driver.until(lambda: not isinstance(driver.app.screen, CommandPalette))
        await driver.pilot.press("pagedown", "ctrl+p")
        await driver.pilot.resize_terminal(1, 1)
        await driver.pilot.resize_terminal(80, 24)
        await driver.settled()
        assert "2 waiting" in driver.text()


async def test_the_command_of_an_alarm_is_whole(tmp_path: Path) -> None:
    """Finding 20: what to run is never cut off."""
    home, approver = _filled(tmp_path, 1)
    home.config("memory:\n  write_approval: false\n")
    async with running(home, approver, tmp_path, size=(80, 24)) as driver:
        assert "Turn on: hermes config set memory.write_approval true" in driver.text()


@pytest.mark.parametrize("size", [(40, 10), (40, 24), (60, 16)])
async def test_what_to_run_can_be_read_whole_on_a_narrow_screen(
    tmp_path: Path, size: tuple[int, int]
) -> None:
    """Finding 20: an alarm is whole above the screen, or Check is named, where it can be read."""
    home, approver = _filled(tmp_path, 1)
    home.config("memory:\n  write_approval: false\nskills:\n  write_approval: false\n")
    command = "hermes config set skills.write_approval true"
    async with running(home, approver, tmp_path, size=size) as driver:
        assert "and more: 5 Check shows all of it" in driver.text()
        assert command not in _words(driver)
        await driver.key("5")
        read = ""
        for _ in range(20):
            read += f" {_words(driver)}"
            if command in read:
                break
            await driver.key("j")
        assert command in read
        await driver.pilot.resize_terminal(80, 24)
        await driver.until(
            lambda: command in driver.text() and "and more" not in driver.text(),
            "the whole of it above",
        )


def _words(driver: Driver) -> str:
    """What is on the screen as one line of words, without frames."""
    return " ".join("".join(c for c in driver.text() if c not in "│▌▅▆▇▄▃▂▁█").split())


async def test_help_and_quit_stay_in_every_footer(tmp_path: Path) -> None:
    """C11: whatever a row offers, at 80 columns and at 40."""
    home, approver = _filled(tmp_path, 2)
    home.stage_replace("nothing holds this", "gone")
    async with running(home, approver, tmp_path, size=(80, 24)) as driver:
        await driver.key("a")
        for width in (80, 40):
            await driver.pilot.resize_terminal(width, 24)
            for key in ("1", "j", "G", "2", "j", "3", "4", "5"):
                await driver.key(key)
                await driver.until(lambda: driver.text().rstrip().endswith("? help  q quit"), key)
            await driver.key("1", "u")
            await driver.until(lambda: driver.text().rstrip().endswith("? help  q leave"), "review")
            await driver.key("q")


async def test_the_field_of_a_reason_keeps_its_label(tmp_path: Path) -> None:
    """The hint goes with the first letter typed; what the field is for stays."""
    home, approver = _filled(tmp_path, 1)
    async with running(home, approver, tmp_path, size=(40, 10)) as driver:
        await driver.key("R")
        assert "Reason:  may be empty" in driver.text()
        await driver.type("because")
        await driver.until(lambda: "Reason:  because" in driver.text(), "what is typed")
        assert "may be empty" not in driver.text()


def test_narrow_help_has_one_column() -> None:
    """Finding 26."""
    lines = [line.plain for line in help_lines({}, Place.QUEUE, 30)]
    assert max(map(len, lines)) <= 30
    assert "  a" in lines
    assert any(line.startswith("  a           Approve") for line in map(str, _wide_help()))


def _wide_help() -> list[str]:
    return [line.plain for line in help_lines({}, Place.QUEUE, 70)]


async def test_a_reason_can_bound_the_refusal_in_time(tmp_path: Path) -> None:
    """Finding 8: what `R` promises it has a key for."""
    home, approver = _filled(tmp_path, 2)
    async with running(home, approver, tmp_path, size=(80, 24)) as driver:
        await driver.key("R")
        assert "for ever" in driver.text()
        await driver.pilot.press("down")
        await driver.type("not now\n")
        await driver.until(lambda: "rejected" in driver.kinds())
        await driver.settled()
        label = home.home.label
        held = [one.until for one in await _refusals(driver, label)]
        assert len(held) == 1
        assert held[0] is not None
        assert held[0] - time.time() > 29 * 86_400


async def _refusals(driver: Driver, label: str) -> list[Refusal]:
    found: list[list[Refusal]] = []
    driver.app.deciding.submit(
        Job("list", lambda: list(list_refusals(driver.app._desks.desk(label).ledger)), found.append)
    )
    await driver.until(lambda: found)
    return found[0]


async def test_a_message_fades_with_the_next_row_and_a_decision_does_not(tmp_path: Path) -> None:
    """Finding 19."""
    home, approver = _filled(tmp_path, 3)
    async with running(home, approver, tmp_path, size=(80, 24)) as driver:
        driver.app.say("something of no lasting worth")
        await driver.key("j")
        assert driver.said == ""
        await driver.key("a", "j")
        assert "u undo" in driver.said
