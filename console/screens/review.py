"""One change of the person's own, or the way back from a decision: the diff, then a or A."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.binding import BindingType
from textual.content import Content
from textual.widget import Widget

from placet.console.actions import Place
from placet.console.board import Made, Said, Wanted
from placet.console.keymap import bindings, footer
from placet.console.pages import side_docs
from placet.console.pages.cells import Cells, Look
from placet.console.pages.document import Words, document
from placet.console.pages.lines import DiffDoc
from placet.console.phrases.targets import file_name
from placet.console.phrases.undoing import inverse_lines, three_texts
from placet.console.screens.dialogs import TextsDialog
from placet.console.screens.editor import Edit, EditingRoom
from placet.console.screens.room import Room
from placet.console.session import Force
from placet.console.widgets.diff_view import DiffView
from placet.console.widgets.pane import Pane
from placet.store.errors import Conflict, StalePlan
from placet.store.model import Action, Done, Effort, Plan, Sight, effort_of

if TYPE_CHECKING:
    from placet.console.desks import Desks
    from placet.console.memory_files import MemoryFile
    from placet.console.screens.judging import JudgingRoom
    from placet.store.decide import Inverse

ALWAYS = {"hunk.next": "change", "search.open": "find", "help.toggle": "help", "app.quit": "leave"}
"""Keys of the footer that are at hand in every review, with their words there."""


@dataclass(frozen=True, slots=True)
class Review:
    """What is looked at.

    Attributes:
        home: Label of its home.
        title: What it is, in words.
        plan: What would be done; None where no file changes.
        inverses: Decisions that would be undone; empty for a change of one's own.
        made: The decisions of this session that it takes back, or None.
        typed: Whether dropping it would lose something typed.
    """

    home: str
    title: str
    plan: Plan | None
    inverses: tuple[Inverse, ...] = ()
    made: Made | None = None
    typed: bool = False


def own_change(home: str, plan: Plan) -> Review:
    """A change of the person's own."""
    typed = any(o.action in (Action.ADD, Action.REPLACE, Action.WRITE) for o in plan.operations)
    return Review(home, f"your change · {file_name(plan.proposal.target)}", plan, typed=typed)


def changes_nothing(plan: Plan) -> bool:
    """Whether normalising would leave the file as it is."""
    normalises = any(o.action is Action.NORMALISE for o in plan.proposal.operations)
    return normalises and all(change.before == change.after for change in plan.changes)


def undoing(home: str, inverses: list[Inverse], made: Made | None) -> Review:
    """The way back from some decisions."""
    numbers = ", ".join(f"#{one.seq}" for one in inverses)
    plan = next((one.plan for one in inverses if one.plan is not None), None)
    return Review(home, f"undo {numbers}", plan, tuple(inverses), made)


