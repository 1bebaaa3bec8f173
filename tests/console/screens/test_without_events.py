"""Field reports 125, 126: where no event ever comes, listings alone keep the console right."""

from __future__ import annotations

from pathlib import Path

import pytest
from driving.console import Clock, Driver, make_app, own_home, quick

from placet.console.preferences import Preferences


@pytest.mark.parametrize("poll", [True, False])
async def test_the_header_says_how_it_watches_and_a_record_appears(
    tmp_path: Path, poll: bool
) -> None:
    """Field report 125: "scan only", and within one period the row is there."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_add("beta")
    clock = Clock()
    app = make_app([home.home], lambda: approver, tmp_path, clock, Preferences(poll=poll))
    async with quick(), app.run_test(size=(110, 40)) as pilot:
        driver = Driver(app, pilot, clock, home)
        await driver.until(lambda: len(app.board.views) == 1, "the home")
        await driver.settled()
        await driver.until(lambda: driver.rows() == 1, "the row")
        assert driver.kinds() == ["baseline"]
        assert ("scan only" in driver.text()) is poll
        assert ("events ·" in driver.text()) is not poll
        home.stage_add("gamma")
        home.record_path("00000001").unlink()
        home.memory("alpha", "outside")
        await driver.until(lambda: len(driver.kinds()) == 3, "what happened")
        await driver.until(lambda: driver.rows() == 2, "both rows")
        assert "ungated" in driver.kinds()
        assert {"gone", "withdrawn-elsewhere"} & set(driver.kinds()), "whichever was seen first"
        assert [item.ref.id for item in driver.queue.found.items.values()] == ["00000002"]
        await driver.settled()
