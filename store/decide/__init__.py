"""Everything that decides; each function takes a desk, and each desk an approver."""

from __future__ import annotations

from placet.store.decide.approver import Approver, DemoApprover

__all__ = ["Approver", "DemoApprover"]
