"""The words that every room shares, as frozen values (design: one concept, one name)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

SCHEMA = "placet/1"
"""Name of the shapes printed with `--json`."""

RULES_VERSION = 1
"""Version of the gates and effects; part of every digest, so that new rules ask for new consent."""

MAX_RECORD_BYTES = 1 << 20
"""Largest staged record that is parsed, in bytes."""

SAFE_ID = re.compile(r"[A-Za-z0-9_-]{1,64}\Z")
"""File stems that may be used as an id as they are."""


def sha256(data: bytes) -> str:
    """Return the SHA-256 of `data` as 64 lower-case hexadecimal characters."""
    return hashlib.sha256(data).hexdigest()


class Subsystem(StrEnum):
    """The two staging folders below `pending/`."""

    MEMORY = "memory"
    SKILLS = "skills"


class TargetKind(StrEnum):
    """What a change can land in."""

    MEMORY = "memory"
    USER = "user"
    SOUL = "soul"
    SKILL = "skill"


class Action(StrEnum):
    """What one operation does; the last three are a person's own and never come from a record."""

    ADD = "add"
    REPLACE = "replace"
    REMOVE = "remove"
    CREATE = "create"
    EDIT = "edit"
    PATCH = "patch"
    WRITE_FILE = "write_file"
    REMOVE_FILE = "remove_file"
    DELETE = "delete"
    WRITE = "write"
    NORMALISE = "normalise"
    RESTORE = "restore"


MEMORY_ACTIONS = frozenset({Action.ADD, Action.REPLACE, Action.REMOVE})
SKILL_ACTIONS = frozenset(
    {
        Action.CREATE,
        Action.EDIT,
        Action.PATCH,
        Action.WRITE_FILE,
        Action.REMOVE_FILE,
        Action.DELETE,
    }
)


class Level(StrEnum):
    """How much a verdict weighs."""

    NOTE = "note"
    WARNING = "warning"
    BLOCKER = "blocker"


class Standing(StrEnum):
    """What may become of a waiting proposal; declared weakest first."""

    READY = "ready"
    WARNING = "warning"
    HELD = "held"
    DEAD = "dead"
    REFUSED = "refused"
    MALFORMED = "malformed"
    FOREIGN = "foreign"
    SETTLING = "settling"


class Life(StrEnum):
    """The stage of life of a record."""

    WAITING = "waiting"
    UNFINISHED = "unfinished"
    DECIDED = "decided"
    TAKEN = "taken"
    GONE = "gone"


class Kind(StrEnum):
    """Kind of an event; the first nine are decisions."""

    APPROVED = "approved"
    EDITED = "edited"
    REJECTED = "rejected"
    DISCARDED = "discarded"
    KEPT = "kept"
    REVERTED = "reverted"
    LIFTED = "lifted"
    VOUCHED = "vouched"
    UNDONE = "undone"
    BASELINE = "baseline"
    TAKEN = "taken"
    PUT_BACK = "put-back"
    UNGATED = "ungated"
    APPLIED_ELSEWHERE = "applied-elsewhere"
    WITHDRAWN_ELSEWHERE = "withdrawn-elsewhere"
    GONE = "gone"
    LATE_WRITE = "late-write"
    RECOVERED = "recovered"
    ABORTED = "aborted"
    WRITE_APPROVAL_CHANGED = "write-approval-changed"
    CHAIN_ACCEPTED = "chain-accepted"
    ERASED = "erased"
    PRUNED = "pruned"


DECISIONS = frozenset(
    {
        Kind.APPROVED,
        Kind.EDITED,
        Kind.REJECTED,
        Kind.DISCARDED,
        Kind.KEPT,
        Kind.REVERTED,
        Kind.LIFTED,
        Kind.VOUCHED,
        Kind.UNDONE,
    }
)

STANDING_KINDS = frozenset({Kind.APPROVED, Kind.EDITED, Kind.REJECTED, Kind.DISCARDED})
"""Decisions that concern one proposal; at most one of them stands for the same record bytes."""


