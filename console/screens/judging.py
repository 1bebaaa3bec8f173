"""What the Queue and a review of a person's own change have in common: a diff, and its keys."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from functools import partial

from textual import on
from textual.content import Content
from textual.timer import Timer
from textual.widget import Widget

from placet.console.charset import in_ascii
from placet.console.pages.cells import text_of
from placet.console.pages.lines import DiffDoc, Role
from placet.console.phrases.effects import effect
from placet.console.phrases.targets import subject
from placet.console.phrases.verdicts import SIGNS, VOUCHING, finding, told_once
from placet.console.screens.diff_keys import DiffRoom
from placet.console.session import Armed, Force, Jump
from placet.console.shown import spoken
from placet.console.widgets.diff_view import DiffView
from placet.console.widgets.meters import usage_cells
from placet.console.widgets.pane import Pane
from placet.store.model import Code, Effort, Plan, Sight, Standing, effort_of, sha256

RECHECK_SECONDS = 0.02

WAYS_OUT = {
    Code.OVER_LIMIT: "e shortens it, or free room on the Memory screen",
    Code.DRIFT: "= normalises the file",
    Code.THREAT: "A vouches for this exact text",
    Code.FORGED_DELIMITER: "e edits it",
    Code.TARGET_CONFLICT: "space leaves the operation out",
    Code.MALFORMED: "d discards the record",
    Code.FOREIGN_PROVIDER: "d moves the record aside",
}
"""What a person can do about a blocker, where there is something."""


DISCARDABLE = frozenset({Standing.DEAD, Standing.MALFORMED, Standing.FOREIGN})
"""Standings that `d` takes out of the queue; everything else is refused or approved."""

UNDECIDABLE = frozenset({Standing.MALFORMED, Standing.FOREIGN, Standing.SETTLING})
"""Standings that hold no value that could be refused."""


@dataclass(frozen=True, slots=True)
class Pending:
    """A deciding key that waits for its quiet time.

    Attributes:
        armed: What the session armed.
        run: What to do then; is given how it was seen.
    """

    armed: Armed
    run: Callable[[Sight], None]


def stamped(doc: DiffDoc) -> DiffDoc:
    """The document with a state that also tells its lines apart.

    What was seen is counted in lines, so another set of lines must be another state.
    """
    lines = "\0".join(f"{len(line.text)}{line.sign}" for line in doc.lines)
    digest = sha256(lines.encode("utf-8", "surrogatepass"))[:16]
    return replace(doc, state=f"{doc.state}.{digest}")


def blocked_words(plan: Plan) -> str:
    """Why a plan cannot be approved, and what can be done."""
    blockers = plan.blockers
    if not blockers:
        return "this cannot be approved"
    ways = dict.fromkeys(WAYS_OUT[v.code] for v in blockers if v.code in WAYS_OUT)
    way = " · ".join(ways) or _other_way(plan)
    return f"{blockers[0].message} · {way}"


def _other_way(plan: Plan) -> str:
    if not plan.proposal.name:
        return "e goes on, y copies it"
    return "r refuses it, d discards it" if plan.standing in DISCARDABLE else "r refuses it"


class JudgingRoom(DiffRoom):
    """A screen with a diff view and keys that decide about what it shows."""

    needs = (*DiffRoom.needs, "#diff-pane", "#diff")
    pending: Pending | None = None
    _keys_due: Timer | None = None

    @property
    def subject(self) -> Hashable:
        """What a deciding key would be about now."""
        raise NotImplementedError

    def on_screen_resume(self) -> None:
        """The screen is back: what it shows is what keys are about from now on."""
        if self.prepared:
            self.show_again()

    def show_again(self) -> None:
        """Show what the cursor stands on."""

    def show(self, subject: Hashable, doc: DiffDoc) -> None:
        """Show a document, and tell the session; a screen below another one waits for its turn."""
        if not self.on_top:
            return
        doc = stamped(self._drawable(doc))
        seen = self.placet.session.show(subject, doc.state, doc.lengths, doc.folds)
        self.diff.show_doc(subject, doc, seen)

    def _drawable(self, doc: DiffDoc) -> DiffDoc:
        if not self.placet.ascii_only:
            return doc
        lines = (
            line if line.role is Role.TEXT else line._replace(text=in_ascii(line.text))
            for line in doc.lines
        )
        return replace(doc, lines=tuple(lines))

    def hide(self) -> None:
        """Show nothing that could be approved."""
        if not self.on_top:
            return
        self.placet.session.hide()
        self.diff.clear()

    @on(DiffView.Painted)
    def diff_painted(self, message: DiffView.Painted) -> None:
        """Rows reached the screen."""
        self.placet.session.painted(message.subject, message.state, message.rows)
        self.tell_on_screen()
        self.draw_keys()

    @on(DiffView.Moved)
    def diff_moved(self, message: DiffView.Moved) -> None:
        """Keep the counter up to date."""
        self.draw_counter(message.words)

    def tell_on_screen(self) -> None:
        """Tell the session which subjects of refusing keys are on the screen."""

    # keys that decide

    def press(
        self, action: str, force: Force, subject: Hashable, run: Callable[[Sight], None]
    ) -> bool:
        """Judge a deciding key; what it does happens once its quiet time is over.

        Returns:
            Whether the key counts.
        """
        if subject in self.placet.board.deciding:
            self.say("this is being decided already", warning=True)
            return False
        answer = self.placet.session.press(action, force, subject)
        if isinstance(answer, Armed):
            self.pending = Pending(answer, run)
            self._schedule()
            return True
        if isinstance(answer, Jump):
            self.diff.jump(answer.position)
            self.say("not all of it has been on the screen: here is the rest", warning=True)
        else:
            self.say(answer.words, warning=True)
        return False

    def judge_view(self, subject: Hashable) -> bool:
        """Go to unseen rows if there are any; whether everything has been seen."""
        answer = self.placet.session.press("look", Force.APPROVING, subject)
        if isinstance(answer, Jump):
            self.diff.jump(answer.position)
            self.say("not all of it has been on the screen: here is the rest", warning=True)
            return False
        return True

    def _schedule(self) -> None:
        pending = self.pending
        if pending is None:
            return
        wait = pending.armed.at - self.placet.session.clock()
        self.set_timer(max(wait, RECHECK_SECONDS), self._due)

    def _due(self) -> None:
        pending = self.pending
        if pending is None:
            return
        if self.placet.session.clock() < pending.armed.at:
            self._schedule()
            return
        self.pending = None
        armed = self.placet.session.due()
        if armed is None:
            self.say("another key came just after: nothing was decided", warning=True)
        elif armed == pending.armed:
            pending.run(armed.sight)

    # how much a plan asks for

    def approve_plain(self, subject: Hashable, plan: Plan, run: Callable[[Sight], None]) -> None:
        """The key `a`: approves additions without warnings, else says what it takes."""
        if not self.judge_view(subject):
            return
        effort = effort_of(plan)
        if effort is Effort.KEY:
            self.press("batch.approve", Force.APPROVING, subject, run)
        elif effort is Effort.STRONG_KEY:
            self.say(f"{strong_reason(plan)}: A approves", warning=True)
        elif effort is Effort.TYPED_TARGET:
            word = plan.proposal.target.word if plan.proposal.target else ""
            self.say(f"high impact: A, then type {word}", warning=True)
        else:
            self.say(blocked_words(plan), warning=True)

    def approve_strongly(
        self,
        subject: Hashable,
        plan: Plan,
        run: Callable[[Sight], None],
        vouch: Callable[[str, Sight], None],
    ) -> None:
        """The key `A`: approves what is flagged; high impact and threats ask for words."""
        effort = effort_of(plan)
        why = self.placet.board.may_decide(plan.proposal.home.label)
        if why or effort is Effort.NONE:
            if self.judge_view(subject):
                self.say(why or blocked_words(plan), warning=True)
            return
        after: Callable[[Sight], None] = run
        if effort is Effort.TYPED_TARGET:
            after = partial(self._ask_word, plan, run)
        elif effort is Effort.VOUCH:
            after = partial(self._ask_vouch, plan, vouch)
        self.press("batch.approve_flagged", Force.APPROVING, subject, after)

    def _ask_word(self, plan: Plan, run: Callable[[Sight], None], sight: Sight) -> None:
        from placet.console.screens.dialogs import WordDialog

        word = plan.proposal.target.word if plan.proposal.target else ""
        body = [Content(line) for line in effect_lines(plan)]

        def answered(typed: str | None) -> None:
            if typed is not None:
                run(sight)

        dialog = WordDialog(self.placet.session.clock, body, word, "High impact")
        self.placet.push_screen(dialog, answered)

    def _ask_vouch(self, plan: Plan, vouch: Callable[[str, Sight], None], sight: Sight) -> None:
        from placet.console.screens.dialogs import VouchDialog

        hits = [Content(finding(v, times)) for v, times in told_once(plan.blockers)]
        body = [
            *hits,
            Content(VOUCHING),
        ]

        def answered(reason: str | None) -> None:
            if reason is not None:
                vouch(reason, sight)

        self.placet.push_screen(VouchDialog(self.placet.session.clock, body), answered)

    # titles

    def draw_meter(self, plan: Plan) -> None:
        """Show how full the target is, before and after."""
        name = subject(plan.proposal)
        words = name
        if plan.usage is not None:
            cells = usage_cells(name, plan.usage, ascii_only=self.placet.ascii_only)
            words = text_of(cells)
        self.set_title(self.query_one("#diff-pane"), words)

    def set_title(self, pane: Widget, words: str) -> None:
        """Set the title of a pane; nothing in it is markup."""
        if isinstance(pane, Pane):
            pane.set_title(spoken(words, ascii=self.placet.ascii_only))

    def draw_counter(self, words: str) -> None:
        """Show where in the diff one is."""
        self.query_one("#diff-pane", Pane).set_counter(self.words(words))

    # dimmed keys

    def draw_keys(self) -> None:
        """Draw the keys, and again once time alone has changed what they do."""
        super().draw_keys()
        if not self.prepared or self._keys_due is not None:
            return
        session = self.placet.session
        waits = [
            wait for force in Force if (wait := session.changes_in(force, self.subject)) is not None
        ]
        if waits:
            self._keys_due = self.set_timer(
                max(min(waits), RECHECK_SECONDS) + 0.01, self._keys_again
            )

    def _keys_again(self) -> None:
        self._keys_due = None
        self.draw_keys()


def strong_reason(plan: Plan) -> str:
    """Why one plain key is not enough."""
    first, *others = [v.message for v, _ in told_once(plan.warnings)] or [""]
    if first:
        return f"{first.rstrip('.')} (and {len(others)} more)" if others else first.rstrip(".")
    acting = [o.action.value.replace("_", " ") for o in plan.operations if not o.dropped]
    return f"this is not only an addition ({', '.join(dict.fromkeys(acting))})"


def effect_lines(plan: Plan) -> list[str]:
    """What approving does, in words, for a dialog."""
    return [
        effect(plan),
        *(f"{SIGNS[v.level]} {finding(v, n)}" for v, n in told_once(plan.warnings)),
    ]
