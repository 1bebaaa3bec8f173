"""Field reports 30, 31, 34, 35, 111: what the bytes are is on the screen, and stays up to date."""

from __future__ import annotations

import os
from pathlib import Path

from driving.console import own_home, running

from placet.console.screens.review import ReviewScreen

WIDE = (110, 40)


def rows(text: str) -> list[str]:
    """What stands in the rows of the diff, without its frame and blanks."""
    found = [line.rpartition("││")[2] or line.strip("│") for line in text.split("\n")]
    return [row.strip("│▌").rstrip() for row in found]


async def test_line_ends_that_change_are_seen_before_and_gone_after(tmp_path: Path) -> None:
    """Field reports 34, 35: never a one-entry change; `i` keeps CR as a mark."""
    home, approver = own_home(tmp_path)
    home.write("memories/MEMORY.md", "alpha\r\n§\r\nbeta\r\n")
    home.stage_add("gamma")
    home.stage_add("delta")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        for _ in range(2):
            found = "\n".join(rows(driver.text()))
            assert " - alpha^M\n + alpha\n" in found
            assert " - §^M\n + §\n" in found
            assert "- beta^M" in found
            await driver.key("i")
        assert "Line endings will change from CR to LF" in driver.text()
        await driver.key("a")
        await driver.until(lambda: "approved" in driver.kinds(), "the decision")
        assert home.read("memories/MEMORY.md") == "alpha\n§\nbeta\n§\ngamma".encode()
        await driver.until(lambda: "+ delta" in driver.text(), "the next one")
        assert "^M" not in driver.text()


async def test_normalising_shows_every_byte_that_goes(tmp_path: Path) -> None:
    """Q19, field report 31: blank lines and trailing blanks are rows and marks of their own."""
    home, approver = own_home(tmp_path)
    home.write("memories/MEMORY.md", "alpha\n\n§\n\nbeta \n")
    home.stage_add("gamma")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("right", "j", "=")
        await driver.until(lambda: isinstance(driver.app.screen, ReviewScreen), "the review")
        await driver.settled()
        found = rows(driver.text())
        at = found.index("   alpha")
        assert found[at : at + 7] == ["   alpha", " -", "   §", " -", " - beta·", " + beta", " -"]
        assert "White space or empty entries beside “§” will go" in driver.text()
        assert home.read("memories/MEMORY.md") == "alpha\n\n§\n\nbeta \n".encode()
        await driver.key("A")
        await driver.until(lambda: "approved" in driver.kinds(), "the decision")
        assert home.read("memories/MEMORY.md") == "alpha\n§\nbeta".encode()


async def test_blanks_that_look_like_nothing_are_marked(tmp_path: Path) -> None:
    """Field report 111: doubled, no-break and trailing blanks; a change that is nothing else."""
    home, approver = own_home(tmp_path)
    home.memory("a b", "c d", "other", "more", "rest")
    home.stage_replace("a b", "a\u00a0b")
    home.stage_replace("c d", "c  d")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        assert "+ a‹U+00A0 NBSP›b" in driver.text()
        assert "hite space" in driver.text()
        await driver.key("j")
        assert "+ c  d" in driver.text()
        await driver.key("i")
        assert "+ c··d" in driver.text()
        assert "- c·d" in driver.text()


async def test_two_saves_by_rename_show_the_second(tmp_path: Path) -> None:
    """Field report 30: in the diff of the Queue and on Memory, whichever is looked at."""
    home, approver = own_home(tmp_path)
    home.memory("first").stage_add("beta")
    place = home.path / "memories/MEMORY.md"

    def save(*texts: str) -> None:
        for text in texts:
            other = place.with_name("other")
            other.write_text(text)
            os.replace(other, place)

    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("j")
        assert "first" in driver.text()
        save("second\n§\nx", "third\n§\nx")
        await driver.until(lambda: driver.rows() == 2, "the change behind the queue's back")
        await driver.key("G")
        await driver.until(lambda: "   third" in driver.text(), "the second text, in the context")
        assert "second" not in driver.text()
        await driver.key("2")
        await driver.until(lambda: "1 third" in driver.text(), "the second text, as an entry")
        save("fourth\n§\nx", "fifth\n§\nx")
        await driver.until(lambda: "1 fifth" in driver.text(), "the fourth save")
        assert "fourth" not in driver.text()
