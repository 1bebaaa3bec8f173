"""What happens when a desk is opened: the first known files, and what a crash left."""

from __future__ import annotations

from placet.store.decide.desk import Desk
from placet.store.decide.recover import recover, tidy
from placet.store.decide.ungated import baseline
from placet.store.ledger import audit


def begin(desk: Desk, recovering: bool) -> None:
    """Take what the ledger says, record the first known files, and recover; not while in alarm."""
    desk.reports += desk.ledger.notes
    if desk.ledger.alarm:
        desk.reports.append(desk.ledger.alarm)
        return
    if not audit.head(desk.ledger):
        baseline(desk)
    if recovering:
        recover(desk)
        tidy(desk)
