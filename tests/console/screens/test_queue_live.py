"""The Queue while the world moves: C05, Q09, Q13, Q17, Q18, field reports 19, 29, 56, 87, 92."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Callable
from pathlib import Path

from driving.console import own_home, running
from homes.build import HomeBuilder, staged_result

WIDE = (110, 40)


async def test_an_arrival_moves_neither_selection_nor_scroll(tmp_path: Path) -> None:
    """C05."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    home.stage_add("one")
    second = home.stage_add("two")
    async with running(home, approver, tmp_path) as driver:
        await driver.key("j")
        before = driver.queue.list.key
        top = driver.queue.diff.scroll_offset
        home.stage_add("three")
        await driver.until(lambda: driver.rows() == 3, "the arrival")
        await driver.settled()
        assert driver.queue.list.key == before
        assert driver.queue.list.key.id == second  # type: ignore[union-attr]
        assert driver.queue.diff.scroll_offset == top


async def test_one_decided_elsewhere_leaves_with_what_happened(tmp_path: Path) -> None:
    """C05, Q13: Hermes approves it itself; nothing is decided twice."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    first = home.stage_add("beta")
    home.stage_add("gamma")
    async with running(home, approver, tmp_path) as driver:
        home.memory("alpha", "beta")
        home.record_path(first).unlink()
        await driver.until(lambda: "applied-elsewhere" in driver.kinds(), "the event")
        await driver.until(lambda: len(driver.queue.found.items) == 1, "the row to leave")
        assert driver.kinds().count("approved") == 0
        assert len(driver.queue.found.ungated) == 1


async def test_what_arrives_above_moves_no_cursor_before_the_first_key(tmp_path: Path) -> None:
    """C05: an ungated change stands above everything, and the row that is read stays selected."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    for text in ("beta", "gamma", "delta"):
        home.stage_add(text)
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.until(lambda: "baseline" in driver.kinds(), "the baseline")
        read = driver.queue.list.key
        home.memory("alpha", "written past the queue")
        await driver.until(lambda: driver.queue.found.ungated, "the ungated row")
        await driver.settled()
        assert driver.queue.list.rows[0].key in driver.queue.found.ungated
        assert driver.queue.list.key == read == driver.queue.diff.subject


async def test_a_half_typed_edit_survives_arrivals_and_departures(tmp_path: Path) -> None:
    """C05: what was typed becomes a change of one's own when its proposal is gone."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    first = home.stage_add("beta")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("e")
        await driver.type(" typed")
        home.stage_add("another")
        home.record_path(first).unlink()
        await driver.until(
            lambda: [ref.id for ref in driver.queue.found.items] == ["00000002"], "both changes"
        )
        assert driver.queue.pad is not None
        assert "beta typed" in driver.queue.pad.text
        await driver.key("escape")
        await driver.until(lambda: "your own change" in driver.text(), "the rescued text")
        await driver.key("a")
        await driver.until(lambda: "approved" in driver.kinds(), "the decision")
        assert (home.read("memories/MEMORY.md") or b"").endswith(b"beta typed")


async def test_a_finished_edit_outlives_its_proposal(tmp_path: Path) -> None:
    """C05: the same for an edit that is shown as a diff already."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    first = home.stage_add("beta")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("e")
        await driver.type(" typed")
        await driver.key("escape")
        assert "+ beta typed" in driver.text()
        home.record_path(first).unlink()
        await driver.until(lambda: "your own change" in driver.text(), "the rescued text")
        await driver.key("a")
        await driver.until(lambda: "approved" in driver.kinds(), "the decision")
        assert (home.read("memories/MEMORY.md") or b"").endswith(b"beta typed")


async def test_what_an_approval_would_kill_is_said_before(tmp_path: Path) -> None:
    """Q09, field report 19."""
    home, approver = own_home(tmp_path)
    home.memory("the old anchor text", "beta")
    for number in range(5):
        home.stage_replace("old anchor", f"version {number} of it")
    async with running(home, approver, tmp_path, size=(140, 50)) as driver:
        assert "makes 4 others stale" in driver.text()
        await driver.key("A")
        await driver.until(lambda: "approved" in driver.kinds(), "the approval")
        await driver.until(lambda: "dead 4" in driver.text(), "the four dead")


