"""C01: every answer end to end at 80×24, keyboard only, with a real file and a real log."""

from __future__ import annotations

from pathlib import Path

from driving.console import own_home, running
from homes.build import add, remove

from placet.console.screens.review import ReviewScreen


async def test_one_key_approves_an_addition(tmp_path: Path) -> None:
    """C01; field report 84: one key for a small addition."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    home.stage_add("beta")
    async with running(home, approver, tmp_path) as driver:
        await driver.key("a")
        assert home.read("memories/MEMORY.md") == "alpha\n§\nbeta".encode()
        assert driver.kinds() == ["baseline", "approved"]
        assert driver.rows() == 0
        assert "added 1 to MEMORY.md" in driver.said
        assert "u undo" in driver.said
        assert "next session" in driver.said


async def test_reject_with_a_reason_leaves_the_file_alone(tmp_path: Path) -> None:
    """C01, Q04, field report 17."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    home.stage_add("beta")
    before = (home.path / "memories/MEMORY.md").stat()
    async with running(home, approver, tmp_path) as driver:
        await driver.key("R")
        await driver.type("not true\n")
        await driver.until(lambda: driver.rows() == 0)
        after = (home.path / "memories/MEMORY.md").stat()
        assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
        event = driver.events()[-1]
        assert (event["kind"], event["reason"]) == ("rejected", "not true")


async def test_plain_r_refuses_without_a_question(tmp_path: Path) -> None:
    """C01."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    home.stage_add("beta")
    async with running(home, approver, tmp_path) as driver:
        await driver.key("r")
        assert driver.kinds() == ["baseline", "rejected"]
        assert not home.record_path("00000001").exists()


async def test_edit_shows_the_new_diff_and_then_approves_it(tmp_path: Path) -> None:
    """C01, Q07, field report 88."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    home.stage_add("beta is long")
    async with running(home, approver, tmp_path, size=(100, 40)) as driver:
        await driver.key("e")
        await driver.type("!")
        await driver.key("escape")
        assert "beta is long!" in driver.text()
        assert home.read("memories/MEMORY.md") == b"alpha"
        await driver.key("a")
        assert home.read("memories/MEMORY.md") == "alpha\n§\nbeta is long!".encode()
        assert driver.kinds()[-1] == "edited"


async def test_a_dropped_edit_is_asked_about_first(tmp_path: Path) -> None:
    """Design §11: esc asks before dropping what was typed."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    home.stage_add("beta")
    async with running(home, approver, tmp_path, size=(100, 40)) as driver:
        await driver.key("e")
        await driver.type("X")
        await driver.key("escape", "escape")
        assert "Drop your edit?" in driver.text()
        await driver.key("n")
        assert "betaX" in driver.text()
        await driver.key("escape", "y")
        await driver.until(lambda: "betaX" not in driver.text())
        assert driver.kinds() == ["baseline"]


async def test_an_operation_left_out_is_refused_and_the_rest_applied(tmp_path: Path) -> None:
    """C01, Q08."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    home.stage_batch(add("one"), add("two"), add("three"))
    async with running(home, approver, tmp_path, size=(100, 40)) as driver:
        await driver.key("tab")
        while driver.queue.diff.operation != 2:
            await driver.key("]")
        await driver.key("space")
        assert "left out" in driver.text()
        await driver.key("A")
        assert home.read("memories/MEMORY.md") == "alpha\n§\none\n§\nthree".encode()
        assert driver.kinds() == ["baseline", "approved"]


async def test_undo_of_an_approval_is_a_diff_of_its_own(tmp_path: Path) -> None:
    """C01, Q10, field report 98."""
    home, approver = own_home(tmp_path)
    home.memory("alpha", "gamma", "delta")
    home.stage_add("beta")
    async with running(home, approver, tmp_path, size=(100, 40)) as driver:
        await driver.key("a", "u")
        assert isinstance(driver.app.screen, ReviewScreen)
        assert home.read("memories/MEMORY.md") == "alpha\n§\ngamma\n§\ndelta\n§\nbeta".encode()
        await driver.key("A")
        await driver.until(lambda: not isinstance(driver.app.screen, ReviewScreen))
        await driver.settled()
        assert home.read("memories/MEMORY.md") == "alpha\n§\ngamma\n§\ndelta".encode()
        assert driver.kinds() == ["baseline", "approved", "undone"]
        assert home.record_path("00000001").exists()
        assert driver.rows() == 1


