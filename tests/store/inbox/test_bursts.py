"""Field reports 102, 126: N files in, N rows out, however many hints were lost on the way."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterable

import pytest
from homes.build import START, HomeBuilder

from placet.store import watch
from placet.store.inbox.inbox import Inbox
from placet.store.model import Subsystem
from placet.store.watch import Area, Hint

MANY = 2_000


def some(names: list[str]) -> list[str]:
    """A third of them, in no order: what is left of a queue of events that overflowed."""
    return random.Random(7).sample(names, len(names) // 3)


LOST: dict[str, Callable[[list[str]], Iterable[str]]] = {
    "every hint": lambda names: names,
    "a third of the hints": some,
    "no hint": lambda names: (),
    "hints about others": lambda names: [f"never-{name}" for name in names],
}


@pytest.mark.parametrize("told", LOST)
def test_a_burst_of_arrivals_is_listed_exactly(home: HomeBuilder, told: str) -> None:
    """Field report 126: events are hints only; the rows are what the directory holds."""
    home.memory("first")
    home.stage_add("before", record_id="before")
    box = Inbox([home.home], clock=lambda: START + 10_000_000)
    box.refresh(home.home)
    made = [home.stage_add(f"entry {n}", record_id=f"r{n}") for n in range(MANY)]
    for record in made[::4]:
        home.record_path(record).unlink()
    names = [f"{record}.json" for record in made]
    hints = [Hint(home.home, Area.RECORDS, n, Subsystem.MEMORY) for n in LOST[told](names)]
    box.refresh(home.home, hints=hints)
    view = box.refresh(home.home)
    listed = {place.stem for place in home.pending().glob("*.json")}
    assert {row.ref.id for row in view.members()} == listed
    assert len(listed) == view.waiting == MANY * 3 // 4 + 1


async def test_a_real_burst_is_followed_to_its_end(home: HomeBuilder) -> None:
    """Field report 102: 300 records within moments, with the watcher's own hints."""
    home.memory("first")
    home.pending()
    box, stop = Inbox([home.home]), asyncio.Event()
    box.refresh(home.home)
    deadline = time.monotonic() + 20
    made: list[str] = []
    found: set[str] = set()
    async with asyncio.timeout(20):
        async for hints in watch.changes([home.home], stop, scan_seconds=0.5):
            if not made:
                made = [home.stage_add(f"entry {n}") for n in range(300)]
                continue
            box.refresh(home.home, hints=hints)
            found = {row.ref.id for row in box.view(home.home).members()}
            if found == set(made) or time.monotonic() > deadline:
                stop.set()
    assert found == set(made)
