"""Everything that decides; each function takes a desk, and each desk an approver."""

from __future__ import annotations

from placet.store.decide.accept import accept
from placet.store.decide.alike import all_that_can, approve_alike, discard_each, reject_alike
from placet.store.decide.approve import approve, approve_all
from placet.store.decide.approver import LEVEL_MEANING, Approver, DemoApprover
from placet.store.decide.desk import Desk
from placet.store.decide.discard import discard
from placet.store.decide.lift import lift
from placet.store.decide.recover import recover
from placet.store.decide.reject import reject
from placet.store.decide.take import put_back, take
from placet.store.decide.undo import Inverse, inverse, undo
from placet.store.decide.unfinished import (
    Unfinished,
    cancel,
    retry,
    unfinished,
    unfinished_at,
    unfinished_in,
)
from placet.store.decide.ungated import keep, notice, revert_proposal
from placet.store.decide.vanished import resolve
from placet.store.decide.vouch import vouch

__all__ = [
    "LEVEL_MEANING",
    "Approver",
    "DemoApprover",
    "Desk",
    "Inverse",
    "Unfinished",
    "accept",
    "all_that_can",
    "approve",
    "approve_alike",
    "approve_all",
    "cancel",
    "discard",
    "discard_each",
    "inverse",
    "keep",
    "lift",
    "notice",
    "put_back",
    "recover",
    "reject",
    "reject_alike",
    "resolve",
    "retry",
    "revert_proposal",
    "take",
    "undo",
    "unfinished",
    "unfinished_at",
    "unfinished_in",
    "vouch",
]
