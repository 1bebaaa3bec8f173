"""The complete diff of one file, with every operation's heading and findings in their place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from placet.console.pages.cells import Look
from placet.console.pages.lines import DiffLine, Role, Span
from placet.console.pages.sides import Side, hex_rows, side
from placet.console.pages.syntax import languages
from placet.console.phrases.amounts import in_bytes
from placet.store.model import Change, Outcome, Verdict, sha256
from placet.store.text import diff
from placet.store.text.diff import Line, Tag

SECTION = "§"
"""The line between two entries of a memory file."""

AROUND = 3
"""Unchanged lines beside a change that always show."""

SIGNS = {Tag.SAME: " ", Tag.OLD: "-", Tag.NEW: "+"}
LOOKS = {Tag.SAME: Look.CONTEXT, Tag.OLD: Look.OLD, Tag.NEW: Look.NEW}
_WORDS = {Tag.OLD: Look.OLD_WORD, Tag.NEW: Look.NEW_WORD}


@dataclass(frozen=True, slots=True)
class Inserts:
    """Lines that belong to an operation and are put around its part of the diff.

    Attributes:
        headings: What stands above its part.
        findings: What stands below it.
        left_out: All there is of an operation that is left out; it stands where it would act.
    """

    headings: Mapping[int, Sequence[DiffLine]]
    findings: Mapping[int, Sequence[DiffLine]]
    left_out: Mapping[int, Sequence[DiffLine]] = field(
        default_factory=dict[int, Sequence[DiffLine]]
    )


@dataclass(slots=True)
class Drawn:
    """What one file became.

    Attributes:
        lines: Its lines, headings and findings included.
        placed: Operations whose place was found in it.
        exact: False where a part is drawn whole old, whole new.
    """

    lines: list[DiffLine] = field(default_factory=list[DiffLine])
    placed: set[int] = field(default_factory=set[int])
    exact: bool = True


@dataclass(frozen=True, slots=True)
class _Owners:
    old: dict[int, int]
    new: dict[int, int]
    starts: dict[int, int]

    def of(self, line: Line) -> int:
        if line.new is not None and line.tag is not Tag.OLD:
            return self.new.get(line.new, 0)
        return self.old.get(line.old, 0) if line.old is not None else 0


class _Spoken(NamedTuple):
    """The language of every line of either side."""

    old: Sequence[str] = ()
    new: Sequence[str] = ()

    @classmethod
    def of_file(cls, name: str, before: str | None, after: str | None) -> _Spoken:
        return cls(languages(name, before), languages(name, after))

    def of(self, line: Line) -> str:
        side, at = (self.old, line.old) if line.tag is Tag.OLD else (self.new, line.new)
        return side[at] if at is not None and at < len(side) else ""


def draw(
    change: Change,
    operations: Sequence[Outcome],
    inserts: Inserts,
    verdicts: Sequence[Verdict],
    *,
    sections: bool,
) -> Drawn:
    """Draw one file completely: what stays, what goes, what comes.

    Args:
        change: The file, before and after.
        operations: What concerns this file.
        inserts: Headings and findings of the operations.
        verdicts: Findings with spans inside the operations' new text.
        sections: Whether the file is one of entries between `§` lines.
    """
    before, after = side(change.before), side(change.after)
    if before.binary is not None or after.binary is not None:
        return _draw_binary(change, before, after, operations, inserts)
    found = diff.lines(_ended(before.text, sections), _ended(after.text, sections))
    owners = _owners(before.text, after.text, operations, sections)
    drawn = Drawn(exact=found.exact)
    drawn.lines.extend(_oddities(before, after))
    hits = _hits(operations, owners, verdicts)
    spoken = _Spoken() if sections else _Spoken.of_file(change.name, before.text, after.text)
    body = _resting(_body(found.lines, owners, hits, sections, spoken))
    left = _left_out(operations, found.lines, after.text, body) if sections else {}
    drawn.placed = {line.operation for line in body if line.operation}.union(*left.values())
    drawn.lines.extend(_with_inserts(body, inserts, left))
    return drawn


def operation_lines(
    outcome: Outcome, verdicts: Sequence[Verdict], sign: str = ""
) -> list[DiffLine]:
    """An operation's own text where it has no place in the diff of the file.

    Args:
        outcome: The operation.
        verdicts: Findings with spans inside its new text.
        sign: Sign of every line; "" for "-" and "+".
    """
    found = diff.lines(_ended(outcome.before, True), _ended(outcome.after, True))
    hits = hits_in(outcome.after or "", outcome.number, verdicts)
    owners = _Owners({}, {}, {})
    lines = [
        line._replace(operation=outcome.number)
        for line in _body(found.lines, owners, hits, True, _Spoken())
    ]
    if not sign:
        return lines
    return [line._replace(sign=sign, look=Look.LEFT_OUT) for line in lines]


def text_lines(
    text: str,
    sign: str,
    look: Look,
    operation: int = 0,
    role: Role = Role.TEXT,
    verdicts: Sequence[Verdict] = (),
) -> list[DiffLine]:
    """Any text line by line, split at line feeds only.

    Args:
        text: The text.
        sign: Sign of every line.
        look: Look of every line.
        operation: Operation it belongs to, or 0.
        role: What the lines are for.
        verdicts: Findings with spans inside the text.
    """
    hits = hits_in(text, operation, verdicts)
    return [
        DiffLine(sign, line, look, tuple(hits.get(at, ())), operation, role)
        for at, line in enumerate(text.split("\n"))
    ]


def hits_in(text: str, operation: int, verdicts: Sequence[Verdict]) -> dict[int, list[Span]]:
    """Spans of an operation's findings, by line of its new text."""
    hits: dict[int, list[Span]] = {}
    for verdict in verdicts:
        if verdict.span is not None and verdict.operation == operation:
            for line, a, b in _split_span(text, verdict.span):
                hits.setdefault(line, []).append((a, b, Look.HIT))
    return hits


