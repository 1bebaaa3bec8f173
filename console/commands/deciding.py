"""What every deciding verb does around its decision: who decides, recovery, consent, the answer."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from placet.console.commands import ask, output, shapes, words
from placet.console.commands.run import Run
from placet.console.phrases.amounts import counted
from placet.console.phrases.decisions import only_newest, seen_later, waiting_for
from placet.console.phrases.effects import effect
from placet.console.phrases.verdicts import reason_of, told_once
from placet.store import decide
from placet.store.decide import Approver, Desk
from placet.store.errors import Blocked, PlacetError, StalePlan
from placet.store.inbox import bearing
from placet.store.ledger import audit, refusals
from placet.store.model import DECISIONS, Done, Effort, Home, Plan, Proposal, Sight, effort_of

Answer = TypeVar("Answer")

NOTICE_SECONDS = 0.5
"""How long a wait for a lock lasts before it is spoken of."""


def approver() -> Approver:
    """The person at this terminal.

    Raises:
        NotAllowed: With the one reason why this process may not decide.
    """
    return Approver.here()


@contextmanager
def desk(run: Run, home: Home, who: Approver) -> Generator[Desk]:
    """Open a home for deciding; afterwards take out what the refusal rule covers.

    Args:
        run: This invocation.
        home: Whose memory.
        who: Who decides.

    Raises:
        LedgerError: An alarm is open; said once, before anything is shown or asked.
    """
    with Desk.open(home, who) as opened:
        for report in opened.reports:
            if report != opened.ledger.alarm:
                run.note(report)
        opened.require_no_alarm()
        run.known_until = audit.head(opened.ledger)
        decide.notice(opened)
        yield opened
        _take(run, opened)


def _take(run: Run, opened: Desk) -> None:
    """Take out records that repeat what was refused; what was decided stands whatever happens."""
    hints = bearing.newest(opened.home)
    if hints and not refusals.any_stands(opened.ledger):
        return
    view = run.inbox.refresh(opened.home, hints=hints)
    if hints:
        run.note(only_newest(len(hints), bearing.waiting(opened.home)))
    refused = view.takeable()
    if not refused or opened.ledger.alarm:
        return
    try:
        for done in decide.take(opened, refused):
            run.note(f"{done.words} (put back with `placet undo {done.home}:{done.event}`)")
    except PlacetError as error:
        run.note(f"Not taken out: {error}")


class Waiting:
    """Tells about a lock that is held elsewhere, and lets Ctrl-C end the wait, not the write.

    Attributes:
        cancelled: Whether the person gave up.
    """

    def __init__(self, run: Run) -> None:
        self.cancelled = False
        self._run = run
        self._said = 0.0

    def told(self, path: Path, seconds: float) -> None:
        """Say once a second who is waited for."""
        if seconds >= max(NOTICE_SECONDS, self._said + 1.0):
            self._said = seconds
            self._run.note(waiting_for(str(path), seconds, "Ctrl-C"))

    def asked(self) -> bool:
        """Whether to give up."""
        return self.cancelled


@contextmanager
def waiting(run: Run) -> Generator[Waiting]:
    """Hold Ctrl-C back while something is decided: it ends a wait, never a half-done write."""
    state = Waiting(run)
    if threading.current_thread() is not threading.main_thread():
        yield state
        return

    def give_up(_number: int, _frame: object) -> None:
        state.cancelled = True

    before = signal.signal(signal.SIGINT, give_up)
    try:
        yield state
    finally:
        signal.signal(signal.SIGINT, before)


class Eyes:
    """Remembers what was printed and when, for the event of the decision."""

    def __init__(self) -> None:
        self._since = time.monotonic()
        self._rows = 0

    def saw(self, page: words.Page) -> None:
        """A page was printed."""
        self._since = time.monotonic()
        self._rows += page.rows

    def sight(self) -> Sight:
        """How it was seen."""
        seconds = round(time.monotonic() - self._since, 1)
        return Sight(seconds if self._rows else 0.0, self._rows, self._rows, "command line")


def show_plan(run: Run, plan: Plan, command: str, eyes: Eyes | None = None) -> None:
    """Print a plan's change, verdicts and digest."""
    page = run.page()
    page.say(effect(plan))
    words.whole(page, plan)
    words.usage(page, plan.usage)
    if command:
        words.consent(page, plan, command)
    show(run, page)
    if eyes is not None:
        eyes.saw(page)


