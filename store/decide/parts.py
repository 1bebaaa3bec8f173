"""The parts of a decision: what each operation did, what is refused, which texts are kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from placet.store.decide.ruling import Refused
from placet.store.ledger.decisions import Operation
from placet.store.model import PERSON, Outcome, Past, Plan, sha256
from placet.store.plan import OperationPrint, Prints
from placet.store.text import scan


def encoded(text: str) -> bytes:
    """The bytes under which a text is kept."""
    return text.encode("utf-8", "surrogatepass")


def digest_of(text: str | None) -> str | None:
    """SHA-256 of a text as it is kept, or None."""
    return None if text is None else sha256(encoded(text))


def is_secret(text: str) -> bool:
    """Whether a text looks like a credential, so that a refusal must not keep it."""
    return bool(scan.secrets(text))


def masked(text: str) -> str:
    """What may be shown of a refused secret: everything but the credentials."""
    pieces: list[str] = []
    end = 0
    for hit in sorted(scan.secrets(text), key=lambda hit: hit.start):
        pieces.append(text[end : max(end, hit.start)])
        pieces.append("•••")
        end = max(end, hit.end)
    return "".join([*pieces, text[end:]])


def operations_of(
    plan: Plan, own: Prints, final: Prints, *, refusing: bool = False
) -> tuple[Operation, ...]:
    """Each operation as the ledger keeps it: texts as digests, fingerprints of both forms.

    Args:
        plan: What was decided about.
        own: Fingerprints of the record's own operations.
        final: Fingerprints of the operations as the person edited them.
        refusing: Whether everything is refused, so that no secret in it is kept.
    """
    edited = {number for number, _ in plan.choice.edited}
    return tuple(_operation(one, own, final, edited, refusing) for one in plan.operations)


def _operation(
    outcome: Outcome, own: Prints, final: Prints, edited: set[int], refusing: bool
) -> Operation:
    n = outcome.number
    mine, made = own.operations.get(n), final.operations.get(n)
    shown = mine if outcome.dropped else made
    before, after = _sides(outcome, mine, refusing)
    hidden = (before, after) != (outcome.before, outcome.after)
    return Operation(
        n=n,
        action=outcome.action.value,
        target=str(outcome.target),
        before=digest_of(before),
        after=digest_of(after),
        proposed=digest_of(outcome.proposed),
        dropped=outcome.dropped,
        fp=None if hidden or shown is None else shown.fingerprint,
        edited_fp=mine.fingerprint if n in edited and mine is not None else None,
    )


def _sides(
    outcome: Outcome, made: OperationPrint | None, refusing: bool
) -> tuple[str | None, str | None]:
    """Both texts of an operation, less a secret that is refused and must not be kept."""
    if not (outcome.dropped or refusing) or made is None or not is_secret(made.text):
        return outcome.before, outcome.after
    return (None, outcome.after) if made.kind == "drop" else (outcome.before, None)


def texts_of(plan: Plan, own: Prints, *, refusing: bool = False) -> tuple[bytes, ...]:
    """Bytes of every text that `operations_of` names by digest."""
    return tuple(encoded(text) for text in _texts(plan, own, refusing))


def _texts(plan: Plan, own: Prints, refusing: bool) -> Iterator[str]:
    for outcome in plan.operations:
        sides = _sides(outcome, own.operations.get(outcome.number), refusing)
        yield from (text for text in (*sides, outcome.proposed) if text is not None)


def dropped(plan: Plan, own: Prints, past: Past) -> tuple[tuple[Refused, ...], tuple[str, ...]]:
    """What leaving operations out means: new refusals, and old ones met again.

    Returns:
        Values newly refused, and fingerprints that were refused before and only count a hit.
    """
    if plan.proposal.origin == PERSON:
        return (), ()
    left = {n: own.operations[n] for n in sorted(plan.choice.dropped) if n in own.operations}
    new = tuple(refused(made) for n, made in left.items() if n not in past.refused)
    hits = tuple(past.refused[n].fingerprint for n in left if n in past.refused)
    return new, hits


def refused(made: OperationPrint, scope: str = "op") -> Refused:
    """One operation as a value to refuse."""
    secret = is_secret(made.text)
    return Refused(
        fp=made.fingerprint,
        kind=made.kind,
        target=made.target,
        scope=scope,
        text=made.text,
        mask=masked(made.text) if secret else "",
        secret=secret,
    )


def holds_secret(values: Iterable[Refused]) -> bool:
    """Whether any of these values is a secret, so that the record's bytes are not kept."""
    return any(value.secret for value in values)
