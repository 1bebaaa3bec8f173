"""Accepting an alarm of the log, as a person's act; decisions are possible again afterwards."""

from __future__ import annotations

from placet.store.decide import body, ungated
from placet.store.decide.desk import Desk
from placet.store.decide.recover import recover
from placet.store.ledger import audit, files
from placet.store.model import Event


def accept(desk: Desk, reason: str) -> Event:
    """Accept what is wrong with the log; the findings go into the event by name.

    Args:
        desk: Whose; its ledger has an open alarm.
        reason: The person's words.

    Raises:
        NotAllowed: Somebody else holds the terminal now, who may not decide.
        LedgerError: There is nothing to accept, or the chain cannot be continued.
    """
    desk.approver.require_still()
    event = audit.accept(desk.ledger, {**body.who(desk), "reason": reason})
    if not desk.ledger.alarm:
        if not files.all_known(desk.ledger):
            ungated.baseline(desk)
        recover(desk)
    return event
