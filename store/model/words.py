"""What things are called: kinds, levels, standings, codes, and the few constants."""

from __future__ import annotations

import hashlib
import re
from enum import StrEnum

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
    PINNED = "pinned"
    NAME_SHARED = "name-shared"
    NAME_DIFFERS = "name-differs"
    RUNS_WHEN_VIEWED = "runs-when-viewed"
    GRANTS = "grants"
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
        Code.PINNED,
        Code.NAME_SHARED,
        Code.GATE_FAILED,
    }
)
"""Blockers that a person's act or a later state can clear; every other blocker is dead."""
