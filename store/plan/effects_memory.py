"""What operations do to a memory file, one after the other on the running entries.

The semantics are those observed of Hermes (`add`, `replace`, `remove` and their batch): an entry is
found by a part of it and replaced or removed whole; a batch is all or nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from placet.store.formats import section
from placet.store.model import (
    Action,
    Change,
    Code,
    FileState,
    Operation,
    Outcome,
    SideEffect,
    Target,
    Usage,
    Verdict,
)
from placet.store.plan import side_effects
from placet.store.plan.draft import (
    NEW_FILE_MODE,
    Draft,
    Fresh,
    blocker,
    decoded,
    note,
    quoted,
    writable,
)

BYTE_ORDER_MARK = "\ufeff"

MOST_COMPARED = 1_000
"""Most entries that are searched for the one closest to a text that is not there."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Miss:
    """Why a selector names no single entry."""

    code: Code
    message: str


@dataclass(slots=True)
class Running:
    """The entries while operations are carried out.

    Attributes:
        entries: The entries as they stand.
        old: For each entry, whether it was there before (a replaced one counts).
        batch: Whether several operations are one unit.
        outcomes: What each operation did.
        verdicts: What was found on the way.
        failed: Whether an operation could not be carried out.
        writes: Whether Hermes would write the file at all.
    """

    entries: list[str]
    old: list[bool]
    batch: bool
    outcomes: list[Outcome] = field(default_factory=list[Outcome])
    verdicts: list[Verdict] = field(default_factory=list[Verdict])
    failed: bool = False
    writes: bool = False


@dataclass(frozen=True, slots=True)
class Step:
    """One operation as the person's choice leaves it.

    Attributes:
        number: Counted from 1.
        operation: What the record asks for.
        content: Its new text, the person's where they edited it.
        edited: Whether they did.
        dropped: Whether it is left out.
        target: Where it lands.
    """

    number: int
    operation: Operation
    content: str
    edited: bool
    dropped: bool
    target: Target


def apply(draft: Draft) -> Draft:
    """Carry out a memory proposal against its snapshot.

    Args:
        draft: A blank draft whose target is `memory` or `user` and whose file could be read.

    Returns:
        The draft with changes, outcomes, side effects, usage and what was found on the way.
    """
    state = draft.snapshot.files[""]
    before = decoded(state.data) or ""
    match draft.proposal.operations[0].action:
        case Action.NORMALISE:
            after, drafted = _normalised(draft, before)
        case Action.RESTORE:
            after, drafted = _restored(draft, before)
        case _:
            after, drafted = _operated(draft, before, state.data)
    return _finished(drafted, state, before, after)


def run(steps: Sequence[Step], entries: Sequence[str], batch: bool) -> Running:
    """Carry out `steps` on `entries`; pure, no file involved.

    Args:
        steps: The operations in order.
        entries: Distinct entries of the file.
        batch: Whether they are one unit, which forgives a duplicate `add`.

    Returns:
        The running state afterwards; its entries mean nothing where `failed` is set.
    """
    running = Running(list(entries), [True] * len(entries), batch)
    for step in steps:
        if step.dropped:
            _leave_out(running, step)
        else:
            _STEPS.get(step.operation.action, _unknown)(running, step)
    if running.failed:
        running.outcomes = [replace(o, applied=False) for o in running.outcomes]
    return running


def steps_of(draft: Draft) -> list[Step]:
    """Return the operations of a draft as its choice leaves them."""
    target = draft.target or draft.outcomes[0].target
    return [
        Step(
            number=number,
            operation=operation,
            content=draft.edits.get(number, operation.content or "").strip(),
            edited=number in draft.edits,
            dropped=number in draft.choice.dropped,
            target=target,
        )
        for number, operation in enumerate(draft.proposal.operations, 1)
    ]


