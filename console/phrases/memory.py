"""How a file of memory stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.console.phrases.amounts import counted, sizes
from placet.store.model import Usage

if TYPE_CHECKING:
    from placet.console.memory_files import MemoryFile


def filled(file: MemoryFile) -> str:
    """How many entries it holds, and how full it is where it has a cap."""
    entries = counted(len(file.entries), "entry", "entries")
    if not file.limit:
        return entries
    return f"{entries}, {sizes(Usage(file.size, file.size, file.limit))} characters"
