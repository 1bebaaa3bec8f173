"""From a plan to the document that a person reads before deciding; nothing in it is folded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from placet.console.pages.cells import Look
from placet.console.pages.file_lines import Inserts, draw, operation_lines, text_lines
from placet.console.pages.lines import DiffDoc, DiffLine, Role
from placet.console.pages.sides import side
from placet.console.phrases.amounts import counted, fitting, in_bytes, proposed, sizes
from placet.console.phrases.effects import asks
from placet.console.phrases.provenance import origin_words
from placet.console.phrases.skills import skill_words
from placet.console.phrases.targets import file_name
from placet.console.phrases.times import moment
from placet.console.phrases.verdicts import SIGNS, finding, told_once, worst_first
from placet.store.model import (
    PERSON,
    Action,
    Change,
    Level,
    Operation,
    Outcome,
    Plan,
    Proposal,
    Ref,
    TargetKind,
)

if TYPE_CHECKING:
    from placet.store.plan import Together

LOOKS = {Level.BLOCKER: Look.BLOCKER, Level.WARNING: Look.WARNING, Level.NOTE: Look.NOTE}
OWN_ACTIONS = frozenset({Action.WRITE, Action.NORMALISE, Action.RESTORE})
"""A person's changes of a whole file."""


@dataclass(frozen=True, slots=True)
class Words:
    """What the caller knows besides the plan.

    Attributes:
        provenance: Where it comes from, in words: session, message, or why that is unknown.
        twins: How often the same change is proposed.
        knock_on: Others that approving would kill.
        together: What approving everything for this file would come to.
        notes: Further lines for the head: a symlinked skill, "memory changed twice since".
    """

    provenance: str = ""
    twins: int = 1
    knock_on: tuple[Ref, ...] = ()
    together: Together | None = None
    notes: tuple[str, ...] = ()


def document(plan: Plan, words: Words | None = None) -> DiffDoc:
    """Everything about a plan, in reading order: where from, findings, diff, side effects.

    Args:
        plan: What would be done.
        words: What the caller knows besides.
    """
    known = words or Words()
    lines = [*_head(plan, known), *_findings(plan, None)]
    body, placed, exact = _files(plan)
    lines += _elsewhere(plan, placed)
    lines += body
    lines += _tail(plan, known, exact)
    return finished(lines, plan.state, exact)


def finished(lines: Sequence[DiffLine], state: str, exact: bool = True) -> DiffDoc:
    """Count up the lines of a document."""
    operations: dict[int, int] = {}
    hunks: list[int] = []
    changing = False
    for number, line in enumerate(lines):
        heading = line.role is Role.OPERATION
        text = line.role in (Role.TEXT, Role.DELIMITER)
        changed = text and line.sign in "+-"
        if heading and line.operation not in operations:
            operations[line.operation] = number
        if heading or (changed and not changing):
            hunks.append(number)
        changing = heading or changed or (changing and not text)
    weight = sum(len(line.text) for line in lines) + 8 * len(lines)
    return DiffDoc(tuple(lines), state, tuple(hunks), operations, weight, exact, _folds(lines))


def _folds(lines: Sequence[DiffLine]) -> tuple[tuple[int, int], ...]:
    """Runs of at least two lines that may be folded."""
    runs: list[tuple[int, int]] = []
    at = 0
    for rest, group in groupby(lines, key=lambda line: line.rest):
        size = sum(1 for _ in group)
        if rest and size > 1:
            runs.append((at, at + size))
        at += size
    return tuple(runs)


def _head(plan: Plan, words: Words) -> Iterator[DiffLine]:
    proposal = plan.proposal
    if proposal.origin == PERSON and not proposal.name:
        parts = [origin_words(PERSON), "now"]
    else:
        parts = [origin_words(proposal.origin), moment(proposal.created_at), proposed(words.twins)]
        parts.append(f"id {proposal.id}")
    yield _own(" · ".join(part for part in parts if part), Look.HEADING)
    if words.provenance:
        yield _own(words.provenance, Look.DIM)
    if plan.place is not None and plan.facts is not None:
        yield _own(skill_words(proposal.home, plan.place, plan.facts), Look.DIM)
    for note in words.notes:
        yield _own(note, Look.NOTE)


