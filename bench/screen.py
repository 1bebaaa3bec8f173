"""What a person waits for: start, a key, a proposal that arrives."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path

from bench.figures import Row
from bench.homes import made, stage_add
from bench.terminal import Terminal
from placet.store.model import Home

BARE = [sys.executable, "-m", "bench.bare"]
MARKER = b"row 3 of the bare application"


def environment() -> Mapping[str, str]:
    """A plain SSH-like environment: 256 colours, no multiplexer."""
    keep = {k: v for k, v in os.environ.items() if k in ("PATH", "HOME", "LANG", "XDG_STATE_HOME")}
    return {**keep, "TERM": "xterm-256color", "PYTHONPATH": str(Path.cwd())}


def console(home: Home) -> list[str]:
    """The command that opens the console on one home."""
    return [sys.executable, "-m", "placet.console", "-H", str(home.path)]


def start(runs: int, waiting: int) -> Row:
    """From the start of the process to the first row of the queue on the terminal."""
    ours: list[float] = []
    bare: list[float] = []
    with made(waiting) as (home, _):
        marker = f"{waiting:,} waiting".encode() if waiting < 1000 else b" waiting"
        for number in range(runs + 1):
            for runs_of, command, seen in ((bare, BARE, MARKER), (ours, console(home), marker)):
                terminal = Terminal(command, environment())
                try:
                    seconds = terminal.wait_for(seen)
                finally:
                    terminal.close()
                if number:  # the first pair warms the caches
                    runs_of.append(seconds * 1000)
    budget = "≤ 1.3×" if not waiting else "≤ 1.8×"
    return Row(f"start → first useful paint, {waiting:,} waiting", ours, bare, "bare app", budget)


def key(runs: int, waiting: int) -> tuple[Row, Row]:
    """From a movement key to the first byte, and the bytes it costs."""
    seconds: dict[str, list[float]] = {}
    sizes: dict[str, list[float]] = {}
    with made(waiting) as (home, _):
        for name, command, seen in (
            ("bare", BARE, MARKER),
            ("ours", console(home), f"{waiting:,} waiting".encode()),
        ):
            terminal = Terminal(command, environment())
            try:
                terminal.wait_for(seen, timeout=120)
                terminal.settle(1.0)
                measured = [terminal.key(b"j") for _ in range(runs)]
            finally:
                terminal.close()
            seconds[name] = [first * 1000 for first, _ in measured]
            sizes[name] = [float(size) for _, size in measured]
    title = f"key → first byte, {waiting:,} waiting"
    return (
        Row(title, seconds["ours"], seconds["bare"], "bare app", "p95 ≤ 3×"),
        Row("bytes for the key", sizes["ours"], sizes["bare"], "bare app", "≤ 500", "B"),
    )


def arrival(runs: int) -> Row:
    """From staging a record to its count on the terminal, beside a bare watcher."""
    ours: list[float] = []
    with made(5) as (home, _):
        terminal = Terminal(console(home), environment())
        try:
            terminal.wait_for(b"5 waiting")
            terminal.settle(1.0)
            for number in range(runs):
                terminal.output = b""
                staged = time.perf_counter()
                stage_add(home, f"Arrives as number {number}.")
                terminal.wait_for(f"{6 + number} waiting".encode())
                ours.append((time.perf_counter() - staged) * 1000)
                terminal.settle(0.3)
        finally:
            terminal.close()
        bare = _bare_arrivals(home, runs)
    return Row("staged → visible", ours, bare, "bare watcher", "p95 ≤ 80 ms")


def _bare_arrivals(home: Home, runs: int) -> list[float]:
    """From staging a record to the event, with nothing behind it."""
    from watchfiles import awatch

    folder = home.path / "pending" / "memory"
    found: list[float] = []
    seen = threading.Event()
    stop = asyncio.Event()

    async def watch() -> None:
        async for _ in awatch(folder, debounce=50, step=10, stop_event=stop, rust_timeout=200):
            seen.set()

    async def measure() -> None:
        task = asyncio.create_task(watch())
        await asyncio.sleep(0.5)
        for number in range(runs):
            seen.clear()
            staged = time.perf_counter()
            stage_add(home, f"Bare arrival {number}.")
            while not seen.is_set():
                await asyncio.sleep(0.001)
            found.append((time.perf_counter() - staged) * 1000)
            await asyncio.sleep(0.2)
        stop.set()
        await task

    asyncio.run(measure())
    return found
