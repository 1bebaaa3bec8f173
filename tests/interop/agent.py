"""The real Hermes Agent as processes beside placet, on one home."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

from placet.store.decide import DemoApprover
from placet.store.inbox import Item
from placet.store.inbox.inbox import Inbox
from placet.store.model import Home, Plan

PEER = Path(__file__).parent / "hermes_peer.py"


class Hermes:
    """One process of hermes-agent 0.19.0 in an environment of its own."""

    def __init__(self, python: str, home: Path, **env: str) -> None:
        keep = {k: v for k, v in os.environ.items() if k in ("PATH", "LANG", "TMPDIR")}
        self._process = subprocess.Popen(
            [python, "-P", str(PEER)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**keep, "HERMES_HOME": str(home), "HOME": str(home.parent), **env},
            text=True,
        )

    def send(self, do: str, **arguments: Any) -> None:
        """Ask without waiting for the answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({"do": do, **arguments}) + "\n")
        self._process.stdin.flush()

    def receive(self) -> Any:
        """The answer to the oldest open question."""
        assert self._process.stdout is not None
        answer = json.loads(self._process.stdout.readline())
        assert "ok" in answer, answer
        return answer["ok"]

    def ask(self, do: str, **arguments: Any) -> Any:
        """Ask and wait for the answer."""
        self.send(do, **arguments)
        return self.receive()

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)


class Agent:
    """A home with its approver, and as many Hermes processes as a test asks for."""

    def __init__(self, home: Home, approver: DemoApprover, python: str) -> None:
        self.home = home
        self.approver = approver
        self._python = python
        self._open: list[Hermes] = []

    def hermes(self, **env: str) -> Hermes:
        """One more Hermes process on this home, with these variables in its environment."""
        started = Hermes(self._python, self.home.path, **env)
        self._open.append(started)
        return started

    def waiting(self) -> dict[str, Item]:
        """What placet sees waiting, by id."""
        return {item.ref.id: item for item in Inbox((self.home,)).refresh(self.home).members()}

    def plan(self, pending: str) -> Plan:
        """The whole plan of one waiting record."""
        inbox = Inbox((self.home,))
        inbox.refresh(self.home)
        return inbox.plan(self.waiting()[pending])

    def memory(self, name: str = "MEMORY.md") -> str:
        """Text of a memory file."""
        path = self.home.memories / name
        return path.read_bytes().decode() if path.exists() else ""

    def close(self) -> None:
        """End every Hermes process."""
        for process in self._open:
            process.close()
