"""How much: counts with their noun, sizes against a cap, bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from placet.store.model import Usage

if TYPE_CHECKING:
    from placet.store.plan import Together


def counted(number: int, noun: str, nouns: str = "") -> str:
    """`1 warning`, `2 warnings`; `nouns` where the plural is another than with an s."""
    return f"{number:,} {noun if number == 1 else nouns or noun + 's'}"


def proposed(times: int) -> str:
    """How often the same change was proposed; nothing where it was once."""
    if times < 2:
        return ""
    return "proposed twice" if times == 2 else f"proposed {times} times"


def sizes(usage: Usage) -> str:
    """`1,364 ▸ 1,562 of 2,200`, in characters; one number where nothing changes."""
    before = "" if usage.before == usage.after else f"{usage.before:,} ▸ "
    return f"{before}{usage.after:,} of {usage.limit:,}"


def shares(usage: Usage) -> str:
    """The same as shares of the cap: `62 % ▸ 71 %`."""
    before = "" if usage.before == usage.after else f"{percent(usage.before, usage.limit)} ▸ "
    return f"{before}{percent(usage.after, usage.limit)}"


def fitting(found: Together) -> str:
    """What the cap says to approving all that could be approved."""
    if found.fit < found.proposals:
        return (
            f"only {found.fit} of the {found.proposals:,} that could be approved for this file fit"
            f" into {found.limit:,} characters"
        )
    return (
        f"all {found.proposals:,} that could be approved for this file fit:"
        f" {found.size:,} of {found.limit:,} characters"
    )


def percent(size: int, limit: int) -> str:
    """A share of the cap, rounded down, so that 100 % is full."""
    return f"{size * 100 // limit} %" if limit > 0 else "no room"


def in_bytes(data: bytes | None) -> str:
    """The size of one side of a file."""
    return "absent" if data is None else counted(len(data), "byte")
