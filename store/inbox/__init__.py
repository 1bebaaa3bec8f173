"""What waits in each home, and how it stands; free of any interface.

The words are at hand here at once; the model itself is `placet.store.inbox.inbox.Inbox`, which
reads and plans, and is loaded only by those who do.
"""

from __future__ import annotations

from placet.store.inbox.order import FOLDED, Group, Item, grouped
from placet.store.inbox.views import HomeView, Left, Progress, Taken

__all__ = ["FOLDED", "Group", "HomeView", "Item", "Left", "Progress", "Taken", "grouped"]
