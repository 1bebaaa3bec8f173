"""One registry feeds bindings, footer, palette, help and docs (acceptance C11, report 121)."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.app import App
from textual.binding import Binding

from placet.console import keymap
from placet.console.actions import ACTIONS, BY_ID, Place
from placet.console.keymap import (
    bindings,
    elsewhere,
    footer,
    help_rows,
    markdown,
    palette,
    read_keymap,
)
from placet.console.widgets.diff_view import DiffView
from placet.console.widgets.entry_editor import EntryEditor
from placet.console.widgets.line_list import LineList

DOCS = Path(__file__).resolve().parents[2] / "docs" / "keys.md"
SCREENS = (Place.QUEUE, Place.MEMORY, Place.AUDIT, Place.REFUSALS, Place.CHECK)


def test_a_key_that_is_at_hand_elsewhere_says_where() -> None:
    """Design §11: one sentence that reads as one."""
    assert elsewhere("right") == "right does nothing here: unfold works in lists with groups"
    assert elsewhere("D").endswith("delete works in Memory")
    assert elsewhere("ctrl+s").endswith("end editing works in the editor")


def test_page_in_the_docs_is_current() -> None:
    """C11: the key table of the docs is generated."""
    assert DOCS.read_bytes().decode("utf-8") == markdown()


def test_page_is_printed_by_the_module(capsys: pytest.CaptureFixture[str]) -> None:
    keymap.main()
    assert capsys.readouterr().out == markdown()


def test_ids_are_unique_and_every_key_is_free() -> None:
    assert len(BY_ID) == len(ACTIONS)
    assert keymap.clashes({action.id: action.keys for action in ACTIONS}) == []


def test_a_planted_clash_is_found() -> None:
    """The positive side of the test above."""
    assert keymap.clashes({"batch.edit": ("a",)}) == [
        (
            "batch.edit",
            "keys: batch.edit and batch.approve both want a; batch.edit keeps its default.",
        )
    ]


def test_a_screen_offers_what_can_be_done_there_only() -> None:
    """C11: help, palette and footer of a screen name nothing that never acts there."""
    for name, there, other in [
        ("hunk.next", Place.AUDIT, Place.MEMORY),
        ("view.context", Place.REVIEW, Place.REFUSALS),
        ("refusal.lift", Place.REFUSALS, Place.AUDIT),
        ("group.fold", Place.MEMORY, Place.AUDIT),
        ("pane.zoom", Place.QUEUE, Place.CHECK),
        ("decision.undo", Place.REFUSALS, Place.CHECK),
    ]:
        assert name in {row.id for row in help_rows(place=there)}
        assert name not in {row.id for row in help_rows(place=other)}
        assert BY_ID[name].group == "Move" or name in {entry.id for entry in palette(there)}
        assert name not in {entry.id for entry in palette(other)}
        assert name not in {shown for shown, _, _ in footer(other)}


def test_every_action_is_in_help_palette_and_docs() -> None:
    told = {row.id for row in help_rows()}
    offered = {entry.id for place in SCREENS for entry in palette(place)}
    page = markdown()
    for action in ACTIONS:
        assert action.id in told
        assert f"`{action.id}`" in page
        assert action.id in offered or action.group == "Move"
        assert action.words.endswith(".")


@pytest.mark.parametrize("place", list(Place))
def test_every_binding_has_an_id_and_words(place: Place) -> None:
    found = list(Binding.make_bindings(bindings(place)))
    assert found
    for binding in found:
        assert binding.id in BY_ID
        assert binding.tooltip


@pytest.mark.parametrize("widget", [LineList, DiffView, EntryEditor])
def test_widgets_do_what_their_bindings_say(
    widget: type[LineList | DiffView | EntryEditor],
) -> None:
    for binding in Binding.make_bindings(widget.BINDINGS):
        assert callable(getattr(widget, f"action_{binding.action}", None)), binding.id


def test_no_key_needs_what_terminals_do_not_pass() -> None:
    """Report 121: no Alt, no modified Enter, no tmux or screen prefix, no flow control alone."""
    for action in ACTIONS:
        for key in action.keys:
            assert not key.startswith(("alt+", "ctrl+shift+", "ctrl+enter", "shift+enter"))
            assert key not in {"ctrl+b", "ctrl+a", "ctrl+h", "ctrl+m", "ctrl+i", "ctrl+c"}
        only = set(action.keys) <= {"ctrl+s", "ctrl+q"}
        assert not only or action.id == "editor.save", "esc does the same in the editor"


def test_deciding_keys_are_plain_letters_and_not_movement() -> None:
    """Report 114: no decision by enter, space or a movement key."""
    deciding = [BY_ID[name] for name in ("batch.approve", "batch.approve_flagged", "batch.reject",
                                         "batch.reject_reason", "batch.discard")]  # fmt: skip
    keys = [key for action in deciding for key in action.keys]
    assert keys == ["a", "A", "r", "R", "d"]


def test_footer_stands_in_its_order() -> None:
    shown = [(key, words) for _, key, words in footer(Place.QUEUE)]
    assert shown[:5] == [
        ("a", "approve"), ("A", "approve flagged"), ("r", "refuse"), ("R", "reason"), ("e", "edit"),
    ]  # fmt: skip
    assert shown[-2:] == [("?", "help"), ("q", "quit")]


def test_persons_keys_reach_everything() -> None:
    keys, problems = read_keymap({"batch.approve": "y", "copy.shown": ["x", "f9"]})
    assert (keys, problems) == ({"batch.approve": "y", "copy.shown": "x,f9"}, ())
    assert footer(Place.QUEUE, keys)[0] == ("batch.approve", "y", "approve")
    assert {row.id: row.keys for row in help_rows(keys)}["copy.shown"] == "x f9"


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"batch.aprove": "y"}, "no action 'batch.aprove'"),
        ({"batch.approve": 7}, "needs a key"),
        ({"batch.approve": []}, "needs a key"),
        ({"batch.approve": ["y", 7]}, "needs a key"),
        ({"batch.approve": "y,z"}, "needs a key"),
        ({"batch.approve": "ctrl+c"}, "cannot have ctrl+c"),
        ({"batch.approve": "q"}, "batch.approve and app.quit both want q"),
        ({"batch.approve": "j"}, "batch.approve and item.next both want j"),
    ],
)
def test_bad_key_map_is_words(table: dict[str, object], words: str) -> None:
    keys, problems = read_keymap({**table, "view.wrap": "W"})
    assert keys == {"view.wrap": "W"}
    assert len(problems) == 1
    assert words in problems[0]


def test_swapping_two_keys_is_no_clash() -> None:
    keys, problems = read_keymap({"batch.approve": "r", "batch.reject": "a"})
    assert problems == ()
    assert keys == {"batch.approve": "r", "batch.reject": "a"}


async def test_textual_takes_the_keys_as_written() -> None:
    """A character such as `=` works in the person's key map as it does in the registry."""

    class Deciding(App[None]):
        BINDINGS = [*bindings(Place.QUEUE)]  # noqa: RUF012
        done: list[str] = []  # noqa: RUF012

        def action_batch_approve(self) -> None:
            self.done.append("approve")

        def action_target_normalise(self) -> None:
            self.done.append("normalise")

    app = Deciding()
    async with app.run_test() as pilot:
        await pilot.press("=", "a")
        app.set_keymap(read_keymap({"batch.approve": "%"})[0])
        await pilot.press("a", "%")
    assert app.done == ["normalise", "approve", "approve"]
