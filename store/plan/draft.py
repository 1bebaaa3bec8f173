"""What the effects hand to the gates: the change as worked out, before it is judged."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from placet.store.model import (
    PERSON,
    Action,
    Change,
    Choice,
    Code,
    Context,
    Level,
    Outcome,
    Proposal,
    SideEffect,
    Snapshot,
    Target,
    TargetKind,
    Usage,
    UsageRecord,
    Verdict,
)

NEW_FILE_MODE = 0o600
"""Permission bits of every file that placet makes, whatever the umask."""

QUOTE = 120
"""Most characters of an entry that a message quotes."""


@dataclass(frozen=True, slots=True)
class Fresh:
    """Text that the change brings in and that was not there before.

    Attributes:
        number: Operation that brings it.
        text: The text.
        offset: Where it starts in that operation's new text, in characters, or None where the
            operation's new text is not a plain continuation of it.
    """

    number: int
    text: str
    offset: int | None = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """A proposal, what it is planned against, and what the effects made of it.

    Attributes:
        proposal: What is asked for.
        choice: What the person differs in.
        snapshot: The files as read once.
        context: Limits, switches and the past.
        target: What it lands in, or None where that cannot be told.
        changes: Each file before and after, in path order.
        outcomes: What each operation does.
        side_effects: What happens besides.
        usage: Size against the cap, or None.
        verdicts: What the effects found.
        entries: Entries of a memory file as they are now.
        after: Entries of a memory file afterwards.
        survivors: How many of `entries` are still there or were replaced.
        sizes: Characters of the target before and after, where it has text.
        fresh: Text brought in, for the text gates.
        failed: Whether an operation could not be carried out, so that nothing is written.
        removes: Folder moved to the archive as a whole, or None.
        returns: Folder in the archive moved back as a whole, or None.
        bookkeeping: Change of `.usage.json`, or None.
    """

    proposal: Proposal
    choice: Choice
    snapshot: Snapshot
    context: Context
    target: Target | None
    changes: tuple[Change, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    side_effects: tuple[SideEffect, ...] = ()
    usage: Usage | None = None
    verdicts: tuple[Verdict, ...] = ()
    entries: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    survivors: int = 0
    sizes: tuple[int, int] = (0, 0)
    fresh: tuple[Fresh, ...] = ()
    failed: bool = False
    removes: Path | None = None
    returns: Path | None = None
    bookkeeping: UsageRecord | None = None
    edits: dict[int, str] = field(default_factory=dict[int, str])

    @property
    def by_person(self) -> bool:
        """Whether a person, not an agent, asks for this."""
        return self.proposal.origin == PERSON

    @property
    def acting(self) -> tuple[Outcome, ...]:
        """Operations that are not left out."""
        return tuple(o for o in self.outcomes if not o.dropped)

    @property
    def moves(self) -> bool:
        """Whether any byte of any file changes."""
        return any(c.before != c.after for c in self.changes)


def blank(proposal: Proposal, choice: Choice, snapshot: Snapshot, context: Context) -> Draft:
    """Return a draft in which no operation has taken effect yet."""
    edits = dict(choice.edited)
    outcomes = tuple(
        Outcome(
            number=number,
            action=operation.action,
            target=proposal.target or Target(TargetKind.MEMORY),
            before=None,
            after=edits.get(number, operation.content),
            proposed=operation.content if number in edits else None,
            dropped=number in choice.dropped,
            applied=False,
        )
        for number, operation in enumerate(proposal.operations, 1)
    )
    return Draft(
        proposal, choice, snapshot, context, proposal.target, outcomes=outcomes, edits=edits
    )


def blocker(code: Code, message: str, operation: int | None = None, rule: str = "") -> Verdict:
    """Return a verdict that forbids approving."""
    return Verdict(code, Level.BLOCKER, message, operation, rule=rule)


def warning(code: Code, message: str, operation: int | None = None, rule: str = "") -> Verdict:
    """Return a verdict that asks for more than one key."""
    return Verdict(code, Level.WARNING, message, operation, rule=rule)


def note(code: Code, message: str, operation: int | None = None, rule: str = "") -> Verdict:
    """Return a verdict that only informs."""
    return Verdict(code, Level.NOTE, message, operation, rule=rule)


def one_line(text: str) -> str:
    """Return `text` without line breaks, so that no part of it begins a line of its own."""
    return " ".join(text.split("\n"))


def quoted(text: str, most: int = QUOTE) -> str:
    """Return `text` in quotation marks on one line, cut to `most` characters."""
    line = one_line(text)
    return f"“{line}”" if len(line) <= most else f"“{line[:most]}…”"


def plural(count: int, word: str) -> str:
    """Return `1 entry`, `2 entries` and the like."""
    if count == 1:
        return f"1 {word}"
    return f"{count:,} {word[:-1]}ies" if word.endswith("y") else f"{count:,} {word}s"


def writable(text: str) -> bool:
    """Whether `text` can be written as UTF-8 (half of a surrogate pair cannot)."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def decoded(data: bytes | None) -> str | None:
    """Return `data` as text, or None where there is none or it is not UTF-8."""
    if data is None:
        return None
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return None


OWN_ACTIONS = frozenset({Action.WRITE, Action.NORMALISE, Action.RESTORE})
"""Actions that only a person may ask for."""