def show(run: Run, page: words.Page) -> None:
    """Print what is asked about: on standard output, or beside JSON on the error stream."""
    if run.as_json:
        output.say(page.text().removesuffix("\n"))
    else:
        run.print(page)


def require_seen(plan: Plan, seen: str) -> None:
    """Hold the digest that the person gives against today's plan.

    Raises:
        StalePlan: It is another one; the plan rides along.
        Blocked: It is this one, and the plan cannot be approved.
    """
    effort = effort_of(plan)
    wanted = plan.state if effort is Effort.VOUCH else plan.digest
    if wanted is not None and seen == wanted:
        return
    if effort is Effort.NONE and seen == plan.state:
        raise Blocked(f"Nothing was written: {reason_of(plan)}", plan)
    raise StalePlan(
        "Nothing was written: this is not what you saw. Something moved since, or the choice is"
        " another one.",
        plan,
    )


def consent(run: Run, plan: Plan) -> None:
    """Ask on the terminal for what a plan with warnings needs; a plain plan needs nothing more.

    Raises:
        Cancelled: The person said anything else.
        NotAllowed: There is no controlling terminal.
    """
    if plan.warnings:
        question = f"{effect(plan)}, with {counted(len(told_once(plan.warnings)), 'warning')}."
        ask.word(words.word(plan), question, ascii=run.ascii)


def confirm(run: Run, plan: Plan, verb: str) -> None:
    """Ask for `verb`, or for the target's name where the impact is high.

    Raises:
        Cancelled: The person said anything else.
        NotAllowed: There is no controlling terminal.
    """
    wanted = words.word(plan) if effort_of(plan) is Effort.TYPED_TARGET else verb
    ask.word(wanted, f"{effect(plan)}.", ascii=run.ascii)


def decided(run: Run, act: Callable[[Waiting], Answer]) -> Answer:
    """Carry out one decision, with the wait for its lock spoken of."""
    with waiting(run) as state:
        return act(state)


def answer_alike(run: Run, done: Sequence[Done]) -> None:
    """Print what was decided about one proposal; its twins follow as notes."""
    first, *twins = done
    told = [f"{one.words} ({undo_words(one)})" for one in twins]
    notes = [note for one in twins for note in one.notes]
    answer(run, replace(first, notes=(*first.notes, *told, *notes)))


def undo_words(done: Done) -> str:
    """The command that takes a decision back."""
    return f"undo: placet undo {done.home}:{done.event}"


def answer(run: Run, done: Done) -> None:
    """Print what was decided."""
    if run.as_json:
        run.emit(shapes.done(done))
        return
    page = run.page()
    page.say(f"✓ {done.words or done.kind} (home {done.home}, #{done.event})")
    for note in (seen_later(done.kind), *done.notes):
        if note:
            page.say(f"  {note}")
    if done.kind in DECISIONS:
        page.say(f"  {undo_words(done)}")
    run.print(page)


def approve_person(run: Run, opened: Desk, plan: Plan, proposal: Proposal, eyes: Eyes) -> Done:
    """Approve a person's own change that was just shown and confirmed."""
    assert plan.digest is not None
    digest = plan.digest
    return decided(
        run,
        lambda state: decide.approve(
            opened,
            proposal,
            plan.choice,
            digest,
            eyes.sight(),
            waiting=state.told,
            cancelled=state.asked,
        ),
    )


def refuse_blocked(plan: Plan) -> None:
    """Stop where a person's own change cannot be made.

    Raises:
        Blocked: With every reason.
    """
    if plan.digest is None:
        raise Blocked(f"Nothing was written: {reason_of(plan)}", plan)