class Code(StrEnum):
    """What a gate or the parser found."""

    # the record
    MALFORMED = "malformed"
    UNKNOWN_FIELD = "unknown-field"
    BAD_FIELD = "bad-field"
    DUPLICATE_KEY = "duplicate-key"
    ID_DIFFERS = "id-differs"
    SUMMARY_DIFFERS = "summary-differs"
    FOREIGN_PROVIDER = "foreign-provider"
    TARGET_UNKNOWN = "target-unknown"
    TARGET_DISABLED = "target-disabled"
    TARGET_CONFLICT = "target-conflict"
    PROVIDER_NOT_TOLD = "provider-not-told"
    # the file
    UNREADABLE = "unreadable"
    DRIFT = "drift"
    UNSAFE_FILE = "unsafe-file"
    PATH_REFUSED = "path-refused"
    # the text
    THREAT = "threat"
    THREAT_DISGUISED = "threat-disguised"
    PHRASE = "phrase"
    VOUCHED = "vouched"
    SECRET = "secret"
    HIDDEN_CHARACTERS = "hidden-characters"
    MIXED_SCRIPT = "mixed-script"
    JOINERS = "joiners"
    MACHINE_RESIDUE = "machine-residue"
    FORGED_DELIMITER = "forged-delimiter"
    # the outcome
    ANCHOR_MISSING = "anchor-missing"
    ANCHOR_AMBIGUOUS = "anchor-ambiguous"
    ENTRY_CHANGED = "entry-changed"
    EMPTY_CONTENT = "empty-content"
    DUPLICATE = "duplicate"
    NO_CHANGE = "no-change"
    WHITESPACE_ONLY = "whitespace-only"
    REFUSED_BEFORE = "refused-before"
    REFUSED_ELSEWHERE = "refused-elsewhere"
    SIMILAR_REFUSED = "similar-refused"
    EDITED_BEFORE = "edited-before"
    SIMILAR_ENTRY = "similar-entry"
    OVER_LIMIT = "over-limit"
    HIGH_IMPACT = "high-impact"
    KEEPS_UNDER_HALF = "keeps-under-half"
    MISSING_TARGET = "missing-target"
    NAME_TAKEN = "name-taken"
    TOO_LARGE = "too-large"
    FRONTMATTER_BROKEN = "frontmatter-broken"
    BAD_ABSORBED_INTO = "bad-absorbed-into"
    OUTSIDE_HOME = "outside-home"
    GATE_FAILED = "gate-failed"


HELD_CODES = frozenset(
    {
        Code.OVER_LIMIT,
        Code.DRIFT,
        Code.THREAT,
        Code.TARGET_DISABLED,
        Code.UNREADABLE,
        Code.UNSAFE_FILE,
        Code.FORGED_DELIMITER,
        Code.TARGET_CONFLICT,
        Code.OUTSIDE_HOME,
        Code.GATE_FAILED,
    }
)
"""Blockers that a person's act or a later state can clear; every other blocker is dead."""


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


@dataclass(frozen=True, slots=True, order=True)
class Target:
    """What a change lands in: `memory`, `user`, `soul` or `skill:<name>/<path>`.

    Attributes:
        kind: Which of the four.
        skill: Name of the skill, or empty.
        path: Path inside the skill with forward slashes, empty for the skill as a whole.
    """

    kind: TargetKind
    skill: str = ""
    path: str = ""

    def __str__(self) -> str:
        if self.kind is not TargetKind.SKILL:
            return self.kind.value
        return f"skill:{self.skill}/{self.path}" if self.path else f"skill:{self.skill}"

    @property
    def word(self) -> str:
        """The word a person types to confirm a high-impact change here."""
        return self.skill if self.kind is TargetKind.SKILL else self.kind.value


@dataclass(frozen=True, slots=True)
class Home:
    """Directory of one agent's memory.

    Attributes:
        path: Real path of the home.
        label: Short name, unique among the homes of this run: profile name, `default`, or the path.
    """

    path: Path
    label: str = "default"

    def pending(self, subsystem: Subsystem) -> Path:
        """Folder of the staged records of one subsystem."""
        return self.path / "pending" / subsystem.value

    @property
    def memories(self) -> Path:
        """Folder of MEMORY.md and USER.md."""
        return self.path / "memories"

    @property
    def skills(self) -> Path:
        """Folder of the skills."""
        return self.path / "skills"

    @property
    def config(self) -> Path:
        """Hermes' own configuration file."""
        return self.path / "config.yaml"

    @property
    def private(self) -> Path:
        """placet's own folder in the home, mode 0700."""
        return self.path / "placet"

    @property
    def state_db(self) -> Path:
        """Hermes' session database, read for provenance only."""
        return self.path / "state.db"

    def file(self, target: Target) -> Path:
        """Path of the file behind `memory`, `user` or `soul`.

        Raises:
            ValueError: The target is a skill, whose folder has to be searched for.
        """
        match target.kind:
            case TargetKind.MEMORY:
                return self.memories / "MEMORY.md"
            case TargetKind.USER:
                return self.memories / "USER.md"
            case TargetKind.SOUL:
                return self.path / "SOUL.md"
            case TargetKind.SKILL:
                raise ValueError("a skill has no fixed path")


@dataclass(frozen=True, slots=True)
class Gate:
    """Hermes' write approval, one switch per subsystem."""

    memory: bool = False
    skills: bool = False


