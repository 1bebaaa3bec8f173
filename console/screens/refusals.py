"""Refusals: what was refused, why, and what met it since; lift one, put a taken record back."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from textual.binding import BindingType
from textual.content import Content

from placet.console.actions import Place
from placet.console.keymap import bindings
from placet.console.pages import side_docs
from placet.console.pages.cells import Cell, Cells, Look, padded, shown_cells, spread
from placet.console.pages.lines import DiffDoc
from placet.console.pages.side_docs import Quoted
from placet.console.phrases.amounts import counted
from placet.console.phrases.refusals import REFUSES, WHOLE_BATCH, came_back, refused
from placet.console.phrases.times import moment
from placet.console.queue_list import TakenKey
from placet.console.screens.dialogs import AskDialog
from placet.console.screens.listing import ListingRoom
from placet.console.screens.taking_back import put_back, undo_newest
from placet.console.widgets.line_list import ListRow
from placet.store.inbox import Taken
from placet.store.ledger.refusals import Refusal
from placet.store.model import Home

Texts = list[tuple[Home, Refusal, str]]


@dataclass(frozen=True, slots=True)
class RefusalKey:
    """Key of one refusal."""

    home: str
    n: int


class RefusalsScreen(ListingRoom):
    """Standing refusals, the newest first, and taken records below."""

    place: ClassVar[Place] = Place.REFUSALS
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.REFUSALS)]

    def __init__(self) -> None:
        super().__init__()
        self.refusals: dict[RefusalKey, tuple[Home, Refusal, str]] = {}
        self.taken: dict[TakenKey, Taken] = {}

    def board_changed(self) -> None:
        """Read the refusals again."""
        super().board_changed()
        if self.prepared:
            self.placet.read("reading refusals", lambda reader: reader.refusals(), self._show)

    def _show(self, found: Texts) -> None:
        if not self.prepared:
            return
        self.refusals = {
            RefusalKey(home.label, refusal.n): (home, refusal, text)
            for home, refusal, text in found
            if self.holds(text, refusal.target, refusal.reason)
        }
        views = self.placet.board.views
        self.taken = {
            TakenKey(label, one.event): one for label, view in views.items() for one in view.taken
        }
        rows = [ListRow(k, partial(self._cells, *v)) for k, v in self.refusals.items()]
        rows += [ListRow(k, partial(self._taken_cells, v)) for k, v in self.taken.items()]
        find = f" · / {self.needle}" if self.needle else ""
        title = f"{counted(len(self.refusals), 'refusal')} · {len(self.taken)} taken{find}"
        self.set_rows(rows, title)
        if not rows:
            words = [("Nothing has been refused.", Look.HEADING)]
            self.show(None, side_docs.words_doc("none", words))

    def _cells(self, home: Home, refusal: Refusal, text: str, width: int) -> Cells:
        ascii_only = self.placet.ascii_only
        hits = Cell(f" came back {refusal.hits}x", Look.WARNING if refusal.hits else Look.DIM)
        label = home.label if len(self.placet.board.homes) > 1 else ""
        what = {"put": "+", "drop": "-"}.get(refusal.kind, "*")
        left = (
            *shown_cells(label, Look.DIM, ascii_only=ascii_only),
            Cell(" " if label else ""),
            *padded(shown_cells(refusal.target, ascii_only=ascii_only), 8),
            Cell(f"{what} ", Look.STRONG),
            *shown_cells(text.split("\n")[0] or "(a batch)", ascii_only=ascii_only),
        )
        return spread(left, (hits, Cell(f"  {moment(refusal.at)}", Look.DIM)), width)

    def _taken_cells(self, one: Taken, width: int) -> Cells:
        left = (Cell("taken ", Look.DIM), *shown_cells(f"{one.target} {one.ref.id}"))
        return spread(left, (Cell(moment(one.at), Look.DIM),), width)

    def document_of(self, key: Hashable) -> DiffDoc | None:
        """The refusal, or the taken record, in full."""
        pane = self.query_one("#diff-pane")
        if isinstance(key, TakenKey) and key in self.taken:
            self.set_title(pane, "taken")
            return side_docs.taken_doc(self.taken[key])
        if isinstance(key, RefusalKey) and key in self.refusals:
            _, refusal, text = self.refusals[key]
            self.set_title(pane, f"refused by #{refusal.decision}")
            return _doc(refusal, text)
        return None

    def footer_keys(self) -> Iterable[tuple[str, str, str]]:
        """The keys that act on the row under the cursor."""
        taken = isinstance(self.subject, TakenKey)
        can = {
            "refusal.lift": isinstance(self.subject, RefusalKey),
            "decision.undo": taken or bool(self.placet.board.made),
        }
        for name, key, short in super().footer_keys():
            if can.get(name, True):
                yield name, key, "put back" if taken and name == "decision.undo" else short

    # answering

    def action_refusal_lift(self) -> None:
        """Lift the refusal under the cursor, after asking."""
        key = self.subject
        if not isinstance(key, RefusalKey) or key not in self.refusals:
            self.say("nothing to lift: put the cursor on a refusal", warning=True)
            return
        home, refusal, text = self.refusals[key]
        body = [
            Content(text.split("\n")[0][:200] or "a batch"),
            Content("Once lifted, it may be proposed and approved again."),
        ]
        dialog = AskDialog(self.placet.session.clock, body, "Lift it?", "lift", "leave it")

        def answered(yes: bool | None) -> None:
            if yes:
                self.placet.decide(
                    home.label, "lifting", lambda desks: desks.lift(home.label, refusal.fp)
                )

        self.placet.push_screen(dialog, answered)

    def action_decision_undo(self) -> None:
        """Put the taken record under the cursor back, or undo this session's newest decision."""
        key = self.subject
        if isinstance(key, TakenKey) and key in self.taken:
            put_back(self, key.home, self.taken[key])
        else:
            undo_newest(self)


def _doc(refusal: Refusal, text: str) -> DiffDoc:
    lines = [
        (refused(refusal), Look.HEADING),
        (f"reason: {refusal.reason or '(none given)'}", Look.CONTEXT),
        (came_back(refusal), Look.WARNING if refusal.hits else Look.DIM),
        ("", Look.CONTEXT),
        (f"{REFUSES[refusal.kind]}:", Look.DIM),
        Quoted(text or f"({WHOLE_BATCH})", Look.OLD),
        ("", Look.CONTEXT),
        (f"fingerprint {refusal.fp}", Look.DIM),
    ]
    return side_docs.words_doc(f"{refusal}{text}", lines)
