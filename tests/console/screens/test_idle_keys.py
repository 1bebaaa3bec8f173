"""A key that does nothing says why, and the footer offers only what acts."""

from __future__ import annotations

from pathlib import Path

import pytest
from driving.console import own_home, running

from placet.console import preferences
from placet.console.app import PlacetApp
from placet.console.screens.memory import MemoryScreen
from placet.console.screens.queue import QueueScreen
from placet.console.screens.review import ReviewScreen

WIDE = (110, 40)


@pytest.mark.parametrize("key", ["a", "A", "r", "R", "d", "l", "space"])
async def test_keys_of_other_screens_say_where_they_count(tmp_path: Path, key: str) -> None:
    """Design §11: a key that does nothing says one sentence."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("2", key)
        assert isinstance(driver.app.screen, MemoryScreen)
        assert "does nothing here" in driver.said
        assert driver.kinds() == ["baseline"]
        await driver.key("x")
        driver.app.say("")
        await driver.key("b" if key != "b" else "o")
        assert "does nothing here" not in driver.said


async def test_other_screens_wait_until_a_review_is_left(tmp_path: Path) -> None:
    """Design §11: 1 to 5 in a review say what to do; q leaves, since nothing was typed."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_add("beta")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("a", "u")
        await driver.until(lambda: isinstance(driver.app.screen, ReviewScreen), "the review")
        for key in "12345":
            driver.app.say("")
            await driver.key(key)
            assert "esc leaves this first" in driver.said
        await driver.key("escape", "2")
        assert isinstance(driver.app.screen, MemoryScreen)


async def test_q_leaves_a_review_and_quits_a_screen(tmp_path: Path) -> None:
    """keys.md: q closes what stands on top; what was typed is asked for first."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_add("beta")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        left: list[int] = []
        driver.app.leave = lambda code=0: left.append(code)  # type: ignore[method-assign]
        await driver.key("a", "u")
        await driver.until(lambda: isinstance(driver.app.screen, ReviewScreen), "the review")
        assert "q leave" in driver.text()
        await driver.key("q")
        assert isinstance(driver.app.screen, QueueScreen)
        await driver.key("2", "j", "o")
        await driver.type("typed")
        await driver.key("escape", "q")
        assert "Drop it?" in driver.text()
        await driver.key("q")
        assert isinstance(driver.app.screen, ReviewScreen)
        assert left == []
        await driver.key("q", "y")
        assert isinstance(driver.app.screen, MemoryScreen)
        await driver.key("q")
        assert left == [0]


async def test_help_begins_with_the_keys_of_the_screen(tmp_path: Path) -> None:
    """C11: what works only elsewhere is named as that."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    async with running(home, approver, tmp_path, size=(110, 120)) as driver:
        await driver.key("3", "question_mark")
        here, others = driver.text().split("On other screens")
        assert "keys of Audit" in here
        assert "Follow the log" in here
        assert "Approve what is shown" not in here
        assert "Queue, in a review: Approve what is shown" in others


async def test_a_text_is_searched_beside_a_filtered_list(tmp_path: Path) -> None:
    """C11: / n N in the text of every screen, apart from the list's filter."""
    home, approver = own_home(tmp_path)
    home.memory("one two one", "three")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("2", "slash")
        await driver.type("two")
        await driver.key("enter", "n")
        screen = driver.app.screen
        assert isinstance(screen, MemoryScreen)
        assert "nothing is searched for" in driver.said
        assert [row for row in screen.list.rows if not row.header]
        await driver.key("g", "j", "enter", "slash")
        await driver.type("one")
        await driver.key("enter", "n")
        assert driver.said == "match 2 of 2"
        assert len(screen.list.rows) == 3 + 1
        await driver.key("escape", "n")
        assert "nothing is searched for" in driver.said
        assert screen.needle == "two"
        await driver.key("escape")
        assert screen.needle == ""


async def test_what_was_said_goes_with_the_next_key_but_a_decision_stays(tmp_path: Path) -> None:
    """Design §11: nothing old stands beside what is true now; the last decision stays said."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_add("beta")
    home.stage_add("gamma")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("=")
        assert driver.said == "MEMORY.md is already normal"
        await driver.key("w")
        assert driver.said != "MEMORY.md is already normal"
        await driver.key("a", "j")
        assert driver.said.startswith("✓ added 1")


async def test_a_theme_that_is_not_there_is_named(tmp_path: Path) -> None:
    """docs/files.md: what cannot be used of the configuration is named on Check."""
    folder = tmp_path / ".config" / "placet"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('theme = "nosuch"\n')
    chosen = preferences.load(folder)
    home, approver = own_home(tmp_path)
    app = PlacetApp(
        (home.home,), approver=lambda: approver, chosen=chosen, env={"TERM": "xterm-256color"}
    )
    assert any("no theme 'nosuch'" in words for words in app.board.problems)
    assert app.theme == "placet-dark"


async def test_normalising_a_healthy_file_says_so(tmp_path: Path) -> None:
    """Q19: nothing to normalise opens nothing, on both screens."""
    home, approver = own_home(tmp_path)
    home.memory("alpha", "beta").stage_add("gamma")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("=")
        assert isinstance(driver.app.screen, QueueScreen)
        assert driver.said == "MEMORY.md is already normal"
        driver.app.say("")
        await driver.key("2", "j", "=")
        assert isinstance(driver.app.screen, MemoryScreen)
        assert driver.said == "MEMORY.md is already normal"


async def test_the_footer_of_memory_offers_what_acts(tmp_path: Path) -> None:
    """C11: on a file, on an entry, on SOUL.md."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").soul("You are careful.\n")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("2")
        screen = driver.app.screen
        assert isinstance(screen, MemoryScreen)

        def offered() -> set[str]:
            mine = {"batch.edit", "entry.delete", "entry.new", "decision.undo"}
            return {name for name, _, _ in screen.footer_keys()} & mine

        assert offered() == {"entry.new"}
        await driver.key("j")
        assert offered() == {"batch.edit", "entry.delete", "entry.new"}
        await driver.key("G")
        assert offered() == {"batch.edit"}
