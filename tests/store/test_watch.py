"""Hints: what the watcher reports, and that it never dies (field reports 125-130)."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from homes.build import HomeBuilder

from placet.store import watch
from placet.store.decide import DemoApprover, Desk
from placet.store.ledger import audit
from placet.store.ledger.database import Ledger
from placet.store.model import Home, Kind, Subsystem
from placet.store.watch import Area, Hint, changes

DEADLINE = 10.0


class Collected:
    """Every hint so far, and a way to wait for one."""

    def __init__(self) -> None:
        self.hints: list[Hint] = []
        self._news = asyncio.Condition()

    async def add(self, hints: frozenset[Hint]) -> None:
        async with self._news:
            self.hints += hints
            self._news.notify_all()

    async def wait(self, wanted: Callable[[Hint], bool]) -> Hint:
        """The first hint that fits, now or later, until the deadline."""
        async with asyncio.timeout(DEADLINE), self._news:
            while not (found := [hint for hint in self.hints if wanted(hint)]):
                await self._news.wait()
        return found[0]

    def forget(self) -> None:
        self.hints.clear()


@asynccontextmanager
async def watching(*homes: Home, **options: Any) -> AsyncIterator[Collected]:
    """Watch homes while the block runs; the watcher is armed when it begins."""
    stop, found = asyncio.Event(), Collected()

    async def run() -> None:
        async for hints in changes(homes, stop, **options):
            await found.add(hints)

    task = asyncio.create_task(run())
    await found.wait(lambda hint: hint.area is Area.STATE)
    await asyncio.sleep(0)
    yield found
    stop.set()
    await asyncio.wait_for(task, DEADLINE)


async def nudge(
    found: Collected, act: Callable[[], object], wanted: Callable[[Hint], bool]
) -> Hint:
    """Do something again until its hint comes: the kernel may arm a moment after we say so."""
    for _ in range(20):
        act()
        try:
            async with asyncio.timeout(0.5):
                return await found.wait(wanted)
        except TimeoutError:
            continue
    raise AssertionError("no hint came")


def record(home: Home, name: str) -> Callable[[Hint], bool]:
    wanted = Hint(home, Area.RECORDS, name, Subsystem.MEMORY)
    return lambda hint: hint == wanted


async def test_a_new_record_and_its_removal_are_hints(home: HomeBuilder) -> None:
    """C05: what is staged while the console is open is heard of."""
    home.pending()
    async with watching(home.home) as found:
        await nudge(
            found, lambda: home.stage_add("a", record_id="one"), record(home.home, "one.json")
        )
        found.forget()
        home.record_path("one").unlink()
        await found.wait(record(home.home, "one.json"))


async def test_temporary_names_and_locks_are_no_hints(home: HomeBuilder) -> None:
    """Files that nobody reads wake nobody; a real record in the same folder does."""
    home.pending()
    home.memory("a")
    async with watching(home.home) as found:
        await nudge(
            found, lambda: home.stage_add("a", record_id="one"), record(home.home, "one.json")
        )
        found.forget()
        home.stage_raw("two.json.tmp", b"{}")
        home.write("memories/MEMORY.md.lock", b"")
        home.stage_add("b", record_id="three")
        await found.wait(record(home.home, "three.json"))
        names = {hint.name for hint in found.hints if hint.area in (Area.RECORDS, Area.FILES)}
    assert names == {"three.json"}


async def test_folders_that_appear_later_are_watched(tmp_path: Path) -> None:
    """Q18: the queue appears when the directory does, in a home that was not there before."""
    later = HomeBuilder(tmp_path / "later")
    shutil.rmtree(later.path)
    async with watching(later.home, scan_seconds=0.3) as found:
        assert not later.path.exists()
        await nudge(
            found, lambda: later.stage_add("a", record_id="one"), record(later.home, "one.json")
        )


async def test_a_replaced_folder_is_watched_again(home: HomeBuilder) -> None:
    """The kernel's watch dies with the folder, though its number may be used again at once."""
    home.pending()
    async with watching(home.home) as found:
        await nudge(
            found, lambda: home.stage_add("a", record_id="one"), record(home.home, "one.json")
        )
        shutil.rmtree(home.pending())
        home.pending()
        found.forget()
        await nudge(
            found, lambda: home.stage_add("b", record_id="two"), record(home.home, "two.json")
        )


@pytest.mark.parametrize("way", ["rename", "truncate", "replace"])
async def test_every_way_to_save_a_memory_file_is_heard(home: HomeBuilder, way: str) -> None:
    """Field report 129: five saves in a row by each kind of writer."""
    home.memory("zero")
    place = home.path / "memories" / "MEMORY.md"

    def save(number: int) -> None:
        text = f"entry {number}".encode()
        if way == "truncate":
            place.write_bytes(text)
            return
        other = place.with_name(f"x{number}")
        other.write_bytes(text)
        (os.rename if way == "rename" else os.replace)(other, place)

    wanted = Hint(home.home, Area.FILES, "MEMORY.md")
    async with watching(home.home) as found:
        for number in range(5):
            found.forget()
            await nudge(found, lambda n=number: save(n), lambda hint: hint == wanted)