class ReviewScreen(EditingRoom):
    """Shows one change completely; a or A approves it, esc leaves it."""

    place: ClassVar[Place] = Place.REVIEW
    BINDINGS: ClassVar[list[BindingType]] = [*bindings(Place.REVIEW)]
    AUTO_FOCUS = "#diff"

    def __init__(self, review: Review) -> None:
        super().__init__()
        self.review = review
        self._no_way_back = ""
        self._busy = False
        self._today: tuple[str, ...] = ()
        self._said_before: Said | None = None

    @property
    def subject(self) -> str:
        """What the session calls it."""
        plan = self.review.plan
        return plan.proposal.id if plan is not None else self.review.title

    @property
    def tab(self) -> Place:
        """The screen that it was opened from."""
        below = self.placet.screen_stack[0]
        return below.place if isinstance(below, Room) else self.place

    def body(self) -> Iterable[Widget]:
        """The change, or the editor."""
        with Pane(id="diff-pane"):
            yield DiffView(id="diff", ascii_only=self.placet.ascii_only)

    def opened(self) -> None:
        """Show the change."""
        self._said_before = self.placet.board.said
        super().opened()
        self.set_title(self.query_one("#diff-pane"), self.review.title)
        self._draw()

    def focus_home(self) -> None:
        """Focus the change."""
        self.diff.focus()

    def show_again(self) -> None:
        """Show the change."""
        self._draw()

    def _draw(self) -> None:
        review = self.review
        if review.plan is None:
            self.show(self.subject, _words_of(review))
            return
        notes = tuple(words for one in review.inverses for words in inverse_lines(one))
        if review.plan.digest is None and not review.inverses:
            self._read_today(review.plan)
        notes += self._today
        known = Words(notes=notes)
        self.show(self.subject, document(review.plan, known))
        self.draw_meter(review.plan)

    def board_changed(self) -> None:
        """Plan again: the files may have moved."""
        super().board_changed()
        plan = self.review.plan
        if plan is None or self._busy or not self.prepared:
            return
        self.placet.read(
            "planning again", lambda reader: reader.plan(plan.proposal, plan.choice), self._planned
        )

    def _planned(self, plan: Plan) -> None:
        old = self.review.plan
        if not self.prepared or old is None or old.proposal.id != plan.proposal.id:
            return
        if old.choice != plan.choice or old.state == plan.state:
            return
        if self.review.inverses:
            if plan.state != self._no_way_back:
                self._invert_again(plan.state)
            return
        self.review = replace(self.review, plan=plan)
        self._draw()
        if _files_before(old) != _files_before(plan):
            self.say("the file has changed: this is the change against today's text", warning=True)
        else:
            self.say("the file is the same; what is found about the change is new", warning=True)

    def _invert_again(self, state: str) -> None:
        """The file has moved: work out the way back from today's text, not from the old one."""
        review = self.review
        if self.placet.board.may_decide(review.home):
            return
        self._busy = True

        def done(inverses: list[Inverse]) -> None:
            self._busy = False
            if self.prepared and self.review is review:
                self.review = undoing(review.home, inverses, review.made)
                self._draw()
                self.say(
                    "the file has changed: this is the way back from today's text", warning=True
                )

        def failed(error: Exception) -> bool:
            self._busy = False
            self._no_way_back = state  # below a dialog it stays; asking again would never end
            if self.on_top:
                self.dismiss()
            return show_conflict(self, review.title, error)

        seqs = [one.seq for one in review.inverses]
        self.placet.prepare(
            review.home, review.title, lambda desks: desks.inverses(review.home, seqs), done, failed
        )

    def _read_today(self, plan: Plan) -> None:
        """Show today's text beside what was typed, where the change cannot be made."""

        def read(files: tuple[MemoryFile, ...]) -> None:
            entries = [
                line
                for file in files
                if (file.home.label, file.target) == (self.review.home, plan.proposal.target)
                for entry in file.entries
                for line in (*entry.split("\n"), "§")
            ][:-1]
            today = ("what you typed is kept here; the file holds now:", *entries)
            if self.on_top and today != self._today and self.review.plan is plan:
                self._today = today
                self._draw()

        self.placet.read("reading today's text", lambda reader: reader.memory(), read)

    # answering

    def action_batch_approve(self) -> None:
        """Approve."""
        plan = self.review.plan
        if plan is None:
            if self.judge_view(self.subject):
                self.press("batch.approve", Force.APPROVING, self.subject, self._approve)
            return
        self.approve_plain(self.subject, plan, self._approve)

    def action_batch_approve_flagged(self) -> None:
        """Approve although something is flagged."""
        plan = self.review.plan
        if plan is None:
            self.action_batch_approve()
            return
        self.approve_strongly(self.subject, plan, self._approve, self._vouch)

    def _approve(self, sight: Sight) -> None:
        review, plan = self.review, self.review.plan
        self._busy = self.placet.decide(
            review.home, review.title, partial(_work, review, plan, sight),
            done=self._done, failed=self._failed,
        )  # fmt: skip

    def _vouch(self, reason: str, sight: Sight) -> None:
        review, plan = self.review, self.review.plan
        if plan is None:
            return
        wanted = Wanted(plan.proposal, plan.choice, plan.state)
        numbers = dict.fromkeys(v.operation or 1 for v in plan.blockers)
        self.placet.decide(
            review.home,
            "vouching",
            lambda desks: desks.vouch(review.home, wanted, numbers, reason, sight),
        )

    def _done(self, done: list[Done]) -> None:
        undone = [one.seq for one in self.review.inverses]
        self.placet.board.taken_back(self.review.home, undone)
        self.dismiss()

    def _failed(self, error: Exception) -> bool:
        self._busy = False
        if isinstance(error, StalePlan) and error.plan is not None:
            self._planned(error.plan)
        return False

    # editing and leaving

    def edit_of(self) -> Edit | None:
        """The text of the change."""
        plan = self.review.plan
        text = _text_of(plan) if plan is not None and not self.review.inverses else None
        if plan is None or text is None:
            self.say("there is no text to edit here", warning=True)
            return None
        return Edit(file_name(plan.proposal.target), text, partial(self._save, plan))

    def _save(self, plan: Plan, text: str) -> None:
        choice = plan.choice.with_edit(1, text)
        self.review = replace(self.review, typed=True)

        def planned(new: Plan) -> None:
            self.review = replace(self.review, plan=new)
            self._draw()

        self.placet.read("planning", lambda reader: reader.plan(plan.proposal, choice), planned)

    def steps_back(self) -> Iterable[Callable[[], bool]]:
        """Also: leave, after asking where something typed would be lost."""
        return (*super().steps_back(), self.leave)

    def unsaved(self) -> bool:
        """A typed change is lost when one leaves."""
        return self.review.typed or super().unsaved()

    def leave(self) -> bool:
        """Leave, after asking where something typed would be lost."""
        if not self.unsaved():
            self.dismiss()
            return True

        def answered(yes: bool | None) -> None:
            if yes:
                self.dismiss()

        self.ask("Drop it?", "What you typed has not been approved.", "drop it", answered)
        return True

    def said(self) -> Cells:
        """What was said last, but no decision from before: its `u` is not at hand here."""
        last = self.placet.board.said
        return () if last.good and last is self._said_before else super().said()

    def footer_keys(self) -> Iterable[tuple[str, str, str]]:
        """The keys that count here: approve, edit, leave."""
        if self.editing is not None:
            return super().footer_keys()
        at_hand = {name: key for name, key, _ in footer(self.place, self.placet.board.keys)}
        words = self._words_of_keys()
        keys = [(name, at_hand[name], short) for name, short in words.items()]
        return [*keys, *((name, at_hand[name], ALWAYS[name]) for name in ALWAYS)]

    def _words_of_keys(self) -> dict[str, str]:
        plan = self.review.plan
        effort = Effort.KEY if plan is None else effort_of(plan)
        words = dict[str, str]()
        if effort is Effort.KEY:
            words["batch.approve"] = "approve"
        elif effort is not Effort.NONE:
            words["batch.approve_flagged"] = "vouch" if effort is Effort.VOUCH else "approve"
        if plan is not None and not self.review.inverses and _text_of(plan) is not None:
            words["batch.edit"] = "edit"
        return words

    def enabled(self, action: str) -> bool:
        """Whether a deciding key would count now."""
        if not action.startswith("batch.approve"):
            return True
        return not self.placet.session.why_not(Force.APPROVING, self.subject)


