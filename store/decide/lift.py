"""Lifting a refusal: what was refused may be proposed and approved again."""

from __future__ import annotations

from placet.store.decide import body
from placet.store.decide.desk import Desk
from placet.store.decide.records import Held
from placet.store.decide.recover import ready
from placet.store.decide.ruling import Ruling
from placet.store.decide.simply import decide
from placet.store.errors import NotFound
from placet.store.ledger import refusals
from placet.store.ledger.refusals import Refusal
from placet.store.model import Done, Kind


def lift(desk: Desk, which: str | int, *, reason: str = "") -> Done:
    """Lift a refusal, or everything that one decision refused.

    Args:
        desk: Whose.
        which: A fingerprint (or its beginning), or the number of the decision.
        reason: The person's words.

    Raises:
        NotFound: No refusal of that name stands.
    """
    ready(desk)
    found = _found(desk, which)
    targets = {refusal.target for refusal in found}
    ruling = Ruling(
        kind=Kind.LIFTED,
        target=targets.pop() if len(targets) == 1 else "",
        details={
            **body.who(desk),
            "refused_by": sorted({refusal.decision for refusal in found}),
            "words": f"lifted {len(found)} refusal{'s' if len(found) > 1 else ''}",
        },
        actor=body.actor(desk),
        reason=reason,
        lifts=tuple(dict.fromkeys(refusal.fp for refusal in found)),
    )
    return decide(desk, ruling, Held(None))


def _found(desk: Desk, which: str | int) -> tuple[Refusal, ...]:
    if isinstance(which, str):
        return (refusals.find(desk.ledger, which),)
    found = tuple(r for r in refusals.of_decision(desk.ledger, which) if r.lifted is None)
    if not found:
        raise NotFound(f"#{which} refuses nothing that still stands; nothing was lifted.")
    return found
