"""What can go wrong, each in words that a person can act on.

Every message has three parts where they apply: what happened, what did not happen, what to do next.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from placet.store.model import Plan


class PlacetError(Exception):
    """Base of every error that placet raises on purpose; its text is shown to the person.

    Attributes:
        cause: What went wrong, alone: for a text that itself says what was done and what was not.
            The whole text where nobody told it apart.
    """

    def __init__(self, message: str, *, cause: str = "") -> None:
        super().__init__(message)
        self.cause = (cause or message).rstrip(".")


class NotAllowed(PlacetError):
    """This process may not decide here; the text names the one reason."""


class StalePlan(PlacetError):
    """Something moved between showing and deciding; nothing was written.

    Attributes:
        plan: The plan against today's state, or None where none can be made.
    """

    def __init__(self, message: str, plan: Plan | None = None) -> None:
        super().__init__(message)
        self.plan = plan


class AlreadyDecided(PlacetError):
    """Another process decided this proposal first; the text names who and when, where known."""


class NotFound(PlacetError):
    """No such proposal, event, refusal or file."""


class Ambiguous(PlacetError):
    """A reference fits several proposals; `choices` lists the full references."""

    def __init__(self, message: str, choices: tuple[str, ...]) -> None:
        super().__init__(message)
        self.choices = choices


class Blocked(PlacetError):
    """The plan holds a blocker; the proposal stays and the text names the blocker."""

    def __init__(self, message: str, plan: Plan | None = None) -> None:
        super().__init__(message)
        self.plan = plan


class Busy(PlacetError):
    """A lock was not free within its bound; the text names the file and the wait in seconds."""


class Cancelled(PlacetError):
    """The person gave up waiting; nothing was decided."""


class NotWritten(PlacetError):
    """Approved, but not yet written (full disk, read-only file system): retry or cancel."""


class Unsafe(PlacetError):
    """A file cannot be replaced safely (hard link, mount, foreign owner); it was left alone."""


class Conflict(PlacetError):
    """An undo meets text that changed since; the three texts are kept for the person.

    Attributes:
        was: Text before the decision, or None.
        decided: Text the decision wrote, or None.
        now: Text found today, or None.
    """

    def __init__(self, message: str, was: str | None, decided: str | None, now: str | None) -> None:
        super().__init__(message)
        self.was = was
        self.decided = decided
        self.now = now


class LedgerError(PlacetError):
    """The ledger cannot be used: newer version, broken chain, wrong anchor, not writable."""


class NotALedger(LedgerError):
    """What stands in the ledger's place is not what placet made there: an alarm, not a fault."""


class ReadOnly(PlacetError):
    """The home can be looked at and not decided; the text says why and what would help."""


def words_of(error: OSError) -> str:
    """What the system said, in words, without its number and without a full stop.

    Args:
        error: Also one that a library or we made, which may carry no text of the system.
    """
    words = error.strerror or " ".join(str(part) for part in error.args) or type(error).__name__
    return words.rstrip(".")


def cause_of(error: Exception) -> str:
    """What went wrong, without its consequence and without a full stop."""
    if isinstance(error, PlacetError):
        return error.cause
    return words_of(error) if isinstance(error, OSError) else str(error).rstrip(".")