def _work(review: Review, plan: Plan | None, sight: Sight, desks: Desks) -> list[Done]:
    if review.inverses:
        seen = plan.digest if plan is not None else ""
        return desks.undo(review.home, review.inverses, seen or "", sight)
    assert plan is not None
    return desks.approve(
        review.home, Wanted(plan.proposal, plan.choice, plan.digest or ""), (), sight
    )


def _files_before(plan: Plan) -> list[tuple[str, bytes | None]]:
    return [(change.name, change.before) for change in plan.changes]


def _text_of(plan: Plan) -> str | None:
    edited = dict(plan.choice.edited).get(1)
    if edited is not None:
        return edited
    return plan.proposal.operations[0].content if plan.proposal.operations else None


def _words_of(review: Review) -> DiffDoc:
    lines = [("No file changes. Undoing this does:", Look.HEADING)]
    for one in review.inverses:
        lines += [(words, Look.CONTEXT) for words in inverse_lines(one)]
    lines.append(("a undoes it; esc leaves everything as it is", Look.DIM))
    return side_docs.words_doc(f"{review.title}{lines}", lines)


def open_inverse(room: JudgingRoom, made: Made) -> None:
    """Work out the way back from some decisions and open it."""

    def done(inverses: list[Inverse]) -> None:
        room.placet.push_screen(ReviewScreen(undoing(made.home, inverses, made)))

    name = f"undoing {made.words}"
    room.placet.prepare(
        made.home,
        name,
        lambda desks: desks.inverses(made.home, made.events),
        done,
        partial(show_conflict, room, name),
    )


def show_conflict(room: JudgingRoom, name: str, error: Exception) -> bool:
    """Show the three texts of a conflict; True where it was one."""
    if not isinstance(error, Conflict):
        return False
    body = [Content(str(error))]
    for title, text in three_texts(error):
        body.append(Content.styled(title, "bold"))
        body.append(Content(text if text is not None else "(not there)"))
    room.placet.push_screen(TextsDialog(room.placet.session.clock, body, name))
    return True
