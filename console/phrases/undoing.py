"""What undoing a decision does besides its files, and why it cannot be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.console.phrases.amounts import counted

if TYPE_CHECKING:
    from placet.store.decide import Inverse
    from placet.store.errors import Conflict


def inverse_lines(one: Inverse) -> list[str]:
    """What is taken back, and everything that happens with it."""
    lines = [one.words]
    lines += [f"  {ref} goes back to the queue, byte for byte" for ref in one.records]
    lines += [f"  {ref} leaves the queue again" for ref in one.withdraws]
    if one.lifts:
        lines.append(f"  {counted(len(one.lifts), 'refused value')} may be proposed again")
    lines += [f"  {ref} was taken because of it, and can be put back" for ref in one.twins]
    return [*lines, *(f"  cannot be brought back: {words}" for words in one.lost)]


def three_texts(conflict: Conflict) -> tuple[tuple[str, str | None], ...]:
    """The texts between which a person has to choose, each with its title."""
    return (
        ("before the decision:", conflict.was),
        ("as decided:", conflict.decided),
        ("today:", conflict.now),
    )