def locate(entries: Sequence[str], operation: Operation) -> int | Miss:
    """Find the one entry that an operation selects, without guessing.

    Args:
        entries: The entries as they stand.
        operation: Its `matched` names the whole entry where the record pins it; else `old` is a
            part of exactly one distinct entry.

    Returns:
        Index of the entry, or why there is none.
    """
    if operation.matched is not None:
        return _pinned(entries, operation.matched)
    part = (operation.old or "").strip()
    if not part:
        return Miss(Code.ANCHOR_MISSING, "The selector is empty, so it names no entry.")
    hits = [index for index, entry in enumerate(entries) if part in entry]
    if not hits:
        return Miss(Code.ANCHOR_MISSING, _nowhere(entries, part))
    distinct = {entries[index] for index in hits}
    if len(distinct) > 1:
        return Miss(
            Code.ANCHOR_AMBIGUOUS,
            f"{quoted(part)} is part of {len(distinct)} entries, so it is unclear which is meant: "
            + ", ".join(quoted(entries[i], 80) for i in hits[:4])
            + ("…" if len(hits) > 4 else "."),
        )
    return hits[0]


def _pinned(entries: Sequence[str], matched: str) -> int | Miss:
    for wanted in (matched, matched.strip()):
        if wanted in entries:
            return entries.index(wanted)
    return Miss(
        Code.ENTRY_CHANGED,
        f"The entry this was proposed for is no longer there as it was: {quoted(matched)}.",
    )


def _nowhere(entries: Sequence[str], part: str) -> str:
    nearest = _nearest(entries, part)
    closest = f" The closest entry is {quoted(nearest)}." if nearest else ""
    return f"No entry contains {quoted(part)}.{closest}"


def _nearest(entries: Sequence[str], part: str) -> str:
    """Return the entry that shares most words with `part`, or nothing where none does."""
    words = set(_WORD.findall(part.casefold()))
    best, most = "", 0
    for entry in entries[:MOST_COMPARED]:
        shared = sum(map(len, words.intersection(_WORD.findall(entry.casefold()))))
        if shared > most:
            best, most = entry, shared
    return best


def _leave_out(running: Running, step: Step) -> None:
    before = None
    if step.operation.action is not Action.ADD:
        found = locate(running.entries, step.operation)
        before = running.entries[found] if isinstance(found, int) else None
    running.outcomes.append(_outcome(step, before, _text(step), dropped=True, applied=False))


def _add(running: Running, step: Step) -> None:
    if not _has_content(running, step):
        return
    if step.content in running.entries:
        _duplicate(running, step)
        return
    running.entries.append(step.content)
    running.old.append(False)
    _done(running, step, None, step.content)


def _duplicate(running: Running, step: Step) -> None:
    message = f"This entry is already there: {quoted(step.content)}."
    running.verdicts.append(note(Code.DUPLICATE, message, step.number))
    if running.batch:
        running.writes = True
    outcome = _outcome(step, step.content, step.content, applied=False)
    running.outcomes.append(outcome)


def _replace(running: Running, step: Step) -> None:
    found = _found(running, step)
    if found is None or not _has_content(running, step):
        return
    before = running.entries[found]
    running.entries[found] = step.content
    _done(running, step, before, step.content)


def _remove(running: Running, step: Step) -> None:
    found = _found(running, step)
    if found is None:
        return
    before = running.entries.pop(found)
    running.old.pop(found)
    _done(running, step, before, None)


def _unknown(running: Running, step: Step) -> None:
    _fail(running, step, Code.MALFORMED, f"“{step.operation.action}” is no action on an entry.")


STEP_ACTIONS = frozenset({Action.ADD, Action.REPLACE, Action.REMOVE})
"""Actions that `run` knows."""

_STEPS = {Action.ADD: _add, Action.REPLACE: _replace, Action.REMOVE: _remove}


def _found(running: Running, step: Step) -> int | None:
    found = locate(running.entries, step.operation)
    if isinstance(found, Miss):
        _fail(running, step, found.code, found.message)
        return None
    return found


def _has_content(running: Running, step: Step) -> bool:
    if not step.content:
        _fail(running, step, Code.EMPTY_CONTENT, "The new text is empty or only white space.")
        return False
    if not writable(step.content):
        message = "The new text holds half of a surrogate pair, which UTF-8 cannot hold."
        _fail(running, step, Code.MALFORMED, message)
        return False
    return True


def _fail(running: Running, step: Step, code: Code, message: str) -> None:
    running.failed = True
    running.verdicts.append(blocker(code, message, step.number))
    running.outcomes.append(_outcome(step, None, _text(step), applied=False))