async def test_an_ungated_change_is_one_row_to_keep_or_revert(tmp_path: Path) -> None:
    """Q13, field reports 46, 49."""
    home, approver = own_home(tmp_path)
    home.memory("alpha", "beta", "gamma", "delta")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        with (home.path / "memories/MEMORY.md").open("ab") as file:
            file.write("\n§\nnew rule".encode())
        await driver.until(lambda: "ungated" in driver.kinds(), "the event")
        await driver.until(lambda: driver.rows() == 1, "the row")
        await driver.settled()
        assert "+ new rule" in driver.text()
        await driver.key("r")
        await driver.until(lambda: "- new rule" in driver.text(), "the way back")
        await driver.key("A")
        await driver.until(lambda: "reverted" in driver.kinds(), "the revert")
        await driver.until(lambda: driver.rows() == 0, "the row to leave")
        assert home.read("memories/MEMORY.md") == "alpha\n§\nbeta\n§\ngamma\n§\ndelta".encode()


async def test_a_keeps_an_ungated_change(tmp_path: Path) -> None:
    """Q13."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        home.memory("alpha", "written by vim")
        await driver.until(lambda: "ungated" in driver.kinds(), "the event")
        await driver.until(lambda: driver.rows() == 1, "the row")
        await driver.key("a")
        await driver.until(lambda: driver.kinds()[-1] == "kept", "the decision")
        await driver.until(lambda: driver.rows() == 0, "the row to leave")
        assert driver.kinds() == ["baseline", "ungated", "kept"]
        assert driver.events()[-1]["concerns"] == 2
        assert home.read("memories/MEMORY.md") == "alpha\n§\nwritten by vim".encode()


async def test_a_refused_value_that_returns_is_taken_and_can_be_put_back(tmp_path: Path) -> None:
    """Q05."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    home.stage_add("Use Ruff.")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("r")
        again = home.stage_add("use  ruff")
        await driver.until(lambda: "taken" in driver.kinds(), "the taking")
        await driver.until(lambda: "refused before 1" in driver.text(), "the group")
        assert not home.record_path(again).exists()
        await driver.key("G", "enter", "j", "u")
        await driver.until(home.record_path(again).exists, "the record")
        await driver.until(lambda: "put-back" in driver.kinds(), "the event")


async def test_the_gate_turned_off_is_an_alarm_with_the_command(tmp_path: Path) -> None:
    """Q13, Q18, field reports 51, 90."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    async with running(home, approver, tmp_path, size=(140, 40)) as driver:
        assert "write approval on" in driver.text()
        home.config("memory:\n  write_approval: false\nskills:\n  write_approval: true\n")
        await driver.until(lambda: "write approval OFF" in driver.text(), "the header")
        command = "hermes config set memory.write_approval true"
        await driver.until(lambda: command in driver.text(), "the command")


async def test_a_home_that_does_not_exist_yet_appears(tmp_path: Path) -> None:
    """Q18, field report 87: clear words, and the queue when the directory does."""
    missing = HomeBuilder(tmp_path / "later")
    (tmp_path / "later").rmdir()
    async with running(missing, None, tmp_path, size=WIDE) as driver:
        assert "does not exist yet" in driver.text()
        assert not (tmp_path / "later").exists()
        HomeBuilder(tmp_path / "later").config().memory("alpha")
        missing.stage_add("beta")
        await driver.until(lambda: driver.rows() == 1, "the queue")


async def test_a_home_without_pending_says_so(tmp_path: Path) -> None:
    """Q18."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    async with running(home, approver, tmp_path) as driver:
        assert "no pending/ folder yet" in driver.text()
        home.stage_add("beta")
        await driver.until(lambda: driver.rows() == 1, "the queue")


