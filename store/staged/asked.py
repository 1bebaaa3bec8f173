"""What a payload asks for, once it is understood."""

from __future__ import annotations

from dataclasses import dataclass

from placet.store.model import Operation, Target


@dataclass(frozen=True, slots=True)
class Asked:
    """Target and operations of one payload.

    Attributes:
        target: What it lands in, or None where that cannot be told.
        operations: What it asks for, in order.
        batch: Whether it is a batch, however many operations it has.
    """

    target: Target | None = None
    operations: tuple[Operation, ...] = ()
    batch: bool = False
