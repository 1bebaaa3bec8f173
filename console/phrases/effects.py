"""What approving does."""

from __future__ import annotations

from collections import Counter

from placet.console.phrases.targets import file_name
from placet.store.model import Action, Plan

DOES = {
    Action.ADD: "adds",
    Action.REPLACE: "replaces",
    Action.REMOVE: "removes",
    Action.CREATE: "creates",
    Action.EDIT: "rewrites",
    Action.PATCH: "patches",
    Action.WRITE_FILE: "writes",
    Action.REMOVE_FILE: "removes",
    Action.DELETE: "deletes",
    Action.WRITE: "writes",
    Action.NORMALISE: "normalises",
    Action.RESTORE: "restores",
}

ASKS = {
    Action.ADD: "add to",
    Action.REPLACE: "replace in",
    Action.REMOVE: "remove from",
    Action.WRITE_FILE: "write a file of",
    Action.REMOVE_FILE: "remove a file of",
}
"""What an operation asks for, before the name of its target; others are their own word."""


def effect(plan: Plan) -> str:
    """The effect in one line, such as "adds 1, removes 2 in USER.md of home work"."""
    home = f"home {plan.proposal.home.label}"
    if not plan.proposal.operations:
        return f"no change can be made out, {home}"
    acting = [o.action for o in plan.operations if o.applied and not o.dropped]
    counts = Counter(DOES[action] for action in acting)
    done = ", ".join(f"{verb} {number}" for verb, number in counts.items())
    if not done:
        asked = dict.fromkeys(o.action.value for o in plan.proposal.operations)
        done = f"changes nothing as it is (asks to {', '.join(asked).replace('_', ' ')})"
    return f"{done} in {file_name(plan.proposal.target)} of {home}"


def not_looked_at(others: int) -> str:
    """That what a plan does to other waiting records was not worked out."""
    return f"what this would do to the {others:,} others that wait is told by the console alone"


def asks(action: Action) -> str:
    """What an operation asks for."""
    return ASKS.get(action, action.value.replace("_", " "))
