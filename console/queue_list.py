"""The rows of the Queue, in the one fixed order, and what each of them is about."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from placet.console.board import Board
from placet.console.pages.cells import Cell, Cells, Look, shown_cells, spread
from placet.console.pages.list_rows import Drawn, group_cells, queue_cells
from placet.console.phrases.provenance import origin_word
from placet.console.phrases.times import age
from placet.console.widgets.line_list import ListRow
from placet.store.inbox import FOLDED, Group, HomeView, Item, Taken, grouped
from placet.store.model import Code, Ref, Ungated

HINTS = {
    Group.HELD: "enter opens",
    Group.DEAD: "d discards all",
    Group.MALFORMED: "d discards all",
    Group.FOREIGN: "d moves all aside",
    Group.REFUSED: "enter opens",
}


Groups = dict[Group, list[Item]]
"""Rows of one home by group; every group is there."""


@dataclass(frozen=True, slots=True)
class GroupKey:
    """Key of a group's header row."""

    home: str
    group: Group

    @property
    def name(self) -> str:
        """Name of the group in the list."""
        return f"{self.home}/{self.group.value}"


@dataclass(frozen=True, slots=True)
class UngatedKey:
    """Key of the row of an ungated change."""

    home: str
    path: str
    event: int


@dataclass(frozen=True, slots=True)
class TakenKey:
    """Key of the row of a taken record."""

    home: str
    event: int


@dataclass(slots=True)
class QueueList:
    """The rows and what stands behind them.

    Attributes:
        rows: For the list.
        items: Waiting proposals by reference.
        groups: Members of each folded group.
        ungated: Ungated changes.
        taken: Taken records.
    """

    rows: list[ListRow] = field(default_factory=list[ListRow])
    items: dict[Ref, Item] = field(default_factory=dict[Ref, Item])
    groups: dict[GroupKey, list[Item]] = field(default_factory=dict[GroupKey, list[Item]])
    ungated: dict[UngatedKey, Ungated] = field(default_factory=dict[UngatedKey, Ungated])
    taken: dict[TakenKey, Taken] = field(default_factory=dict[TakenKey, Taken])

    def folds(self) -> set[str]:
        """Names of all folded groups."""
        return {key.name for key in self.groups}


@dataclass(frozen=True, slots=True)
class Arrangement:
    """How the person wants to see the queue.

    Attributes:
        needle: Only rows that hold this, whatever its case.
        by_impact: Warnings and high impact first, within the waiting rows.
        stay: A row that has changed its group stands where it stood, until the cursor leaves it:
            its reference and the group it stood in.
        now: Seconds since the epoch.
        ascii_only: Whether the terminal can draw ASCII only.
    """

    needle: str = ""
    by_impact: bool = False
    stay: tuple[Ref, Group] | None = None
    now: float = 0.0
    ascii_only: bool = False


def arrange(board: Board, how: Arrangement) -> QueueList:
    """Put together every row: homes in order; in each ungated, unfinished, waiting, groups."""
    found = QueueList()
    views = [board.views[h.label] for h in board.homes if h.label in board.views]
    several = len(board.homes) > 1
    for view in views:
        _ungated(found, view, several, how)
    groups = [_groups(view, how) for view in views]
    for mine in groups:
        _waiting(found, mine, several, how)
    for view, mine in zip(views, groups, strict=True):
        _folded(found, view, mine, several, how)
    return found


def _ungated(found: QueueList, view: HomeView, several: bool, how: Arrangement) -> None:
    for change in view.ungated:
        if not _holds(how.needle, ("ungated", change.path, *change.names)):
            continue
        key = UngatedKey(view.home.label, change.path, change.event)
        found.ungated[key] = change
        home = view.home.label if several else ""
        found.rows.append(ListRow(key, _ungated_cells(change, home, how)))


def _ungated_cells(change: Ungated, home: str, how: Arrangement) -> Callable[[int], Cells]:
    def draw(width: int) -> Cells:
        prefix = shown_cells(home, Look.DIM, ascii_only=how.ascii_only) if home else ()
        path = shown_cells(change.path, ascii_only=how.ascii_only)
        left = (*prefix, Cell(" " if home else ""), Cell("ungated ", Look.BLOCKER), *path)
        return spread(left, (Cell(f" {age(how.now - change.since)}"),), width)

    return draw