async def test_a_linked_memory_file_is_watched_where_it_really_is(
    home: HomeBuilder, tmp_path: Path
) -> None:
    """The real parent of a symlinked target is watched, and reported under the target's name."""
    real = tmp_path / "elsewhere" / "notes.md"
    real.parent.mkdir()
    real.write_text("a")
    home.memory("a")
    place = home.path / "memories" / "MEMORY.md"
    place.unlink()
    place.symlink_to(real)
    wanted = Hint(home.home, Area.FILES, "MEMORY.md")
    async with watching(home.home) as found:
        await nudge(found, lambda: real.write_text("b"), lambda hint: hint == wanted)


async def test_skills_are_watched_but_not_their_version_control(home: HomeBuilder) -> None:
    folder = home.skill("tidy")
    home.write("skills/tidy/.git/HEAD", b"x")
    async with watching(home.home) as found:
        await nudge(
            found,
            lambda: home.write("skills/tidy/SKILL.md", b"y"),
            lambda hint: hint == Hint(home.home, Area.SKILLS, str(folder)),
        )
        found.forget()
        home.write("skills/tidy/.git/HEAD", b"z")
        new = home.skill("fresh")
        await nudge(
            found,
            lambda: home.write("skills/fresh/SKILL.md", b"y"),
            lambda hint: hint == Hint(home.home, Area.SKILLS, str(new)),
        )
    assert not [hint for hint in found.hints if ".git" in hint.name]


async def test_an_unreadable_folder_stops_nothing(home: HomeBuilder) -> None:
    """Field report 128: one folder that cannot be entered does not end the watch."""
    home.pending()
    shut = home.pending() / "x"
    shut.mkdir()
    shut.chmod(0)
    try:
        async with watching(home.home) as found:
            await nudge(
                found, lambda: home.stage_add("a", record_id="one"), record(home.home, "one.json")
            )
    finally:
        shut.chmod(0o700)


async def test_listings_are_due_though_no_event_comes(home: HomeBuilder) -> None:
    """Field report 125: on file systems without events a listing is due all the same."""
    async with watching(home.home, poll=True, scan_seconds=0.05) as found:
        assert Hint(home.home, Area.STATE, watch.SCAN_ONLY) in found.hints
        found.forget()
        await found.wait(lambda hint: hint.area is Area.SCAN)
    async with watching(home.home, scan_seconds=0.05) as found:
        assert Hint(home.home, Area.STATE, watch.EVENTS) in found.hints
        found.forget()
        await found.wait(lambda hint: hint.area is Area.SCAN)


async def test_a_watcher_that_cannot_start_leaves_the_listings(
    home: HomeBuilder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Limits of the kernel or a broken library never end the console."""
    import watchfiles

    def broken(*_: object, **__: object) -> None:
        raise OSError("no space left for watches")

    monkeypatch.setattr(watchfiles, "awatch", broken)
    async with watching(home.home, scan_seconds=0.05) as found:
        words = await found.wait(lambda h: h.area is Area.STATE and h.name != watch.EVENTS)
        assert words.name.startswith(watch.SCAN_ONLY)
        found.forget()
        await found.wait(lambda hint: hint.area is Area.SCAN)


async def test_watching_leaves_nothing_behind(home: HomeBuilder) -> None:
    """Q18: no new file anywhere."""
    home.pending()
    before = home.tree()
    async with watching(home.home) as found:
        await found.wait(lambda hint: hint.area is Area.SCAN)
    assert home.tree() == before


async def test_reading_the_log_brings_no_hint_and_writing_it_does(tmp_path: Path) -> None:
    """Design §15, idle: a console that reads because of an event must not wake itself again."""
    approver = DemoApprover.own_home(tmp_path / "agent")
    home = Home((tmp_path / "agent").resolve())
    (home.pending(Subsystem.MEMORY)).mkdir(parents=True)
    with Desk.open(home, approver) as desk:
        async with watching(home) as found:

            def write() -> None:
                with desk.ledger.immediate():
                    audit.append(desk.ledger, Kind.RECOVERED, {"what": "a test"})

            def stage() -> None:
                (home.pending(Subsystem.MEMORY) / "a.json").write_bytes(b"{}")

            await nudge(found, write, lambda hint: hint.area is Area.LEDGER)
            await nudge(found, stage, lambda hint: hint.area is Area.RECORDS)
            found.forget()
            for _ in range(20):
                reading = Ledger.open_reading(home)
                assert reading is not None
                reading.close()
            await nudge(found, stage, lambda hint: hint.area is Area.RECORDS)
            assert not [hint for hint in found.hints if hint.area is Area.LEDGER]
            await nudge(found, write, lambda hint: hint.area is Area.LEDGER)
