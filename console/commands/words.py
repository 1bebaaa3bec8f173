"""Plans in plain text: complete, harmless on any terminal, readable without colour."""

from __future__ import annotations

from collections.abc import Iterator

from placet.console.pages.document import Words, document
from placet.console.pages.lines import DiffLine, Role
from placet.console.phrases.amounts import shares, sizes
from placet.console.shown import plain, spoken
from placet.store.model import Effort, Plan, Standing, Usage, effort_of

CHANGE = frozenset({Role.FILE, Role.OPERATION, Role.TEXT, Role.DELIMITER, Role.EFFECT})
"""Lines of a document that belong to the change itself."""

TEXT = frozenset({Role.TEXT, Role.DELIMITER})


class Page:
    """Collects lines; every piece of foreign text goes through `shown`.

    Attributes:
        lines: What was said so far, without line ends.
        rows: Rows of differences among them.
        ascii: Whether only ASCII may be printed.
    """

    def __init__(self, *, ascii_only: bool) -> None:
        self.lines: list[str] = []
        self.rows = 0
        self.ascii = ascii_only

    def say(self, text: str = "", indent: int = 0) -> None:
        """Add one line of words; a line feed in what it quotes becomes a mark, never a new line."""
        self.lines.append((" " * indent + self._plain(text)).rstrip(" "))

    def row(self, sign: str, text: str) -> None:
        """Add one row of a text."""
        self.rows += 1
        self.lines.append(f"{sign} {plain(text, ascii=self.ascii)}")

    def line(self, line: DiffLine) -> None:
        """Add one line of a document."""
        if line.role in TEXT:
            self.row(line.sign, line.text)
        else:
            self.say(f"{line.sign} {line.text}")

    def _plain(self, text: str) -> str:
        return spoken(text, ascii=self.ascii)

    def block(self, text: str | None) -> None:
        """Add a whole text, each of its lines behind a bar."""
        if text is None:
            self.say("  (absent)")
            return
        for part in text.split("\n"):
            self.row("|", part)

    def text(self) -> str:
        """Everything, each line ended."""
        return "".join(f"{line}\n" for line in self.lines)


def whole(page: Page, plan: Plan, known: Words | None = None) -> None:
    """Everything about a plan, as the console shows it."""
    for line in document(plan, known).lines:
        page.line(line)


def change_only(page: Page, plan: Plan) -> None:
    """The complete change: every file, or, where none would change, what was asked for."""
    for line in document(plan).lines:
        if line.role in CHANGE:
            page.line(line)


def usage(page: Page, found: Usage | None) -> None:
    """The meter: characters before and after against the cap."""
    if found is not None:
        page.say(f"usage {sizes(found)} characters ({shares(found)})")


def consent(page: Page, plan: Plan, command: str) -> None:
    """The digest and what to do with it.

    Args:
        page: Where to say it.
        plan: What would be done.
        command: The command that would do it, without `--seen`.
    """
    for line in consent_lines(plan, command):
        page.say(line)


def consent_lines(plan: Plan, command: str) -> Iterator[str]:
    """Lines of `consent`."""
    effort = effort_of(plan)
    if effort is Effort.VOUCH:
        yield f"state {plan.state}"
        yield "Hermes' scanner would refuse this text. A person may vouch for exactly this text:"
        yield f"  {command} --seen {plan.state}"
        yield "  (asks on the terminal for a reason and the word `vouch`)"
    elif plan.digest is None:
        ways = "; it can be answered with" if plan.proposal.name else ""
        yield f"digest none: this cannot be approved as it is{ways}"
    else:
        yield f"digest {plan.digest}"
        yield f"  {command} --seen {plan.digest}"
        if plan.warnings:
            yield f"  (asks on the terminal for the word `{word(plan)}`)"
    approvable = effort is Effort.VOUCH or plan.digest is not None
    yield from (f"or  {way}" if approvable else f"  {way}" for way in _other_ways(plan))


def _other_ways(plan: Plan) -> Iterator[str]:
    """There is always a way to finish; a change of one's own needs none."""
    asked = plan.proposal
    if not asked.name:
        return
    if asked.operations and plan.standing is not Standing.REFUSED:
        yield f"placet reject {asked.ref}   (refuses the text, also when it comes back)"
    yield f"placet discard {asked.ref}   (takes it out of the queue, refuses nothing)"


def word(plan: Plan) -> str:
    """The word a person types to approve a plan with warnings."""
    target = plan.proposal.target
    if effort_of(plan) is Effort.TYPED_TARGET and target is not None:
        return target.word
    return "approve"
