"""Rows of the queue: which group a proposal belongs to, and the one fixed order; pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from placet.store.model import Life, Plan, Proposal, Ref, Standing, sha256


class Group(StrEnum):
    """Part of the queue, in the order of the screen; the last five are folded."""

    UNFINISHED = "unfinished"
    WAITING = "waiting"
    HELD = "held"
    DEAD = "dead"
    MALFORMED = "malformed"
    FOREIGN = "foreign"
    TAKEN = "taken"


FOLDED = (Group.HELD, Group.DEAD, Group.MALFORMED, Group.FOREIGN, Group.TAKEN)
"""Groups shown as one line until they are opened."""

_GROUPS = {
    Standing.READY: Group.WAITING,
    Standing.WARNING: Group.WAITING,
    Standing.SETTLING: Group.WAITING,
    Standing.HELD: Group.HELD,
    Standing.DEAD: Group.DEAD,
    Standing.MALFORMED: Group.MALFORMED,
    Standing.FOREIGN: Group.FOREIGN,
    Standing.REFUSED: Group.TAKEN,
}


PLACES = {group: number for number, group in enumerate(Group)}


@dataclass(frozen=True, slots=True)
class Item:
    """One row of the queue; made by `item`.

    Attributes:
        proposal: What is asked.
        plan: What approving would do today.
        life: `waiting` or `unfinished`.
        staged: When it was staged as far as known, seconds since the epoch; orders the rows.
        kin: Equal for proposals that ask for exactly the same and stand in the same group.
        twins: Other proposals of this kin, folded into this row.
    """

    proposal: Proposal
    plan: Plan
    life: Life
    staged: float
    kin: str
    twins: tuple[Item, ...] = ()

    @property
    def ref(self) -> Ref:
        """Reference of the proposal."""
        return self.proposal.ref

    @property
    def same(self) -> tuple[Ref, ...]:
        """References of the folded twins."""
        return tuple(twin.ref for twin in self.twins)

    @property
    def times(self) -> int:
        """How often this was proposed."""
        return 1 + len(self.twins)

    @property
    def group(self) -> Group:
        """Group it belongs to."""
        if self.life is Life.UNFINISHED:
            return Group.UNFINISHED
        return _GROUPS[self.plan.standing]

    @property
    def members(self) -> tuple[Item, ...]:
        """This item and its twins, each without twins of its own."""
        return (replace(self, twins=()), *self.twins)


def item(proposal: Proposal, plan: Plan, life: Life, staged: float) -> Item:
    """Make a row, working out once what it is folded by."""
    kin = str(proposal.ref)
    if proposal.operations and life is not Life.UNFINISHED:
        asked = (proposal.subsystem, proposal.target, proposal.operations, proposal.batch)
        kin = sha256(repr((asked, plan.standing)).encode("utf-8", "surrogatepass"))
    return Item(proposal, plan, life, staged, kin)


def place(row: Item) -> tuple[int, float, Ref]:
    """Sort key: group, then oldest first, then the reference."""
    return (PLACES[row.group], row.staged, row.ref)


def fold(items: Iterable[Item]) -> tuple[Item, ...]:
    """Fold identical proposals into the first of them, keeping the given order."""
    heads: dict[str, list[Item]] = {}
    for row in items:
        heads.setdefault(row.kin, []).append(row)
    return tuple(
        replace(found[0], twins=tuple(found[1:])) if len(found) > 1 else found[0]
        for found in heads.values()
    )


def rows(items: Iterable[Item]) -> tuple[Item, ...]:
    """The queue of one home: in the fixed order, identical proposals folded."""
    return fold(sorted(items, key=place))


def grouped(items: Sequence[Item]) -> dict[Group, tuple[Item, ...]]:
    """Rows by group, every group present, in the order of the screen."""
    found: dict[Group, list[Item]] = {group: [] for group in Group}
    for row in items:
        found[row.group].append(row)
    return {group: tuple(members) for group, members in found.items()}
