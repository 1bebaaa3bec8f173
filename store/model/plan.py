"""What would happen: the files as they are, what is remembered, and the plan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from placet.store.model.home import HomeConfig, Target
from placet.store.model.proposal import Choice, Proposal, Verdict
from placet.store.model.skills import SkillFacts, SkillPlace
from placet.store.model.words import Action, Code, Level, Standing


class FileKind(StrEnum):
    """What was found at a path; only the first two may be written over."""

    FILE = "file"
    ABSENT = "absent"
    UNREADABLE = "unreadable"
    DIRECTORY = "directory"
    SPECIAL = "special"
    TOO_LARGE = "too-large"


@dataclass(frozen=True, slots=True)
class FileState:
    """Bytes and identity of one file at one moment.

    Attributes:
        path: Path as the target names it.
        real: Path after resolving links; where a write would land.
        kind: What was found.
        data: Its bytes when `kind` is FILE, else None.
        mode: Permission bits, or None where absent.
        parent: Device and inode of the real parent directory, or None where that is missing.
        problem: Why it cannot be used, in words, or empty.
        unsafe: Why it cannot be replaced safely (hard link, mount), in words, or empty.
    """

    path: Path
    real: Path
    kind: FileKind
    data: bytes | None = None
    mode: int | None = None
    parent: tuple[int, int] | None = None
    problem: str = ""
    unsafe: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The files that a target stands for, as read once.

    Attributes:
        files: State by path inside the target: "" for a memory file, the path for a skill's files.
        folder: Folder of the skill as the home names it, or None where there is none.
        root: Real folder of the skill, or None where it does not exist or the target is a file.
        link: Where a symlinked skill folder points to, or None.
        outside: Whether the skill was found in an external root, outside the home.
        taken: Whether the skill's folder exists.
        others: Names of the other skills in the home, for `absorbed_into`.
        place: Where the skill was found, or None.
        bearers: By every name that a skill of the home goes by, as its folder or in its head: all
            places that go by it.
        facts: What Hermes has on record about the skill, or None where there is none.
        archived: For a deleted skill that comes back: state of every file of its folder in the
            archive by path inside it, or None where that is not there.
    """

    files: Mapping[str, FileState]
    folder: Path | None = None
    root: Path | None = None
    link: Path | None = None
    outside: bool = False
    taken: bool = False
    others: frozenset[str] = frozenset()
    place: SkillPlace | None = None
    bearers: Mapping[str, tuple[SkillPlace, ...]] = field(
        default_factory=dict[str, tuple[SkillPlace, ...]]
    )
    facts: SkillFacts | None = None
    archived: Mapping[str, FileState] | None = None


@dataclass(frozen=True, slots=True)
class RefusedHit:
    """A refusal that matches something proposed.

    Attributes:
        fingerprint: 64 hexadecimal characters.
        kind: `put`, `drop` or `batch`.
        target: Target it was refused for.
        date: When, seconds since the epoch.
        reason: The person's words, or empty.
        event: Number of the decision that refused it.
        text: The refused text where it is kept, for showing what differs.
    """

    fingerprint: str
    kind: str
    target: str
    date: float
    reason: str
    event: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Past:
    """What the ledger knows that bears on one proposal; looked up before planning.

    Attributes:
        refused: Refusal of each operation's fingerprint on the same target, by operation number.
        batch: Refusal of the whole batch, or None.
        elsewhere: Refusal of the same text for another target, by operation number.
        similar: Similar refusals, by operation number; notes only.
        edited: For each operation, when a person approved an edited form of it, by number.
        put_back: Whether a person put this very record back after it was taken.
        vouched: SHA-256 of each text (UTF-8 bytes) that a person vouched for.
    """

    refused: Mapping[int, RefusedHit] = field(default_factory=dict[int, RefusedHit])
    batch: RefusedHit | None = None
    elsewhere: Mapping[int, RefusedHit] = field(default_factory=dict[int, RefusedHit])
    similar: Mapping[int, tuple[RefusedHit, ...]] = field(
        default_factory=dict[int, tuple[RefusedHit, ...]]
    )
    edited: Mapping[int, float] = field(default_factory=dict[int, float])
    put_back: bool = False
    vouched: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Context:
    """Everything else that a plan depends on.

    Attributes:
        config: Limits, switches and provider of the home.
        past: What the ledger knows.
    """

    config: HomeConfig
    past: Past = Past()


