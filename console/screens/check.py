"""Check: what is known about this console and its homes, in words."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import ClassVar

from textual.binding import BindingType
from textual.widget import Widget

from placet.console.actions import Place
from placet.console.board import Board
from placet.console.keymap import bindings
from placet.console.pages import side_docs
from placet.console.pages.cells import Look
from placet.console.phrases.homes import ABSENT, doubt, write_approval
from placet.console.phrases.standings import UNFINISHED, waits
from placet.console.phrases.times import moment
from placet.console.screens.judging import JudgingRoom
from placet.console.widgets.diff_view import DiffView
from placet.console.widgets.pane import Pane
from placet.store.inbox import HomeView

Paragraph = tuple[str, Look]


class CheckScreen(JudgingRoom):
    """One document; nothing is decided here."""

    place: ClassVar[Place] = Place.CHECK
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.CHECK)]
    AUTO_FOCUS = "#diff"

    def __init__(self) -> None:
        super().__init__()
        self.verified: list[Paragraph] = [("The log has not been verified here; V does.", Look.DIM)]

    def body(self) -> Iterable[Widget]:
        """The document."""
        with Pane(id="diff-pane"):
            yield DiffView(id="diff", ascii_only=self.placet.ascii_only)

    @property
    def subject(self) -> str:
        """Nothing that a key could decide about."""
        return "check"

    def focus_home(self) -> None:
        """Focus the document."""
        self.diff.focus()

    def show_again(self) -> None:
        """Draw the document."""
        self.board_changed()

    def board_changed(self) -> None:
        """Draw the document anew."""
        super().board_changed()
        if self.prepared:
            paragraphs = [*check_words(self.placet.board, time.time()), *self.verified]
            self.show(self.subject, side_docs.words_doc(repr(paragraphs), paragraphs))
            self.set_title(self.query_one("#diff-pane"), "check")

    def action_audit_verify(self) -> None:
        """Verify every chain."""
        self.say("verifying the log")
        self.placet.read("verifying the log", lambda reader: reader.verify(), self._verified)

    def _verified(self, problems: list[str]) -> None:
        at = f"Verified {moment(time.time())}:"
        whole = [(f"{at} chain, anchor, decisions and files agree.", Look.GOOD)]
        broken = [(f"{at} {len(problems)} problems", Look.BLOCKER)]
        broken += [(f"! {words}", Look.BLOCKER) for words in problems]
        self.verified = broken if problems else whole
        self.board_changed()


def check_words(board: Board, now: float) -> Iterator[Paragraph]:
    """Everything that is known, as paragraphs."""
    if board.banner:
        yield (board.banner, Look.BLOCKER)
    yield ("Who decides", Look.HEADING)
    if board.refused_here:
        yield (board.refused_here, Look.WARNING)
    elif board.level.startswith("L0"):
        yield (f"{board.level}: the agent runs as this user.", Look.CONTEXT)
        yield (
            "What is recognised as an agent is refused; one that sets out to imitate you is not.",
            Look.CONTEXT,
        )
    else:
        yield (board.level or "still opening", Look.CONTEXT)
    if board.held:
        yield (f"{board.held[0].upper()}{board.held[1:]}.", Look.CONTEXT)
    if board.multiplexer:
        words = f"Inside {board.multiplexer}: other programs of this user can type here."
        yield (words, Look.WARNING)
    yield ("", Look.CONTEXT)
    for home in board.homes:
        view = board.views.get(home.label)
        yield (f"Home {home.label}", Look.HEADING)
        yield (str(home.path), Look.DIM)
        if view is not None:
            yield from _home(board, view, now)
        yield ("", Look.CONTEXT)
    for words in board.problems:
        yield (f"! {words}", Look.WARNING)


def _home(board: Board, view: HomeView, now: float) -> Iterator[Paragraph]:
    label, config = view.home.label, view.config
    if not view.exists:
        yield (f"It {ABSENT}.", Look.WARNING)
        return
    if label in board.read_only:
        yield (f"Read-only: {board.read_only[label]}", Look.WARNING)
    for approval in write_approval(config):
        yield (approval.words, Look.CONTEXT if approval.on else Look.BLOCKER)
    yield (
        f"Limits: MEMORY.md {config.memory_limit:,}, USER.md {config.user_limit:,} characters",
        Look.CONTEXT,
    )
    if config.provider:
        yield (f"External memory provider: {config.provider} (is not told)", Look.WARNING)
    watching = board.watching.get(label, "starting")
    beat = board.heard.get(label)
    since = "never" if beat is None else f"{int(max(now - beat, 0)) // 5 * 5} s ago or less"
    fine = watching == "events"
    yield (f"Watching: {watching} · scanned {since}", Look.CONTEXT if fine else Look.WARNING)
    yield (waits(view.waiting, view.oldest_seconds(now)), Look.CONTEXT)
    yield (f"Newest event: #{view.head}" if view.head else "No event yet.", Look.CONTEXT)
    if view.alarm:
        yield (f"! {doubt(view.alarm)}", Look.BLOCKER)
    for words in (*view.problems, *config.problems):
        yield (f"! {words}", Look.WARNING)
    for item in view.items:
        if item.life == "unfinished":
            yield (f"Unfinished: {item.ref}: {UNFINISHED}", Look.WARNING)
