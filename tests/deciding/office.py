"""A home that a demo approver made, so that tests may decide in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from homes.build import HomeBuilder

from placet.store.decide import DemoApprover, Desk
from placet.store.decide.approve import approve
from placet.store.model import Choice, Done, Proposal, Sight, Subsystem
from placet.store.staged import parse, scan

SIGHT = Sight(seconds=3.0, rows_seen=4, rows=4, where="demo")


@dataclass
class Office:
    """A home, who decides there, and short ways to what tests do most."""

    home: HomeBuilder
    approver: DemoApprover
    desks: list[Desk] = field(default_factory=list)

    def open(self) -> Desk:
        """A fresh desk, as another process would open it; closed with the test."""
        desk = Desk.open(self.home.home, self.approver)
        self.desks.append(desk)
        return desk

    @property
    def desk(self) -> Desk:
        """The desk that was opened first."""
        return self.desks[0] if self.desks else self.open()

    def proposal(self, record_id: str, subsystem: Subsystem = Subsystem.MEMORY) -> Proposal:
        """A staged record as a screen would show it."""
        record = scan.read(self.home.home, subsystem, f"{record_id}.json")
        return parse.understand(record, 2e9)

    def approve(
        self, record_id: str, choice: Choice | None = None, subsystem: Subsystem = Subsystem.MEMORY
    ) -> Done:
        """Approve a staged record as planned now."""
        proposal = self.proposal(record_id, subsystem)
        plan = self.desk.plan(proposal, choice)
        return approve(self.desk, proposal, choice, plan.digest or plan.state, SIGHT)

    def say_yes(self, proposal: Proposal, choice: Choice | None = None) -> Done:
        """Approve any proposal as planned now."""
        plan = self.desk.plan(proposal, choice)
        return approve(self.desk, proposal, choice, plan.digest or plan.state, SIGHT)

    def memory(self) -> str:
        """MEMORY.md as text."""
        return (self.home.read("memories/MEMORY.md") or b"").decode()

    def waiting(self, subsystem: Subsystem = Subsystem.MEMORY) -> set[str]:
        """Names in the staging folder."""
        return set(scan.names(self.home.home, subsystem).names)


@pytest.fixture
def make_office(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], Office]]:
    """Make homes to decide in; anchors stay inside the test's folder."""
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    made: list[Office] = []

    def make(name: str = "office") -> Office:
        approver = DemoApprover.own_home(tmp_path / name)
        made.append(Office(HomeBuilder(tmp_path / name).config(), approver))
        return made[-1]

    yield make
    for office in made:
        for desk in office.desks:
            desk.close()


@pytest.fixture
def office(make_office: Callable[[str], Office]) -> Office:
    """One empty home to decide in."""
    return make_office("office")
