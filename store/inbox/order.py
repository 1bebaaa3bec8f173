"""Rows of the queue: which group a proposal belongs to, and the one fixed order; pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from operator import attrgetter

from placet.store.model import Life, Plan, Proposal, Ref, Standing, TargetKind, sha256


class Group(StrEnum):
    """Part of the queue, in the order of the screen; the last five are folded."""

    UNFINISHED = "unfinished"
    APPROVABLE = "approvable"
    HELD = "held"
    DEAD = "dead"
    MALFORMED = "malformed"
    FOREIGN = "foreign"
    REFUSED = "refused before"


FOLDED = (Group.HELD, Group.DEAD, Group.MALFORMED, Group.FOREIGN, Group.REFUSED)
"""Groups shown as one line until they are opened."""

_GROUPS = {
    Standing.READY: Group.APPROVABLE,
    Standing.WARNING: Group.APPROVABLE,
    Standing.SETTLING: Group.APPROVABLE,
    Standing.HELD: Group.HELD,
    Standing.DEAD: Group.DEAD,
    Standing.MALFORMED: Group.MALFORMED,
    Standing.FOREIGN: Group.FOREIGN,
    Standing.REFUSED: Group.REFUSED,
}


ORDER = tuple(Group)
"""Every group, in the order of the screen."""


@dataclass(frozen=True, slots=True)
class Item:
    """One row of the queue; made by `item`.

    Attributes:
        ref: Reference of the proposal.
        proposal: What is asked.
        plan: What approving would do today; without the bytes of a memory file (`changes` is empty
            then), which `Inbox.plan` works out for the one row that is looked at.
        life: `waiting` or `unfinished`.
        staged: When it was staged as far as known, seconds since the epoch; orders the rows.
        place: Sort key: group, then oldest first, then the reference.
        kin: Equal for proposals that ask for exactly the same and stand in the same group.
        twins: Other proposals of this kin, folded into this row.
    """

    ref: Ref
    proposal: Proposal
    plan: Plan
    life: Life
    staged: float
    place: tuple[int, float, str]
    kin: str
    twins: tuple[Item, ...] = ()

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
        return ORDER[self.place[0]]

    @property
    def members(self) -> tuple[Item, ...]:
        """This item and its twins, each without twins of its own."""
        return (replace(self, twins=()), *self.twins) if self.twins else (self,)


def item(proposal: Proposal, plan: Plan, life: Life, staged: float) -> Item:
    """Make a row, working out once where it goes and what it is folded by."""
    ref = proposal.ref
    name = str(ref)
    kin = name
    if proposal.operations and life is not Life.UNFINISHED:
        asked = (proposal.subsystem, proposal.target, proposal.operations, proposal.batch)
        kin = sha256(repr((asked, plan.standing)).encode("utf-8", "surrogatepass"))
    group = Group.UNFINISHED if life is Life.UNFINISHED else _GROUPS[plan.standing]
    place = (ORDER.index(group), staged, name)
    return Item(ref, proposal, _slim(plan), life, staged, place, kin)


def _slim(plan: Plan) -> Plan:
    """The plan without the bytes of a memory file: ten thousand of them would be held otherwise."""
    target = plan.proposal.target
    if target is None or target.kind is TargetKind.SKILL:
        return plan
    return replace(plan, changes=())


def fold(items: Iterable[Item]) -> tuple[Item, ...]:
    """Fold identical proposals into the first of them, keeping the given order."""
    heads: dict[str, Item] = {}
    twins: dict[str, list[Item]] = {}
    for row in items:
        if heads.setdefault(row.kin, row) is not row:
            twins.setdefault(row.kin, []).append(row)
    for kin, found in twins.items():
        heads[kin] = replace(heads[kin], twins=tuple(found))
    return tuple(heads.values())


def rows(items: Iterable[Item]) -> tuple[Item, ...]:
    """The queue of one home: in the fixed order, identical proposals folded."""
    return fold(sorted(items, key=attrgetter("place")))


def grouped(items: Sequence[Item]) -> dict[Group, tuple[Item, ...]]:
    """Rows by group, every group present, in the order of the screen."""
    found: dict[Group, list[Item]] = {group: [] for group in Group}
    for row in items:
        found[row.group].append(row)
    return {group: tuple(members) for group, members in found.items()}
