"""Vouching for one exact text that Hermes itself would refuse or mask (design §10, D9)."""

from __future__ import annotations

from dataclasses import replace

from placet.store.decide import body, keeping, parts
from placet.store.decide.approve import require_unchanged
from placet.store.decide.desk import Desk
from placet.store.decide.records import Held
from placet.store.decide.recover import ready
from placet.store.decide.ruling import Ruling
from placet.store.decide.simply import decide
from placet.store.errors import Blocked
from placet.store.model import Choice, Code, Done, Kind, Level, Plan, Proposal, Sight


def vouch(
    desk: Desk,
    proposal: Proposal,
    choice: Choice | None,
    operation: int,
    reason: str,
    seen: str,
    *,
    sight: Sight | None = None,
) -> Done:
    """Lift the `threat` blocker for exactly the text of one operation; nothing is written yet.

    Args:
        desk: Of the proposal's home.
        proposal: As it was shown.
        choice: What the person dropped or edited.
        operation: Number of the operation whose text is vouched for.
        reason: The person's words; required.
        seen: `state` of the plan that was shown (it has no digest while it is blocked).
        sight: How it was seen.

    Raises:
        Blocked: No reason was given, or no threat was found in that text.
        StalePlan: Something moved; look again.
    """
    ready(desk)
    plan = desk.plan(proposal, choice)
    require_unchanged(plan, seen)
    if not reason.strip():
        raise Blocked("Vouching needs a reason; nothing was decided.", plan)
    text, rules = _text(plan, operation)
    keeping.keep(desk, (parts.encoded(text),))
    digest = parts.digest_of(text) or ""
    ruling = Ruling(
        kind=Kind.VOUCHED,
        target=str(proposal.target) if proposal.target else "",
        details={
            **body.who(desk),
            **body.seen(sight or Sight()),
            **body.of_plan(plan, ""),
            "record": proposal.sha256,
            "n": operation,
            "words": f"vouched for operation {operation} of {proposal.ref}",
        },
        actor=body.actor(desk),
        reason=reason.strip(),
        vouches=tuple((digest, rule) for rule in rules),
    )
    return decide(desk, replace(ruling, subsystem=proposal.subsystem, id=proposal.id), Held(None))


def _text(plan: Plan, operation: int) -> tuple[str, tuple[str, ...]]:
    """The text of one operation and the rules that block it."""
    rules = [
        verdict.rule
        for verdict in plan.verdicts
        if (verdict.code, verdict.level, verdict.operation)
        == (Code.THREAT, Level.BLOCKER, operation)
    ]
    text = next((o.after for o in plan.operations if o.number == operation), None)
    if not rules or text is None:
        raise Blocked(f"Operation {operation} holds nothing to vouch for.", plan)
    return text, tuple(dict.fromkeys(rules))
