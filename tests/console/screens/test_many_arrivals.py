"""Field reports 102, 108, 126: bursts and heavy records in the open console."""

from __future__ import annotations

from pathlib import Path

from driving.console import own_home, running

from placet.console.pages.cells import width_of

WIDE = (110, 40)


async def test_a_burst_of_arrivals_and_departures_ends_exactly(tmp_path: Path) -> None:
    """Field reports 102, 126, C05: the rows are what the directory holds; the cursor stays."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_add("the first")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        before = driver.queue.list.key
        made = [home.stage_add(f"entry {n}") for n in range(300)]
        for record in made[::3]:
            home.record_path(record).unlink()
        held = {place.stem for place in home.pending().glob("*.json")}
        assert len(held) == 201

        def listed() -> set[str]:
            (view,) = driver.app.board.views.values()
            return {item.ref.id for item in view.members()}

        await driver.until(lambda: listed() == held and driver.rows() == 201, "every row")
        await driver.until(lambda: "201 waiting" in driver.text(), "the count")
        assert driver.queue.list.key == before


async def test_rows_of_heavy_records_are_one_short_line(tmp_path: Path) -> None:
    """Field report 108: 50 kB in each record; the list holds a line, the diff all of it."""
    home, approver = own_home(tmp_path)
    home.limits(memory=10_000_000).memory("alpha")
    for number in range(60):
        home.stage_add(f"{number} \x1b[31m" + "line\nof text " * 4_000, summary="x" * 50_000)
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        assert driver.rows() >= 60
        for row in driver.queue.list.rows:
            cells = row.cells(50) if callable(row.cells) else row.cells
            assert width_of(cells) <= 50
            assert not any("\n" in cell.text or "\x1b" in cell.text for cell in cells)
        await driver.key("right", "j")
        doc = driver.queue.diff.doc
        assert sum(line.text.startswith("of text") for line in doc.lines) == 4_000


async def test_a_giant_record_is_a_row_with_its_size(tmp_path: Path) -> None:
    """Field reports 72, 106: 5 MiB are not read; the row says so and the next one is at hand."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_add("x" * (5 << 20), record_id="giant")
    home.stage_add("small", record_id="small")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("G", "right", "j")
        assert "1,048,576" in driver.text()
        assert "are not read" in driver.text()
        assert "xxx" not in driver.text()
        await driver.key("a", "A", "r")
        assert driver.kinds() == ["baseline"]
        await driver.key("g")
        assert "+ small" in driver.text()
        await driver.key("a")
        assert driver.kinds() == ["baseline", "approved"]
        assert home.record_path("giant").exists()


async def test_a_hundred_thousand_short_lines_can_be_looked_at(tmp_path: Path) -> None:
    """Field report 106: only what is on the screen is drawn; both ends can be reached."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_add("\n".join(f"{n}" for n in range(100_000)), summary="")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("right", "j")
        await driver.until(lambda: "+ 7" in driver.text(), "the first lines")
        await driver.key("tab", "G")
        await driver.until(lambda: "+ 99999" in driver.text(), "the last line")
        await driver.key("g")
        await driver.until(lambda: "+ 7" in driver.text(), "the first lines again")
        assert driver.kinds() == ["baseline"]
