"""Homes to measure on, made and thrown away."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from placet.store.decide import DemoApprover
from placet.store.model import BACKGROUND_REVIEW, Home, Subsystem
from placet.store.propose import stage

CONFIG = "memory:\n  write_approval: true\n  memory_char_limit: 200000\n"


@contextmanager
def made(waiting: int) -> Iterator[tuple[Home, DemoApprover]]:
    """A home with twelve entries and `waiting` additions staged; its anchor lies beside it."""
    folder = Path(tempfile.mkdtemp(prefix="placet-bench-")).resolve()
    os.environ["XDG_STATE_HOME"] = str(folder / "state")
    try:
        approver = DemoApprover.own_home(folder / "agent")
        home = Home(folder / "agent", "bench")
        home.memories.mkdir()
        (home.path / "config.yaml").write_bytes(CONFIG.encode())
        entries = "\n§\n".join(f"Entry number {n} about the project." for n in range(12))
        (home.memories / "MEMORY.md").write_bytes(entries.encode())
        for number in range(waiting):
            stage_add(home, f"Waiting fact {number} of the bench.", age=waiting - number)
        yield home, approver
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def stage_add(home: Home, text: str, age: float = 0.0) -> str:
    """Stage one addition to MEMORY.md, `age` seconds old; its id."""
    payload = {"action": "add", "target": "memory", "content": text, "old_text": None}
    return stage(
        home,
        Subsystem.MEMORY,
        payload,
        origin=BACKGROUND_REVIEW,
        created_at=time.time() - age,
    )
