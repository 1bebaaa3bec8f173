"""Memory: C06, Q19, field reports 31, 37, 38, 43, 88."""

from __future__ import annotations

from pathlib import Path

from driving.console import Driver, own_home, running
from textual import events

from placet.console.screens.memory import MemoryScreen
from placet.console.screens.review import ReviewScreen
from placet.console.widgets.pane import Pane

WIDE = (110, 40)


async def _memory(driver: Driver) -> MemoryScreen:
    await driver.key("2")
    await driver.until(
        lambda: isinstance(driver.app.screen, MemoryScreen) and driver.app.screen.files, "memory"
    )
    screen = driver.app.screen
    assert isinstance(screen, MemoryScreen)
    return screen


async def _reviewing(driver: Driver) -> ReviewScreen:
    await driver.until(lambda: isinstance(driver.app.screen, ReviewScreen), "the diff")
    await driver.settled()
    screen = driver.app.screen
    assert isinstance(screen, ReviewScreen)
    return screen


async def test_an_entry_is_edited_in_place_and_shown_before_saving(tmp_path: Path) -> None:
    """C06."""
    home, approver = own_home(tmp_path)
    home.memory("alpha is here", "beta", "gamma", "delta")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await _memory(driver)
        await driver.key("j", "e")
        await driver.type(" now")
        await driver.key("escape")
        await _reviewing(driver)
        assert "+ alpha is here now" in driver.text()
        assert home.read("memories/MEMORY.md") == (
            "alpha is here\n§\nbeta\n§\ngamma\n§\ndelta".encode()
        )
        await driver.key("A")
        await driver.until(lambda: driver.kinds()[-1] == "approved", "the decision")
        assert (home.read("memories/MEMORY.md") or b"").startswith(b"alpha is here now")


async def test_the_cursor_stays_on_the_edited_entry(tmp_path: Path) -> None:
    """C06: also where the undo of the edit puts the old text back, beside an equal entry."""
    home, approver = own_home(tmp_path)
    home.memory("alpha", "beta", "gamma", "delta")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        screen = await _memory(driver)
        await driver.key("j", "j", "e")
        await driver.type(" now")
        await driver.key("escape")
        await _reviewing(driver)
        await driver.key("A")
        await driver.until(lambda: driver.kinds()[-1] == "approved", "the decision")
        await driver.until(lambda: "beta now" in str(screen.list.key), "the cursor")
        await driver.until(lambda: len(driver.app.screen_stack) == 1, "Memory")
        await driver.key("u")
        await _reviewing(driver)
        await driver.key("A")
        await driver.until(lambda: driver.kinds()[-1] == "undone", "the undo")
        await driver.until(lambda: "'beta'" in str(screen.list.key), "the cursor")
        await driver.settled()
        home.memory("alpha", "gamma", "delta")
        await driver.until(lambda: "'gamma'" in str(screen.list.key), "the next entry")


async def test_add_and_delete_take_the_same_road(tmp_path: Path) -> None:
    """C06: every gate, the diff first."""
    home, approver = own_home(tmp_path)
    home.memory("alpha", "beta", "gamma", "delta")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await _memory(driver)
        await driver.key("j", "o")
        await driver.type("epsilon")
        await driver.key("escape")
        await _reviewing(driver)
        await driver.key("a")
        await driver.until(lambda: "approved" in driver.kinds(), "the addition")
        assert (home.read("memories/MEMORY.md") or b"").endswith(b"epsilon")
        await driver.until(lambda: isinstance(driver.app.screen, MemoryScreen), "back")
        await driver.key("D")
        await _reviewing(driver)
        assert "- alpha" in driver.text()
        await driver.key("A")
        await driver.until(lambda: driver.kinds().count("approved") == 2, "the removal")
        assert not (home.read("memories/MEMORY.md") or b"").startswith(b"alpha")


async def test_a_forged_delimiter_is_refused_with_an_offer_to_edit(tmp_path: Path) -> None:
    """C06, D6."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await _memory(driver)
        await driver.key("o")
        driver.app.post_message(events.Paste("one\n§\ntwo"))
        await driver.key("escape")
        await _reviewing(driver)
        await driver.key("A")
        assert "e edits it" in driver.said
        assert driver.kinds() == ["baseline"]
        assert home.read("memories/MEMORY.md") == b"alpha"


async def test_when_the_file_moves_both_texts_are_kept(tmp_path: Path) -> None:
    """C06: fails safely; what was typed stays and today's text is shown."""
    home, approver = own_home(tmp_path)
    home.memory("alpha", "beta", "gamma", "delta")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await _memory(driver)
        await driver.key("j", "e")
        await driver.type(" typed")
        home.memory("alpha changed by someone", "beta", "gamma", "delta")
        await driver.key("escape")
        await _reviewing(driver)
        await driver.until(lambda: "alpha changed by someone" in driver.text(), "today's text")
        assert "alpha typed" in driver.text()
        await driver.key("A")
        assert "approved" not in driver.kinds()
        assert (home.read("memories/MEMORY.md") or b"").startswith(b"alpha changed by someone")


