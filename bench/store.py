"""What the store costs: an approval, a difference, a look-up among refusals."""

from __future__ import annotations

import os
import secrets
import sqlite3
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

from rapidfuzz.distance import Indel

from bench.figures import Row
from bench.homes import made, stage_add
from placet.store import decide
from placet.store.decide import Desk
from placet.store.inbox.inbox import Inbox
from placet.store.ledger import refusals as remembered
from placet.store.model import Sight
from placet.store.plan import prints, snapshot
from placet.store.text import diff
from placet.store.text.fingerprint import operation_print

SIZE = 100_000


def timed(act: Callable[[], object]) -> float:
    """Milliseconds that `act` takes."""
    started = time.perf_counter()
    act()
    return (time.perf_counter() - started) * 1000


def approve(runs: int) -> Row:
    """An addition approved, disk to disk, beside one durable replacement of a file."""
    ours: list[float] = []
    bare: list[float] = []
    with made(0) as (home, approver), Desk.open(home, approver) as desk:
        inbox = Inbox((home,))
        target = home.path / "reference.md"
        for number in range(runs):
            stage_add(home, f"Approved fact {number}.")
            (item,) = inbox.refresh(home).members()
            digest = item.plan.digest or ""
            ours.append(
                timed(
                    lambda i=item, d=digest: decide.approve(
                        desk, i.proposal, i.plan.choice, d, Sight()
                    )
                )
            )
            data = (home.memories / "MEMORY.md").read_bytes()
            bare.append(timed(lambda d=data: _replace(target, d)))
    budget = "p95 ≤ 8×"
    return Row("approve, disk to disk", ours, bare, "write+fsync+rename+fsync", budget)


def _replace(path: Path, data: bytes) -> None:
    temporary = path.with_suffix(".tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.write(descriptor, data)
    os.fsync(descriptor)
    os.close(descriptor)
    os.replace(temporary, path)
    folder = os.open(path.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def differences(runs: int) -> list[Row]:
    """The worst inputs of 100 KB beside a bare alignment of the same lines or words."""
    same = "the very same line of the file, again and again\n" * (SIZE // 48)
    one = " ".join(f"word{n}" for n in range(SIZE // 9))
    every = "".join(f"line {n} of the old text stands here\n" for n in range(SIZE // 36))
    cases = {
        "identical lines, one changed": (same, same.replace("same", "other", 1)),
        "one line": (one, one.replace("word5", "w5", 900)),
        "every line changed": (every, every.replace("old", "new")),
    }
    return [_difference(name, *sides, runs) for name, sides in cases.items()]


def _difference(name: str, before: str, after: str, runs: int) -> Row:
    split = str.split if "\n" not in before else (lambda text: text.split("\n"))
    ours = [timed(lambda: diff.lines(before, after)) for _ in range(runs)]
    bare = [timed(lambda: Indel.opcodes(split(before), split(after))) for _ in range(runs)]
    tracemalloc.start()
    diff.lines(before, after)
    peak = tracemalloc.get_traced_memory()[1] / (1 << 20)
    tracemalloc.stop()
    title = f"diff of 100 KB, {name} (peak {peak:.0f} MiB)"
    return Row(title, ours, bare, "rapidfuzz alone", "≤ 150 ms, ≤ 30 MiB")


def refusals(runs: int, count: int = 100_000) -> list[Row]:
    """One look-up among many refusals beside the same select on a bare table."""
    ours: dict[bool, list[float]] = {}
    with made(1) as (home, approver), Desk.open(home, approver) as desk:
        (item,) = Inbox((home,)).refresh(home).members()
        _refuse_many(desk, count)
        asked = prints(item.proposal, snapshot.take(item.proposal, desk.config()))
        for similar in (False, True):
            ours[similar] = [
                timed(
                    lambda s=similar: remembered.past(desk.ledger, item.proposal, asked, similar=s)
                )
                for _ in range(runs + 1)
            ][1:]
    bare = _bare_select(runs, count)
    title = f"refusal look-up among {count:,}"
    return [
        Row(f"{title}, exact", ours[False], bare, "bare select", "≤ 1 ms"),
        Row(f"{title}, similar too", ours[True], bare, "bare select", "≤ 60 ms"),
    ]


def _refuse_many(desk: Desk, count: int) -> None:
    with desk.ledger.immediate():
        for number in range(count):
            text = f"Refused fact {number} of the bench about port {number}."
            remembered.add(
                desk.ledger,
                fp=operation_print("memory", "put", text),
                kind="put",
                target="memory",
                decision=1,
                text=text,
            )


def _bare_select(runs: int, count: int) -> list[float]:
    table = sqlite3.connect(":memory:")
    table.execute("CREATE TABLE refusals(fp TEXT PRIMARY KEY)")
    table.executemany(
        "INSERT INTO refusals VALUES (?)", ((secrets.token_hex(32),) for _ in range(count))
    )
    asked = secrets.token_hex(32)
    select = "SELECT 1 FROM refusals WHERE fp = ?"
    return [timed(lambda: table.execute(select, (asked,)).fetchone()) for _ in range(runs)]
