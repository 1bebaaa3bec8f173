"""`placet demo`: the whole job on a home that is made for it and thrown away afterwards."""

from __future__ import annotations

import os
import shutil
import tempfile
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from placet.console import demo_home
from placet.store import decide
from placet.store.decide import DemoApprover, Desk
from placet.store.homes.find import Found
from placet.store.inbox import Item
from placet.store.inbox.inbox import Inbox
from placet.store.model import BACKGROUND_REVIEW, Home, Sight, Standing, Subsystem

ARRIVE_SECONDS = 6.0
"""Pause between two proposals that are staged while the demo is open."""

SIGHT = Sight(where="demo")


@dataclass(frozen=True, slots=True)
class Demo:
    """A demo home with its queue.

    Attributes:
        home: The home.
        approver: The only one who may decide in it, and only in it.
    """

    home: Home
    approver: DemoApprover


def run() -> int:
    """Open the console on a throw-away home in which proposals keep arriving.

    Returns:
        The exit code.
    """
    from placet.console.commands import output, screen

    if screen.no_terminal("Or see the same job in words: `placet demo --plain`."):
        return output.REFUSED
    from placet.console import app

    with made() as demo, arriving(demo.home):
        found = Found((demo.home,), ())
        return app.run(found, poll=False, mouse=None, approver=lambda: demo.approver)


@contextmanager
def made() -> Generator[Demo]:
    """Make a demo home with a telling queue; remove it with everything it wrote at the end."""
    folder = Path(tempfile.mkdtemp(prefix="placet-demo-")).resolve()
    before = os.environ.get("XDG_STATE_HOME")
    os.environ["XDG_STATE_HOME"] = str(folder / "state")  # the anchor is thrown away as well
    try:
        path = folder / "agent"
        approver = DemoApprover.own_home(path)
        demo_home.furnish(path)
        demo = Demo(Home(path), approver)
        _fill(demo)
        yield demo
    finally:
        if before is None:
            del os.environ["XDG_STATE_HOME"]
        else:
            os.environ["XDG_STATE_HOME"] = before
        shutil.rmtree(folder, ignore_errors=True)


def _fill(demo: Demo) -> None:
    """Refuse one fact, stage the queue that repeats it, and write once behind the queue's back."""
    now = time.time()
    with Desk.open(demo.home, demo.approver) as desk:
        refused = demo_home.Staged(
            Subsystem.MEMORY,
            {
                "action": "add",
                "target": "user",
                "content": demo_home.REFUSED_FACT,
                "old_text": None,
            },
            BACKGROUND_REVIEW,
            12.0,
        )
        demo_home.stage_one(demo.home, refused, now)
        row = waiting(demo.home)[0]
        decide.reject(desk, row.proposal, reason="Not a fact about me.", sight=SIGHT)
        for staged in demo_home.QUEUE:
            demo_home.stage_one(demo.home, staged, now)
        demo_home.write_behind_the_queue(demo.home)
        decide.notice(desk)


def waiting(home: Home) -> tuple[Item, ...]:
    """Everything that waits in the demo home, freshly read."""
    return Inbox((home,)).refresh(home).members()


def in_standing(home: Home, standing: Standing) -> tuple[Item, ...]:
    """What waits with one standing."""
    return tuple(item for item in waiting(home) if item.plan.standing is standing)


@contextmanager
def arriving(home: Home, pause: float = ARRIVE_SECONDS) -> Generator[None]:
    """Stage one more proposal every `pause` seconds while the block runs.

    Args:
        home: The demo home.
        pause: Seconds between two arrivals.
    """
    stop = threading.Event()

    def stage_all() -> None:
        for staged in demo_home.ARRIVALS:
            if stop.wait(pause):
                return
            demo_home.stage_one(home, staged, time.time())

    thread = threading.Thread(target=stage_all, name="demo-arrivals", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
