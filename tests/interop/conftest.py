"""A home, an approver for it, and the real Hermes Agent beside them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from interop.agent import Agent

from placet.store.decide import DemoApprover
from placet.store.model import Home

CONFIG = "memory:\n  write_approval: true\nskills:\n  write_approval: true\n"


@pytest.fixture
def agent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Agent]:
    """A home with both gates on."""
    python = os.environ.get("PLACET_HERMES_PYTHON", "")
    if not python:
        pytest.skip("needs hermes-agent: run ./dev interop")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    approver = DemoApprover.own_home(tmp_path / "agent")
    (tmp_path / "agent" / "config.yaml").write_text(CONFIG)
    made = Agent(Home((tmp_path / "agent").resolve()), approver, python)
    yield made
    made.close()