def _own(text: str, look: Look, sign: str = " ", role: Role = Role.HEAD) -> DiffLine:
    return DiffLine(sign, text, look, role=role)


def _findings(plan: Plan, operation: int | None) -> Iterator[DiffLine]:
    found = worst_first(v for v in plan.verdicts if v.operation == operation)
    for verdict, times in told_once(found):
        sign, look = SIGNS[verdict.level], LOOKS[verdict.level]
        for line in finding(verdict, times).split("\n"):
            yield DiffLine(sign, line, look, (), operation or 0, Role.VERDICT)


def _files(plan: Plan) -> tuple[list[DiffLine], set[int], bool]:
    lines: list[DiffLine] = []
    placed: set[int] = set()
    exact = True
    inserts = Inserts(
        {o.number: _heading(plan, o) for o in plan.operations},
        {o.number: list(_findings(plan, o.number)) for o in plan.operations},
        {o.number: _unplaced(plan, o) for o in plan.operations if o.dropped},
    )
    for change in plan.changes:
        mine = [o for o in plan.operations if o.number not in placed and _concerns(o, change)]
        drawn = draw(change, mine, inserts, plan.verdicts, sections=_sections(plan.proposal))
        lines += [*_file_heading(plan, change), *drawn.lines]
        placed |= drawn.placed
        exact = exact and drawn.exact
    return lines, placed, exact


def _sections(proposal: Proposal) -> bool:
    target = proposal.target
    return target is not None and target.kind in (TargetKind.MEMORY, TargetKind.USER)


def _concerns(outcome: Outcome, change: Change) -> bool:
    target = outcome.target
    if target.kind is not TargetKind.SKILL or not target.path:
        return True
    return change.name == target.path or change.name.endswith(f"/{target.path}")


def _file_heading(plan: Plan, change: Change) -> Iterator[DiffLine]:
    parts = [change.name, _fate(change)]
    usage = plan.usage
    if usage is not None:
        parts.append(f"{sizes(usage)} characters")
    if change.mode is not None and change.before is not None:
        parts.append(f"mode {change.mode:04o}")
    text = " · ".join(part for part in parts if part)
    yield _own(text, Look.HEADING, "=", Role.FILE)


def _fate(change: Change) -> str:
    if change.before is None:
        return "new file"
    if change.after is None:
        where = f", goes to {change.destination}" if change.destination else ""
        return f"removed{where}"
    if change.before == change.after:
        return "unchanged"
    return f"goes to {change.destination}" if change.destination else ""


def _heading(plan: Plan, outcome: Outcome) -> list[DiffLine]:
    parts = [
        f"operation {outcome.number} of {len(plan.operations)}",
        f"{asks(outcome.action)} {file_name(outcome.target)}",
        "left out; approving the rest refuses it" if outcome.dropped else "",
        "edited by you" if outcome.proposed is not None else "",
        "" if outcome.applied or outcome.dropped else "cannot be applied as it is",
    ]
    text = " · ".join(part for part in parts if part)
    lines = [DiffLine("@", text, Look.HEADING, (), outcome.number, Role.OPERATION)]
    lines += _details(_asked(plan, outcome.number), outcome.number)
    if outcome.proposed is not None:
        lines.append(DiffLine("~", "was proposed:", Look.DIM, (), outcome.number, Role.EFFECT))
        lines += text_lines(outcome.proposed, "~", Look.DIM, outcome.number, Role.EFFECT)
    return lines


def _asked(plan: Plan, number: int) -> Operation | None:
    operations = plan.proposal.operations
    return operations[number - 1] if 0 < number <= len(operations) else None


def _details(asked: Operation | None, number: int) -> Iterator[DiffLine]:
    if asked is None:
        return
    details = {
        "category": asked.category,
        "absorbed into": asked.absorbed_into or "",
        "every occurrence": "yes" if asked.replace_all else "",
        "names the target": asked.target,
    }
    for name, value in details.items():
        if value:
            yield DiffLine(" ", f"{name}: {value}", Look.DIM, (), number, Role.EFFECT)


