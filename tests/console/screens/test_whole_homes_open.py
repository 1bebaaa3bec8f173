"""Q01, Q02: the console on the two whole homes: every record, its class, and the order."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from conformance.excepted import HOME_RECORDS
from driving.console import Driver, running
from homes.build import HomeBuilder

from placet.store.model import Code, Level, Ref, Standing

WIDE = (120, 50)


def blockers(driver: Driver) -> dict[Ref, set[Code]]:
    """What blocks each record that the console shows."""
    return {
        item.ref: {v.code for v in item.plan.verdicts if v.level is Level.BLOCKER}
        for view in driver.app.board.views.values()
        for item in view.members()
    }


def expected_codes(expected: dict[str, dict[str, Any]]) -> dict[str, set[Code]]:
    """What blocks each record, as observed or as the table of exceptions says."""
    found: dict[str, set[Code]] = {}
    for records in expected.values():
        for record_id, record in records.items():
            differs = HOME_RECORDS.get(record_id)
            wanted = record["class"] if differs is None else differs.code
            found[record_id] = set() if wanted is None else {Code(wanted)}
    return found


async def test_home_small_is_listed_oldest_first(
    home_small: HomeBuilder, expected_small: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    """Q01: 6 and 3 with origin, age and target; the stale batch is marked before any key."""
    before = home_small.tree()
    async with running(home_small, None, tmp_path, size=WIDE) as driver:
        found = blockers(driver)
        assert Counter(ref.subsystem for ref in found) == {"memory": 6, "skills": 3}
        assert {ref.id: codes for ref, codes in found.items()} == expected_codes(expected_small)
        view = driver.app.board.views["default"]
        able = [i for i in view.items if i.plan.standing in (Standing.READY, Standing.WARNING)]
        times = [item.proposal.created_at or 0.0 for item in able]
        assert times == sorted(times) and len(set(times)) > 1
        lines = driver.text().split("\n")
        rows = [line for line in lines if " memory " in line and (" d " in line or " h " in line)]
        assert rows and any("review" in row for row in rows) and any("agent" in row for row in rows)
        assert "dead 1" in driver.text(), "the stale batch"
        await driver.key("G")
        assert "dead: reasons" in driver.text()
    assert home_small.tree() == before


async def test_home_busy_shows_every_record_with_its_own_verdict(
    home_busy: HomeBuilder, expected_busy: dict[str, dict[str, Any]], tmp_path: Path
) -> None:
    """Q02, field reports 20 and 102: 77, 164 and the five of `lab`, each home by its name."""
    lab = HomeBuilder(home_busy.path / "profiles" / "lab", "lab")
    async with running(home_busy, None, tmp_path, size=WIDE, others=(lab,)) as driver:
        found = blockers(driver)
        counts = Counter((ref.home, ref.subsystem) for ref in found)
        wanted = {("default", "memory"): 77, ("default", "skills"): 164, ("lab", "memory"): 5}
        assert counts == wanted
        mine = {ref.id: codes for ref, codes in found.items() if ref.home == "default"}
        assert mine == expected_codes(expected_busy)
        assert "246 waiting" in driver.text()
        assert "default" in driver.text()
        await driver.key("G")
        rows = driver.text().split("\n")
        assert sum(row.startswith("│ lab review memory +1") for row in rows) == 5


@pytest.mark.parametrize("name", ["small", "busy"])
async def test_every_row_can_be_opened_and_read(
    name: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Q01, Q02: the diff follows the cursor through ready rows and folded groups."""
    home: HomeBuilder = request.getfixturevalue(f"home_{name}")
    async with running(home, None, tmp_path, size=WIDE) as driver:
        seen: set[object] = set()
        for _ in range(24):
            await driver.key("right", "j")
            seen.add(driver.queue.diff.subject)
        assert len(seen) > {"small": 8, "busy": 20}[name]
