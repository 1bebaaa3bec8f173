"""What an event says about a decision: codes, digests, who and how seen; never memory text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from placet.store.decide.desk import Desk
from placet.store.model import (
    RULES_VERSION,
    Choice,
    Code,
    Event,
    Plan,
    Proposal,
    Sight,
    Verdict,
)


def who(desk: Desk) -> dict[str, Any]:
    """The approver as an event names them."""
    evidence = desk.approver.evidence()
    return {"actor": evidence["name"], "evidence": evidence}


def actor(desk: Desk) -> str:
    """Login name of the approver."""
    return str(desk.approver.evidence()["name"])


def seen(sight: Sight) -> dict[str, Any]:
    """How the decision was seen."""
    return {
        "seen": {
            "seconds": round(sight.seconds, 3),
            "rows_seen": sight.rows_seen,
            "rows": sight.rows,
            "where": sight.where,
        }
    }


def of_proposal(proposal: Proposal) -> dict[str, Any]:
    """What is known of the record itself."""
    return {
        "label": proposal.home.label,
        "origin": proposal.origin or "unknown",
        "proposed_at": proposal.created_at,
        "count": len(proposal.operations),
        "rules": RULES_VERSION,
    }


def of_plan(plan: Plan, provider: str) -> dict[str, Any]:
    """What was consented to."""
    found: dict[str, Any] = {
        **of_proposal(plan.proposal),
        "digest": plan.digest or plan.state,
        "choice": of_choice(plan.choice),
        "verdicts": [of_verdict(verdict) for verdict in plan.verdicts],
        "side_effects": [effect.code for effect in plan.side_effects],
    }
    if plan.usage is not None:
        usage = plan.usage
        found["usage"] = {"from": usage.before, "to": usage.after, "limit": usage.limit}
    if provider:
        found["provider_not_told"] = provider
    return found


def of_choice(choice: Choice) -> dict[str, Any]:
    """Which operations were left out or edited."""
    return {"dropped": sorted(choice.dropped), "edited": [number for number, _ in choice.edited]}


def of_verdict(verdict: Verdict) -> dict[str, Any]:
    """One verdict by its code; the message may quote text and stays out."""
    found: dict[str, Any] = {"code": verdict.code.value, "level": verdict.level.value}
    if verdict.operation is not None:
        found["n"] = verdict.operation
    if verdict.rule:
        found["rule"] = verdict.rule
    return found


def told(plan: Plan) -> tuple[str, ...]:
    """What to say beside the result: that a provider keeps the old text (field report 13)."""
    return tuple(v.message for v in plan.verdicts if v.code is Code.PROVIDER_NOT_TOLD)


def effect(event: Event, body: Mapping[str, Any]) -> str:
    """One line of what an event did, for messages that name it."""
    target = f" ({body['target']})" if body.get("target") else ""
    return f"#{event.seq} {body['kind']}{target} by {body.get('actor', 'unknown')}"
