"""Several deciders and writers at once (Q11, K06, Q13, T02); more rounds with PLACET_ROUNDS."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from deciding.office import SIGHT, Office

from placet.store.decide import Desk, approve, notice, reject, resolve
from placet.store.errors import AlreadyDecided, Blocked, Busy, NotFound, PlacetError, StalePlan
from placet.store.ledger import audit
from placet.store.model import Kind

ROUNDS = int(os.environ.get("PLACET_ROUNDS", "12"))
ENTRIES = int(os.environ.get("PLACET_ENTRIES", "25"))
DELIMITER = "\n§\n"


def child(work: Callable[[], str], start: Path) -> tuple[int, int]:
    """A process that waits for the starting shot; its pid and where it tells what happened."""
    read, write = os.pipe()
    pid = os.fork()
    if pid:
        os.close(write)
        return pid, read
    try:
        deadline = time.monotonic() + 30
        while not start.exists() and time.monotonic() < deadline:
            time.sleep(0.0005)
        os.write(write, work().encode())
    except BaseException as error:
        os.write(write, f"died: {error!r}".encode())
    finally:
        os._exit(0)


def together(start: Path, *works: Callable[[], str]) -> list[str]:
    """What each of these said, run at the same moment."""
    children = [child(work, start) for work in works]
    start.touch()
    said = []
    for pid, read in children:
        with os.fdopen(read, "rb") as pipe:
            said.append(pipe.read().decode())
        os.waitpid(pid, 0)
    start.unlink()
    return said


def test_two_approvers_and_one_result(office: Office, tmp_path: Path) -> None:
    """Q11: one applied, the other hears who and when; the text is in the file once."""
    office.home.memory("alpha").limits(memory=100_000)
    for number in range(ROUNDS):
        record = office.home.stage_add(f"entry {number}", record_id=f"r{number}")
        proposal = office.proposal(record)
        seen = office.desk.plan(proposal).digest or ""

        def deciding(proposal=proposal, seen=seen) -> str:  # type: ignore[no-untyped-def]
            with Desk.open(office.home.home, office.approver) as desk:
                try:
                    return str(approve(desk, proposal, None, seen, SIGHT).kind)
                except AlreadyDecided as error:
                    return str(error)

        said = sorted(together(tmp_path / "go", deciding, deciding))
        assert said[1] == "approved", said
        assert said[0].startswith("Already decided by") and "UTC: approved" in said[0]
        assert office.memory().split(DELIMITER).count(f"entry {number}") == 1
    assert audit.verify(office.desk.ledger) == []


def test_a_yes_and_a_no_at_once(office: Office, tmp_path: Path) -> None:
    """Q11: whichever stands, the file agrees with it."""
    office.home.memory("alpha").limits(memory=100_000)
    for number in range(ROUNDS):
        proposal = office.proposal(office.home.stage_add(f"entry {number}", record_id=f"r{number}"))
        seen = office.desk.plan(proposal).digest or ""

        def yes(proposal=proposal, seen=seen) -> str:  # type: ignore[no-untyped-def]
            with Desk.open(office.home.home, office.approver) as desk:
                try:
                    return str(approve(desk, proposal, None, seen, SIGHT).kind)
                except AlreadyDecided:
                    return "second"

        def no(proposal=proposal) -> str:  # type: ignore[no-untyped-def]
            with Desk.open(office.home.home, office.approver) as desk:
                try:
                    return str(reject(desk, proposal, sight=SIGHT).kind)
                except AlreadyDecided:
                    return "second"

        said = together(tmp_path / "go", yes, no)
        assert sorted(said) in (["approved", "second"], ["rejected", "second"]), said
        assert (f"entry {number}" in office.memory()) == ("approved" in said)
        assert office.waiting() == set()


@contextmanager
def hermes_lock(home: Path, name: str) -> Iterator[None]:
    """Hermes' lock protocol: flock, blocking, on the file beside."""
    with (home / "memories" / f"{name}.lock").open("a+") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def hermes_add(home: Path, text: str, limit: int) -> bool:
    """One `add` as Hermes makes it: under the lock, by rename, never past the cap."""
    place = home / "memories/MEMORY.md"
    with hermes_lock(home, "MEMORY.md"):
        found = place.read_text() if place.exists() else ""
        entries = [entry for entry in found.split(DELIMITER) if entry]
        if text in entries:
            return True
        new = DELIMITER.join([*entries, text])
        if len(new) > limit:
            return False
        other = place.with_name(f".mem_{os.getpid()}.tmp")
        other.write_text(new)
        other.replace(place)
        return True


def test_two_consoles_and_hermes_lose_nothing(office: Office, tmp_path: Path) -> None:
    """K06: adding at once through two consoles and Hermes' own lock protocol."""
    limit = 200_000
    office.home.memory("alpha").limits(memory=limit)
    office.open()

    def console(name: str) -> Callable[[], str]:
        def work() -> str:
            with Desk.open(office.home.home, office.approver) as desk:
                for number in range(ENTRIES):
                    add_one(office, desk, f"{name}-{number}")
            return "done"

        return work

    def hermes() -> str:
        for number in range(ENTRIES):
            assert hermes_add(office.home.path, f"hermes-{number}", limit)
        return "done"

    said = together(tmp_path / "go", console("one"), console("two"), hermes)
    assert said == ["done"] * 3
    found = office.memory().split(DELIMITER)
    wanted = {f"{n}-{i}" for n in ("one", "two", "hermes") for i in range(ENTRIES)} | {"alpha"}
    assert set(found) == wanted and len(found) == len(wanted)


