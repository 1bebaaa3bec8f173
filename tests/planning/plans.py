"""Short ways from a staged record to its plan, for tests of what comes out."""

from __future__ import annotations

from collections.abc import Mapping

from homes.build import START, HomeBuilder

from placet.store.homes import config
from placet.store.model import (
    Choice,
    Code,
    Context,
    Past,
    Plan,
    Proposal,
    RefusedHit,
    Snapshot,
    Subsystem,
)
from placet.store.plan import plan
from placet.store.plan import snapshot as snapshots
from placet.store.staged import parse, scan

NOW = START + 86_400 * 365
"""When tests read: long after anything was staged."""


def proposal_of(home: HomeBuilder, record_id: str, subsystem: str = "memory") -> Proposal:
    """The staged record, understood."""
    record = scan.read(home.home, Subsystem(subsystem), f"{record_id}.json")
    return parse.understand(record, NOW)


def snapshot_of(home: HomeBuilder, proposal: Proposal) -> Snapshot:
    """The files behind a proposal as they are now."""
    return snapshots.take(proposal, config.read(home.home, {}))


def context_of(home: HomeBuilder, past: Past | None = None) -> Context:
    """Today's configuration and what is remembered."""
    return Context(config.read(home.home, {}), past or Past())


def planned(
    home: HomeBuilder,
    record_id: str,
    subsystem: str = "memory",
    *,
    choice: Choice | None = None,
    past: Past | None = None,
) -> Plan:
    """Plan of a staged record against today's files."""
    return replan(home, proposal_of(home, record_id, subsystem), choice=choice, past=past)


def replan(
    home: HomeBuilder,
    proposal: Proposal,
    *,
    choice: Choice | None = None,
    past: Past | None = None,
) -> Plan:
    """Plan of any proposal against today's files."""
    return plan(proposal, snapshot_of(home, proposal), context_of(home, past), choice)


def after(made: Plan, name: str = "memories/MEMORY.md") -> bytes | None:
    """Bytes of one file after the plan."""
    return {change.name: change.after for change in made.changes}[name]


def write_out(home: HomeBuilder, made: Plan) -> None:
    """Do what the plan says, without any of the care of the product."""
    for change in made.changes:
        if change.after is None:
            change.path.unlink()
        else:
            change.path.parent.mkdir(parents=True, exist_ok=True)
            change.path.write_bytes(change.after)


def blockers(made: Plan) -> set[Code]:
    """Codes of the blockers."""
    return {verdict.code for verdict in made.blockers}


def warnings(made: Plan) -> set[Code]:
    """Codes of the warnings."""
    return {verdict.code for verdict in made.warnings}


def notes(made: Plan) -> set[Code]:
    """Codes of the notes."""
    return {v.code for v in made.verdicts} - blockers(made) - warnings(made)


def words(made: Plan, code: Code) -> str:
    """Messages of every verdict with this code."""
    return "\n".join(v.message for v in made.verdicts if v.code is code)


def effects(made: Plan) -> set[str]:
    """Codes of the side effects."""
    return {effect.code for effect in made.side_effects}


def hit(number: int = 1, *, kind: str = "put", reason: str = "", text: str = "") -> RefusedHit:
    """A refusal of 2 November 2026."""
    return RefusedHit("0" * 64, kind, "memory", 1_793_577_600.0, reason, number, text)


def refused(numbers: Mapping[int, RefusedHit]) -> Past:
    """A past in which these operations were refused."""
    return Past(refused=numbers)