async def test_esc_asks_before_a_typed_change_is_dropped(tmp_path: Path) -> None:
    """Design §11."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await _memory(driver)
        await driver.key("o")
        await driver.type("typed")
        await driver.key("escape")
        await _reviewing(driver)
        await driver.key("escape")
        assert "Drop it?" in driver.text()
        await driver.key("n")
        assert "+ typed" in driver.text()
        await driver.key("escape", "y")
        await driver.until(lambda: isinstance(driver.app.screen, MemoryScreen), "memory")
        assert driver.kinds() == ["baseline"]


async def test_a_drifted_file_is_normalised_as_a_decision(tmp_path: Path) -> None:
    """Q19, field report 31."""
    home, approver = own_home(tmp_path)
    home.write("memories/MEMORY.md", "alpha\n\n§\n\nbeta\n")
    home.stage_add("gamma")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        assert "held 1" in driver.text()
        await _memory(driver)
        assert "drift" in driver.text()
        await driver.key("equals_sign")
        await _reviewing(driver)
        assert home.read("memories/MEMORY.md") == "alpha\n\n§\n\nbeta\n".encode()
        await driver.key("A")
        await driver.until(lambda: "approved" in driver.kinds(), "the decision")
        assert home.read("memories/MEMORY.md") == "alpha\n§\nbeta".encode()
        await driver.key("1")
        await driver.until(lambda: "held" not in driver.text(), "the proposal to be freed")
        await driver.key("a")
        await driver.until(lambda: driver.kinds().count("approved") == 2, "the addition")


async def test_soul_is_edited_as_one_text(tmp_path: Path) -> None:
    """Design §11: SOUL.md too."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").soul("You are careful.\nYou ask first.\n")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await _memory(driver)
        await driver.key("G", "e")
        await driver.type("You stop.\n")
        await driver.key("escape")
        await _reviewing(driver)
        assert "+ You stop." in driver.text()
        await driver.key("A")
        await driver.until(lambda: "approved" in driver.kinds(), "the decision")
        assert home.read("SOUL.md") == b"You are careful.\nYou ask first.\nYou stop.\n"


async def test_the_bytes_of_an_unreadable_file_can_be_seen(tmp_path: Path) -> None:
    """Field report 38: raw bytes viewable; text as text, everything else in hexadecimal."""
    home, approver = own_home(tmp_path)
    home.write("memories/MEMORY.md", b"caf\xe9 rule\n\xc2\xa7\nsecond")
    home.write("memories/USER.md", bytes(range(200, 256)))
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("2")
        await driver.until(lambda: "its bytes as they are" in driver.text(), "the bytes")
        shown = driver.text()
        assert "rule" in shown and "second" in shown
        assert "caf" in shown and "é" not in shown
        assert "0 of 2" not in shown and "2 unreadable files" in shown
        await driver.key("j")
        await driver.until(lambda: "00000000  c8 c9 ca" in driver.text(), "the other file")


async def test_unreadable_and_oversized_files_are_named(tmp_path: Path) -> None:
    """Field reports 37, 38: unreadable is never empty."""
    home, approver = own_home(tmp_path)
    home.write("memories/MEMORY.md", b"caf\xe9 rule\n\xc2\xa7\nsecond")
    home.write("memories/USER.md", "# Title\n\n" + "long text " * 400)
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        screen = await _memory(driver)
        assert "not UTF-8: byte 0xe9 at offset 3" in driver.text()
        files = {str(key.target): file for key, file in screen.files.items()}
        assert not files["memory"].readable
        assert "1 entry, over limit" in files["user"].problem


async def test_the_title_names_the_file_under_the_cursor(tmp_path: Path) -> None:
    """Design §11: from an entry of one file to the heading of another the old name stayed."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").write("memories/USER.md", b"\xff")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await _memory(driver)
        pane = driver.app.screen.query_one("#diff-pane", Pane)
        for key, name in (("j", "MEMORY.md"), ("j", "USER.md"), ("k", "MEMORY.md")):
            await driver.key(key)
            assert str(pane.border_title) == name
