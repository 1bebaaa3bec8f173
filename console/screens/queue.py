"""The Queue: what waits, the complete change of the selected row, and every key that answers it."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable
from typing import ClassVar

from textual import on
from textual.binding import BindingType
from textual.timer import Timer
from textual.widget import Widget

from placet.console.actions import Place
from placet.console.board import Details
from placet.console.keymap import bindings
from placet.console.pages.cells import Look
from placet.console.queue_list import (
    Arrangement,
    GroupKey,
    QueueList,
    TakenKey,
    UngatedKey,
    arrange,
)
from placet.console.screens.edits import QueueEdits
from placet.console.screens.judging import DISCARDABLE, UNDECIDABLE
from placet.console.screens.list_room import REST_SECONDS
from placet.console.session import Force
from placet.console.widgets.line_list import GroupedList, LineList
from placet.store.inbox import Group
from placet.store.model import Effort, Life, Ref, effort_of

DECIDING = {
    "batch.approve": Force.APPROVING,
    "batch.approve_flagged": Force.APPROVING,
    "batch.reject": Force.REFUSING,
    "batch.reject_reason": Force.REFUSING,
    "batch.discard": Force.REFUSING,
}
"""Keys of the footer that decide."""

ALWAYS = frozenset({"hunk.next", "search.open", "help.toggle", "app.quit"})
"""Keys of the footer that are at hand on every row."""


class QueueScreen(QueueEdits):
    """List and diff; keys that decide are in `answers`."""

    place: ClassVar[Place] = Place.QUEUE
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.QUEUE)]

    def __init__(self) -> None:
        super().__init__()
        self.found = QueueList()
        self.details: Details | None = None
        self._wanted: tuple[Hashable, str] | None = None
        self._by_impact = False
        self._stood: tuple[Ref, Group] | None = None
        self._folded: set[str] | None = None
        self._rest: Timer | None = None
        self._read_whole = False

    def list_widget(self) -> Widget:
        """The list, with its folded groups."""
        return GroupedList(id="list", ascii_only=self.placet.ascii_only)

    # rows

    def board_changed(self) -> None:
        """Draw the rows anew; the cursor and the scroll stay where they are."""
        super().board_changed()
        if not self.prepared:
            return
        how = Arrangement(
            self.needle, self._by_impact, self._stood, time.time(), self.placet.ascii_only
        )
        self.found = arrange(self.placet.board, how)
        self.list.set_rows(self.found.rows, self._folds())
        self._begin_at_the_top()
        self.rescue_edits()
        self._title()
        self._follow(at_once=self.diff.subject is None)

    def _begin_at_the_top(self) -> None:
        """While the homes are first read the cursor waits at the first row; then nothing that
        arrives moves it."""
        if self._read_whole or self.placet.touched:
            return
        if self.found.rows:
            self.list.move_to(self.found.rows[0].key)
        self._read_whole = self.placet.board.read_whole

    def _folds(self) -> set[str] | None:
        """Groups seen for the first time are folded; others stay as the person left them."""
        known = self._folded or set()
        new = self.found.folds() - known
        self._folded = known | new
        return (self.list.folded | new) if new else None

    def _title(self) -> None:
        order = "by impact" if self._by_impact else "oldest first"
        all_of_them = self.placet.board.waiting
        title = f"waiting {all_of_them:,} · {order}"
        if self.needle:
            found = sum(item.times for item in self.found.items.values())
            title = f"waiting {found:,} of {all_of_them:,} · {order} · / {self.needle}"
        self.set_title(self.query_one("#list-pane"), title)

    @on(LineList.Highlighted, "#list")
    def row_highlighted(self, message: LineList.Highlighted) -> None:
        """The cursor moved: the diff follows once it rests."""
        message.stop()
        item = self.found.items.get(message.key) if isinstance(message.key, Ref) else None
        self._stood = (item.ref, item.group) if item is not None else None
        self.placet.fade()
        self._follow()

    @on(LineList.Folded, "#list")
    def group_folded(self, message: LineList.Folded) -> None:
        """Nothing else changes."""
        message.stop()

    @on(LineList.OnScreen, "#list")
    def rows_on_screen(self, message: LineList.OnScreen) -> None:
        """The session knows which rows a refusing key may be about."""
        message.stop()
        self.rows_shown = message.keys
        self.tell_on_screen()

    def tell_on_screen(self) -> None:
        """Rows of the list, and the group whose reasons are shown."""
        shown = [key for key in self.rows_shown if not isinstance(key, GroupKey)]
        subject = self.diff.subject
        if isinstance(subject, GroupKey) and subject == self.list.key:
            shown.append(subject)
        self.placet.session.on_screen(shown)

    # what is shown

    def _follow(self, *, at_once: bool = False) -> None:
        """Show what the cursor stands on, once it has rested."""
        if self._rest is not None:
            self._rest.stop()
        if at_once:
            self._show_row()
        else:
            self._rest = self.set_timer(REST_SECONDS, self._show_row)

    def show_again(self) -> None:
        """Show what the cursor stands on, worked out anew."""
        self._wanted = None
        self.board_changed()
        self._show_row()

    def _show_row(self) -> None:
        self._rest = None
        if not self.on_top:
            return
        from placet.console.pages import side_docs

        key = self.list.key
        match key:
            case Ref() if key in self.found.items:
                self._want(key)
            case GroupKey() if key in self.found.groups:
                self.details = None
                self.show(key, side_docs.group_doc(key.group, self.found.groups[key]))
                self.set_title(self.query_one("#diff-pane"), f"{key.group.value}: reasons")
            case UngatedKey() if key in self.found.ungated:
                self.details = None
                change = self.found.ungated[key]
                self.show(key, side_docs.ungated_doc(change))
                self.set_title(self.query_one("#diff-pane"), f"{change.path}: ungated")
            case TakenKey() if key in self.found.taken:
                self.details = None
                self.show(key, side_docs.taken_doc(self.found.taken[key]))
                self.set_title(self.query_one("#diff-pane"), "taken")
            case _:
                self._show_nothing()
        self.draw_keys()

    def _show_nothing(self) -> None:
        from placet.console.pages import side_docs

        self.details = None
        self.hide()
        board = self.placet.board
        if not board.views:
            return
        lines = [("Nothing waits.", Look.HEADING)]
        for view in board.views.values():
            if not view.exists:
                lines.append((f"{view.home.path} does not exist yet.", Look.CONTEXT))
            elif not (view.home.path / "pending").is_dir():
                lines.append(
                    (f"{view.home.label}: no pending/ folder yet; it is watched.", Look.DIM)
                )
        self.diff.show_doc(None, side_docs.words_doc("nothing", lines), self.diff.seen)
        self.set_title(self.query_one("#diff-pane"), "")

    def _want(self, ref: Ref) -> None:
        """Work out what is needed for one proposal, unless it is shown already."""
        item = self.found.items[ref]
        choice = self.placet.board.choices.get(ref)
        wanted = (ref, f"{item.plan.state}{item.times}{item.life}{choice}")
        if wanted == self._wanted and self.diff.subject == ref:
            return
        self._wanted = wanted

        def done(details: Details) -> None:
            if self.prepared and self._wanted == wanted and self.list.key == ref:
                self._show_details(details)

        self.placet.read("looking at a proposal", lambda r: r.details(item, choice), done)

    def _show_details(self, details: Details) -> None:
        self.details = details
        self.show(details.item.ref, details.doc)
        self.draw_meter(details.plan)
        self.draw_keys()

    # finding and ordering

    def action_list_sort(self) -> None:
        """Order by age or by impact."""
        self._by_impact = not self._by_impact
        self.board_changed()
        self.say("ordered by impact" if self._by_impact else "ordered by age, the oldest first")

    def steps_back(self) -> Iterable[Callable[[], bool]]:
        """Also: drop an edit (asked first), and from the diff to the list."""
        *before, to_list = super().steps_back()
        return (*before, self.drop_edit, to_list)

    def enabled(self, action: str) -> bool:
        """Whether a deciding key would count now."""
        subject = self.subject
        if action not in DECIDING or subject is None:
            return True
        force = DECIDING[action]
        if isinstance(subject, UngatedKey) and action == "batch.reject":
            return True
        return not self.placet.session.why_not(force, subject)

    def footer_keys(self) -> Iterable[tuple[str, str, str]]:
        """The keys that make sense for the row under the cursor."""
        if self.editing is not None:
            return super().footer_keys()
        wanted = self._words_of_keys()
        at_hand = {name: key for name, key, _ in super().footer_keys()}
        decide = [(name, at_hand.get(name, "enter"), short) for name, short in wanted.items()]
        rest = [key for key in super().footer_keys() if key[0] in ALWAYS]
        return [*decide, *rest]

    def _words_of_keys(self) -> dict[str, str]:
        match self.subject:
            case UngatedKey():
                return {"batch.approve": "keep", "batch.reject": "show the way back"}
            case TakenKey():
                return {"decision.undo": "put back"}
            case GroupKey() as key:
                discard = key.group in (Group.DEAD, Group.MALFORMED, Group.FOREIGN)
                more = {"batch.discard": "discard all"} if discard else {}
                return {"op.open": "open", **more, **self._undo_words()}
            case _:
                details = self.shown()
                return {} if details is None else self._proposal_keys(details)

    def _undo_words(self) -> dict[str, str]:
        return {"decision.undo": "undo"} if self.placet.board.made else {}

    def _proposal_keys(self, details: Details) -> dict[str, str]:
        plan = details.plan
        if details.item.life is Life.UNFINISHED:
            return {"batch.approve": "retry", "batch.reject": "cancel"}
        effort, words = effort_of(plan), dict[str, str]()
        if effort is Effort.KEY:
            words["batch.approve"] = "approve"
        elif effort is not Effort.NONE:
            words["batch.approve_flagged"] = "vouch" if effort is Effort.VOUCH else "approve"
        if plan.standing not in UNDECIDABLE:
            words |= {"batch.reject": "refuse", "batch.reject_reason": "reason"}
            words["batch.edit"] = "edit"
        if len(plan.operations) > 1:
            words["op.toggle"] = "in/out"
        if details.item.plan.standing in DISCARDABLE:
            words["batch.discard"] = "discard"
        return words | self._undo_words()
