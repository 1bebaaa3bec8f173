"""Documents that are no plan: the reasons of a group, an ungated change, a taken record, words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from placet.console.pages.cells import Look
from placet.console.pages.document import finished
from placet.console.pages.file_lines import Inserts, draw, text_lines
from placet.console.pages.lines import DiffDoc, DiffLine, Role
from placet.console.pages.sides import side
from placet.console.phrases import refusals
from placet.console.phrases.amounts import in_bytes, proposed
from placet.console.phrases.events import ungated
from placet.console.phrases.standings import GROUPS
from placet.console.phrases.targets import subject
from placet.console.phrases.times import moment
from placet.console.phrases.verdicts import reason_of
from placet.store.inbox import Group, Item, Taken
from placet.store.model import Change, Ungated, sha256

GROUP_KEYS = {
    Group.HELD: "Open one to see how.",
    Group.DEAD: "d discards all of them, undoable.",
    Group.MALFORMED: "d discards all of them.",
    Group.FOREIGN: "d moves all of them aside.",
    Group.REFUSED: "enter opens it; u on a taken row puts that one back.",
}
"""What can be done about a group."""


def line(text: str, look: Look = Look.CONTEXT, sign: str = " ") -> Iterator[DiffLine]:
    """Lines of one of our own texts."""
    for part in text.split("\n"):
        yield DiffLine(sign, part, look, role=Role.HEAD)


def group_doc(group: Group, items: Sequence[Item]) -> DiffDoc:
    """Every member of a group with the reason why it stands there."""
    heading = f"{group.value.capitalize()}: {GROUPS[group]}. {GROUP_KEYS[group]}"
    lines = [*line(heading, Look.HEADING), *line("")]
    for item in items:
        parts = (subject(item.proposal), f"id {item.ref.id}", proposed(item.times))
        head = " · ".join(part for part in parts if part)
        lines += [*line(head, Look.STRONG), *line(reason_of(item.plan), Look.WARNING, "!")]
    members = "\0".join(f"{item.ref}{item.proposal.sha256}{item.times}" for item in items)
    return finished(lines, sha256(f"{group}\0{members}".encode("utf-8", "surrogatepass")))


def ungated_doc(change: Ungated) -> DiffDoc:
    """An ungated change: what no decision explains, as a whole diff."""
    where = f"{ungated(change.path)} · noticed {moment(change.since)}"
    lines = [*line(where, Look.BLOCKER, "!")]
    for name in change.names:
        lines += line(name, Look.WARNING, "*")
    lines += line("by: unknown (not placet) · a keeps it, r shows the way back", Look.DIM)
    sections = change.path in ("memories/MEMORY.md", "memories/USER.md")
    both = Change(Path(change.path), change.path, change.before, change.after)
    drawn = draw(both, (), Inserts({}, {}), (), sections=sections)
    sizes = f"{change.path} · {in_bytes(change.before)} ▸ {in_bytes(change.after)}"
    lines += [*line(sizes, Look.HEADING, "="), *drawn.lines]
    state = sha256(f"{change.event}\0".encode() + (change.before or b"") + b"\0")
    return finished(lines, state + sha256(change.after or b""), drawn.exact)


def taken_doc(taken: Taken) -> DiffDoc:
    """A taken record as it was."""
    lines = [
        *line(refusals.taken(taken), Look.HEADING),
        *line("You refused this value before. u puts the record back into the queue.", Look.NOTE),
        *line("the record as it was:", Look.HEADING, "="),
    ]
    read = side(taken.raw)
    if taken.raw is None:
        lines += line("(its bytes are not kept any more)", Look.DIM)
    elif read.text is None:
        lines += line(f"binary, {in_bytes(taken.raw)}", Look.NOTE)
    lines += text_lines(read.text or "", " ", Look.CONTEXT)
    return finished(lines, taken.sha256)


class Quoted(NamedTuple):
    """A paragraph that is somebody's text and not our own words.

    Attributes:
        text: The text.
        look: How it looks.
    """

    text: str
    look: Look


def words_doc(state: str, paragraphs: Iterable[tuple[str, Look] | Quoted]) -> DiffDoc:
    """A few of our own words as a document, with the texts that they are about."""
    lines: list[DiffLine] = []
    for one in paragraphs:
        if isinstance(one, Quoted):
            lines += text_lines(one.text, " ", one.look)
        else:
            lines += line(*one)
    return finished(lines, sha256(state.encode("utf-8", "surrogatepass")))
