"""The diff view: complete, harmless, and it knows what has been on the screen (C02–C04, 106)."""

from __future__ import annotations

import pytest
from plan_making import entries, make_plan, outcome
from textual.app import ComposeResult
from textual.screen import ModalScreen
from textual.widgets import Static
from widget_host import Host, screen_text, until

from placet.console.pages.document import document
from placet.console.pages.lines import DiffDoc
from placet.console.pages.seen import Seen
from placet.console.session import Armed, Force, Jump, Session
from placet.console.widgets.diff_view import HEAVY, DiffView
from placet.store.model import Plan


def short_plan() -> Plan:
    return make_plan(entries("alpha"), entries("alpha", "beta"), [outcome(1, None, "beta")])


def long_plan(count: int = 60) -> Plan:
    text = "\n".join(f"line {n} of the entry" for n in range(count))
    return make_plan(entries("a"), entries("a", text), [outcome(1, None, text)])


def batch_plan() -> Plan:
    new = [f"entry {n}\nsecond line" for n in (1, 2, 3)]
    return make_plan(
        entries("a"), entries("a", *new), [outcome(n, None, t) for n, t in enumerate(new, 1)]
    )


def make() -> tuple[Host, DiffView]:
    view = DiffView(id="here")
    return Host(view), view


def show(view: DiffView, plan: Plan, subject: str = "ref") -> tuple[DiffDoc, Seen]:
    doc = document(plan)
    seen = Seen(doc.lengths)
    view.show_doc(subject, doc, seen)
    return doc, seen


async def test_short_plan_is_seen_at_once() -> None:
    app, view = make()
    async with app.run_here() as pilot:
        _, seen = show(view, short_plan())
        assert not seen.complete, "nothing is seen before it is painted"
        await until(pilot, lambda: seen.complete)
        text = "\n".join(screen_text(app))
        assert "+ beta" in text
        assert "  alpha" in text
        painted = app.said(DiffView.Painted)[-1]
        assert (painted.subject, painted.state) == ("ref", view.doc.state)
        assert painted.rows == len(view.doc.lines)
        assert view.counter == f"row {painted.rows} of {painted.rows} · seen to the end"


async def test_long_plan_is_seen_page_by_page() -> None:
    """C04, report 16: every row has to be on the screen; jumping over rows leaves them unseen."""
    app, view = make()
    async with app.run_here(60, 12) as pilot:
        doc, seen = show(view, long_plan())
        await until(pilot, lambda: app.said(DiffView.Painted))
        assert view.counter == f"row 12 of {len(doc.lines)} · more to see"
        view.action_item_last()
        await pilot.pause()
        assert not seen.complete
        first = seen.first_unseen()
        assert first is not None
        assert first.line == 12
        for _ in range(20):
            unseen = seen.first_unseen()
            if unseen is None:
                break
            view.jump(unseen)
            await pilot.pause()
        assert seen.complete
        assert view.counter.endswith("seen to the end")


async def test_partly_covered_rows_are_not_seen() -> None:
    """What lies under another widget has not been seen."""

    class Cover(Static):
        DEFAULT_CSS = "Cover { layer: over; dock: bottom; width: 20; height: 4; }"

    view = DiffView(id="here")
    app = Host(view, Cover("cover", markup=False))
    app.CSS += "Screen { layers: default over; }"
    async with app.run_here(60, 12) as pilot:
        _, seen = show(view, long_plan())
        await until(pilot, lambda: app.said(DiffView.Painted))
        unseen = seen.first_unseen()
        assert unseen is not None
        assert unseen.line == 8
        app.query_one(Cover).remove()
        await until(pilot, lambda: (seen.first_unseen() or unseen).line == 12)


async def test_behind_a_dialog_nothing_is_seen() -> None:
    class Dialog(ModalScreen[None]):
        def compose(self) -> ComposeResult:
            yield Static("dialog", markup=False)

    app, view = make()
    async with app.run_here(60, 12) as pilot:
        await app.push_screen(Dialog())
        _, seen = show(view, short_plan())
        await pilot.pause()
        await pilot.pause()
        assert seen.whole_lines == 0
        app.pop_screen()
        await until(pilot, lambda: seen.complete)


