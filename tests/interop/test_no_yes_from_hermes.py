"""The real tools of Hermes, and what they can reach of placet."""

from __future__ import annotations

import json
import sys

from interop.agent import Agent

SPAWN = """
import os, pty
from pathlib import Path
said = []
def read(fd):
    data = os.read(fd, 65536)
    said.append(data)
    return data
code = pty.spawn({words!r}, read)
print("CODE", os.waitstatus_to_exitcode(code))
Path({out!r}).write_bytes(b"".join(said))
"""


def test_the_tool_that_runs_python_cannot_decide(agent: Agent) -> None:
    """Behind a terminal of its own making, with an environment that Hermes has scrubbed."""
    staged = agent.hermes().ask(
        "stage_memory", origin="assistant_tool", action="add", target="memory", content="Mine."
    )
    digest = agent.plan(str(staged["pending_id"])).digest
    verb = [sys.executable, "-m", "placet.console", "-H", str(agent.home.path)]
    words = [*verb, "approve", str(staged["pending_id"]), "--seen", str(digest)]
    for number, given in enumerate((words, ["/usr/bin/env", "-i", *words])):
        out = agent.home.path / f"said-{number}"
        code = SPAWN.format(words=given, out=str(out))
        answer = agent.hermes().ask("run_code", code=code)
        assert "CODE 1" in json.dumps(answer), answer
        assert "an agent cannot say yes" in " ".join(out.read_text().split())
    assert agent.memory() == "" and set(agent.waiting()) == {str(staged["pending_id"])}
