"""Plans made by hand, for tests of what is drawn; nothing is read from disk."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from placet.store.model import (
    Action,
    Change,
    Choice,
    Home,
    Operation,
    Outcome,
    Plan,
    Proposal,
    Subsystem,
    Target,
    TargetKind,
    Usage,
    Verdict,
    standing_of,
)

MEMORY = Target(TargetKind.MEMORY)
SOUL = Target(TargetKind.SOUL)
SECTION = "\n§\n"
HOME = Home(Path("/nowhere/home"))
_STATES = itertools.count()


def entries(*texts: str) -> bytes:
    """The bytes of a memory file with these entries."""
    return SECTION.join(texts).encode()


def outcome(
    number: int,
    before: str | None,
    after: str | None,
    target: Target = MEMORY,
    action: Action | None = None,
    **more: Any,
) -> Outcome:
    """What one operation does; its action follows from its sides."""
    kinds = {(True, False): Action.ADD, (False, True): Action.REMOVE}
    found = action or kinds.get((before is None, after is None), Action.REPLACE)
    return Outcome(number, found, target, before, after, **more)


def make_plan(
    before: bytes | None,
    after: bytes | None,
    operations: Sequence[Outcome] = (),
    *,
    target: Target | None = MEMORY,
    name: str = "memories/MEMORY.md",
    asked: Sequence[Operation] | None = None,
    verdicts: Sequence[Verdict] = (),
    changes: Sequence[Change] | None = None,
    raw: bytes = b"{}",
    summary: str = "",
    origin: str = "background_review",
    **more: Any,
) -> Plan:
    """A plan about one file, or about `changes`, with a state of its own."""
    wanted = asked if asked is not None else [Operation(o.action, o.after) for o in operations]
    subsystem = Subsystem.SKILLS if target and target.skill else Subsystem.MEMORY
    proposal = Proposal(
        HOME, subsystem, "e52fec14", "e52fec14.json", raw, origin, 1_700_000_000.0, summary,
        target, tuple(wanted), len(wanted) > 1,
    )  # fmt: skip
    one = [Change(HOME.path / name, name, before, after)] if before != after else []
    usage = Usage(len(before or b""), len(after or b""), 2200) if target == MEMORY else None
    return Plan(
        proposal=proposal,
        choice=Choice(),
        changes=tuple(one if changes is None else changes),
        operations=tuple(operations),
        side_effects=more.pop("side_effects", ()),
        usage=more.pop("usage", usage),
        verdicts=tuple(verdicts),
        standing=standing_of(tuple(verdicts)),
        digest=f"{next(_STATES):064x}",
        state=f"{next(_STATES):064x}",
        **more,
    )