async def test_cut_text_is_unseen_until_the_window_moved() -> None:
    """Design §11: text cut at the edge is unseen; report 109: with wrap off a mark shows it."""
    text = "start " + "x" * 150 + " end"
    app, view = make()
    async with app.run_here(60, 20) as pilot:
        view.wrap = False
        _, seen = show(view, make_plan(entries("a"), entries("a", text), [outcome(1, None, text)]))
        await until(pilot, lambda: app.said(DiffView.Painted))
        assert not seen.complete
        assert any(line[:-1].rstrip().endswith("→") for line in screen_text(app))
        for _ in range(6):
            view.action_diff_right()
            await pilot.pause()
        await until(pilot, lambda: seen.complete)
        assert "end" in "\n".join(screen_text(app))


async def test_wrapping_shows_the_rest_at_once() -> None:
    text = "start " + "x" * 150 + " end"
    app, view = make()
    async with app.run_here(60, 20) as pilot:
        view.wrap = False
        view.focus()
        _, seen = show(view, make_plan(entries("a"), entries("a", text), [outcome(1, None, text)]))
        await until(pilot, lambda: app.said(DiffView.Painted))
        assert not seen.complete
        view.action_view_wrap()
        await until(pilot, lambda: seen.complete)


async def test_resize_keeps_what_was_seen() -> None:
    app, view = make()
    async with app.run_here(60, 12) as pilot:
        _, seen = show(view, long_plan())
        await until(pilot, lambda: app.said(DiffView.Painted))
        await pilot.resize_terminal(40, 8)
        await until(pilot, lambda: view.ready and view.view_size.height == 8)
        assert seen.whole_lines == 12
        await pilot.resize_terminal(100, 30)
        await until(pilot, lambda: seen.whole_lines == 30)


async def test_new_state_of_the_same_subject_starts_at_the_top() -> None:
    app, view = make()
    async with app.run_here(60, 12) as pilot:
        plan = long_plan()
        show(view, plan)
        await pilot.pause()
        view.action_item_page_down()
        top = view.scroll_offset.y
        assert top > 0
        show(view, plan)
        assert view.scroll_offset.y == top, "the same state keeps the scroll"
        show(view, long_plan(61))
        assert view.scroll_offset.y == 0


async def test_cursor_tells_the_operation() -> None:
    app, view = make()
    async with app.run_here(60, 24) as pilot:
        show(view, batch_plan())
        await pilot.pause()
        view.focus()
        assert view.operation == 0
        found = []
        for _ in range(3):
            view.action_hunk_next()
            while view.operation == 0:
                view.action_item_next()
            found.append(view.operation)
        assert found == [1, 2, 3]
        view.action_hunk_prev()
        assert view.operation == 2


async def test_scrolling_takes_the_cursor_along() -> None:
    """A key never acts on an operation that is not on the screen."""
    app, view = make()
    async with app.run_here(60, 8) as pilot:
        show(view, long_plan())
        await pilot.pause()
        for _ in range(3):
            view.action_diff_half_down()
        top = view.scroll_offset.y
        assert top == 12
        assert view._cursor == top
        view.action_diff_half_up()
        view.action_diff_half_up()
        assert view.scroll_offset.y <= view._cursor < view.scroll_offset.y + 8


async def test_movement_keys_never_decide() -> None:
    """Enter and space are left to the screen, and mean nothing here."""
    app, view = make()
    async with app.run_here(60, 8) as pilot:
        show(view, long_plan())
        view.focus()
        await pilot.press("j", "k", "enter", "space", "pagedown", "G")
        kinds = {type(m).__name__ for m in app.heard if type(m).__module__.startswith("placet")}
        assert kinds <= {"Painted", "Moved"}


async def test_search_walks_its_matches() -> None:
    app, view = make()
    async with app.run_here(60, 10) as pilot:
        show(view, long_plan())
        await pilot.pause()
        assert view.search("LINE 4") == 11
        await pilot.pause()
        assert "line 4 of" in "\n".join(screen_text(app))
        view.action_search_next()
        await pilot.pause()
        assert "line 40 of" in "\n".join(screen_text(app))
        view.action_search_prev()
        view.action_search_prev()
        await pilot.pause()
        assert "line 49 of" in "\n".join(screen_text(app))
        assert view.search("nowhere") == 0
        assert view.search("") == 0


