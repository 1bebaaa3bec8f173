"""C11: what the registry offers on a screen can be done there."""

from __future__ import annotations

import pytest

from placet.console.actions import Place, at
from placet.console.app import PlacetApp
from placet.console.screens.audit import AuditScreen
from placet.console.screens.check import CheckScreen
from placet.console.screens.memory import MemoryScreen
from placet.console.screens.queue import QueueScreen
from placet.console.screens.refusals import RefusalsScreen
from placet.console.screens.review import ReviewScreen
from placet.console.widgets.diff_view import DiffView
from placet.console.widgets.entry_editor import EntryEditor
from placet.console.widgets.line_list import GroupedList, LineList

WHERE: dict[Place, type] = {
    Place.APP: PlacetApp,
    Place.QUEUE: QueueScreen,
    Place.MEMORY: MemoryScreen,
    Place.AUDIT: AuditScreen,
    Place.REFUSALS: RefusalsScreen,
    Place.CHECK: CheckScreen,
    Place.REVIEW: ReviewScreen,
    Place.LIST: LineList,
    Place.GROUPS: GroupedList,
    Place.DIFF: DiffView,
    Place.EDITOR: EntryEditor,
}


@pytest.mark.parametrize("place", list(Place))
def test_every_action_has_a_method(place: Place) -> None:
    missing = [a.id for a in at(place) if not hasattr(WHERE[place], f"action_{a.method}")]
    assert not missing
