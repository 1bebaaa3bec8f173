"""The lines of a document as they are shown: source text, sign, looks; no widths, no widgets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from placet.console.pages.cells import Look
from placet.console.pages.seen import Position


class Role(StrEnum):
    """What a line of a document is for."""

    HEAD = "head"
    FILE = "file"
    OPERATION = "operation"
    TEXT = "text"
    DELIMITER = "delimiter"
    VERDICT = "verdict"
    EFFECT = "effect"


Span = tuple[int, int, Look]
"""First character, character after the last one, and the look of what lies between."""


class DiffLine(NamedTuple):
    """One line of a document, before it is wrapped.

    Attributes:
        sign: One cell for the gutter: "-" goes, "+" comes, " " stays, "x" left out, "!" "*" "."
            a blocker, a warning, a note.
        text: Source characters without a line end; never escaped here.
        look: Look of the line where no span says otherwise.
        spans: Looks inside the line, in order; a later one covers an earlier one.
        operation: Number of the operation it belongs to, or 0.
        role: What the line is for.
        rest: Whether it is unchanged text far from any change, which may be folded.
        language: What it is written in, as `syntax.languages` tells it.
    """

    sign: str
    text: str
    look: Look = Look.CONTEXT
    spans: tuple[Span, ...] = ()
    operation: int = 0
    role: Role = Role.TEXT
    rest: bool = False
    language: str = ""


@dataclass(frozen=True, slots=True)
class DiffDoc:
    """Everything that is shown of one plan, from its first line to its last.

    Attributes:
        lines: All lines; a position of `Seen` counts in these.
        state: `Plan.state` that it was made from.
        hunks: Numbers of the lines where a run of changed lines, or an operation, begins.
        operations: Line of each operation's heading, by operation number.
        weight: Characters of all lines; tells whether laying out belongs into a thread.
        exact: False where a part could not be aligned and is drawn whole old, whole new.
        folds: Runs of lines, first and after the last, that may be drawn as one row. They stay as
            they are, so nobody has to see them before deciding.
    """

    lines: tuple[DiffLine, ...] = ()
    state: str = ""
    hunks: tuple[int, ...] = ()
    operations: dict[int, int] = field(default_factory=dict[int, int])
    weight: int = 0
    exact: bool = True
    folds: tuple[tuple[int, int], ...] = ()

    @property
    def lengths(self) -> list[int]:
        """Length of every line in characters, as `Seen` wants it."""
        return [len(line.text) for line in self.lines]

    def find(self, needle: str) -> Iterator[Position]:
        """Every place of `needle`, whatever its case, in reading order."""
        if not needle:
            return
        pattern = re.compile(re.escape(needle), re.IGNORECASE)
        for number, line in enumerate(self.lines):
            for match in pattern.finditer(line.text):
                yield Position(number, *match.span())