@dataclass(frozen=True, slots=True)
class HomeConfig:
    """What placet reads from Hermes' config.yaml.

    Attributes:
        memory_limit: Cap of MEMORY.md in characters.
        user_limit: Cap of USER.md in characters.
        gate: Write approval as Hermes computes it.
        memory_enabled: Whether the memory target is switched on.
        user_enabled: Whether the user target is switched on.
        provider: External memory provider, or empty.
        external_dirs: Further skill roots outside the home.
        problems: Sentences about what is wrong with the file and what Hermes will do about it.
        digest: Changes whenever any of the above does.
    """

    memory_limit: int = 2200
    user_limit: int = 1375
    gate: Gate = Gate()
    memory_enabled: bool = True
    user_enabled: bool = True
    provider: str = ""
    external_dirs: tuple[Path, ...] = ()
    problems: tuple[str, ...] = ()
    digest: str = ""

    def limit(self, target: Target) -> int | None:
        """Cap of a target in characters, or None where there is none."""
        return {TargetKind.MEMORY: self.memory_limit, TargetKind.USER: self.user_limit}.get(
            target.kind
        )

    def enabled(self, target: Target) -> bool:
        """Whether the target is switched on."""
        flags = {TargetKind.MEMORY: self.memory_enabled, TargetKind.USER: self.user_enabled}
        return flags.get(target.kind, True)


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
class Operation:
    """One change that a proposal asks for.

    Attributes:
        action: What is to be done.
        content: New text: an entry, a file's content, or the new side of a patch.
        old: Selector: a part of the entry to find, or the old side of a patch.
        matched: The whole entry that the selector found at staging, where the record says so.
        path: Path inside the skill, or empty for SKILL.md.
        category: Category folder for a new skill, or empty.
        replace_all: Whether a patch replaces every occurrence.
        absorbed_into: Skill that takes over a deleted one, or None where not given.
        target: Target named inside the operation itself, or empty.
        files: For `restore`: each path inside the target ("" for a memory file), the bytes to put
            there (None removes it) and the mode (None keeps it).
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
        root: Real folder of the skill, or None where it does not exist or the target is a file.
        link: Where a symlinked skill folder points to, or None.
        outside: Whether the skill was found in an external root, outside the home.
        taken: Whether the skill's folder exists.
        others: Names of the other skills in the home, for `absorbed_into`.
    """

    files: Mapping[str, FileState]
    root: Path | None = None
    link: Path | None = None
    outside: bool = False
    taken: bool = False
    others: frozenset[str] = frozenset()


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
        mode: Permission bits of the new file, or None to keep the old file's.
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
        step: `created`, `patched` or `dropped`.
        by_agent: Whether the curator may manage the skill (Hermes' `created_by: agent`).
    """

    skill: str
    step: str
    by_agent: bool = False


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
        bookkeeping: Change of `.usage.json`, or None.
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
    bookkeeping: UsageRecord | None = None

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


@dataclass(frozen=True, slots=True)
class Sight:
    """How the person saw what was decided; goes into the event.

    Attributes:
        seconds: How long the present view stood, in seconds.
        rows_seen: Rows of the diff that were on screen.
        rows: Rows of the diff in all.
        where: `console`, `command line` or `demo`.
    """

    seconds: float = 0.0
    rows_seen: int = 0
    rows: int = 0
    where: str = "command line"


@dataclass(frozen=True, slots=True)
class Event:
    """One row of the audit log.

    Attributes:
        seq: Its number; written `#12`.
        body: Canonical JSON as hashed: `at`, `kind`, `home`, `target`, `ref`, `actor`, `reason`, …
            It never holds memory text.
        hash: 64 hexadecimal characters.
        prev: Hash of the row before.
    """

    seq: int
    prev: str
    body: str
    hash: str


@dataclass(frozen=True, slots=True)
class Done:
    """A decision that stands.

    Attributes:
        kind: What was decided.
        event: Number of the event.
        home: Label of the home.
        files: Path and SHA-256 of every file written; "" where it was removed.
        words: One line for the footer, such as "added 1 to USER.md".
        notes: What else to say: twins taken meanwhile, a late write, the provider not told.
    """

    kind: Kind
    event: int
    home: str
    files: tuple[tuple[str, str], ...] = ()
    words: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ungated:
    """A change of a watched file that no decision explains.

    Attributes:
        event: Number of the event that recorded it.
        home: Home it happened in.
        path: Path inside the home, with forward slashes.
        since: When it was noticed, seconds since the epoch.
        before: Bytes before, or None where absent or erased.
        after: Bytes after, or None.
        names: Decisions whose text this change carries, in words.
    """

    event: int
    home: Home
    path: str
    since: float
    before: bytes | None
    after: bytes | None
    names: tuple[str, ...] = ()
