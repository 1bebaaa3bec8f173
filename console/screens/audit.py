"""Audit: the log of every home, live, the newest row at the bottom."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import ClassVar

from textual import on
from textual.binding import BindingType

from placet.console.actions import Place
from placet.console.board import Logged, Made
from placet.console.keymap import bindings
from placet.console.pages.cells import Look
from placet.console.pages.document import finished
from placet.console.pages.event_rows import event_cells
from placet.console.pages.file_lines import text_lines
from placet.console.pages.lines import DiffDoc
from placet.console.pages.side_docs import line
from placet.console.phrases.events import kind_of
from placet.console.phrases.times import moment
from placet.console.reader import PAGE, Reader
from placet.console.screens.listing import ListingRoom
from placet.console.screens.review import open_inverse
from placet.console.screens.taking_back import put_back
from placet.console.widgets.line_list import LineList, ListRow
from placet.store.ledger import audit
from placet.store.model import DECISIONS, Kind, sha256

UNDOABLE = frozenset(kind.value for kind in DECISIONS)
"""Kinds of events that have a way back."""


@dataclass(frozen=True, slots=True)
class EventKey:
    """Key of one row of the log."""

    home: str
    seq: int


class AuditScreen(ListingRoom):
    """The log; it follows new rows until the reader moves away from the last one."""

    place: ClassVar[Place] = Place.AUDIT
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.AUDIT)]

    def __init__(self) -> None:
        super().__init__()
        self.logged: dict[EventKey, Logged] = {}
        self.follow = True
        self.fresh = 0
        self._complete = False
        self._filter = ""
        self._paging = False

    def board_changed(self) -> None:
        """Read what is new, where the head of a log has moved."""
        super().board_changed()
        if not self.prepared:
            return
        if self.needle != self._filter or not self.logged:
            self._read_anew()
        elif any(view.head > self._last(label) for label, view in self.placet.board.views.items()):
            last = {home.label: self._last(home.label) for home in self.placet.board.homes}
            text = self._filter
            self.placet.read("reading the log", lambda r: r.after(last, text), self._add_new)

    def _read_anew(self) -> None:
        text = self._filter = self.needle

        def read(found: list[Logged]) -> None:
            if not self.prepared or text != self._filter:
                return
            self.logged = {}
            self._complete = len(found) < PAGE
            self._add(found)
            self._to_end()

        self.placet.read("reading the log anew", lambda reader: reader.newest(PAGE, text), read)

    def _last(self, label: str) -> int:
        return max((key.seq for key in self.logged if key.home == label), default=0)

    def _add_new(self, found: list[Logged]) -> None:
        new = [one for one in found if EventKey(one.home.label, one.event.seq) not in self.logged]
        if not new or not self.prepared:
            return
        self._add(new)
        if self.follow:
            self._to_end()
        else:
            self.fresh += len(new)
            self._title()

    def _add(self, found: list[Logged], *, before: bool = False) -> None:
        keyed = {EventKey(one.home.label, one.event.seq): one for one in found}
        self.logged = keyed | self.logged if before else self.logged | keyed
        several = len(self.placet.board.homes) > 1
        rows = [
            ListRow(
                key,
                event_cells(
                    one.event,
                    home=one.home.label if several else "",
                    ascii_only=self.placet.ascii_only,
                ),
            )
            for key, one in self.logged.items()
        ]
        self.list.set_rows(rows)
        self._title()

    def _title(self) -> None:
        how = "following" if self.follow else "G follows again"
        fresh = f" · +{self.fresh} new" if self.fresh else ""
        find = f" · / {self._filter}" if self._filter else ""
        self.set_title(self.query_one("#list-pane"), f"log{find} · {how}{fresh}")

    def _to_end(self) -> None:
        self.follow, self.fresh = True, 0
        if self.logged:
            self.list.move_to(next(reversed(self.logged)))
        self._title()
        self.show_row()

    @on(LineList.Highlighted, "#list")
    def row_highlighted(self, message: LineList.Highlighted) -> None:
        """Moving away from the last row stops following; the first row asks for older ones."""
        super().row_highlighted(message)
        if not self.logged:
            return
        at_end = message.key == next(reversed(self.logged))
        if at_end != self.follow:
            self.follow, self.fresh = at_end, 0 if at_end else self.fresh
            self._title()
        if message.key == next(iter(self.logged)):
            self._page_back()

    def _page_back(self) -> None:
        if self._complete or self._paging:
            return
        self._paging = True
        first: dict[str, int] = {}
        for key in self.logged:
            first.setdefault(key.home, key.seq)
        for home in self.placet.board.homes:
            first.setdefault(home.label, 0)
        text = self._filter

        def read(found: list[Logged]) -> None:
            self._paging = False
            self._complete = not found
            if self.prepared and found and text == self._filter:
                self._add(found, before=True)

        self.placet.read("reading older rows", lambda r: r.before(first, PAGE, text), read)

    def action_audit_follow(self) -> None:
        """Follow the log."""
        self._to_end()
        self.say("following the log: the newest row stays in sight")

    # one row

    def document_of(self, key: Hashable) -> DiffDoc | None:
        """The event; what a decision changed is read and shown below it."""
        one = self.logged.get(key) if isinstance(key, EventKey) else None
        if one is None or not isinstance(key, EventKey):
            return None
        self.set_title(self.query_one("#diff-pane"), f"#{key.seq} · {one.home.label}")

        def read(found: list[tuple[str, str | None, str | None]]) -> None:
            if self.prepared and self.subject == key:
                self.show(key, event_doc(one, found))

        def work(reader: Reader) -> list[tuple[str, str | None, str | None]]:
            return reader.recorded(one.home, one.event.seq)

        self.placet.read("reading a decision", work, read)
        return None

    def action_decision_undo(self) -> None:
        """Open the way back from the decision under the cursor; put a taken record back."""
        key, kind = self.subject, self._kind()
        if not isinstance(key, EventKey) or not kind:
            self.say("nothing to undo: put the cursor on a decision", warning=True)
        elif kind == Kind.TAKEN.value:
            self._put_back(key)
        elif kind not in UNDOABLE:
            self.say(f"nothing to undo: {kind} is no decision", warning=True)
        else:
            open_inverse(self, Made(key.home, (key.seq,), f"#{key.seq}"))

    def _put_back(self, key: EventKey) -> None:
        view = self.placet.board.views.get(key.home)
        found = [one for one in view.taken if one.event == key.seq] if view is not None else []
        if found:
            put_back(self, key.home, found[0])
        else:
            self.say("nothing to put back: that record is not taken any more", warning=True)

    def _kind(self) -> str:
        """Kind of the event under the cursor, or empty."""
        key = self.subject
        one = self.logged.get(key) if isinstance(key, EventKey) else None
        return str(audit.body(one.event).get("kind", "")) if one is not None else ""

    def footer_keys(self) -> Iterable[tuple[str, str, str]]:
        """The keys that act on the row under the cursor."""
        kind = self._kind()
        undo = "put back" if kind == Kind.TAKEN.value else "undo" if kind in UNDOABLE else ""
        for name, key, short in super().footer_keys():
            if name != "decision.undo":
                yield name, key, short
            elif undo:
                yield name, key, undo

    def action_audit_verify(self) -> None:
        """Verify every chain."""
        self.say("verifying the log")
        self.placet.read("verifying the log", lambda reader: reader.verify(), self._verified)

    def _verified(self, problems: list[str]) -> None:
        if problems:
            self.say(f"{len(problems)} problems: {problems[0]}", warning=True)
        else:
            self.placet.say("the log is whole: chain, anchor, decisions and files agree", good=True)


def event_doc(one: Logged, changed: list[tuple[str, str | None, str | None]]) -> DiffDoc:
    """Everything about one row: what was recorded, and the text of a decision while it is kept."""
    body = audit.body(one.event)
    when = moment(audit.at(one.event))
    lines = [*line(f"{kind_of(body)} · {when}", Look.HEADING)]
    for name in ("words", "target", "ref", "path", "actor", "reason", "home"):
        if body.get(name) not in (None, "", []):
            lines += line(f"{name}: {body[name]}")
    for target, before, after in changed:
        lines += [*line(""), *line(target, Look.HEADING)]
        if before is not None:
            lines += text_lines(before, "-", Look.OLD)
        if after is not None:
            lines += text_lines(after, "+", Look.NEW)
    lines += [*line(""), *line("as recorded:", Look.HEADING)]
    whole = json.dumps(body, indent=2, ensure_ascii=True) if body else one.event.body
    lines += [*line(whole, Look.DIM), *line(f"hash {one.event.hash}", Look.DIM)]
    state = f"{one.event.hash}{changed}"
    return finished(lines, sha256(state.encode("utf-8", "surrogatepass")))
