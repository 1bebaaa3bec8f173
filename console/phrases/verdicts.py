"""What the gates found."""

from __future__ import annotations

from collections.abc import Iterable

from placet.store.model import Code, Level, Plan, Verdict

SIGNS = {Level.BLOCKER: "!", Level.WARNING: "*", Level.NOTE: "."}
"""The sign before a finding, the worst first."""

LEVELS = {Level.BLOCKER: "blocked", Level.WARNING: "warning", Level.NOTE: "note"}

VOUCHING = (
    "You vouch for this exact text only; one character more is blocked again. Hermes will still"
    " show [BLOCKED] to the agent in its place."
)
"""What vouching does, and what it does not."""


def finding(verdict: Verdict) -> str:
    """A finding with its weight, and the rule that hit where its message does not name it."""
    named = not verdict.rule or verdict.rule in verdict.message
    rule = "" if named else f" [{verdict.rule}]"
    return f"{LEVELS[verdict.level]}: {verdict.message}{rule}"


def worst_first(found: Iterable[Verdict]) -> list[Verdict]:
    """Blockers, warnings, notes, each in the order they were found."""
    order = list(SIGNS)
    return sorted(found, key=lambda verdict: order.index(verdict.level))


def reason_of(plan: Plan) -> str:
    """Why a proposal cannot be approved, in the words of its gates."""
    return "; ".join(verdict.message for verdict in plan.blockers) or "it changes nothing"


def codes_of(plan: Plan) -> str:
    """The same by code, without a word of anybody's memory; this goes into the log."""
    codes: dict[Code, None] = dict.fromkeys(verdict.code for verdict in plan.blockers)
    return f"{plan.standing.value}: {', '.join(codes)}" if codes else plan.standing.value