@dataclass(frozen=True, slots=True)
class Change:
    """One file, before and after.

    Attributes:
        path: Path as the target names it.
        name: Path inside the home for people to read, with forward slashes.
        before: Bytes now, or None where the file is absent.
        after: Bytes afterwards, or None where it will be absent.
        mode: Permission bits of the new file, or None to keep the old file's; of a file that goes
            those that it had.
        destination: Where a deleted skill's file goes, in words, or empty.
    """

    path: Path
    name: str
    before: bytes | None
    after: bytes | None
    mode: int | None = None
    destination: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one operation does to the text it names.

    Attributes:
        number: Counted from 1.
        action: What was asked for.
        target: Where it lands.
        before: The whole entry or file text that goes, or None.
        after: The whole entry or file text that comes, or None.
        proposed: The record's own text where the person edited it, or None.
        dropped: Whether the person, or the refusal rule, leaves it out.
        applied: Whether it takes effect in this plan.
    """

    number: int
    action: Action
    target: Target
    before: str | None
    after: str | None
    proposed: str | None = None
    dropped: bool = False
    applied: bool = True


@dataclass(frozen=True, slots=True)
class SideEffect:
    """Something that happens though no operation names it; `code` is stable, `message` is words."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class Usage:
    """Size of the target in characters against its cap."""

    before: int
    after: int
    limit: int


@dataclass(frozen=True, slots=True)
class UsageRecord:
    """How `.usage.json` changes after a skill decision; applied last, outside the digest.

    Attributes:
        skill: Name of the skill.
        step: `created`, `patched`, `dropped` or `restored`.
        by_agent: Whether the curator may manage the skill (Hermes' `created_by: agent`).
        kept: SHA-256 of the bytes of `.usage.json` from before a skill was deleted, which a
            restored record is taken from; else empty.
    """

    skill: str
    step: str
    by_agent: bool = False
    kept: str = ""


@dataclass(frozen=True, slots=True)
class Plan:
    """Exactly what approving would do.

    Attributes:
        proposal: What was asked.
        choice: What the person changed about it.
        changes: Each file before and after, in path order.
        operations: What each operation does.
        side_effects: What happens besides.
        usage: Size against the cap, or None where there is no cap.
        verdicts: Everything the parser and the gates found.
        standing: The verdicts folded into one.
        digest: 64 hexadecimal characters that consent is given to; None where it cannot be
            approved.
        state: Like `digest`, but also where it cannot be approved: tells a screen that what it
            shows has changed.
        removes: Folder that is moved to the archive as a whole, or None.
        returns: Folder in the archive that is moved back as a whole, or None.
        bookkeeping: Change of `.usage.json`, or None.
        place: Where the skill that is changed lies, or None for another target or a new skill.
        facts: What Hermes has on record about that skill, or None.
    """

    proposal: Proposal
    choice: Choice
    changes: tuple[Change, ...]
    operations: tuple[Outcome, ...]
    side_effects: tuple[SideEffect, ...]
    usage: Usage | None
    verdicts: tuple[Verdict, ...]
    standing: Standing
    digest: str | None
    state: str
    removes: Path | None = None
    returns: Path | None = None
    bookkeeping: UsageRecord | None = None
    place: SkillPlace | None = None
    facts: SkillFacts | None = None

    def has(self, code: Code, level: Level | None = None) -> bool:
        """Whether a verdict with this code (and level, where given) was found."""
        return any(v.code is code and level in (None, v.level) for v in self.verdicts)

    @property
    def blockers(self) -> tuple[Verdict, ...]:
        """Verdicts that forbid approving."""
        return tuple(v for v in self.verdicts if v.level is Level.BLOCKER)

    @property
    def warnings(self) -> tuple[Verdict, ...]:
        """Verdicts that ask for more than one key."""
        return tuple(v for v in self.verdicts if v.level is Level.WARNING)


class Effort(StrEnum):
    """What a person has to do to approve; follows the impact (design §11)."""

    KEY = "key"
    STRONG_KEY = "strong-key"
    TYPED_TARGET = "typed-target"
    VOUCH = "vouch"
    NONE = "none"


def effort_of(plan: Plan) -> Effort:
    """How much the person has to do to approve this plan.

    Only additions without a warning take one key; a threat asks for a reason and `vouch`; what
    cannot be approved at all answers NONE.
    """
    blockers = {v.code for v in plan.blockers}
    if blockers == {Code.THREAT}:
        return Effort.VOUCH
    if plan.digest is None:
        return Effort.NONE
    if plan.has(Code.HIGH_IMPACT):
        return Effort.TYPED_TARGET
    acting = [o for o in plan.operations if not o.dropped]
    adds = all(o.action in (Action.ADD, Action.CREATE) for o in acting)
    return Effort.KEY if adds and not plan.warnings else Effort.STRONG_KEY
