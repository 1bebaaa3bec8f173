"""What became of a record that is not staged any more, for words after "not found"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from placet.console.phrases.decisions import decided
from placet.store.errors import PlacetError
from placet.store.ledger import decisions, proposals
from placet.store.ledger.database import Ledger, looking
from placet.store.model import Home, Subsystem


def became(homes: Sequence[Home], text: str) -> str:
    """Say what the ledgers know about a reference, or nothing.

    Args:
        homes: Homes of this run.
        text: The reference as typed.
    """
    wanted = text.rpartition(":")[2].rpartition("/")[2] if "sha256:" not in text else text
    found = [words for home in homes for words in _became(home, wanted)]
    return "".join(f" {words}" for words in found[:3])


def _became(home: Home, record_id: str) -> Iterator[str]:
    try:
        with looking(home) as ledger:
            if ledger is not None:
                for subsystem in Subsystem:
                    yield from _known(ledger, subsystem, record_id)
    except PlacetError:
        return  # the ledger only adds words here; the verb itself reports what is wrong with it


def _known(ledger: Ledger, subsystem: Subsystem, record_id: str) -> Iterator[str]:
    for known in proposals.named(ledger, subsystem, record_id):
        name = f"{ledger.home.label}:{subsystem.value}/{record_id}"
        decision = decisions.standing(ledger, subsystem, record_id, known.sha256)
        if decision is not None:
            yield f"{name} was {decided(decision)}."
        elif known.event is not None:
            yield f"{name} is {known.life.value} (#{known.event})."