def _elsewhere(plan: Plan, placed: set[int]) -> Iterator[DiffLine]:
    """Operations without a place in the diff of a file: impossible, overtaken by a later one, or
    left out with nothing else in."""
    for outcome in plan.operations:
        if outcome.number in placed:
            continue
        if _is_own(outcome) and plan.changes:
            yield _heading(plan, outcome)[0]  # the diff of the whole file follows
        else:
            yield from _unplaced(plan, outcome)
    if not plan.operations:
        yield from _raw(plan.proposal)


def _is_own(outcome: Outcome) -> bool:
    """Whether it is a person's change of a whole file that takes effect."""
    return outcome.applied and not outcome.dropped and outcome.action in OWN_ACTIONS


def _unplaced(plan: Plan, outcome: Outcome) -> list[DiffLine]:
    """An operation in full, without a part of its own in the diff of a file."""
    heading, *details = _heading(plan, outcome)
    if outcome.applied and not outcome.dropped and plan.changes:
        heading = heading._replace(text=f"{heading.text} · changes nothing of its own below")
    asked, found = _as_asked(plan, outcome), _findings(plan, outcome.number)
    return [heading, *details, *asked, *found]


def _as_asked(plan: Plan, outcome: Outcome) -> Iterable[DiffLine]:
    sign = "x" if outcome.dropped else ""
    asked = _asked(plan, outcome.number)
    if asked is None or _says_all(outcome):
        return operation_lines(outcome, plan.verdicts, sign)
    number = outcome.number
    lines: list[DiffLine] = []
    if asked.old is not None:
        lines.append(_label(f"looks for{_blanks(asked.old)}:", "?", number))
        lines += text_lines(asked.old, "?", Look.OLD, number)
    if asked.content is not None:
        look = Look.LEFT_OUT if outcome.dropped else Look.NEW
        lines.append(_label(f"new text{_blanks(asked.content)}:", " ", number))
        lines += text_lines(asked.content, sign or "+", look, number, verdicts=plan.verdicts)
    return lines


def _says_all(outcome: Outcome) -> bool:
    """Whether the texts before and after hold what was asked for.

    Hermes strips what it takes, so of an operation that changes nothing they may hold less.
    """
    changes = (outcome.before or "") != (outcome.after or "")
    return changes and (outcome.applied or outcome.dropped or outcome.proposed is not None)


def _label(words: str, sign: str, operation: int) -> DiffLine:
    return DiffLine(sign, words, Look.DIM, (), operation, Role.EFFECT)


def _blanks(text: str) -> str:
    """How much there is of a text that nobody could see."""
    return "" if text.strip() else f" ({counted(len(text), 'blank character')})"


def _raw(proposal: Proposal) -> Iterator[DiffLine]:
    yield _own("the record as it is:", Look.HEADING, "=", Role.FILE)
    read = side(proposal.raw)
    if read.text is None:
        read = side(b"")
        yield _own(f"binary, {in_bytes(proposal.raw)}", Look.NOTE)
    yield from text_lines(read.text or "", " ", Look.CONTEXT)


def _tail(plan: Plan, words: Words, exact: bool) -> Iterator[DiffLine]:
    if not exact:
        text = "a part could not be aligned and is drawn whole old, whole new"
        yield _own(text, Look.NOTE, ".", Role.EFFECT)
    if plan.side_effects:
        yield _own("side effects", Look.HEADING, "=", Role.EFFECT)
    for effect in plan.side_effects:
        for line in effect.message.split("\n"):
            yield _own(line, Look.WARNING, "*", Role.EFFECT)
    if words.knock_on:
        yield _own(_knock_on(words.knock_on), Look.WARNING, "*", Role.EFFECT)
    if words.together is not None:
        fits = words.together.fit == words.together.proposals
        look, sign = (Look.NOTE, ".") if fits else (Look.WARNING, "*")
        yield _own(fitting(words.together), look, sign, Role.EFFECT)
    if plan.proposal.summary:
        label = f"proposer's words, not the change: {plan.proposal.summary}"
        yield from text_lines(label, "|", Look.DIM, role=Role.HEAD)


def _knock_on(others: Sequence[Ref]) -> str:
    many = counted(len(others), "other")
    names = ", ".join(ref.id for ref in others)
    return f"approving this makes {many} stale: {names}"
