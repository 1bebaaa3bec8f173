"""C09 without a terminal: failures are visible, tracebacks hold no memory text."""

from __future__ import annotations

import sqlite3
import threading
from pathlib import Path

import pytest
from driving.console import Clock, make_app, own_home, running

from placet.console import guard, preferences, terminal
from placet.console.desks import Desks
from placet.console.lanes import Failed, Job, Lane
from placet.store.homes import places


async def test_a_failing_worker_is_a_banner(tmp_path: Path) -> None:
    """Design §11: worker failures become visible; nothing else stops."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_add("beta")
    async with running(home, approver, tmp_path) as driver:

        def fail(_: object) -> None:
            raise ValueError("secret memory text")

        driver.app.read("doing something", fail, lambda _: None)
        await driver.until(lambda: "doing something failed: ValueError" in driver.text())
        assert "secret memory text" not in driver.text()
        log = (tmp_path / "state" / "placet" / "console.log").read_text()
        assert "ValueError" in log
        assert "secret memory text" not in log
        await driver.key("ctrl+r")
        assert "failed" not in driver.text()
        await driver.key("a")
        assert "approved" in driver.kinds()


async def test_an_exception_ends_the_console_in_one_line(tmp_path: Path) -> None:
    """C09, control-chars: no locals, no text of anybody's memory."""
    home, approver = own_home(tmp_path)
    app = make_app([home.home], lambda: approver, tmp_path, Clock())
    with pytest.raises(RuntimeError, match="boom"):
        async with app.run_test() as pilot:

            def explode() -> None:
                kept_in_locals = "secret memory text"
                raise RuntimeError(f"boom {kept_in_locals}")

            app.call_later(explode)
            await pilot.pause(0.2)
    log = (tmp_path / "state" / "placet" / "console.log").read_text()
    assert "RuntimeError" in log
    assert "explode" in log
    assert "secret memory text" not in log
    assert (tmp_path / "state" / "placet" / "console.log").stat().st_mode & 0o777 == 0o600


def test_a_report_names_the_place_and_not_the_text(tmp_path: Path) -> None:
    """Field report 67: errors pass through the same escape."""
    try:
        raise ValueError("secret \x1b[2J")
    except ValueError as error:
        words = guard.report(error, tmp_path)
    assert "ValueError at test_app_guard.py" in words
    assert "\x1b" not in words
    assert "secret" not in words


@pytest.mark.parametrize(
    ("env", "interactive", "word"),
    [
        ({"TERM": "dumb"}, True, "TERM=dumb"),
        ({}, True, "(nothing)"),
        ({"TERM": "xterm"}, False, "ssh -t"),
        ({"TERM": "tmux-256color"}, True, ""),
        ({"TERM": "linux"}, True, ""),
    ],
)
def test_a_terminal_that_will_not_do_is_told_what_to_do(
    env: dict[str, str], interactive: bool, word: str
) -> None:
    """Design §11, field report 119: the answer names the way out, or is empty."""
    reason = terminal.refusal(env, interactive=interactive)
    assert (word in reason) if word else reason == ""


def test_preferences_name_what_they_cannot_use(tmp_path: Path) -> None:
    """Design §3: a bad value counts as not given."""
    folder = places.config({"XDG_CONFIG_HOME": str(tmp_path)}, None)
    assert folder is not None
    folder.mkdir()
    assert preferences.load(folder) == preferences.Preferences()
    (folder / "config.toml").write_text(
        'theme = "placet-light"\nmouse = "yes"\nodd = 1\n'
        '[keys]\n"batch.approve" = "y"\n[keys.batch]\nreject = ["x"]\n'
    )
    found = preferences.load(folder)
    assert found.theme == "placet-light"
    assert found.mouse is None
    assert found.keys == {"batch.approve": "y", "batch.reject": ["x"]}
    assert len(found.problems) == 2
    (folder / "config.toml").write_bytes(b"theme = \xff")
    assert "is not used" in preferences.load(folder).problems[0]


async def test_a_remapped_key_works_and_is_shown(tmp_path: Path) -> None:
    """C11: the person's key map reaches bindings and footer."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_add("beta")
    app = make_app([home.home], lambda: approver, tmp_path, Clock())
    app.chosen = preferences.Preferences(keys={"batch.approve": "x"})
    from driving.console import Driver

    async with app.run_test(size=(80, 24)) as pilot:
        driver = Driver(app, pilot, app.session.clock, home)  # type: ignore[arg-type]
        await driver.until(lambda: "x approve" in driver.text())
        await driver.key("a")
        assert driver.kinds() == ["baseline"]
        await driver.key("x")
        assert driver.kinds() == ["baseline", "approved"]


def test_a_lane_keeps_order_and_replaces_what_waits() -> None:
    """The newer of two waiting requests of one kind is enough; failures are posted."""
    heard: list[object] = []
    all_done = threading.Event()
    gate = threading.Event()

    def post(message: object) -> None:
        heard.append(message)
        if len(heard) == 3:
            all_done.set()

    lane = Lane("test", post)
    lane.submit(Job("first", gate.wait, lambda _: None))
    lane.submit(Job("old", lambda: "old", lambda _: None, key="same"))
    lane.submit(Job("new", lambda: "new", lambda _: None, key="same"))
    lane.submit(Job("bad", lambda: 1 // 0, lambda _: None))
    assert not lane.idle
    gate.set()
    assert all_done.wait(10)
    assert [getattr(m, "value", None) for m in heard[:2]] == [True, "new"]
    assert isinstance(heard[2], Failed)
    assert lane.close(10)


def test_a_lane_ends_on_its_own_thread() -> None:
    """A connection can only be closed by the thread that opened it."""
    ran: list[tuple[str, int]] = []
    worked = threading.Event()
    lane = Lane("test", lambda _: worked.set())
    lane.at_end = lambda: ran.append(("end", threading.get_ident()))
    lane.submit(Job("work", lambda: ran.append(("work", threading.get_ident())), lambda _: None))
    assert worked.wait(10) and [what for what, _ in ran] == ["work"]
    assert lane.close(10)
    assert [what for what, _ in ran] == ["work", "end"]
    assert ran[0][1] == ran[1][1] != threading.get_ident()


async def test_the_ledgers_are_closed_by_the_thread_that_opened_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SQLite refuses any other thread, and a log that stays open leaves its -wal behind."""
    home, approver = own_home(tmp_path)
    closed: list[str] = []
    plain = Desks.close

    def close(desks: Desks) -> None:
        desk = desks.desk(home.home.label)
        plain(desks)
        with pytest.raises(sqlite3.ProgrammingError):
            desk.ledger.connection.execute("SELECT 1")
        closed.append(threading.current_thread().name)

    monkeypatch.setattr(Desks, "close", close)
    async with running(home, approver, tmp_path) as driver:
        assert driver.kinds() == ["baseline"] and not closed
    assert closed == ["placet-deciding"]
