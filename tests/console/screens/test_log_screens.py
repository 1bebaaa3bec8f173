"""Audit, Refusals, Check, Help: Q14, C05, field reports 97, 98."""

from __future__ import annotations

from pathlib import Path

from driving.console import own_home, running

from placet.console.screens.audit import AuditScreen
from placet.console.screens.check import CheckScreen
from placet.console.screens.refusals import RefusalsScreen
from placet.console.screens.review import ReviewScreen

WIDE = (120, 40)


async def test_the_log_follows_until_the_reader_moves(tmp_path: Path) -> None:
    """Design §11: follow stops when the reader scrolls, +N new, G resumes."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("3")
        screen = driver.app.screen
        assert isinstance(screen, AuditScreen)
        await driver.until(lambda: len(screen.logged) == 1, "the first row")
        home.memory("alpha", "one")
        await driver.until(lambda: len(screen.logged) == 2, "a live row")
        await driver.settled()
        assert screen.list.key.seq == 2  # type: ignore[union-attr]
        await driver.key("k")
        home.memory("alpha", "one", "two")
        await driver.until(lambda: "+1 new" in driver.text(), "the badge")
        assert screen.list.key.seq == 1  # type: ignore[union-attr]
        await driver.key("G")
        await driver.until(lambda: "following" in driver.text(), "following again")
        assert "+1 new" not in driver.text()


async def test_undo_of_an_older_decision_from_its_row(tmp_path: Path) -> None:
    """Design §6: older decisions are undone from their row in Audit."""
    home, approver = own_home(tmp_path)
    home.memory("alpha", "beta", "gamma", "delta")
    home.stage_add("epsilon")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("a")
        await driver.key("3")
        await driver.until(lambda: "approved" in driver.text(), "the row")
        await driver.settled()
        assert "+ epsilon" in driver.text()
        await driver.key("u")
        await driver.until(lambda: isinstance(driver.app.screen, ReviewScreen), "the way back")
        await driver.key("A")
        await driver.until(lambda: driver.kinds()[-1] == "undone", "the undo")
        assert (home.read("memories/MEMORY.md") or b"").endswith(b"delta")


async def test_a_conflict_shows_the_three_texts(tmp_path: Path) -> None:
    """Q10: when the entry changed since, nothing is guessed."""
    home, approver = own_home(tmp_path)
    home.memory("alpha", "beta is one thing", "gamma", "delta")
    home.stage_replace("beta is one", "beta is another thing now")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("A")
        await driver.until(lambda: "approved" in driver.kinds(), "the decision")
        home.memory("alpha", "beta is a third thing", "gamma", "delta")
        await driver.settled()
        await driver.key("u")
        await driver.until(lambda: "today:" in driver.text(), "the three texts")
        assert "beta is one thing" in driver.text()
        assert "beta is another thing now" in driver.text()
        assert "undone" not in driver.kinds()


async def test_a_refusal_is_listed_with_its_reason_and_lifted(tmp_path: Path) -> None:
    """Q06, field report 77: lifting is logged and lets the text through."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    home.stage_add("Use tabs.")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("R")
        await driver.type("taste\n")
        await driver.until(lambda: "rejected" in driver.kinds(), "the refusal")
        home.stage_add("use tabs")
        await driver.until(lambda: "taken" in driver.kinds(), "the taking")
        await driver.key("4")
        screen = driver.app.screen
        assert isinstance(screen, RefusalsScreen)
        await driver.until(lambda: "came back 1x" in driver.text(), "the hit")
        assert "taste" in driver.text()
        await driver.key("l")
        assert "Lift it?" in driver.text()
        await driver.key("y")
        await driver.until(lambda: "lifted" in driver.kinds(), "the lifting")
        await driver.until(lambda: not screen.refusals, "the row to leave")
        home.stage_add("Use tabs.")
        await driver.key("1", "g")
        await driver.until(lambda: "+ Use tabs." in driver.text(), "an ordinary proposal")


async def test_u_puts_a_taken_record_back_from_its_row_in_the_log(tmp_path: Path) -> None:
    """Design §7, §11: u undoes or puts back; once it is back, that is said."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_add("Use tabs.")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("r")
        home.stage_add("use tabs", record_id="again")
        await driver.until(lambda: driver.kinds()[-1] == "taken", "the taking")
        await driver.key("3")
        await driver.until(lambda: "u put back" in driver.text(), "its row")
        await driver.key("u")
        await driver.until(lambda: driver.kinds()[-1] == "put-back", "the record")
        assert home.record_path("again").exists()
        assert "u undo" not in driver.said
        await driver.key("k", "u")
        assert driver.said.startswith("nothing to put back")


async def test_u_in_refusals_puts_back_or_undoes(tmp_path: Path) -> None:
    """Design §11: on a taken row the record, else this session's newest decision."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_add("Use tabs.")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("4", "u")
        assert "nothing was decided in this session" in driver.said
        await driver.key("1", "r")
        home.stage_add("use tabs")
        await driver.until(lambda: driver.kinds()[-1] == "taken", "the taking")
        await driver.key("4")
        await driver.until(lambda: "1 taken" in driver.text(), "the taken record")
        assert "l lift" in driver.text()
        await driver.key("G")
        assert "u put back" in driver.text()
        assert "l lift" not in driver.text()
        await driver.key("u")
        await driver.until(lambda: driver.kinds()[-1] == "put-back", "the record")
        await driver.key("g", "l", "y")
        await driver.until(lambda: driver.kinds()[-1] == "lifted", "the lifting")
        await driver.key("u")
        await driver.until(lambda: isinstance(driver.app.screen, ReviewScreen), "the way back")
        await driver.key("a")
        await driver.until(lambda: driver.kinds()[-1] == "undone", "the undo")


async def test_changes_of_a_decision_are_walked_in_the_log(tmp_path: Path) -> None:
    """C11: ] and [ go to the texts that a decision changed."""
    home, approver = own_home(tmp_path)
    home.memory("alpha", "omega").stage_replace("omega", "omega and more")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("A", "3")
        await driver.until(lambda: "+ omega and more" in driver.text(), "the texts")
        screen = driver.app.screen
        assert isinstance(screen, AuditScreen)
        await driver.key("right_square_bracket")
        assert screen.diff.doc.lines[screen.diff._rows.line_of(screen.diff._cursor)].sign == "-"
        await driver.key("k", "right_square_bracket")
        assert driver.said == "nothing to go to: no change is shown here"


async def test_check_says_what_is_true(tmp_path: Path) -> None:
    """Design §9: the level in words, the watcher, the limits."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("5")
        assert isinstance(driver.app.screen, CheckScreen)
        await driver.until(lambda: "Watching: events" in driver.text(), "the watcher")
        assert "MEMORY.md 2,200, USER.md 1,375" in driver.text()
        assert "write approval for memory is on" in driver.text()
        await driver.key("V")
        await driver.until(lambda: "agree" in driver.text(), "the verification")


async def test_every_screen_opens_at_eighty_columns(tmp_path: Path) -> None:
    """C01: the tabs by their numbers."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_add("beta")
    async with running(home, approver, tmp_path) as driver:
        for key, word in (("2", "MEMORY.md"), ("3", "log"), ("4", "refus"), ("5", "Who decides")):
            await driver.key(key)
            await driver.until(lambda word=word: word in driver.text(), word)
        await driver.key("1")
        assert "waiting 1" in driver.text()
