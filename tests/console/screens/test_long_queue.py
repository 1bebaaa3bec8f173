"""A long queue is read and drawn without holding up the keys (design §11, §15; C12)."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from driving.console import own_home, running
from homes.build import HomeBuilder

from placet.console import working
from placet.console.reader import Reader
from placet.console.screens.queue import QueueScreen
from placet.store.inbox import HomeView


async def test_paints_that_take_long_come_seldom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What events ask for takes a tenth of the time, however long one drawing takes."""
    home, approver = own_home(tmp_path)
    home.stage_add("alpha")
    async with running(home, approver, tmp_path) as driver:
        moment = [1e9]
        drawn: list[float] = []

        def draw(_: QueueScreen) -> None:
            drawn.append(moment[0])
            moment[0] += 0.5

        stopped = SimpleNamespace(monotonic=lambda: moment[0], time=time.time)
        monkeypatch.setattr(working, "time", stopped)
        monkeypatch.setattr(QueueScreen, "board_changed", draw)
        driver.app.changed()
        for _ in range(60):
            moment[0] += 0.1
            driver.app.changed()
            driver.app.paint_due = False  # the timer of real time plays no part here
        assert drawn == pytest.approx([1e9, 1e9 + 5.0], abs=0.21)
        driver.app.changed(now=True)
        assert len(drawn) == 3


def test_between_two_slices_only_what_is_new_is_told(home: HomeBuilder) -> None:
    """A view is drawn once, not once for every fifty records behind it."""
    for number in range(400):
        home.stage_add(f"Fact {number}.")
    told: list[HomeView] = []
    last = Reader((home.home,)).refresh(home.home, True, (), told.append)
    assert len(last.items) == 400
    assert told
    assert len({id(view) for view in told}) == len(told)
    assert all(view is not last for view in told)
