"""What a verb about one record costs in a long queue, as a whole process.

`python -m bench.verbs HOME VERB...` is that process: a verb in a home that the bench made itself.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from bench.figures import Row
from bench.homes import made, stage_add
from placet.console.commands import deciding, root
from placet.store.decide import DemoApprover
from placet.store.model import Home

LONG, SHORT = 20_000, 10


def verbs(runs: int) -> list[Row]:
    """`show` and `approve` with 20,000 waiting beside the same with 10."""
    with made(LONG) as (many, _):
        ours = _timed(many, runs)
    with made(SHORT) as (few, _):
        bare = _timed(few, runs)
    return [
        Row(f"{verb} REF, {LONG:,} waiting", ours[verb], bare[verb], f"{SHORT} waiting", "≤ 3×")
        for verb in ours
    ]


def _timed(home: Home, runs: int) -> dict[str, list[float]]:
    times: dict[str, list[float]] = {"show": [], "approve": []}
    for number in range(runs):
        ref = stage_add(home, f"Fact {number} that a verb decides.")
        seconds, shown = _run(home, "show", ref, "--json")
        times["show"].append(seconds)
        seconds, _ = _run(home, "approve", ref, "--seen", str(json.loads(shown)["digest"]))
        times["approve"].append(seconds)
    return times


def _run(home: Home, *words: str) -> tuple[float, str]:
    """Milliseconds of one whole process, and what it printed."""
    command = [sys.executable, "-m", "bench.verbs", str(home.path), *words]
    started = time.perf_counter()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return (time.perf_counter() - started) * 1000, done.stdout


def _verb(home: str, words: Sequence[str]) -> int:
    found = Path(home).stat()
    approver = DemoApprover(Path(home), (found.st_dev, found.st_ino))
    deciding.approver = lambda: approver
    return root.run(["-H", home, *words])


if __name__ == "__main__":
    sys.exit(_verb(sys.argv[1], sys.argv[2:]))
