"""One home, its ledger and the person who decides: what every deciding function is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self, cast

from placet.store.closing import Closing
from placet.store.decide.approver import Approver
from placet.store.errors import LedgerError, NotAllowed, ReadOnly, words_of
from placet.store.homes import config as config_file
from placet.store.homes.find import read_only_reason
from placet.store.ledger import refusals
from placet.store.ledger.database import Ledger
from placet.store.model import (
    Choice,
    Context,
    Home,
    HomeConfig,
    Plan,
    Proposal,
    Snapshot,
    Target,
    TargetKind,
)
from placet.store.plan import plan as make_plan
from placet.store.plan import prints, snapshot

Waiting = Callable[[Path, float], None]
"""Told the lock file and the seconds waited so far."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A plan and what it was made from, read once.

    Attributes:
        plan: The plan.
        files: The files as they were.
        context: Configuration and past.
    """

    plan: Plan
    files: Snapshot
    context: Context


class Desk(Closing):
    """Where decisions about one home are made; bound to the thread that opened it.

    Attributes:
        home: Whose memory it is.
        ledger: The open ledger.
        approver: Who decides.
        reports: What recovery did and what else there is to know, in words.
    """

    def __init__(self, home: Home, ledger: Ledger, approver: Approver) -> None:
        self.home = home
        self.ledger = ledger
        self.approver = approver
        self.reports: list[str] = []
        self._config: tuple[tuple[int, int], HomeConfig] | None = None

    @classmethod
    def open(cls, home: Home, approver: Approver, *, recovering: bool = True) -> Self:
        """Open the desk of a home: its ledger is made if missing, and recovery runs.

        Args:
            home: Whose memory is decided about.
            approver: Who decides.
            recovering: Whether to finish what a stopped process left; not where a person is about
                to say what becomes of it.

        Raises:
            ReadOnly: The home cannot be decided in by this user.
            NotAllowed: The approver is not for this home.
            LedgerError: The ledger is newer than this program, or cannot be used.
        """
        reason = read_only_reason(home)
        if reason:
            raise ReadOnly(reason)
        refusal = approver.refusal(home)
        if refusal:
            raise NotAllowed(refusal)
        try:
            desk = cls(home, Ledger.open(home, create=True), approver)
        except OSError as error:
            raise LedgerError(
                f"The ledger of {home.path} cannot be used: {words_of(error)}."
            ) from error
        from placet.store.decide import opening

        begin = cast("Callable[[Any, bool], None]", opening.begin)
        try:
            begin(desk, recovering)
        except OSError as error:
            desk.close()
            raise LedgerError(f"The ledger could not be begun: {words_of(error)}.") from error
        except BaseException:
            desk.close()
            raise
        return desk

    def require_may_decide(self) -> None:
        """Refuse where the person may not be at the terminal any more, or the log is in doubt.

        Raises:
            NotAllowed: Somebody else holds the terminal now, who may not decide.
            LedgerError: An alarm is open.
        """
        self.approver.require_still()
        self.require_no_alarm()

    def require_no_alarm(self) -> None:
        """Refuse while the log is in doubt.

        Raises:
            LedgerError: An alarm is open.
        """
        if self.ledger.alarm:
            raise LedgerError(
                f"{self.ledger.alarm}. Nothing was decided. Look at it with `placet audit"
                " --verify`, then accept it with `placet audit --accept`."
            )

    def config(self) -> HomeConfig:
        """The home's configuration, read again whenever the file changed."""
        now = config_file.stamp(self.home)
        if self._config is None or self._config[0] != now:
            self._config = (now, config_file.read(self.home))
        return self._config[1]

    def context(self, proposal: Proposal, found: Snapshot) -> Context:
        """Everything besides the files that a plan depends on, as of now.

        Args:
            proposal: What is planned.
            found: Its files.
        """
        made = prints(proposal, found)
        past = refusals.past(self.ledger, proposal, made, similar=False)
        return Context(self.config(), past)

    def plan(self, proposal: Proposal, choice: Choice | None = None) -> Plan:
        """Plan against today's files; what similar refusals there are is left to screens."""
        return self.look(proposal, choice).plan

    def look(
        self,
        proposal: Proposal,
        choice: Choice | None = None,
        unmade: frozenset[Path] = frozenset(),
    ) -> Looked:
        """The plan of now, with the files and the past that it was made from.

        Args:
            proposal: What is planned.
            choice: What the person differs in.
            unmade: Folders that we have just made: planned as if they were missing, as they were
                when the plan was shown. Where the file really lies is looked at all the same.
        """
        found = snapshot.take(proposal, self.config())
        found = _without_folders(found, unmade)
        context = self.context(proposal, found)
        return Looked(make_plan(proposal, found, context, choice), found, context)

    def missing_folder(self, target: Target | None) -> frozenset[Path]:
        """The folder of a memory file where it does not exist yet; its lock will make it."""
        if target is None or target.kind not in (TargetKind.MEMORY, TargetKind.USER):
            return frozenset()
        folder = self.home.memories
        return frozenset() if folder.exists() else frozenset({folder})

    def close(self) -> None:
        """Close the ledger."""
        self.ledger.close()


def _without_folders(found: Snapshot, unmade: frozenset[Path]) -> Snapshot:
    """The same files as they are told while their folders are missing."""
    files = {
        path: replace(state, parent=None) if state.path.parent in unmade else state
        for path, state in found.files.items()
    }
    return replace(found, files=files)