def _ended(text: str | None, sections: bool) -> str | None:
    """A section file's last entry never ends in a line feed; ending it keeps an added entry
    after it from looking like a change of it."""
    return text + "\n" if sections and text else text


def _line(line: Line, operation: int, sections: bool) -> DiffLine:
    delimiter = sections and line.text == SECTION
    look = Look.DELIMITER if delimiter and line.tag is Tag.SAME else LOOKS[line.tag]
    word = _WORDS.get(line.tag)
    spans = tuple((a, b, word) for a, b in line.spans) if word is not None else ()
    role = Role.DELIMITER if delimiter else Role.TEXT
    return DiffLine(SIGNS[line.tag], line.text, look, spans, operation, role)


def _body(
    lines: Iterable[Line],
    owners: _Owners,
    hits: Mapping[int, Sequence[Span]],
    sections: bool,
    spoken: _Spoken,
) -> list[DiffLine]:
    body: list[DiffLine] = []
    for line in lines:
        resting = sections and line.tag is Tag.SAME and line.text == SECTION
        drawn = _line(line, 0 if resting else owners.of(line), sections)
        drawn = drawn._replace(language=spoken.of(line))
        if line.new is not None and line.new in hits:
            drawn = drawn._replace(spans=(*drawn.spans, *hits[line.new]))
        body.append(drawn)
        if not line.eol and not sections:
            words = "no newline at the end of the file"
            body.append(DiffLine(drawn.sign, words, Look.NOTE, (), drawn.operation, Role.EFFECT))
    return body


def _resting(body: Sequence[DiffLine]) -> list[DiffLine]:
    """Mark what stays as it is with no change within `AROUND` lines of it."""
    moving = [at for at, line in enumerate(body) if line.sign != " " or line.spans]
    if not moving:
        return list(body)
    near: set[int] = set()
    for at in moving:
        near.update(range(at - AROUND, at + AROUND + 1))
    return [line if at in near else line._replace(rest=True) for at, line in enumerate(body)]


def _left_out(
    operations: Sequence[Outcome],
    lines: Sequence[Line],
    after: str | None,
    body: Sequence[DiffLine],
) -> dict[int, list[int]]:
    """Where operations that are left out stand: their numbers by the line they stand before.

    That is the entry that they are about, else in the order of the operations. One that would add
    what is there already would not act, and has no place.
    """
    at = {line.new: n for n, line in enumerate(lines) if line.tag is not Tag.OLD}
    first = {line.operation: n for n, line in reversed(list(enumerate(body))) if line.operation}
    starts = {entry: start for entry, start, _ in reversed(_entries(after))}
    found: dict[int, list[int]] = {}
    for outcome in (o for o in operations if o.dropped):
        if outcome.before is None and _normal(outcome.after or "") in starts:
            continue
        line = at.get(starts.get(_normal(outcome.before or ""), -1))
        if line is None:
            later = (n for number, n in first.items() if number > outcome.number)
            line = min(later, default=len(body))
        found.setdefault(line, []).append(outcome.number)
    return found


def _with_inserts(
    body: Sequence[DiffLine], inserts: Inserts, left: Mapping[int, Sequence[int]]
) -> Iterator[DiffLine]:
    last = {line.operation: at for at, line in enumerate(body)}
    headed: set[int] = set()
    for at, line in enumerate(body):
        for out in left.get(at, ()):
            yield from inserts.left_out.get(out, ())
        number = line.operation
        if number and number not in headed:
            headed.add(number)
            yield from inserts.headings.get(number, ())
        yield line
        if number and last[number] == at:
            yield from inserts.findings.get(number, ())
    for out in left.get(len(body), ()):
        yield from inserts.left_out.get(out, ())


