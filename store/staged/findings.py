"""What the parser collects about one record while it reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from placet.store.model import Code, Level, Verdict
from placet.store.staged.decode import in_full, printable, writable

Fields = Mapping[str, object]
"""One JSON object of a record."""


class Malformed(Exception):
    """The record cannot be what it claims to be; the message is one sentence for a person.

    Attributes:
        operation: Number of the operation at fault, or None.
    """

    def __init__(self, message: str, operation: int | None = None) -> None:
        super().__init__(message)
        self.operation = operation


@dataclass(slots=True)
class Findings:
    """Verdicts in the order they were found.

    Attributes:
        verdicts: Everything found so far.
    """

    verdicts: list[Verdict] = field(default_factory=list[Verdict])

    def note(self, code: Code, message: str, operation: int | None = None) -> None:
        """Add something worth knowing."""
        self.verdicts.append(Verdict(code, Level.NOTE, printable(message), operation))

    def warn(self, code: Code, message: str, operation: int | None = None) -> None:
        """Add something that asks for attention."""
        self.verdicts.append(Verdict(code, Level.WARNING, printable(message), operation))

    def block(self, code: Code, message: str, operation: int | None = None) -> None:
        """Add something that forbids approving."""
        self.verdicts.append(Verdict(code, Level.BLOCKER, printable(message), operation))


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads the fields of one JSON object by their types; a wrong type is `Malformed`.

    Attributes:
        fields: The object.
        what: What it is, for sentences: `The add`, `The patch`.
        used: Keys that mean something here.
        operation: Number of the operation it describes, or None.
    """

    fields: Fields
    what: str
    used: frozenset[str]
    operation: int | None = None

    def text(self, key: str) -> str:
        """A string that has to be there; may be empty."""
        found = self.optional(key)
        if found is None:
            raise self.malformed(f"{self.what} has no “{key}”")
        return found

    def filled(self, key: str) -> str:
        """A string that has to be there and to hold more than white space."""
        found = self.text(key)
        if not found.strip():
            raise self.malformed(f"{self.what} has an empty “{key}”")
        return found

    def optional(self, key: str) -> str | None:
        """A string, or None where it is missing or null."""
        found = self.fields.get(key)
        if found is None:
            return None
        if not isinstance(found, str):
            raise self.malformed(f"{self.what} has a “{key}” that is no text: {in_full(found)}")
        if not writable(found):
            raise self.malformed(f"“{key}” holds half a character, which no file can store")
        return found

    def flag(self, key: str) -> bool:
        """True or false; false where it is missing or null."""
        found = self.fields.get(key)
        if found is None or isinstance(found, bool):
            return bool(found)
        raise self.malformed(f"{self.what} has a “{key}” that is neither true nor false")

    def malformed(self, message: str) -> Malformed:
        """The exception to raise; it shows every field that means nothing here, whole."""
        instead = self.unknown()
        rest = f" It holds instead {', '.join(instead)}." if instead else ""
        return Malformed(f"{message}.{rest}", self.operation)

    def unknown(self) -> list[str]:
        """Fields that mean nothing here and yet hold something, each whole, in words."""
        return [
            f"“{key}”: {in_full(value)}"
            for key, value in self.fields.items()
            if key not in self.used and value is not None and value is not False
        ]

    def report_unknown(self, findings: Findings) -> None:
        """Warn of every field that Hermes ignores here, so that nothing is folded away."""
        for words in self.unknown():
            findings.warn(
                Code.UNKNOWN_FIELD,
                f"{self.what} carries a field that has no effect here: {words}.",
                self.operation,
            )
