"""Gates on what comes out: size, change, impact, and what was refused before."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator

from placet.store.model import Action, Code, Outcome, TargetKind, Verdict
from placet.store.plan import refusing
from placet.store.plan.draft import Draft, blocker, note, plural, quoted, warning
from placet.store.text import diff

SIMILAR = 60.0
"""From which similarity (0 to 100) an existing entry is named beside a new one."""

MOST_COMPARED = 4_000
"""Most pairs of additions and entries that are compared, about 15 ms; beyond there is no note."""

_TOKEN = re.compile(r"[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|\w+|[^\w\s]")
"""Words; single characters of scripts that are written without spaces; punctuation."""

_REWRITES = frozenset({Action.REPLACE, Action.EDIT, Action.PATCH, Action.WRITE_FILE, Action.WRITE})


def changes(draft: Draft) -> Iterator[Verdict]:
    """A plan that changes nothing is never approved."""
    if draft.failed or draft.moves:
        return
    if not draft.acting:
        words = "Every operation is left out, so nothing would change."
    elif any(v.code is Code.DUPLICATE for v in draft.verdicts):
        words = "What it adds is there already, so nothing would change."
    else:
        words = "The file already is as it would be afterwards; nothing would change."
    yield blocker(Code.NO_CHANGE, words)


def fits(draft: Draft) -> Iterator[Verdict]:
    """The file stays within its cap; a batch is measured at its end (K03)."""
    usage = draft.usage
    if usage is None or usage.after <= usage.limit or draft.failed or not draft.moves:
        return
    acting = draft.acting
    if not draft.proposal.batch and all(o.action is Action.REMOVE for o in acting):
        return  # a single removal is let through whatever is left, as Hermes does
    over = plural(usage.after - usage.limit, "character")
    words = f"{usage.after:,} of {usage.limit:,} characters: {over} too many."
    if draft.by_person and usage.after <= usage.before:
        yield warning(Code.OVER_LIMIT, f"{words} The file does not grow, so you may still save it.")
    else:
        yield blocker(Code.OVER_LIMIT, f"{words} Remove or shorten something first.")


def high_impact(draft: Draft) -> Iterator[Verdict]:
    """The file ends empty, or with less than half of its entries or characters."""
    if draft.failed or not draft.moves:
        return
    words = _impact(draft)
    if words:
        yield warning(Code.HIGH_IMPACT, words)


def _impact(draft: Draft) -> str:
    if draft.removes is not None:
        return f"The whole skill goes: {plural(len(draft.changes), 'file')}."
    if draft.target is not None and draft.target.kind is TargetKind.SKILL:
        gone = [c.name for c in draft.changes if c.after is None]
        if gone:
            return f"{', '.join(gone)} {'goes' if len(gone) == 1 else 'go'}."
    before, after = draft.sizes
    if draft.entries and not draft.after:
        return f"The file ends with no entry; {plural(len(draft.entries), 'entry')} before."
    if draft.survivors * 2 < len(draft.entries):
        return f"{draft.survivors} of {plural(len(draft.entries), 'entry')} stay."
    if after * 2 < before:
        return f"{after:,} of {plural(before, 'character')} stay."
    return ""


def keeps_half(draft: Draft) -> Iterator[Verdict]:
    """A new text that keeps under half of the old one is marked (field report 1)."""
    for outcome in draft.outcomes:
        if not outcome.applied or outcome.action not in _REWRITES:
            continue
        if outcome.before and outcome.after:
            kept, total = _kept(outcome.before, outcome.after)
            if kept * 2 < total:
                yield warning(
                    Code.KEEPS_UNDER_HALF,
                    f"The new text keeps {100 * kept // total} % of the old one; "
                    f"{plural(total - kept, 'character')} of it "
                    f"{'goes' if total - kept == 1 else 'go'}.",
                    outcome.number,
                )


def _kept(before: str, after: str) -> tuple[int, int]:
    """Return how many characters of the words of `before` are in `after` too, and of how many."""
    half = (len(before) + 1) // 2
    if after.startswith(before[:half]) or after.endswith(before[-half:]):
        return 1, 1  # at least half stands there unchanged; no need to count
    old, new = Counter(_TOKEN.findall(before)), Counter(_TOKEN.findall(after))
    total = sum(len(token) * count for token, count in old.items())
    kept = sum(len(token) * count for token, count in (old & new).items())
    return kept, total


def whitespace_only(draft: Draft) -> Iterator[Verdict]:
    """A change of white space alone looks like nothing, so it is said (field report 111)."""
    for outcome in draft.outcomes:
        if outcome.applied and _only_blanks(outcome):
            words = "Only white space changes."
            yield note(Code.WHITESPACE_ONLY, words, outcome.number)


def _only_blanks(outcome: Outcome) -> bool:
    before, after = outcome.before, outcome.after
    if not before or not after or before == after:
        return False
    return "".join(before.split()) == "".join(after.split())


def similar_entry(draft: Draft) -> Iterator[Verdict]:
    """Each addition names the most similar entry that is there already (field report 18)."""
    added = [(o.number, o.after) for o in draft.outcomes if o.action is Action.ADD and o.applied]
    if len(added) * len(draft.entries) > MOST_COMPARED:
        return
    for number, text in added:
        best, entry = _most_similar(text or "", draft.entries)
        if best >= SIMILAR:
            words = f"{best:.0f} % similar to the entry {quoted(entry)}."
            yield note(Code.SIMILAR_ENTRY, words, number)


def _most_similar(text: str, entries: tuple[str, ...]) -> tuple[float, str]:
    return max(((diff.similarity(text, e), e) for e in entries), default=(0.0, ""))


GATES = (
    changes,
    fits,
    refusing.refused_before,
    high_impact,
    keeps_half,
    refusing.edited_before,
    whitespace_only,
    similar_entry,
    refusing.refused_elsewhere,
    refusing.similar_refused,
)
"""Run over the finished draft."""
