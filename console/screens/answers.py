"""The keys of the Queue that answer a row: approve, refuse, edit, leave out, discard, undo."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from functools import partial
from typing import TYPE_CHECKING

from textual.content import Content

from placet.console.board import Details, Reason, Wanted
from placet.console.phrases.amounts import proposed
from placet.console.phrases.targets import file_name
from placet.console.phrases.verdicts import codes_of, reason_of
from placet.console.queue_list import GroupKey, QueueList, TakenKey, UngatedKey
from placet.console.screens.judging import DISCARDABLE, UNDECIDABLE
from placet.console.screens.list_room import ListRoom
from placet.console.session import Force
from placet.store.inbox import Group, Item
from placet.store.model import (
    Choice,
    Code,
    Done,
    Life,
    Plan,
    Proposal,
    Ref,
    Sight,
    Target,
    TargetKind,
)

if TYPE_CHECKING:
    from placet.console.desks import Desks


class QueueAnswers(ListRoom):
    """Everything that answers the row under the cursor.

    Attributes:
        found: The rows and what stands behind them.
        details: What is shown, where it is a proposal.
    """

    found: QueueList
    details: Details | None = None
    rows_shown: tuple[Hashable, ...] = ()

    def shown(self) -> Details | None:
        """The proposal under the cursor, where it is the one that is shown."""
        details = self.details
        if details is None or details.item.ref != self.subject:
            return None
        return details

    # approving

    def action_batch_approve(self) -> None:
        """Approve additions without warnings; keep an ungated change."""
        match self.subject:
            case UngatedKey() as key:
                self._keep(key)
            case GroupKey():
                self.say("open the group with enter; nothing is approved in bulk", warning=True)
            case TakenKey():
                self.say("this was taken out; u puts it back into the queue", warning=True)
            case _:
                self._with_details(
                    lambda d: self.approve_plain(d.item.ref, d.plan, self._approver(d))
                )

    def action_batch_approve_flagged(self) -> None:
        """Approve although something is flagged."""
        if isinstance(self.subject, UngatedKey):
            self._keep(self.subject)
            return
        self._with_details(
            lambda d: self.approve_strongly(d.item.ref, d.plan, self._approver(d), self._voucher(d))
        )

    def _with_details(self, act: Callable[[Details], None]) -> None:
        details = self.shown()
        if details is None:
            self.say("not on the screen yet: press again", warning=True)
        elif details.item.life is Life.UNFINISHED and act != self._give_up:
            self._finish(details, retry=True)
        else:
            act(details)

    def _give_up(self, details: Details) -> None:
        self._finish(details, retry=False)

    def _finish(self, details: Details, *, retry: bool) -> None:
        """Finish a decision that could not be written, or give it up."""
        ref = details.item.ref

        def work(desks: Desks) -> list[Done]:
            return desks.retry(ref.home, ref) if retry else desks.cancel(ref.home, ref)

        name = "finishing" if retry else "giving up"
        force = Force.APPROVING if retry else Force.REFUSING
        action = "batch.approve" if retry else "batch.reject"
        self.press(action, force, ref, lambda _: self.decide(ref, name, work))

    def _approver(self, details: Details) -> Callable[[Sight], None]:
        return partial(self._approve, details)

    def _approve(self, details: Details, sight: Sight) -> None:
        plan = details.plan
        wanted = Wanted(plan.proposal, plan.choice, plan.digest or "")
        twins = [twin.proposal for twin in details.item.twins]
        label = details.item.ref.home

        def work(desks: Desks) -> list[Done]:
            return desks.approve(label, wanted, twins, sight)

        self.decide(details.item.ref, "approving", work)

    def _voucher(self, details: Details) -> Callable[[str, Sight], None]:
        plan = details.plan
        label = details.item.ref.home
        numbers = [v.operation or 1 for v in plan.blockers if v.code is Code.THREAT]
        wanted = Wanted(plan.proposal, plan.choice, plan.state)

        def vouch(reason: str, sight: Sight) -> None:
            def work(desks: Desks) -> list[Done]:
                return desks.vouch(label, wanted, dict.fromkeys(numbers), reason, sight)

            self.decide(details.item.ref, "vouching", work)

        return vouch

    def decide(self, ref: Ref, name: str, work: Callable[[Desks], list[Done]]) -> None:
        """Decide about a waiting proposal; what the person changed about it is then done with."""

        board = self.placet.board

        def done(_: list[Done]) -> None:
            board.deciding.discard(ref)
            if name != "vouching":
                board.choices.pop(ref, None)

        def failed(_: Exception) -> bool:
            board.deciding.discard(ref)
            return False

        if self.placet.decide(ref.home, f"{name} {ref.id}", work, done=done, failed=failed):
            board.deciding.add(ref)

    # refusing

    def action_batch_reject(self) -> None:
        """Refuse the value; on an ungated change show the way back."""
        if isinstance(self.subject, UngatedKey):
            self._revert(self.subject)
            return
        self._refusing("batch.reject", lambda item, sight: self._reject(item, Reason(""), sight))

    def action_batch_reject_reason(self) -> None:
        """Refuse with a reason."""
        self._refusing("batch.reject_reason", self._ask_reason)

    def _refusing(self, action: str, run: Callable[[Item, Sight], None]) -> None:
        subject = self.subject
        item = self.found.items.get(subject) if isinstance(subject, Ref) else None
        if item is None:
            self.say("there is no single value here to refuse", warning=True)
        elif why := self.placet.board.may_decide(item.ref.home):
            self.say(why, warning=True)
        elif item.life is Life.UNFINISHED:
            self._with_details(self._give_up)
        elif item.plan.standing in UNDECIDABLE:
            self.say(f"{reason_of(item.plan)} · d takes it out of the queue", warning=True)
        else:
            self.press(action, Force.REFUSING, item.ref, partial(run, item))

    def _ask_reason(self, item: Item, sight: Sight) -> None:
        board = self.placet.board
        parts = (file_name(item.proposal.target), f"id {item.ref.id}", proposed(item.times))
        body = [Content(" · ".join(part for part in parts if part))]
        if len(board.homes) > 1:
            body.append(Content(f"home {item.ref.home}"))
        if item.plan.has(Code.SECRET):
            body.append(
                Content(
                    "It looks like a secret: the text is not kept, so this refusal "
                    "cannot be undone."
                )
            )
        from placet.console.screens.dialogs import ReasonDialog

        dialog = ReasonDialog(
            self.placet.session.clock,
            body,
            operations=len(item.proposal.operations),
            earlier=tuple(board.reasons),
        )

        def answered(reason: Reason | None) -> None:
            if reason is not None:
                self._reject(item, reason, sight)

        self.placet.push_screen(dialog, answered)

    def _reject(self, item: Item, reason: Reason, sight: Sight) -> None:
        board = self.placet.board
        if reason.text and reason.text not in board.reasons:
            board.reasons.append(reason.text)
        proposals = [member.proposal for member in item.members]

        def work(desks: Desks) -> list[Done]:
            until = reason.until(time.time())
            return desks.reject(item.ref.home, proposals, reason.text, reason.each, sight, until)

        self.decide(item.ref, "refusing", work)

    # discarding

    def action_batch_discard(self) -> None:
        """Take a dead or malformed record, or a whole group of them, out of the queue."""
        subject = self.subject
        if isinstance(subject, GroupKey) and subject in self.found.groups:
            items = self.found.groups[subject]
        else:
            item = self.found.items.get(subject) if isinstance(subject, Ref) else None
            items = [item] if item is not None else []
        keep = [item for item in items if item.plan.standing not in DISCARDABLE]
        if not items or keep:
            self.say("only what cannot be applied is discarded; r refuses a value", warning=True)
            return
        home = items[0].ref.home
        self.press("batch.discard", Force.REFUSING, subject, partial(self._discard, home, items))

    def _discard(self, home: str, items: list[Item], sight: Sight) -> None:
        pairs = [
            (member.proposal, codes_of(member.plan)) for item in items for member in item.members
        ]
        name = f"discarding {len(pairs)}" if len(pairs) > 1 else "discarding"
        self.placet.decide(home, name, lambda desks: desks.discard(home, pairs, sight))

    # ungated changes

    def _keep(self, key: UngatedKey) -> None:
        if not self._recorded(key) or not self.judge_view(key):
            return

        def run(sight: Sight) -> None:
            self.placet.decide(
                key.home, f"keeping {key.path}", lambda desks: desks.keep(key.home, key.event)
            )

        self.press("batch.approve", Force.APPROVING, key, run)

    def _revert(self, key: UngatedKey) -> None:
        if self._recorded(key):
            self.prepare_own(
                key.home, "the way back", lambda desks: desks.revert(key.home, key.event)
            )

    def _recorded(self, key: UngatedKey) -> bool:
        if key.event:
            return True
        why = self.placet.board.may_decide(key.home) or "this change is just being recorded"
        self.say(f"{why}: press again", warning=True)
        return False

    # operations

    def action_op_toggle(self) -> None:
        """Put the operation under the cursor in or leave it out."""
        self._choose(self._toggled)

    def action_op_all(self) -> None:
        """Put every operation in."""
        self._choose(lambda details: Choice(frozenset(), details.plan.choice.edited))

    def action_op_none(self) -> None:
        """Leave every operation out."""
        self._choose(
            lambda details: Choice(
                frozenset(o.number for o in details.plan.operations), details.plan.choice.edited
            )
        )

    def _toggled(self, details: Details) -> Choice | None:
        number = self.operation(details.plan)
        if not number:
            self.say("which one? ] goes to an operation, then space", warning=True)
            return None
        return details.plan.choice.toggled(number)

    def _choose(self, choose: Callable[[Details], Choice | None]) -> None:
        details = self.shown()
        if details is None or not details.plan.operations:
            self.say("nothing to put in or leave out: no operation is shown", warning=True)
            return
        choice = choose(details)
        if choice == details.plan.choice:
            self.say("nothing changes: the operations are in or out like that", warning=True)
        elif choice is not None:
            self.diff.stay_on(self.operation(details.plan))
            self.placet.board.choices[details.item.ref] = choice
            self.placet.changed(now=True)

    def operation(self, plan: Plan) -> int:
        """The operation that is meant: under the cursor, or the only one."""
        if self.diff.operation:
            return self.diff.operation
        return plan.operations[0].number if len(plan.operations) == 1 else 0

    # a person's own changes

    def action_target_normalise(self) -> None:
        """Show what re-joining the file's own entries would change."""
        details = self.shown()
        target = details.plan.proposal.target if details else None
        if details is None or target is None or target.kind is TargetKind.SKILL:
            self.say("= is for a memory file: put the cursor on a proposal for it", warning=True)
            return
        self.normalise(details.item.ref.home, target)

    def normalise(self, home: str, target: Target) -> None:
        """Open the normalising of a target as a change of the person's own."""
        from placet.store.plan import inverse

        proposal = inverse.normalise(self.placet.board.home(home), target)
        self.open_planned(home, proposal)

    def prepare_own(self, home: str, name: str, make: Callable[[Desks], Proposal]) -> None:
        """Make a person's own change at the desk, plan it, and open it."""

        from placet.console.screens.review import show_conflict

        def made(proposal: Proposal) -> None:
            self.open_planned(home, proposal)

        self.placet.prepare(home, name, make, made, partial(show_conflict, self, name))

    def open_planned(self, home: str, proposal: Proposal) -> None:
        """Plan a change of the person's own and open it."""
        from placet.console.screens.review import changes_nothing

        def planned(plan: Plan) -> None:
            if changes_nothing(plan):
                self.say(f"{file_name(proposal.target)} is already normal")
            else:
                self.open_own(home, plan)

        self.placet.read("planning", lambda reader: reader.plan(proposal), planned)

    def open_own(self, home: str, plan: Plan) -> None:
        """Open a change of the person's own."""
        from placet.console.screens.review import ReviewScreen, own_change

        self.placet.push_screen(ReviewScreen(own_change(home, plan)))

    # undo

    def action_decision_undo(self) -> None:
        """Take back this session's newest decision, or put a taken record back."""
        from placet.console.screens.taking_back import put_back, undo_newest

        key = self.subject
        if isinstance(key, TakenKey) and key in self.found.taken:
            put_back(self, key.home, self.found.taken[key])
        elif isinstance(key, GroupKey) and key.group is Group.REFUSED:
            self.say("enter opens the group; u on a row of it puts that one back", warning=True)
        else:
            undo_newest(self)
