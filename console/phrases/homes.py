"""What is to be known about a home: whether it is there, whether Hermes asks, what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from placet.store.model import HomeConfig

ABSENT = "does not exist yet; the queue appears when it does"

TURN_ON = "Turn on: "
"""Begins the command that turns write approval on."""


class Approval(NamedTuple):
    """Hermes' write approval of one subsystem.

    Attributes:
        on: Whether Hermes asks before it writes.
        words: That in a sentence, with the command that turns it on where it is off.
    """

    on: bool
    words: str


def write_approval(config: HomeConfig) -> tuple[Approval, ...]:
    """Write approval of memory and of skills."""
    gate = config.gate
    return _approval("memory", gate.memory), _approval("skills", gate.skills)


def _approval(name: str, on: bool) -> Approval:
    if on:
        return Approval(True, f"write approval for {name} is on")
    words = f"write approval for {name} is OFF: Hermes writes without asking."
    return Approval(False, f"{words} {TURN_ON}hermes config set {name}.write_approval true")


def doubt(words: str) -> str:
    """What is wrong with a ledger, and where to look."""
    return f"{words.rstrip('.')}. See `placet audit --verify`"