def _done(running: Running, step: Step, before: str | None, after: str | None) -> None:
    running.writes = True
    running.outcomes.append(_outcome(step, before, after))


def _text(step: Step) -> str | None:
    return None if step.operation.action is Action.REMOVE else step.content


def _outcome(
    step: Step,
    before: str | None,
    after: str | None,
    *,
    dropped: bool = False,
    applied: bool = True,
) -> Outcome:
    proposed = step.operation.content if step.edited else None
    return Outcome(
        step.number,
        step.operation.action,
        step.target,
        before,
        after,
        proposed,
        dropped,
        applied,
    )


def _operated(draft: Draft, before: str, data: bytes | None) -> tuple[bytes | None, Draft]:
    entries = section.unique(section.parse(before))
    running = run(steps_of(draft), entries, draft.proposal.batch)
    fresh = tuple(Fresh(o.number, o.after) for o in running.outcomes if o.after and _brings(o))
    after = data
    if running.writes and not running.failed:
        after = section.render(running.entries).encode("utf-8")
    unchanged = running.failed or not running.writes
    return after, replace(
        draft,
        outcomes=tuple(running.outcomes),
        verdicts=tuple(running.verdicts),
        entries=tuple(entries),
        after=tuple(entries if unchanged else running.entries),
        survivors=len(entries) if unchanged else sum(running.old),
        fresh=fresh,
        failed=running.failed,
    )


def _brings(outcome: Outcome) -> bool:
    return not outcome.dropped and outcome.after != outcome.before


def _normalised(draft: Draft, before: str) -> tuple[bytes | None, Draft]:
    entries = section.unique(section.parse(before))
    text = section.render(entries)
    outcome = replace(draft.outcomes[0], before=before, after=text, applied=True)
    kept = tuple(entries)
    return text.encode("utf-8"), replace(
        draft, outcomes=(outcome,), entries=kept, after=kept, survivors=len(kept)
    )


def _restored(draft: Draft, before: str) -> tuple[bytes | None, Draft]:
    data = {path: data for path, data, _ in draft.proposal.operations[0].files}.get("")
    text = decoded(data)
    was = section.unique(section.parse(before))
    after = section.unique(section.parse(text or ""))
    known = set(was)
    outcome = replace(draft.outcomes[0], before=before, after=text, applied=True)
    found: tuple[Verdict, ...] = ()
    if data is not None and text is None:
        found = (blocker(Code.UNREADABLE, "The text to restore is not UTF-8.", 1),)
    return data, replace(
        draft,
        outcomes=(outcome,),
        verdicts=found,
        entries=tuple(was),
        after=tuple(after),
        survivors=len(known.intersection(after)),
        fresh=tuple(Fresh(1, entry, None) for entry in after if entry not in known),
        failed=bool(found),
    )


def _finished(draft: Draft, state: FileState, before: str, after: bytes | None) -> Draft:
    limit = draft.context.config.limit(draft.outcomes[0].target)
    sizes = section.size(draft.entries), section.size(draft.after)
    usage = None if limit is None else Usage(*sizes, limit)
    if draft.failed or after == state.data:
        return replace(draft, usage=usage, sizes=sizes)
    name = f"memories/{state.path.name}"
    change = Change(state.path, name, state.data, after, _mode(draft, state))
    effects = [*side_effects.of_file(state, after)]
    if draft.proposal.operations[0].action is not Action.RESTORE:
        effects += _normalising(before, decoded(after) or "")
    return replace(draft, changes=(change,), side_effects=tuple(effects), usage=usage, sizes=sizes)


def _mode(draft: Draft, state: FileState) -> int | None:
    if state.data is not None:
        return None
    given = {path: mode for path, _, mode in draft.proposal.operations[0].files}
    return given.get("") or NEW_FILE_MODE


def _normalising(before: str, after: str) -> Iterator[SideEffect]:
    """Say what re-joining the entries changes that no operation names."""
    yield from section.side_effects(before)
    if before.startswith(BYTE_ORDER_MARK) and not after.startswith(BYTE_ORDER_MARK):
        yield SideEffect("byte-order-mark", "The byte order mark at the start goes (U+FEFF).")