async def test_heavy_document_is_laid_out_in_a_thread() -> None:
    """Report 106: 200,000 short lines; the view says that it is loading and then shows them."""
    text = "\n".join(f"l {n}" for n in range(200_000))
    app, view = make()
    async with app.run_here(60, 10) as pilot:
        doc = document(make_plan(entries("a"), entries("a", text), [outcome(1, None, text)]))
        assert doc.weight > HEAVY
        seen = Seen(doc.lengths)
        view.show_doc("ref", doc, seen)
        assert not view.ready
        assert view.counter == "", "nothing of another document is counted for this one"
        await until(pilot, lambda: view.ready and seen.whole_lines >= 10, seconds=60)
        view.action_item_last()
        await until(pilot, lambda: "l 199999" in "\n".join(screen_text(app)))


HOSTILE = [
    "\x1b]52;c;cHduZWQ=\x07", "\x1b[2J\x1b[HApproved by you", "safe\u202etxt.exe",
    "".join(chr(0xE0000 + ord(c)) for c in "hidden orders"), "[red]x[/red]",
    "[@click=app.quit]x[/]", "[/nope]", "ZRANGE a (1 [b + 3", "delete nothing\rdelete all",
    "a\u2028b\x0b\x0c\x85", "\x9b31m", "e" + "\u0301" * 200, "\ud800",
]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
async def test_hostile_text_is_complete_and_harmless(text: str) -> None:
    """C02, reports 64, 103, 104, 112: shown, escaped before layout, never markup."""
    data = entries("a") + b"\n\xc2\xa7\n" + text.encode("utf-8", "surrogatepass")
    app, view = make()
    async with app.run_here(70, 24) as pilot:
        _, seen = show(view, make_plan(entries("a"), data, [outcome(1, None, text)], summary=text))
        await until(pilot, lambda: seen.complete)
        assert app.outlet.fired == 0
        joined = "".join(line[3:-1].rstrip() for line in screen_text(app))
        for part in ("[red]x[/red]", "[@click=app.quit]x[/]", "[/nope]", "ZRANGE a (1 [b + 3"):
            assert (part in joined) is (part == text)


@pytest.mark.parametrize("size", [(1, 1), (4, 2), (10, 3), (12, 3), (40, 10)])
async def test_any_size_works(size: tuple[int, int]) -> None:
    """C10; where rows do not fit into the view, nothing counts as seen."""
    app, view = make()
    async with app.run_here(*size) as pilot:
        _, seen = show(view, short_plan())
        await pilot.pause()
        await pilot.pause()
        first = seen.first_unseen()
        assert (first is None or first[:2] != (0, 0)) is (size[0] >= 12)
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: seen.complete)


async def test_session_and_view_agree() -> None:
    """C04: with unseen rows the key jumps there; when all is seen and stood, it counts."""
    now = [0.0]
    session = Session(lambda: now[0])
    app, view = make()
    async with app.run_here(60, 12) as pilot:
        doc = document(long_plan(30))
        seen = session.show("ref", doc.state, doc.lengths)
        view.show_doc("ref", doc, seen)
        answer: object = None
        for _ in range(10):
            heard = len(app.said(DiffView.Painted))
            await until(pilot, lambda heard=heard: len(app.said(DiffView.Painted)) >= max(heard, 1))
            session.painted("ref", doc.state, view.line_count())
            now[0] += 1.0
            session.key()
            answer = session.press("batch.approve", Force.APPROVING, "ref")
            if not isinstance(answer, Jump):
                break
            view.jump(answer.position)
            await pilot.pause()
        assert isinstance(answer, Armed)
        assert answer.sight.rows_seen == answer.sight.rows == view.line_count()


async def test_empty_view_shows_nothing() -> None:
    app, view = make()
    async with app.run_here() as pilot:
        show(view, short_plan())
        await pilot.pause()
        view.clear()
        await pilot.pause()
        assert view.counter == ""
        assert "".join(screen_text(app)).strip() in ("", "▁")
        view.action_hunk_next()
        view.action_item_last()
        view.action_diff_down()
        assert view.operation == 0