def _waiting(found: QueueList, groups: Groups, several: bool, how: Arrangement) -> None:
    rows = [*groups[Group.UNFINISHED], *_sorted(groups[Group.APPROVABLE], how)]
    _add_items(found, _holding(rows, how), several, how, "")


def _folded(
    found: QueueList, view: HomeView, groups: Groups, several: bool, how: Arrangement
) -> None:
    for group in FOLDED:
        items = _holding(groups[group], how)
        taken = list(view.taken) if group is Group.REFUSED and not how.needle else []
        if not items and not taken:
            continue
        key = GroupKey(view.home.label, group)
        count = sum(item.times for item in items) + len(taken)
        words = f"{view.home.label}: {group.value}" if several else group.value
        found.groups[key] = items
        drawn = _header(group_cells(words, count, HINTS[group]))
        found.rows.append(ListRow(key, drawn, key.name, header=True))
        _add_items(found, items, several, how, key.name)
        for one in taken:
            _add_taken(found, one, view.home.label, key.name, how)


def _header(drawn: Drawn) -> Drawn:
    """A header row has a mark of its own, and so less room than others."""
    return lambda width: drawn(max(width - 1, 0))


def _groups(view: HomeView, how: Arrangement) -> Groups:
    by_group = {group: list(items) for group, items in grouped(view.items).items()}
    if how.stay is None:
        return by_group
    ref, stood = how.stay
    for group, items in by_group.items():
        for item in items:
            if item.ref == ref and group is not stood:
                items.remove(item)
                by_group[stood].append(item)
                by_group[stood].sort(key=lambda one: (one.staged, one.ref))
                return by_group
    return by_group


def _sorted(items: list[Item], how: Arrangement) -> list[Item]:
    return sorted(items, key=impact, reverse=True) if how.by_impact else items


def impact(item: Item) -> tuple[bool, int, int]:
    """How much a proposal asks for attention; sorts by it with `o`."""
    plan = item.plan
    return (plan.has(Code.HIGH_IMPACT), len(plan.warnings), len(plan.operations))


def _add_items(
    found: QueueList, items: Iterable[Item], several: bool, how: Arrangement, group: str
) -> None:
    """Add a row for each; ten thousand are added at every paint, so little is done for one."""
    for item in items:
        found.items[item.ref] = item
        found.rows.append(ListRow(item.ref, partial(_item_cells, item, several, how), group))


def _item_cells(item: Item, several: bool, how: Arrangement, width: int) -> Cells:
    home = item.ref.home if several else ""
    drawn = queue_cells(
        item.plan, now=how.now, twins=item.times, home=home, ascii_only=how.ascii_only
    )
    return drawn(width)


def _add_taken(found: QueueList, one: Taken, home: str, group: str, how: Arrangement) -> None:
    key = TakenKey(home, one.event)
    found.taken[key] = one

    def draw(width: int) -> Cells:
        name = shown_cells(f"{one.target} {one.ref.id}", ascii_only=how.ascii_only)
        since = "" if one.at is None else f" {age(how.now - one.at)}"
        who = Cell(f"{origin_word(one.origin):<6} ", Look.DIM)
        return spread((who, *name), (Cell(" taken", Look.DIM), Cell(since)), width)

    found.rows.append(ListRow(key, draw, group))


def _holding(items: Sequence[Item], how: Arrangement) -> list[Item]:
    if not how.needle:
        return list(items)
    return [item for item in items if _holds(how.needle, _texts(item))]


def _texts(item: Item) -> Iterator[str]:
    proposal = item.proposal
    yield from (proposal.id, proposal.origin, proposal.summary, str(proposal.target or ""))
    yield item.plan.standing.value
    for operation in proposal.operations:
        yield operation.action.value
        yield operation.content or ""
        yield operation.old or ""


def _holds(needle: str, texts: Iterable[str]) -> bool:
    wanted = needle.casefold()
    return not wanted or any(wanted in text.casefold() for text in texts)
