"""Editing a waiting proposal; what was typed outlives the proposal itself."""

from __future__ import annotations

from functools import partial

from placet.console.board import Details
from placet.console.screens.answers import QueueAnswers
from placet.console.screens.editor import Edit
from placet.store.model import Ref, Target, TargetKind


class QueueEdits(QueueAnswers):
    """The keys of the Queue that change what is proposed."""

    _targets: dict[Ref, Target | None] | None = None

    def edit_of(self) -> Edit | None:
        """The text of the operation under the cursor."""
        details = self.shown()
        if details is None:
            self.say("there is nothing to edit here", warning=True)
            return None
        plan = details.plan
        number = self.operation(plan)
        if not number:
            self.say("which one? ] goes to an operation, then e", warning=True)
            return None
        edited = dict(plan.choice.edited).get(number)
        text = edited if edited is not None else plan.proposal.operations[number - 1].content
        if text is None:
            self.say("this operation has no text of its own; space leaves it out", warning=True)
            return None
        name = f"operation {number}" if len(plan.operations) > 1 else "the proposal"
        return Edit(name, text, partial(self._save_edit, details, number))

    def _save_edit(self, details: Details, number: int, text: str) -> None:
        ref, target = details.item.ref, details.plan.proposal.target
        if not self._waits(ref):
            self._rescue(ref.home, target, text)
            return
        self._targets = {**(self._targets or {}), ref: target}
        choice = self.placet.board.choices.get(ref, details.plan.choice)
        self.placet.board.choices[ref] = choice.with_edit(number, text)
        self.list.move_to(ref)
        self.diff.stay_on(number)
        self.placet.changed(now=True)

    def _waits(self, ref: Ref) -> bool:
        view = self.placet.board.views.get(ref.home)
        return view is not None and any(ref in (row.ref, *row.same) for row in view.items)

    def rescue_edits(self) -> None:
        """Keep what was typed about proposals that have left the queue meanwhile."""
        if not self.on_top or self.editing is not None:
            return
        board = self.placet.board
        for ref in [ref for ref, choice in board.choices.items() if choice.edited]:
            if ref.home in board.views and ref not in board.deciding and not self._waits(ref):
                texts = [text for _, text in board.choices.pop(ref).edited]
                target = (self._targets or {}).get(ref)
                self._rescue(ref.home, target, "\n".join(texts))
                return

    def _rescue(self, home: str, target: Target | None, text: str) -> None:
        """What was typed becomes a change of one's own, so that it is not lost."""
        from placet.store.plan import inverse

        if target is None or target.kind not in (TargetKind.MEMORY, TargetKind.USER):
            self.begin_edit(Edit("what you typed", text, partial(self._rescue, home, target)))
            self.say("the proposal has left the queue; your text is still here", warning=True)
            return
        own = inverse.edit_entry(self.placet.board.home(home), target, None, text)
        self.say("the proposal has left the queue; your text is now a change of your own")
        self.open_planned(home, own)

    def drop_edit(self) -> bool:
        """Ask before an edited text is dropped."""
        details = self.shown()
        if details is None or not self._edited(details.item.ref):
            return False
        ref = details.item.ref

        def answered(yes: bool | None) -> None:
            if yes:
                self.placet.board.choices.pop(ref, None)
                self.placet.changed(now=True)

        self.ask("Drop your edit?", "The proposal is then shown as it was made.", "drop", answered)
        return True

    def unsaved(self) -> bool:
        """Whether a typed text has not been decided yet."""
        return super().unsaved() or any(map(self._edited, self.placet.board.choices))

    def _edited(self, ref: Ref) -> bool:
        choice = self.placet.board.choices.get(ref)
        return choice is not None and bool(choice.edited) and self._waits(ref)
