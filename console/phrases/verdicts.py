"""What the gates found."""

from __future__ import annotations

from collections import Counter
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


def finding(verdict: Verdict, times: int = 1) -> str:
    """A finding with its weight, and the rule that hit where its message does not name it.

    Args:
        verdict: What was found.
        times: In how many places.
    """
    named = not verdict.rule or verdict.rule in verdict.message
    more = ("" if named else verdict.rule, f"{times} times" if times > 1 else "")
    told = ", ".join(part for part in more if part)
    return f"{LEVELS[verdict.level]}: {verdict.message}" + (f" [{told}]" if told else "")


def told_once(found: Iterable[Verdict]) -> list[tuple[Verdict, int]]:
    """What one rule found in one operation as one finding, with the number of places."""
    first: dict[tuple[object, ...], Verdict] = {}
    times: Counter[tuple[object, ...]] = Counter()
    for verdict in found:
        key = (verdict.code, verdict.rule, verdict.operation, verdict.level, verdict.message)
        first.setdefault(key, verdict)
        times[key] += 1
    return [(verdict, times[key]) for key, verdict in first.items()]


def worst_first(found: Iterable[Verdict]) -> list[Verdict]:
    """Blockers, warnings, notes, each in the order they were found."""
    order = list(SIGNS)
    return sorted(found, key=lambda verdict: order.index(verdict.level))


def reason_of(plan: Plan) -> str:
    """Why a proposal cannot be approved, in the words of its gates."""
    found = (verdict.message for verdict, _ in told_once(plan.blockers))
    told = dict.fromkeys(found)
    return " ".join(words if words.endswith(".") else f"{words}." for words in told) or (
        "it changes nothing"
    )


def codes_of(plan: Plan) -> str:
    """The same by code, without a word of anybody's memory; this goes into the log."""
    codes: dict[Code, None] = dict.fromkeys(verdict.code for verdict in plan.blockers)
    return f"{plan.standing.value}: {', '.join(codes)}" if codes else plan.standing.value
