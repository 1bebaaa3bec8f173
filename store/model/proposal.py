"""What is asked: records, proposals, their operations, what was found, and what a person picked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from placet.store.model.home import Home, Target
from placet.store.model.words import (
    HELD_CODES,
    Action,
    Code,
    Kind,
    Level,
    Standing,
    Subsystem,
    sha256,
)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One finding of the parser or a gate.

    Attributes:
        code: What was found.
        level: How much it weighs.
        message: One sentence for a person; may quote hostile text, so it is shown through `shown`.
        operation: Number of the operation it concerns, counted from 1, or None for the whole.
        span: Start and end in characters in that operation's new text, or None.
        rule: Id of the rule that hit, where there is one.
    """

    code: Code
    level: Level
    message: str
    operation: int | None = None
    span: tuple[int, int] | None = None
    rule: str = ""


def standing_of(verdicts: tuple[Verdict, ...], refused: bool = False) -> Standing:
    """Fold verdicts into one standing: foreign > malformed > refused > dead > held > warning.

    Args:
        verdicts: All findings about one proposal.
        refused: Whether the refusal rule covers the whole record (design §7).
    """
    blockers = {v.code for v in verdicts if v.level is Level.BLOCKER}
    if Code.FOREIGN_PROVIDER in blockers:
        return Standing.FOREIGN
    if Code.MALFORMED in blockers:
        return Standing.MALFORMED
    if refused:
        return Standing.REFUSED
    if blockers - HELD_CODES:
        return Standing.DEAD
    if blockers:
        return Standing.HELD
    if any(v.level is Level.WARNING for v in verdicts):
        return Standing.WARNING
    return Standing.READY


class Ref(NamedTuple):
    """Reference of one proposal, unique within a run."""

    home: str
    subsystem: Subsystem
    id: str

    def __str__(self) -> str:
        return f"{self.home}:{self.subsystem.value}/{self.id}"


@dataclass(frozen=True, slots=True)
class Record:
    """One staged JSON file, as bytes.

    Attributes:
        home: Where it is staged.
        subsystem: Folder it lies in, which decides what it is.
        name: File name as found; never used to build another path.
        id: The stem if it is safe, else `sha256:<12 hex>` of the name's bytes.
        raw: Its bytes, or None where it could not be read.
        problem: Why it could not be read, in words, or empty.
        modified: Modification time, seconds since the epoch.
        claimed: Whether this is a claim left by a placet process (`.<id>.json.placet`).
    """

    home: Home
    subsystem: Subsystem
    name: str
    id: str
    raw: bytes | None
    problem: str = ""
    modified: float = 0.0
    claimed: bool = False

    @property
    def ref(self) -> Ref:
        """Reference of this record."""
        return Ref(self.home.label, self.subsystem, self.id)

    @property
    def sha256(self) -> str:
        """SHA-256 of the bytes; of nothing where it could not be read."""
        return sha256(self.raw or b"")


@dataclass(frozen=True, slots=True)
class Archived:
    """What the decision that deleted a skill left behind, so that an undo can bring it all back.

    Attributes:
        path: Folder in the archive, inside the home, with forward slashes.
        link: Where the folder itself leads, if it is a link, or empty.
        along: What moved there unread (links, pipes): path inside the skill, and what it is.
        usage: SHA-256 of the bytes of `.usage.json` before, or empty where that held no record of
            the skill.
    """

    path: str
    link: str = ""
    along: tuple[tuple[str, str], ...] = ()
    usage: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """One change that a proposal asks for.

    Attributes:
        action: What is to be done.
        content: New text: an entry, a file's content, or the new side of a patch.
        old: Selector: a part of the entry to find, or the old side of a patch.
        matched: The whole entry that the selector found at staging, where the record says so.
        path: Path inside the skill, or empty for SKILL.md.
        category: Category folder for a new skill, or empty; for a person's own change the folder
            below `skills/` in which the skill lies.
        replace_all: Whether a patch replaces every occurrence.
        absorbed_into: Skill that takes over a deleted one, or None where not given.
        target: Target named inside the operation itself, or empty.
        files: For `restore`: each path inside the target ("" for a memory file), the bytes to put
            there (None removes it) and the mode (None keeps it).
        archived: For `restore`: the deleted skill that comes back, or None.
    """

    action: Action
    content: str | None = None
    old: str | None = None
    matched: str | None = None
    path: str = ""
    category: str = ""
    replace_all: bool = False
    absorbed_into: str | None = None
    target: str = ""
    files: tuple[tuple[str, bytes | None, int | None], ...] = ()
    archived: Archived | None = None


PERSON = "person"
"""Origin of a person's own changes."""

BACKGROUND_REVIEW = "background_review"
"""Origin of what the agent's background review proposes."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A record understood, or a person's own change.

    Attributes:
        home: Home that it is for.
        subsystem: Folder it lies in; a person's change uses the one its target belongs to.
        id: Id of the record, or one made by placet.
        name: File name of the record, empty for a person's change.
        raw: The record's bytes; the canonical JSON of a person's change.
        origin: Who staged it, as the record says; `person` for a person's change; "" unknown.
        created_at: Seconds since the epoch as the record says, or None.
        summary: The proposer's own words; never shown as if they were the change.
        target: What it lands in, or None where that cannot be told.
        operations: What it asks for, in order; numbered from 1 everywhere.
        batch: Whether the record is a batch, however many operations it has.
        verdicts: What the parser found.
        claimed: Whether a placet process has claimed the record.
        settling: Whether the record is unparsable but younger than the grace period.
        kind: Event kind that approving this writes; differs for a revert.
        concerns: For an undo or a revert: the event number that it answers, else None.
    """

    home: Home
    subsystem: Subsystem
    id: str
    name: str
    raw: bytes
    origin: str
    created_at: float | None
    summary: str
    target: Target | None
    operations: tuple[Operation, ...]
    batch: bool = False
    verdicts: tuple[Verdict, ...] = ()
    claimed: bool = False
    settling: bool = False
    kind: Kind = Kind.APPROVED
    concerns: int | None = None

    @property
    def ref(self) -> Ref:
        """Reference of this proposal."""
        return Ref(self.home.label, self.subsystem, self.id)

    @property
    def sha256(self) -> str:
        """SHA-256 of the record's bytes."""
        return sha256(self.raw)


@dataclass(frozen=True, slots=True)
class Choice:
    """What the person chose to differ from the record.

    Attributes:
        dropped: Numbers of operations left out, from 1.
        edited: Number and new content of operations rewritten by the person.
    """

    dropped: frozenset[int] = frozenset()
    edited: tuple[tuple[int, str], ...] = ()

    def with_edit(self, number: int, text: str) -> Choice:
        """The same choice with operation `number` rewritten and put back in."""
        kept = tuple(pair for pair in self.edited if pair[0] != number)
        return Choice(self.dropped - {number}, tuple(sorted((*kept, (number, text)))))

    def toggled(self, number: int) -> Choice:
        """The same choice with operation `number` put in or left out."""
        return Choice(self.dropped ^ {number}, self.edited)