async def test_undo_of_a_rejection_restores_the_record(tmp_path: Path) -> None:
    """Q10, field report 100: byte for byte, and it can be decided again."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    record = home.record_path(home.stage_add("beta"))
    raw = record.read_bytes()
    async with running(home, approver, tmp_path) as driver:
        await driver.key("r")
        assert not record.exists()
        await driver.key("u", "a")
        await driver.until(lambda: driver.rows() == 1)
        assert record.read_bytes() == raw
        await driver.settled()
        await driver.key("a")
        assert home.read("memories/MEMORY.md") == "alpha\n§\nbeta".encode()


async def test_one_key_discards_a_dead_group_with_each_reason(tmp_path: Path) -> None:
    """Field reports 20, 21: seven dead in one key, seven rows in the log."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    for number in range(7):
        home.stage_remove(f"gone {number}")
    home.stage_add("fine")
    async with running(home, approver, tmp_path) as driver:
        await driver.key("G")
        assert "dead: reasons" in driver.text()
        await driver.key("d")
        await driver.until(lambda: driver.rows() == 1)
        found = [event for event in driver.events() if event["kind"] == "discarded"]
        assert len(found) == 7
        assert all("anchor-missing" in event["reason"] for event in found)
        await driver.key("u", "a")
        await driver.until(lambda: len(list(home.pending().glob("*.json"))) == 8)


async def test_identical_proposals_are_one_decision(tmp_path: Path) -> None:
    """Field report 82: every record gets its event, the file gets the text once."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    for _ in range(5):
        home.stage_add("beta")
    async with running(home, approver, tmp_path) as driver:
        assert driver.rows() == 1
        assert "proposed 5 times" in driver.text()
        await driver.key("a")
        await driver.until(lambda: driver.rows() == 0)
        assert home.read("memories/MEMORY.md") == "alpha\n§\nbeta".encode()
        assert driver.kinds() == ["baseline", "approved", *["discarded"] * 4]


async def test_thirty_additions_take_thirty_keys(tmp_path: Path) -> None:
    """Field report 84."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    for number in range(30):
        home.stage_add(f"fact {number}", target="user")
    async with running(home, approver, tmp_path, size=(120, 90)) as driver:
        for left in range(30, 0, -1):
            assert driver.rows() == left
            await driver.key("a")
            await driver.until(lambda left=left: driver.rows() == left - 1)
        text = (home.read("memories/USER.md") or b"").decode()
        assert all(f"fact {number}" in text for number in range(30))


async def test_a_removal_takes_the_strong_key(tmp_path: Path) -> None:
    """Field report 95: one prompt style never fits all."""
    home, approver = own_home(tmp_path)
    home.memory("alpha", "beta", "gamma", "delta")
    home.stage_batch(add("epsilon"), remove("beta"))
    async with running(home, approver, tmp_path, size=(100, 40)) as driver:
        await driver.key("a")
        assert "A approves" in driver.said
        assert driver.kinds() == ["baseline"]
        await driver.key("A")
        assert driver.kinds() == ["baseline", "approved"]


async def test_u_after_an_undo_says_where_that_is_taken_back(tmp_path: Path) -> None:
    """Design §11: no redo; an undo is a decision, and it is undone from its row in Audit."""
    home, approver = own_home(tmp_path)
    home.memory("alpha", "omega").stage_add("beta")
    async with running(home, approver, tmp_path, size=(110, 40)) as driver:
        await driver.key("u")
        assert driver.said.startswith("nothing was decided in this session")
        await driver.key("a", "u")
        await driver.until(lambda: isinstance(driver.app.screen, ReviewScreen), "the way back")
        await driver.key("A")
        await driver.until(lambda: driver.kinds()[-1] == "undone", "the undo")
        seq = len(driver.kinds())
        await driver.key("u")
        assert (
            driver.said
            == f"nothing is left to undo but undo #{seq} itself: u on its row in 3 Audit"
        )
        await driver.key("3")
        await driver.until(lambda: "undone" in driver.text(), "its row")
        await driver.key("u")
        await driver.until(lambda: isinstance(driver.app.screen, ReviewScreen), "the way back")
        await driver.key("A")
        await driver.until(lambda: driver.kinds().count("undone") == 2, "the undone undo")
        assert home.read("memories/MEMORY.md") == "alpha\n§\nomega\n§\nbeta".encode()


async def test_what_audit_undid_is_not_offered_again(tmp_path: Path) -> None:
    """Design §6: u takes back the newest decision that stands."""
    home, approver = own_home(tmp_path)
    home.memory("alpha", "omega").stage_add("beta")
    home.stage_add("gamma")
    async with running(home, approver, tmp_path, size=(110, 40)) as driver:
        await driver.key("a", "a")
        await driver.until(lambda: driver.kinds().count("approved") == 2, "both")
        await driver.key("3")
        await driver.until(lambda: driver.text().count("approved") >= 2, "the rows")
        await driver.key("u")
        await driver.until(lambda: isinstance(driver.app.screen, ReviewScreen), "the way back")
        await driver.key("A")
        await driver.until(lambda: driver.kinds()[-1] == "undone", "the undo")
        await driver.key("1", "u")
        await driver.until(lambda: isinstance(driver.app.screen, ReviewScreen), "the other way")
        assert "- beta" in driver.text()