async def test_the_same_id_in_two_homes_touches_only_its_own(
    tmp_path: Path, make_home: Callable[[str], HomeBuilder]
) -> None:
    """Field reports 56, 57: the home is on every row and in the confirmation."""
    first, approver = own_home(tmp_path)
    second = make_home("second")
    first.memory("alpha")
    second.memory("alpha")
    first.stage_add("beta", record_id="cafe")
    second.stage_add("beta", record_id="cafe")
    async with running(first, approver, tmp_path, size=WIDE, others=(second,)) as driver:
        os.environ["HERMES_HOME"] = str(second.path)
        assert "second" in driver.text()
        await driver.key("a")
        await driver.until(lambda: "approved" in driver.kinds(), "the decision")
        assert second.read("memories/MEMORY.md") == b"alpha"
        assert "default" in driver.said
    os.environ.pop("HERMES_HOME", None)


async def test_a_held_lock_is_named_and_esc_gives_up(tmp_path: Path) -> None:
    """Field report 92: who waits is shown, the wait is bounded and can be cancelled."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    home.stage_add("beta")
    with (home.path / "memories/MEMORY.md.lock").open("w") as lock:
        async with running(home, approver, tmp_path) as driver:
            fcntl.flock(lock, fcntl.LOCK_EX)
            driver.clock.pass_by(1)
            await driver.pilot.press("a")
            driver.clock.pass_by(1)
            await driver.until(lambda: "MEMORY.md.lock" in driver.text(), "the words")
            await driver.pilot.press("escape")
            await driver.until(lambda: not driver.app.board.waiting_for, "the end of the wait")
            assert "approved" not in driver.kinds()
            assert home.read("memories/MEMORY.md") == b"alpha"
            assert home.record_path("00000001").exists()
            fcntl.flock(lock, fcntl.LOCK_UN)
            for _ in range(3):  # a look during the wait may show the row as unfinished once more
                if "approved" not in driver.kinds():
                    await driver.key("a")
            await driver.until(lambda: "approved" in driver.kinds(), "the decision")


async def test_provenance_names_session_and_message(tmp_path: Path) -> None:
    """Q17."""
    home, approver = own_home(tmp_path)
    home.memory("alpha")
    made = home.stage_add("beta", origin="assistant_tool")
    home.state_db(
        [
            {"session": "s1", "role": "user", "content": "remember the port", "title": "ports"},
            {
                "session": "s1",
                "role": "tool",
                "content": staged_result(made),
                "tool_name": "memory",
                "title": "ports",
            },
        ]
    )
    async with running(home, approver, tmp_path, size=(140, 40)) as driver:
        await driver.until(lambda: "remember the port" in driver.text(), "the message")
        assert "session ports" in driver.text()


async def test_filter_and_order(tmp_path: Path) -> None:
    """Design §11: `/` filters, `o` orders by impact."""
    home, approver = own_home(tmp_path)
    home.memory("alpha", "beta")
    home.stage_add("about tea")
    home.stage_add("about coffee")
    home.stage_remove("alpha")
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("slash")
        await driver.type("coffee\n")
        await driver.until(lambda: driver.rows() == 1, "the filter")
        await driver.key("escape")
        await driver.until(lambda: driver.rows() == 3, "all rows")
        await driver.key("o")
        assert "by impact" in driver.text()
        assert driver.queue.list.rows[0].key.id == "00000003"  # type: ignore[union-attr]


async def test_a_read_only_console_opens_and_says_why(tmp_path: Path) -> None:
    """Design §3: who may not decide may look."""
    home, _ = own_home(tmp_path)
    home.memory("alpha")
    home.stage_add("beta")
    before = home.tree()
    async with running(home, None, tmp_path, size=WIDE) as driver:
        assert "read-only here" in driver.text()
        assert "+ beta" in driver.text()
        await driver.key("a")
        assert "Nothing is decided here" in driver.said
    assert home.tree() == before
