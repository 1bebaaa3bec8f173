"""What happened: how a change was seen, the events of the log, and what a decision did."""

from __future__ import annotations

from dataclasses import dataclass

from placet.store.model.home import Home
from placet.store.model.words import Kind


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
