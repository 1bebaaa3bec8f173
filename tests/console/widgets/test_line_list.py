"""The list keeps its cursor and its scroll while rows come and go (acceptance C05, C12)."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from widget_host import Host, screen_text, until

from placet.console.pages.cells import Cell, Look, shown_cells
from placet.console.pages.list_rows import group_cells
from placet.console.widgets.line_list import GroupedList, LineList, ListRow


def rows(names: Iterable[object]) -> list[ListRow]:
    return [ListRow(str(name), (Cell(f"row {name}"),)) for name in names]


def grouped() -> list[ListRow]:
    header = ListRow("group:dead", (Cell("dead 2"),), "dead", True)
    dead = [ListRow(f"d{n}", (Cell(f"dead row {n}"),), "dead") for n in (1, 2)]
    return [*rows([1, 2]), header, *dead, *rows([3])]


def columns(lines: list[str]) -> list[str]:
    """Lines without the scroll bar."""
    return [line[:-1].rstrip() for line in lines]


def make() -> tuple[Host, LineList]:
    view = GroupedList(id="here")
    return Host(view), view


async def test_moves_by_plain_keys() -> None:
    app, view = make()
    async with app.run_here(40, 10) as pilot:
        view.focus()
        view.set_rows(rows(range(100)))
        assert view.key == "0"
        for key, expected in [
            ("j", "1"), ("down", "2"), ("k", "1"), ("up", "0"), ("G", "99"), ("g", "0"),
            ("end", "99"), ("home", "0"), ("pagedown", "9"), ("pageup", "0"), ("k", "0"),
        ]:  # fmt: skip
            await pilot.press(key)
            assert view.key == expected, key
            assert view.scroll_offset.y <= int(expected) < view.scroll_offset.y + 10


async def test_says_where_the_cursor_is() -> None:
    app, view = make()
    async with app.run_here() as pilot:
        view.focus()
        view.set_rows(rows(range(3)))
        await pilot.press("j", "j", "j")
        await pilot.pause()
        assert [m.key for m in app.said(LineList.Highlighted)] == ["0", "1", "2"]


async def test_enter_opens_and_space_is_left_alone() -> None:
    """Report 114: neither enter nor space decides; enter only says what was chosen."""
    app, view = make()
    async with app.run_here() as pilot:
        view.focus()
        view.set_rows(rows(range(3)))
        await pilot.press("space", "j", "enter")
        await pilot.pause()
        assert [m.key for m in app.said(LineList.Selected)] == ["1"]


@pytest.mark.parametrize("arriving", ["above", "below", "both"])
async def test_arriving_rows_move_neither_cursor_nor_scroll(arriving: str) -> None:
    """C05."""
    app, view = make()
    async with app.run_here(40, 10) as pilot:
        view.focus()
        view.set_rows(rows(range(100)))
        for _ in range(30):
            view.action_item_next()
        await pilot.pause()
        before = screen_text(app)
        above = ["n1", "n2"] if arriving in ("above", "both") else []
        below = ["n3"] if arriving in ("below", "both") else []
        view.set_rows(rows([*above, *range(100), *below]))
        await pilot.pause()
        assert view.key == "30"
        assert columns(screen_text(app)) == columns(before)
        assert len(view.rows) == 100 + len(above) + len(below)
        assert [m.key for m in app.said(LineList.Highlighted)][-1] == "30"


async def test_scroll_stays_when_the_cursor_is_elsewhere() -> None:
    app, view = make()
    async with app.run_here(40, 10) as pilot:
        view.set_rows(rows(range(100)))
        view.scroll_row(50)
        await pilot.pause()
        before = columns(screen_text(app))
        view.set_rows(rows(["new", *range(100)]))
        await pilot.pause()
        assert columns(screen_text(app))[1:] == before[1:]
        assert before[1] == " row 51"
        assert view.key == "0"


async def test_row_that_leaves_hands_the_cursor_on() -> None:
    app, view = make()
    async with app.run_here():
        view.set_rows(rows(range(5)))
        view.move_to("2")
        view.set_rows(rows([0, 1, 4]))
        assert view.key == "4"
        view.set_rows(rows([0, 1]))
        assert view.key == "1"
        view.set_rows([])
        assert view.key is None
        view.set_rows(rows([7]))
        assert view.key == "7"


async def test_groups_fold_and_unfold() -> None:
    app, view = make()
    async with app.run_here() as pilot:
        view.focus()
        view.set_rows(grouped(), folded=["dead"])
        assert [r.key for r in view.rows] == ["1", "2", "group:dead", "3"]
        view.move_to("group:dead")
        await pilot.press("enter")
        assert [r.key for r in view.rows] == ["1", "2", "group:dead", "d1", "d2", "3"]
        assert "▾ dead 2" in "\n".join(screen_text(app))
        view.move_to("d2")
        await pilot.press("left")
        assert view.key == "group:dead"
        await pilot.pause()
        assert "▸ dead 2" in "\n".join(screen_text(app))
        assert [(m.group, m.folded) for m in app.said(LineList.Folded)] == [
            ("dead", False), ("dead", True),
        ]  # fmt: skip
        assert app.said(LineList.Selected) == []


async def test_going_to_a_folded_row_unfolds_its_group() -> None:
    app, view = make()
    async with app.run_here():
        view.set_rows(grouped(), folded=["dead"])
        assert view.move_to("d2")
        assert view.key == "d2"
        assert not view.move_to("nowhere")


async def test_tells_which_rows_are_on_the_screen() -> None:
    app, view = make()
    async with app.run_here(40, 6) as pilot:
        view.set_rows(rows(range(10)))
        await until(pilot, lambda: app.said(LineList.OnScreen))
        assert app.said(LineList.OnScreen)[-1].keys == tuple("012345")
        view.scroll_row(2)
        await until(pilot, lambda: app.said(LineList.OnScreen)[-1].keys == tuple("234567"))


async def test_ten_thousand_rows_draw_only_what_is_on_the_screen() -> None:
    """C12: rows are made into cells when they are drawn, however many there are."""
    drawn: list[int] = []

    def row(number: int) -> ListRow:
        def cells(width: int) -> tuple[Cell, ...]:
            drawn.append(number)
            return (Cell(f"row {number} of width {width}"),)

        return ListRow(number, cells)

    app, view = make()
    async with app.run_here(40, 10) as pilot:
        view.focus()
        view.set_rows([row(n) for n in range(10_000)])
        await pilot.pause()
        assert len(set(drawn)) == 10
        await pilot.press("G")
        await pilot.pause()
        assert view.key == 9_999
        assert len(set(drawn)) == 20


@pytest.mark.parametrize("size", [(1, 1), (3, 3), (12, 2), (40, 10)])
async def test_any_size_works(size: tuple[int, int]) -> None:
    """C10: also much smaller than useful."""
    app, view = make()
    async with app.run_here(*size) as pilot:
        view.set_rows(grouped())
        await pilot.resize_terminal(8, 5)
        await pilot.pause()
        view.focus()
        await pilot.press("j", "G", "g")
        assert view.key == "1"


async def test_cursor_is_more_than_a_colour() -> None:
    """Report 120: the mark tells where the cursor is without any colour."""
    app, view = make()
    async with app.run_here(40, 5) as pilot:
        view.set_rows(rows(range(3)))
        await pilot.press("tab")
        view.move_to("1")
        await pilot.pause()
        assert [line[0] for line in screen_text(app)[:3]] == [" ", "▌", " "]
        assert "row 1" in screen_text(app)[1]


async def test_long_row_is_cut_with_a_mark() -> None:
    app, view = make()
    async with app.run_here(20, 3) as pilot:
        view.set_rows([ListRow("x", (Cell("漢字" * 30),))])
        await pilot.pause()
        line = screen_text(app)[0].rstrip()
        assert ">" in line
        assert app.outlet.fired == 0


async def test_header_has_its_full_width() -> None:
    app, view = make()
    async with app.run_here(30, 4) as pilot:
        view.set_rows([ListRow("g", group_cells("dead", 33, "d discards"), "dead", True)])
        await pilot.pause()
        assert screen_text(app)[0][:-1].rstrip() == "▌▾ dead 33        d discards"


async def test_badge_keeps_its_look_under_the_cursor() -> None:
    """Style, not text, tells a badge from content that only looks like one."""
    app, view = make()
    async with app.run_here(30, 4):
        view.focus()
        view.set_rows([ListRow("x", shown_cells("a\u202eb"))])
        cells, _ = view.draw(0, 20)
        assert [cell.look for cell in cells if cell.text.strip()][-3:] == [
            Look.CURSOR, Look.SUSPECT, Look.CURSOR,
        ]  # fmt: skip
