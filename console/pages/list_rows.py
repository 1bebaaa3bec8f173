"""One short line for each thing in a list: a waiting proposal, an entry, a heading."""

from __future__ import annotations

from collections.abc import Callable

from placet.console.pages.cells import Cell, Cells, Look, shown_cells, spread
from placet.console.phrases.provenance import origin_word
from placet.console.phrases.times import age
from placet.console.phrases.verdicts import reason_of
from placet.store.model import (
    Action,
    Code,
    Level,
    Plan,
    Standing,
    Target,
    TargetKind,
)
from placet.store.text import suspect

Drawn = Callable[[int], Cells]
"""A function from the width in cells to the cells of a row (`ListRow.cells`)."""

GIST = 400
"""Characters of a text that are looked at for a row of the list."""

COUNTED = 20_000
"""Characters of a text in which a row counts hidden ones."""

ADDS = frozenset({Action.ADD, Action.CREATE, Action.WRITE_FILE})
REMOVES = frozenset({Action.REMOVE, Action.REMOVE_FILE, Action.DELETE})


def queue_cells(
    plan: Plan, *, now: float, twins: int = 1, home: str = "", ascii_only: bool = False
) -> Drawn:
    """A waiting proposal: who, where, what in signs, badges, age.

    Args:
        plan: What it would do.
        now: Seconds since the epoch.
        twins: How often the same change is proposed.
        home: Label of its home, empty where there is only one.
        ascii_only: Whether the terminal can draw ASCII only.
    """

    def draw(width: int) -> Cells:
        proposal = plan.proposal
        prefix = (*shown_cells(home, Look.DIM, ascii_only=ascii_only), Cell(" ")) if home else ()
        who = Cell(f"{origin_word(proposal.origin):<6} ")
        what = (*target_cells(proposal.target, ascii_only), Cell(" "), *signs(plan))
        if not proposal.operations:
            what = (Cell("record "), *shown_cells(proposal.id, ascii_only=ascii_only))
        left = (*prefix, who, *what)
        more: Cells = (Cell(f" {twins}x", Look.STRONG),) if twins > 1 else ()
        more += (Cell("  "), *shown_cells(gist(plan), Look.DIM, ascii_only=ascii_only))
        since = Cell(" ?" if proposal.created_at is None else f" {age(now - proposal.created_at)}")
        return spread((*left, *more), (*badges(plan), since), width)

    return draw


def target_cells(target: Target | None, ascii_only: bool = False) -> Cells:
    """Where it lands: `memory`, `user`, `soul`, or the skill's name."""
    if target is None:
        return (Cell("?", Look.WARNING),)
    if target.kind is not TargetKind.SKILL:
        return (Cell(f"{target.kind.value:<6}"),)
    return (Cell("skill "), *shown_cells(target.skill, ascii_only=ascii_only))


def signs(plan: Plan) -> Cells:
    """What the operations that are in do, counted: `+2 ~1 -1`."""
    acting = [o.action for o in plan.operations if not o.dropped]
    adds = sum(action in ADDS for action in acting)
    removes = sum(action in REMOVES for action in acting)
    counts = (("+", adds), ("~", len(acting) - adds - removes), ("-", removes))
    text = " ".join(f"{sign}{count}" for sign, count in counts if count)
    left_out = sum(o.dropped for o in plan.operations)
    more = (Cell(f" ({left_out} out)", Look.DIM),) if left_out else ()
    return (Cell(text or "no change"), *more)


def gist(plan: Plan) -> str:
    """How the first text that comes or goes begins, or why there is none: to find a row by, never
    to decide on."""
    if not plan.proposal.operations:
        return reason_of(plan)
    for outcome in plan.operations:
        if outcome.dropped:
            continue
        text = (outcome.after or outcome.before or "").strip()
        if not text:
            continue
        lines = [line for line in text[:GIST].split("\n") if line.strip("-# ")]
        return lines[0] if lines else ""
    return ""


def badges(plan: Plan) -> Cells:
    """What stands out: impact, warnings, hidden characters, and a standing that forbids."""
    found: list[Cell] = []
    if plan.has(Code.HIGH_IMPACT):
        found.append(Cell(" impact", Look.BLOCKER))
    if plan.has(Code.HIDDEN_CHARACTERS):
        found.append(Cell(f" {hidden_in(plan)} hidden", Look.SUSPECT))
    if plan.has(Code.THREAT):
        found.append(Cell(" threat", Look.BLOCKER))
    if plan.standing not in (Standing.READY, Standing.WARNING):
        found.append(Cell(f" {plan.standing.value}", Look.DIM))
    if any(v.level is not Level.NOTE for v in plan.verdicts):
        found.append(Cell(" !", Look.WARNING))
    return tuple(found)


def hidden_in(plan: Plan) -> str:
    """How many hidden characters the operations bring, as far as a row looks: "3", "12+"."""
    texts = [operation.content or "" for operation in plan.proposal.operations]
    marks = (mark for text in texts for mark in suspect.hidden(text[:COUNTED]))
    count = sum(mark.end - mark.start for mark in marks)
    return f"{count:,}{'+' if any(len(text) > COUNTED for text in texts) else ''}"


def group_cells(words: str, count: int, hint: str = "") -> Drawn:
    """The header of a group: its name, how many it holds, and what one key does to them."""

    def draw(width: int) -> Cells:
        left = (Cell(words, Look.HEADING), Cell(f" {count:,}", Look.STRONG))
        return spread(left, (Cell(hint, Look.DIM),) if hint else (), width)

    return draw


def entry_cells(text: str, number: int, *, ascii_only: bool = False) -> Drawn:
    """An entry of a memory file: its number, its beginning, its size in characters."""

    def draw(width: int) -> Cells:
        head = text.split("\n", 1)[0]
        mark = (Cell(" ..."),) if len(head) < len(text) else ()
        left = (Cell(f"{number:>3} ", Look.DIM), *shown_cells(head, ascii_only=ascii_only), *mark)
        return spread(left, (Cell(f" {len(text):,}", Look.DIM),), width)

    return draw