def add_one(office: Office, desk: Desk, text: str) -> None:
    """Stage and approve one entry, looking again as often as somebody else was quicker."""
    folder = office.home.pending()
    payload = {"action": "add", "target": "memory", "content": text, "old_text": None}
    record = {"id": text, "subsystem": "memory", "payload": payload, "origin": "assistant_tool"}
    other = folder / f"{text}.tmp"
    other.write_text(json.dumps(record | {"action": "add", "summary": "", "created_at": 1.0}))
    other.rename(folder / f"{text}.json")
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        proposal = office.proposal(text)
        seen = desk.plan(proposal).digest or ""
        try:
            approve(desk, proposal, None, seen, SIGHT)
        except (StalePlan, Busy):
            continue
        return
    raise AssertionError(f"{text} was never approved")


def test_the_cap_is_never_passed(office: Office, tmp_path: Path) -> None:
    """K06: two consoles at the edge of the budget."""
    office.home.memory("a" * 40).limits(memory=100)
    listed = [office.proposal(office.home.stage_add(letter * 40)) for letter in "bc"]
    seen = [office.desk.plan(proposal).digest or "" for proposal in listed]
    assert all(seen), "each fits alone"

    def deciding(number: int) -> Callable[[], str]:
        def work() -> str:
            with Desk.open(office.home.home, office.approver) as desk:
                try:
                    return str(approve(desk, listed[number], None, seen[number], SIGHT).kind)
                except (StalePlan, Blocked):
                    return "refused"

        return work

    said = together(tmp_path / "go", deciding(0), deciding(1))
    assert sorted(said) == ["approved", "refused"]
    assert len(office.memory()) <= 100


def test_hermes_own_approve_beside_ours(office: Office, tmp_path: Path) -> None:
    """Q13: the text is in the file at most once, and nothing is decided twice."""
    limit = 100_000
    office.home.memory("alpha").limits(memory=limit)
    for number in range(ROUNDS):
        text = f"entry {number}"
        proposal = office.proposal(office.home.stage_add(text, record_id=f"r{number}"))
        seen = office.desk.plan(proposal).digest or ""
        place = office.home.record_path(proposal.id)

        def theirs(place=place, text=text) -> str:  # type: ignore[no-untyped-def]
            try:
                place.read_bytes()
            except FileNotFoundError:
                return "nothing"
            hermes_add(office.home.path, text, limit)
            place.unlink(missing_ok=True)
            return "applied"

        def ours(proposal=proposal, seen=seen) -> str:  # type: ignore[no-untyped-def]
            with Desk.open(office.home.home, office.approver) as desk:
                try:
                    return str(approve(desk, proposal, None, seen, SIGHT).kind)
                except (NotFound, StalePlan):
                    return "stepped back"

        said = together(tmp_path / "go", theirs, ours)
        assert "died" not in "".join(said), said
        assert office.memory().split(DELIMITER).count(text) == 1
        explained(office, proposal, said)
    assert audit.verify(office.desk.ledger, live=False) == []


def explained(office: Office, proposal, said: list[str]) -> None:  # type: ignore[no-untyped-def]
    """What happened has a name, whoever was quicker."""
    notice(office.desk)
    if office.waiting():
        office.home.record_path(proposal.id).unlink()
    try:
        kind = str(audit.body(resolve(office.desk, proposal))["kind"])
    except PlacetError as error:
        raise AssertionError(f"{said}: {error}") from error
    wanted = {Kind.APPROVED.value, Kind.APPLIED_ELSEWHERE.value, Kind.GONE.value}
    assert kind in wanted, said
    assert (kind == Kind.APPROVED.value) == ("approved" in said), said


def test_a_writer_that_ignores_the_lock(office: Office, tmp_path: Path) -> None:
    """T02, field report 24: no outside text is lost without a kept copy."""
    office.home.memory("alpha").limits(memory=1_000_000)
    office.open()
    place = office.home.path / "memories/MEMORY.md"

    def outsider() -> str:
        written = []
        for number in range(ENTRIES * 2):
            with place.open("ab") as file:
                file.write(f"\n§\noutside-{number}.".encode())
            written.append(f"outside-{number}.")
            time.sleep(0.002)
        return json.dumps(written)

    def console() -> str:
        with Desk.open(office.home.home, office.approver) as desk:
            for number in range(ENTRIES):
                add_one(office, desk, f"ours-{number}")
        return "done"

    said = together(tmp_path / "go", outsider, console)
    kept = b"".join(p.read_bytes() for p in office.home.path.rglob("*") if p.is_file())
    lost = [text for text in json.loads(said[0]) if text.encode() not in kept]
    assert lost == [] and said[1] == "done"
