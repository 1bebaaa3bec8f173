"""The lines above and below every screen, made from the board; no widgets."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from placet.console.actions import BY_ID, Place
from placet.console.board import Board
from placet.console.pages.cells import (
    Cell,
    Cells,
    Look,
    shown_cells,
    spoken_cells,
    spread,
    width_of,
)
from placet.console.phrases.homes import ABSENT, TURN_ON, doubt, write_approval
from placet.console.phrases.standings import waiting
from placet.console.phrases.times import age
from placet.console.shown import spoken
from placet.store.inbox import HomeView
from placet.store.model import HomeConfig

STALE_SECONDS = 15.0
"""After so many seconds without a listing the heartbeat is a warning."""

MORE_ALARMS = "and more: 5 Check shows all of it"
"""Stands for the alarms that have no room."""

TABS = (
    (Place.QUEUE, "screen.queue"),
    (Place.MEMORY, "screen.memory"),
    (Place.AUDIT, "screen.audit"),
    (Place.REFUSALS, "screen.refusals"),
    (Place.CHECK, "screen.check"),
)


@dataclass(frozen=True, slots=True)
class Spread:
    """A line with a left and a right end; equal lines are not drawn anew.

    Attributes:
        left: Cells at the left edge.
        right: Cells at the right edge.
        short: What stands at the right edge where the long form does not fit.
    """

    left: Cells
    right: Cells = ()
    short: Cells = ()

    def __call__(self, width: int) -> Cells:
        """The line at a width."""
        long = width_of(self.left) + width_of(self.right) < width
        return spread(self.left, self.right if long or not self.short else self.short, width)


def status(board: Board, now: float, *, ascii_only: bool = False) -> Spread:
    """Homes, how many wait, the oldest, ungated changes, the level; at the right the heartbeat.

    Args:
        board: What is known.
        now: Seconds since the epoch.
        ascii_only: Whether the terminal can draw ASCII only.
    """
    views = list(board.views.values())
    dot = Cell(" - " if ascii_only else " · ", Look.DIM)
    parts: list[Cells] = [_homes(board, ascii_only), _waiting(board)]
    oldest = min((v.oldest for v in views if v.oldest is not None), default=None)
    if oldest is not None:
        parts.append((Cell(f"oldest {age(now - oldest)}"),))
    ungated = sum(len(view.ungated) for view in views)
    parts.append((Cell(f"{ungated} ungated", Look.WARNING if ungated else Look.DIM),))
    parts.append(_level(board))
    left: list[Cell] = [Cell(" ")]
    for number, part in enumerate(parts):
        left += ([dot] if number else []) + list(part)
    long, short = heartbeat(board, now, ascii_only=ascii_only)
    return Spread(tuple(left), long, short)


def _homes(board: Board, ascii_only: bool) -> Cells:
    if len(board.homes) == 1:
        return shown_cells(board.homes[0].label, Look.STRONG, ascii_only=ascii_only)
    return (Cell(f"{len(board.homes)} homes", Look.STRONG),)


def _waiting(board: Board) -> Cells:
    """How many wait, and whether they are still being read."""
    count = Cell(waiting(board.waiting), Look.STRONG)
    return (count,) if board.read_whole else (count, Cell(", reading", Look.DIM))


def _approval(views: Iterable[HomeView]) -> Cell:
    off = [view for view in views if view.exists and not gate_on(view.config)]
    if off:
        return Cell("write approval OFF", Look.BLOCKER)
    return Cell("write approval on", Look.DIM)


def gate_on(config: HomeConfig) -> bool:
    """Whether Hermes asks before it writes memory and skills."""
    return config.gate.memory and config.gate.skills


def _level(board: Board) -> Cells:
    if board.refused_here:
        return (Cell("read-only here", Look.WARNING),)
    if board.refused_here is None:
        return (Cell("opening", Look.DIM),)
    if board.read_only and len(board.read_only) == len(board.homes):
        return (Cell("read-only", Look.WARNING),)
    return (Cell(board.level, Look.DIM),)


def heartbeat(board: Board, now: float, *, ascii_only: bool = False) -> tuple[Cells, Cells]:
    """How the homes are watched, and when they were last listed; in a long and a short form."""
    if not board.heard:
        return (Cell("starting ", Look.DIM),), ()
    since = max(now - min(board.heard.values()), 0.0)
    how = "events"
    for words in board.watching.values():
        how = words if words != "events" else how
    dot = "-" if ascii_only else "·"
    look = Look.WARNING if since > STALE_SECONDS or how != "events" else Look.DIM
    long = shown_cells(f"{how} {dot} scanned {int(since)} s ago", look, ascii_only=ascii_only)
    short = shown_cells(f"{how} {int(since)} s", look, ascii_only=ascii_only)
    return (*long, Cell(" ")), (*short, Cell(" "))


def tabs(board: Board, place: Place) -> Spread:
    """The names of the screens with their keys, the present one marked; write approval."""
    cells: list[Cell] = [Cell(" ")]
    keys = board.keys
    for tab, action in TABS:
        key = (keys.get(action) or BY_ID[action].keys[0]).split(",")[0]
        here = tab is place
        cells.append(Cell(f" {key} {tab.value} ", Look.CURSOR if here else Look.PLAIN))
    return Spread(tuple(cells), (_approval(board.views.values()), Cell(" ")))


def alarms(
    board: Board, *, ascii_only: bool = False, width: int = 10_000, room: int = 10_000
) -> tuple[Cells, ...]:
    """What must not be overlooked, the worst first, each alarm whole or not at all.

    Args:
        board: What is known.
        ascii_only: Whether the terminal can draw ASCII only.
        width: Cells of a line.
        room: Lines that there are; where they do not do, the last one says where the rest is.
    """
    parted = [
        (_parted(spoken(words, ascii=ascii_only), width - 2), look)
        for words, look in _alarms(board)
    ]
    lines = [(line, look) for parts, look in parted for line in parts]
    if len(lines) > room:
        while len(parted) > 1 and sum(len(parts) for parts, _ in parted) >= room:
            parted.pop()
        lines = [(line, look) for parts, look in parted for line in parts][: room - 1]
        lines.append((MORE_ALARMS, Look.NOTE))
    return tuple((Cell(f" {line}", look),) for line, look in lines)


def _alarms(board: Board) -> Iterator[tuple[str, Look]]:
    if board.banner:
        yield board.banner, Look.BLOCKER
    for view in board.views.values():
        name = f"{view.home.label}: " if len(board.homes) > 1 else ""
        if view.alarm:
            yield f"{name}{doubt(view.alarm)}", Look.BLOCKER
        yield from ((f"{name}{words}", Look.WARNING) for words in _gate_words(view))
        yield from ((f"{name}{words}", Look.WARNING) for words in view.problems)
    if board.refused_here:
        yield board.refused_here, Look.WARNING
    yield from ((f"{label}: {why}", Look.WARNING) for label, why in board.read_only.items())
    yield from ((words, Look.WARNING) for words in board.problems)


def _parted(words: str, width: int) -> list[str]:
    """An alarm on as many lines as it needs; the command in it begins a line of its own."""
    if len(words) <= width:
        return [words]
    said, turn_on, command = words.partition(TURN_ON)
    parts = [said, turn_on + command] if turn_on else [said]
    return [
        line
        for part in parts
        for line in textwrap.wrap(part, max(width, 8), break_on_hyphens=False)
    ]


def _gate_words(view: HomeView) -> Iterable[str]:
    """What to run where Hermes writes without asking."""
    if not view.exists:
        yield f"{view.home.path} {ABSENT}"
        return
    yield from (approval.words for approval in write_approval(view.config) if not approval.on)


def said(board: Board, *, ascii_only: bool = False) -> Cells:
    """What was said last, or what is being waited for."""
    if board.waiting_for:
        return (Cell(" "), *spoken_cells(board.waiting_for, Look.WARNING, ascii_only=ascii_only))
    look = Look.GOOD if board.said.good else Look.NOTE
    look = Look.WARNING if board.said.warning else look
    return (Cell(" "), *spoken_cells(board.said.words, look, ascii_only=ascii_only))
