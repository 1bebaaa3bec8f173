"""Gates on the text that comes in; they rank attention and never hide anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from placet.store.formats import section
from placet.store.model import Action, Code, Level, TargetKind, Verdict, sha256
from placet.store.plan.draft import Draft, Fresh, blocker
from placet.store.text import scan, suspect
from placet.store.text.scan import Hit
from placet.store.text.suspect import Mark, MarkKind

MOST = 40
"""Most verdicts that one gate gives for one text; the marks in the text itself have no bound."""

_SECTIONED = frozenset({TargetKind.MEMORY, TargetKind.USER})


def forged_delimiter(draft: Draft) -> Iterator[Verdict]:
    """Text that would be read back as something else than itself is refused (D6)."""
    if draft.target is None or draft.target.kind not in _SECTIONED or not draft.changes:
        return
    if draft.proposal.operations[0].action is Action.RESTORE:
        return  # its bytes stood in this file before and are put back as they were
    split = False
    for fresh in draft.fresh:
        reason = section.would_split(fresh.text)
        if reason:
            split = True
            words = f"{reason} Edit the text so that it stays one entry."
            yield blocker(Code.FORGED_DELIMITER, words, fresh.number)
    if not split and section.parse(section.render(draft.after)) != list(draft.after):
        yield blocker(
            Code.FORGED_DELIMITER,
            "Two entries would grow together when read back, because one ends or starts with a "
            "line that holds only “§”. Edit that entry first.",
        )


def threats(draft: Draft) -> Iterator[Verdict]:
    """What Hermes itself would refuse or mask; a person may vouch for the exact text (D9)."""
    for fresh in draft.fresh:
        hits = scan.threats(fresh.text)
        if not hits:
            continue
        level, code, words = _weight(draft, fresh)
        for hit in hits[:MOST]:
            yield _verdict(code, level, f"{hit.words} {words}", fresh, hit)


def _weight(draft: Draft, fresh: Fresh) -> tuple[Level, Code, str]:
    if draft.target is None or draft.target.kind not in _SECTIONED:
        return Level.WARNING, Code.THREAT, "Hermes would refuse this in memory; here it does not."
    if _vouched(draft, fresh):
        return Level.WARNING, Code.VOUCHED, "You vouched for this text; Hermes still masks it."
    return Level.BLOCKER, Code.THREAT, "Hermes would refuse or mask this. Edit it, or vouch for it."


def _vouched(draft: Draft, fresh: Fresh) -> bool:
    known = draft.context.past.vouched
    if not known:
        return False
    texts = [fresh.text, *(o.after for o in draft.outcomes if o.number == fresh.number and o.after)]
    return any(sha256(text.encode("utf-8", "surrogatepass")) in known for text in texts)


def disguised(draft: Draft) -> Iterator[Verdict]:
    """The same rules over what a reader would see: look-alikes, soft hyphens, past Hermes' cap."""
    for fresh in draft.fresh:
        for hit in scan.disguised(fresh.text)[:MOST]:
            words = f"{hit.words} Hermes would miss this, because the text is disguised."
            yield _verdict(Code.THREAT_DISGUISED, Level.WARNING, words, fresh, hit)


def phrases(draft: Draft) -> Iterator[Verdict]:
    """Our own further rules; notes only."""
    return _hits(draft, scan.phrases, Code.PHRASE, Level.NOTE)


def secrets(draft: Draft) -> Iterator[Verdict]:
    """Something that looks like a credential."""
    return _hits(draft, scan.secrets, Code.SECRET, Level.WARNING)


def residue(draft: Draft) -> Iterator[Verdict]:
    """Residue of machines: scores, transcript prefixes, command lines (field report 45)."""
    return _hits(draft, scan.residue, Code.MACHINE_RESIDUE, Level.NOTE)


def hidden(draft: Draft) -> Iterator[Verdict]:
    """Every kind of hidden character is named with its code point (K10)."""
    for fresh in draft.fresh:
        for mark, count in _by_label(suspect.hidden(fresh.text)):
            times = f", {count:,} times" if count > 1 else ""
            words = f"Hidden character {mark.label}{times}."
            yield _marked(Code.HIDDEN_CHARACTERS, Level.WARNING, words, fresh, mark)


def mixed_script(draft: Draft) -> Iterator[Verdict]:
    """A word that mixes scripts may look like another one."""
    for fresh in draft.fresh:
        if fresh.text.isascii():
            continue
        for mark in suspect.mixed_script_words(fresh.text)[:MOST]:
            words = f"A word mixes scripts: {mark.label}."
            yield _marked(Code.MIXED_SCRIPT, Level.WARNING, words, fresh, mark)


def joiners(draft: Draft) -> Iterator[Verdict]:
    """Joiners in proper use (emoji, Persian) are named, and pass."""
    for fresh in draft.fresh:
        if fresh.text.isascii():
            continue
        found = [m for m in suspect.marks(fresh.text) if m.kind is MarkKind.JOINER]
        for mark, count in _by_label(found):
            words = f"{count:,} × {mark.label}, used as the script or emoji asks."
            yield _marked(Code.JOINERS, Level.NOTE, words, fresh, mark)


def _hits(
    draft: Draft, rules: Callable[[str], tuple[Hit, ...]], code: Code, level: Level
) -> Iterator[Verdict]:
    for fresh in draft.fresh:
        for hit in rules(fresh.text)[:MOST]:
            yield _verdict(code, level, hit.words, fresh, hit)


def _by_label(marks: Iterable[Mark]) -> list[tuple[Mark, int]]:
    first: dict[str, Mark] = {}
    count: dict[str, int] = {}
    for mark in marks:
        first.setdefault(mark.label, mark)
        count[mark.label] = count.get(mark.label, 0) + 1
    return [(first[label], count[label]) for label in list(first)[:MOST]]


def _verdict(code: Code, level: Level, words: str, fresh: Fresh, hit: Hit) -> Verdict:
    return Verdict(code, level, words, fresh.number, _span(fresh, hit.start, hit.end), hit.rule)


def _marked(code: Code, level: Level, words: str, fresh: Fresh, mark: Mark) -> Verdict:
    return Verdict(code, level, words, fresh.number, _span(fresh, mark.start, mark.end))


def _span(fresh: Fresh, start: int, end: int) -> tuple[int, int] | None:
    if fresh.offset is None:
        return None
    return fresh.offset + start, fresh.offset + end


GATES = (
    forged_delimiter,
    threats,
    disguised,
    hidden,
    mixed_script,
    secrets,
    phrases,
    residue,
    joiners,
)
"""Run over the finished draft."""