def _owners(
    before: str | None, after: str | None, operations: Sequence[Outcome], sections: bool
) -> _Owners:
    """Tell which lines of either side belong to which operation."""
    owners = _Owners({}, {}, {})
    acting = [o for o in operations if o.applied and not o.dropped]
    if not sections:
        if acting:
            _own_all(owners, before, after, acting)
        return owners
    for text, lines, old in ((before, owners.old, True), (after, owners.new, False)):
        entries = _entries(text)
        for outcome in acting:
            wanted = outcome.before if old else outcome.after
            place = _take(entries, wanted)
            if place is not None:
                lines.update(dict.fromkeys(range(place[0], place[1]), outcome.number))
                if not old:
                    owners.starts[outcome.number] = place[0]
    for lines in (owners.old, owners.new):
        _own_delimiters(lines)
    return owners


def _own_all(
    owners: _Owners, before: str | None, after: str | None, acting: Sequence[Outcome]
) -> None:
    number = acting[0].number
    owners.old.update(dict.fromkeys(range((before or "").count("\n") + 1), number))
    owners.new.update(dict.fromkeys(range((after or "").count("\n") + 1), number))
    owners.starts[number] = 0


def _own_delimiters(lines: dict[int, int]) -> None:
    """The `§` line before an operation's entry comes or goes with it, under one heading."""
    for number in sorted(lines):
        if number and number - 1 not in lines:
            lines[number - 1] = lines[number]


_Entry = tuple[str, int, int]


def _entries(text: str | None) -> list[_Entry]:
    """Entries of a section file with their first line and the line after their last."""
    if text is None:
        return []
    lines = text.split("\n")
    marks = [n for n, line in enumerate(lines) if line.rstrip("\r") == SECTION]
    edges = zip([-1, *marks], [*marks, len(lines)], strict=True)
    return [(_normal("\n".join(lines[a + 1 : b])), a + 1, b) for a, b in edges]


def _normal(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def _take(entries: list[_Entry], wanted: str | None) -> tuple[int, int] | None:
    if wanted is None:
        return None
    text = _normal(wanted)
    for at, (entry, first, last) in enumerate(entries):
        if entry == text:
            del entries[at]
            return first, last
    return None


def _hits(
    operations: Sequence[Outcome], owners: _Owners, verdicts: Sequence[Verdict]
) -> dict[int, list[Span]]:
    """Spans of findings, by line of the new side of the file."""
    hits: dict[int, list[Span]] = {}
    for outcome in operations:
        start = owners.starts.get(outcome.number)
        if start is not None:
            found = hits_in(outcome.after or "", outcome.number, verdicts)
            hits.update({start + line: spans for line, spans in found.items()})
    return hits


def _split_span(text: str, span: tuple[int, int]) -> Iterator[tuple[int, int, int]]:
    at = 0
    for number, line in enumerate(text.split("\n")):
        a, b = max(span[0] - at, 0), min(span[1] - at, len(line))
        if a < b:
            yield number, a, b
        at += len(line) + 1
        if at > span[1]:
            return


def _oddities(before: Side, after: Side) -> Iterator[DiffLine]:
    for sign, this in (("-", before), ("+", after)):
        if this.problem:
            yield DiffLine(sign, this.problem, Look.WARNING, role=Role.EFFECT)
        if this.text is not None and this.text.startswith("\ufeff"):
            words = "begins with a byte order mark"
            yield DiffLine(sign, words, Look.NOTE, role=Role.EFFECT)


def _draw_binary(
    change: Change, before: Side, after: Side, operations: Sequence[Outcome], inserts: Inserts
) -> Drawn:
    drawn = Drawn()
    for outcome in operations:
        drawn.placed.add(outcome.number)
        drawn.lines.extend(inserts.headings.get(outcome.number, ()))
    number = operations[0].number if operations else 0
    pairs = ((Tag.OLD, change.before, before), (Tag.NEW, change.after, after))
    for tag, data, this in pairs:
        if data is not None:
            drawn.lines.extend(_binary_side(tag, data, this, number))
    for outcome in operations:
        drawn.lines.extend(inserts.findings.get(outcome.number, ()))
    return drawn


def _binary_side(tag: Tag, data: bytes, this: Side, number: int) -> Iterator[DiffLine]:
    sign, look = SIGNS[tag], LOOKS[tag]
    words = f"{in_bytes(data)}, SHA-256 {sha256(data)}"
    note = f"{this.problem}; {words}" if this.problem else words
    yield DiffLine(sign, note, Look.NOTE, (), number, Role.EFFECT)
    rows = hex_rows(data) if this.text is None else this.text.split("\n")
    for row in rows:
        yield DiffLine(sign, row, look, (), number)
