"""A decision as one value: everything that its commit writes, kept whole in the intent before."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from placet.store.ledger import blobs
from placet.store.ledger.decisions import Operation
from placet.store.ledger.intents import inside, placed
from placet.store.model import Home, Kind, Subsystem, Target, TargetKind, UsageRecord, sha256


@dataclass(frozen=True, slots=True)
class Staged:
    """A staged record by name and bytes; the bytes themselves lie in the blobs.

    Attributes:
        subsystem: Its folder.
        id: Its id.
        name: Its file name.
        sha256: SHA-256 of its bytes.
        origin: Who staged it.
        kept: Whether its bytes are in the blobs; those of a refused secret are not.
        aside: Where in the home it lies as it is, if it is no readable file (a folder, a pipe), or
            empty.
    """

    subsystem: Subsystem
    id: str
    name: str
    sha256: str
    origin: str = ""
    kept: bool = True
    aside: str = ""


@dataclass(frozen=True, slots=True)
class Refused:
    """A value that the decision refuses.

    Attributes:
        fp: Its fingerprint.
        kind: `put`, `drop` or `batch`.
        target: For which target.
        scope: `op`, `batch`, or `part` of a refused batch.
        text: The text, empty for a batch.
        mask: What may be shown of a secret.
        secret: Whether the text is one and must not be kept.
    """

    fp: str
    kind: str
    target: str
    scope: str = "op"
    text: str = ""
    mask: str = ""
    secret: bool = False


@dataclass(frozen=True, slots=True)
class Move:
    """A skill's folder that moves as a whole: to the archive, or back.

    Attributes:
        source: Where it lies.
        destination: Where it goes.
        along: What is in it besides the files that were shown (links, pipes), by path inside it.
    """

    source: str
    destination: str
    along: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Ruling:
    """A decision before it has a number.

    Attributes:
        kind: What is decided.
        target: `str(Target)`, or empty.
        details: The rest of the event's body: how it was seen, verdicts, choice.
        actor: Login name of who decides.
        reason: The person's words.
        subsystem: Folder of the proposal, or None where no proposal is concerned.
        id: Id of the proposal.
        sha256: SHA-256 of the proposal's bytes, or None.
        staged: The claimed record, or None for a person's own change.
        operations: What each operation did.
        refused: Values refused.
        until: When these refusals expire, seconds since the epoch, or None.
        lifts: Fingerprints whose refusal ends with this.
        hits: Fingerprints that were met again and left out.
        concerns: Event that this answers.
        ends: Decision that this ends.
        restores: Records that go back to the queue.
        withdraws: Records that leave the queue again, because an undo is undone.
        bookkeeping: Change of `.usage.json`, or None.
        move: The folder of a skill that moves as a whole, or None.
        vouches: Digest of a text and the rule that hit it, for each that a person vouches for.
        twins: References of records that were taken because of the decision ended here.
    """

    kind: Kind
    target: str
    details: Mapping[str, Any]
    actor: str
    reason: str = ""
    subsystem: Subsystem | None = None
    id: str = ""
    sha256: str | None = None
    staged: Staged | None = None
    operations: tuple[Operation, ...] = ()
    refused: tuple[Refused, ...] = ()
    until: float | None = None
    lifts: tuple[str, ...] = ()
    hits: tuple[str, ...] = ()
    concerns: int | None = None
    ends: int | None = None
    restores: tuple[Staged, ...] = ()
    withdraws: tuple[Staged, ...] = ()
    bookkeeping: UsageRecord | None = None
    move: Move | None = None
    vouches: tuple[tuple[str, str], ...] = ()
    twins: tuple[str, ...] = ()

    @property
    def lands(self) -> Target | None:
        """The target, or None where there is none."""
        return target_of(self.target)

    @property
    def ref(self) -> str:
        """`subsystem/id` of the proposal, or empty."""
        return f"{self.subsystem.value}/{self.id}" if self.subsystem else ""


def target_of(text: str) -> Target | None:
    """The target that `str(Target)` names, or None for an empty text."""
    if not text:
        return None
    head, found, rest = text.partition(":")
    if not found:
        return Target(TargetKind(head))
    skill, _, path = rest.partition("/")
    return Target(TargetKind.SKILL, skill, path)


def packed(home: Home, ruling: Ruling) -> dict[str, Any]:
    """The ruling as JSON values without any memory text: texts are digests into the blobs."""
    plain = asdict(ruling)
    if ruling.move is not None:
        ends = ("source", "destination")
        plain["move"] |= {end: inside(home, Path(plain["move"][end])) for end in ends}
    plain["refused"] = [_packed(value) for value in ruling.refused]
    return plain


def unpacked(home: Home, plain: Mapping[str, Any]) -> Ruling:
    """The ruling of an intent, its texts fetched from the blobs of `home`."""
    usage, move = plain["bookkeeping"], plain["move"]
    values: dict[str, Any] = {
        **plain,
        "kind": Kind(plain["kind"]),
        "subsystem": Subsystem(plain["subsystem"]) if plain["subsystem"] else None,
        "staged": _staged(plain["staged"]) if plain["staged"] else None,
        "operations": tuple(Operation(**row) for row in plain["operations"]),
        "refused": tuple(_refused(home, row) for row in plain["refused"]),
        "lifts": tuple(plain["lifts"]),
        "hits": tuple(plain["hits"]),
        "restores": tuple(_staged(row) for row in plain["restores"]),
        "withdraws": tuple(_staged(row) for row in plain["withdraws"]),
        "bookkeeping": UsageRecord(**usage) if usage else None,
        "move": _moved(home, move) if move else None,
        "vouches": tuple((digest, rule) for digest, rule in plain["vouches"]),
        "twins": tuple(plain["twins"]),
    }
    return Ruling(**values)


def _packed(value: Refused) -> dict[str, Any]:
    plain = asdict(value)
    plain["text"] = sha256(_bytes(value.text)) if value.text and not value.secret else ""
    return plain


def _refused(home: Home, plain: Mapping[str, Any]) -> Refused:
    data = blobs.get(home, plain["text"]) if plain["text"] else None
    text = data.decode("utf-8", "surrogatepass") if data is not None else ""
    values: dict[str, Any] = {**plain, "text": text}
    return Refused(**values)


def _moved(home: Home, plain: Mapping[str, Any]) -> Move:
    source, destination = (str(placed(home, plain[end])) for end in ("source", "destination"))
    return Move(source, destination, tuple(plain["along"]))


def _staged(plain: Mapping[str, Any]) -> Staged:
    values: dict[str, Any] = {**plain, "subsystem": Subsystem(plain["subsystem"])}
    return Staged(**values)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def texts_of(ruling: Ruling) -> tuple[bytes, ...]:
    """Bytes of every refused text that has to be in the blobs before the commit."""
    return tuple(_bytes(v.text) for v in ruling.refused if v.text and not v.secret)
