"""What an earlier no means for a proposal (design §7), before and while it is planned."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from placet.store.model import (
    BACKGROUND_REVIEW,
    Choice,
    Code,
    Level,
    Past,
    Proposal,
    RefusedHit,
    Verdict,
)
from placet.store.plan.draft import Draft, blocker, note, quoted, warning
from placet.store.text import times


def default_choice(proposal: Proposal, past: Past) -> Choice:
    """Return the choice that holds until a person makes another: pre-dropped operations left out.

    Args:
        proposal: What is asked for.
        past: What the ledger knows about it.

    Returns:
        Drops exactly the operations that were refused before, where only some of a background
        record's were; otherwise drops nothing.
    """
    if not _judged(proposal, past) or covers(proposal, past, Choice()):
        return Choice()
    return Choice(dropped=frozenset(_refused(proposal, past)))


def covers(proposal: Proposal, past: Past, choice: Choice) -> bool:
    """Whether the refusal rule covers the whole record, so that it is *refused*.

    Args:
        proposal: What is asked for.
        past: What the ledger knows about it.
        choice: A person's edit makes it something else than what was refused.
    """
    if not _judged(proposal, past) or choice.edited or not proposal.operations:
        return False
    if len(_refused(proposal, past)) == len(proposal.operations):
        return True
    return past.batch is not None and not choice.dropped


def refused_before(draft: Draft) -> Iterator[Verdict]:
    """Gate: say what was refused before, as strongly as the rule of §7 asks."""
    proposal, past = draft.proposal, draft.context.past
    if covers(proposal, past, draft.choice):
        hit = past.batch or next(iter(past.refused.values()))
        yield blocker(
            Code.REFUSED_BEFORE,
            f"{_refusal(hit)} Put it back to decide again, or lift the refusal.",
        )
        return
    level = Level.NOTE if draft.by_person else Level.WARNING
    if past.batch is not None:
        level_of_batch = Level.NOTE if draft.choice.dropped or draft.choice.edited else level
        yield Verdict(Code.REFUSED_BEFORE, level_of_batch, _refusal(past.batch))
    for number, hit in sorted(past.refused.items()):
        if number in draft.edits:
            continue
        if number in draft.choice.dropped:
            yield note(Code.REFUSED_BEFORE, f"Left out. {_refusal(hit)}", number)
        else:
            words = f"{_refusal(hit)} Approving it lifts that refusal."
            yield Verdict(Code.REFUSED_BEFORE, level, words, number)


def refused_elsewhere(draft: Draft) -> Iterator[Verdict]:
    """Gate: the same text was refused for another target."""
    for number, hit in sorted(draft.context.past.elsewhere.items()):
        yield note(Code.REFUSED_ELSEWHERE, f"For {hit.target}: {_refusal(hit)}", number)


def similar_refused(draft: Draft) -> Iterator[Verdict]:
    """Gate: something similar was refused; similarity never blocks."""
    for number, hits in sorted(draft.context.past.similar.items()):
        for hit in hits:
            words = f"Similar to what was refused on {times.day(hit.date)} (#{hit.event})"
            yield note(Code.SIMILAR_REFUSED, f"{words}{_difference(draft, number, hit)}", number)


def _difference(draft: Draft, number: int, hit: RefusedHit) -> str:
    """Say which words differ between an operation's new text and a refused one."""
    now = next((o.after or "" for o in draft.outcomes if o.number == number), "")
    if not hit.text:
        return "."
    here, there = Counter(now.split()), Counter(hit.text.split())
    parts = [f": {quoted(hit.text)}."]
    for where, words in (("Only here", here - there), ("Only there", there - here)):
        if words:
            parts.append(f" {where}: {quoted(' '.join(words))}.")
    return "".join(parts)


def edited_before(draft: Draft) -> Iterator[Verdict]:
    """Gate: a person approved an edited form of this before."""
    for number, date in sorted(draft.context.past.edited.items()):
        if number not in draft.edits and number not in draft.choice.dropped:
            words = f"You edited this on {times.day(date)} and approved your own text instead."
            yield warning(Code.EDITED_BEFORE, words, number)


def _judged(proposal: Proposal, past: Past) -> bool:
    return proposal.origin == BACKGROUND_REVIEW and not past.put_back


def _refused(proposal: Proposal, past: Past) -> set[int]:
    return {n for n in past.refused if 1 <= n <= len(proposal.operations)}


def _refusal(hit: RefusedHit) -> str:
    what = "This set of operations" if hit.kind == "batch" else "This"
    reason = f": {hit.reason}" if hit.reason else "."
    return f"{what} was refused on {times.day(hit.date)} (#{hit.event}){reason}"
