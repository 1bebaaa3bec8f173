"""C05: what another placet process decides leaves this console with who did it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from driving.console import own_home, running
from homes.build import HomeBuilder

from placet.store.decide import DemoApprover, Desk, approve, inverse, reject, undo
from placet.store.model import Proposal, Sight, Subsystem
from placet.store.staged import parse, scan

WIDE = (110, 40)
Deciding = Callable[[Desk], object]


class Other:
    """Another process on the same home, which decides when it is told to.

    It is forked before the console opens, so that the home's approver is known there too.
    """

    def __init__(self, home: HomeBuilder, approver: DemoApprover, start: Path, what: Deciding):
        self._start = start
        self._read, write = os.pipe()
        self.pid = os.fork()
        if self.pid:
            os.close(write)
            return
        try:
            deadline = time.monotonic() + 60
            while not start.exists() and time.monotonic() < deadline:
                time.sleep(0.01)
            with Desk.open(home.home, approver) as desk:
                what(desk)
            os.write(write, b"done")
        except BaseException as error:
            os.write(write, f"died: {error!r}".encode())
        finally:
            os._exit(0)

    def decide(self) -> str:
        """Let it decide; what it said."""
        self._start.touch()
        with os.fdopen(self._read, "rb") as pipe:
            said = pipe.read().decode()
        os.waitpid(self.pid, 0)
        return said


def proposal(home: HomeBuilder, record_id: str) -> Proposal:
    """A staged record as the other process sees it."""
    found = scan.read(home.home, Subsystem.MEMORY, f"{record_id}.json")
    return parse.understand(found, time.time())


def approving(home: HomeBuilder, record_id: str) -> Deciding:
    """Approve a record as planned then."""

    def decide(desk: Desk) -> object:
        found = proposal(home, record_id)
        return approve(desk, found, None, desk.plan(found).digest or "", Sight())

    return decide


def refusing(home: HomeBuilder, record_id: str) -> Deciding:
    """Refuse a record."""
    return lambda desk: reject(desk, proposal(home, record_id), reason="elsewhere")


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[HomeBuilder, DemoApprover]]:
    """A home with two proposals."""
    home, approver = own_home(tmp_path)
    home.memory("alpha").stage_add("beta", record_id="one")
    home.stage_add("gamma", record_id="two")
    yield home, approver


@pytest.mark.parametrize(
    ("make", "word"), [(approving, "approved"), (refusing, "rejected")], ids=["yes", "no"]
)
async def test_it_leaves_with_who_did_it(
    tmp_path: Path,
    two: tuple[HomeBuilder, DemoApprover],
    make: Callable[[HomeBuilder, str], Deciding],
    word: str,
) -> None:
    """C05: by name and with what was decided; the selection stays where it is."""
    home, approver = two
    other = Other(home, approver, tmp_path / "go", make(home, "one"))
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("j")
        before = driver.queue.list.key
        assert driver.rows() == 2
        assert other.decide() == "done"
        await driver.until(lambda: driver.rows() == 1, "the row to leave")
        await driver.until(lambda: "one" in driver.said, "the word")
        name = str(approver.evidence()["name"])
        assert f"{word} by {name}" in driver.said
        assert driver.said in driver.text()
        assert driver.queue.list.key == before
        assert driver.kinds() == ["baseline", word], "named, not recorded a second time"


async def test_a_half_typed_edit_of_it_survives_and_says_so(
    tmp_path: Path, two: tuple[HomeBuilder, DemoApprover]
) -> None:
    """C05: what is being typed outlives a decision of another process about the same record."""
    home, approver = two
    other = Other(home, approver, tmp_path / "go", refusing(home, "one"))
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        await driver.key("e")
        await driver.type(" typed")
        assert other.decide() == "done"
        await driver.until(
            lambda: driver.rows() == 1 and "rejected by" in driver.said, "the row to leave"
        )
        assert driver.queue.pad is not None
        assert "beta typed" in driver.queue.pad.text
        await driver.key("escape")
        await driver.until(lambda: "your own change" in driver.text(), "the rescued text")
        assert "+ beta typed" in driver.text()
        await driver.key("a")
        await driver.until(lambda: "approved" in driver.kinds(), "the decision")
        assert home.read("memories/MEMORY.md") == "alpha\n§\nbeta typed".encode()


async def test_the_second_to_press_hears_who_was_first(
    tmp_path: Path, two: tuple[HomeBuilder, DemoApprover]
) -> None:
    """Q11 on the screen: a key about what was decided meanwhile, before that could be seen."""
    home, approver = two
    other = Other(home, approver, tmp_path / "go", approving(home, "one"))
    looking = threading.Event()
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        driver.app.read("holding", lambda _: looking.wait(20), lambda _: None)
        assert other.decide() == "done"
        assert driver.rows() == 2, "it has not been seen yet"
        driver.clock.pass_by(1)
        await driver.pilot.press("a")
        driver.clock.pass_by(1)
        await driver.until(lambda: "lready decided by" in driver.said, "who was first")
        assert str(approver.evidence()["name"]) in driver.said
        looking.set()
        await driver.until(lambda: driver.rows() == 1, "the row to leave")
        assert driver.kinds() == ["baseline", "approved"]
        assert (home.read("memories/MEMORY.md") or b"").decode().split("\n§\n").count("beta") == 1


async def test_an_undo_elsewhere_brings_the_row_back(
    tmp_path: Path, two: tuple[HomeBuilder, DemoApprover]
) -> None:
    """C05: the positive of leaving: a record restored by another process is a row again."""
    home, approver = two

    def deny_and_take_back(desk: Desk) -> object:
        done = reject(desk, proposal(home, "one"))
        return undo(desk, inverse(desk, done.event), "", Sight())

    other = Other(home, approver, tmp_path / "go", deny_and_take_back)
    async with running(home, approver, tmp_path, size=WIDE) as driver:
        assert other.decide() == "done"
        await driver.until(lambda: driver.kinds()[-1] == "undone", "the undo")
        await driver.until(lambda: driver.rows() == 2, "both rows")
        await driver.settled()
        await driver.key("a")
        await driver.until(lambda: driver.kinds()[-1] == "approved", "the decision")
