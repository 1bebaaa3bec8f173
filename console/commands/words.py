"""Plans and states in plain text: complete, harmless on any terminal, readable without colour."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from placet.console.shown import plain
from placet.store.model import (
    Action,
    Change,
    Effort,
    Level,
    Operation,
    Outcome,
    Plan,
    Standing,
    TargetKind,
    Usage,
    Verdict,
    effort_of,
)
from placet.store.text.diff import Tag, lines

SIGNS = {Tag.SAME: " ", Tag.OLD: "-", Tag.NEW: "+"}

STANDINGS = {
    Standing.READY: "ready",
    Standing.WARNING: "can be approved, with a warning",
    Standing.HELD: "held: cannot be approved as things are",
    Standing.DEAD: "dead: cannot apply as recorded",
    Standing.REFUSED: "refused before; Hermes could still apply it",
    Standing.MALFORMED: "malformed",
    Standing.FOREIGN: "another provider's record; can be discarded, never approved here",
    Standing.SETTLING: "still being written",
}

FILES = {
    TargetKind.MEMORY: "MEMORY.md",
    TargetKind.USER: "USER.md",
    TargetKind.SOUL: "SOUL.md",
}

VERBS = {
    Action.ADD: "adds",
    Action.REPLACE: "replaces",
    Action.REMOVE: "removes",
    Action.CREATE: "creates",
    Action.EDIT: "rewrites",
    Action.PATCH: "patches",
    Action.WRITE_FILE: "writes",
    Action.REMOVE_FILE: "removes",
    Action.DELETE: "deletes",
    Action.WRITE: "writes",
    Action.NORMALISE: "normalises",
    Action.RESTORE: "restores",
}


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

    @property
    def arrow(self) -> str:
        """Between a value before and after."""
        return "->" if self.ascii else "▸"

    def say(self, text: str = "", indent: int = 0) -> None:
        """Add one line of words; a line feed in what it quotes becomes a mark, never a new line."""
        self.lines.append((" " * indent + plain(text, ascii=self.ascii)).rstrip(" "))

    def row(self, sign: str, text: str) -> None:
        """Add one row of a difference."""
        self.rows += 1
        self.lines.append(f"{sign} {plain(text, ascii=self.ascii)}")

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


def difference(page: Page, before: str | None, after: str | None) -> None:
    """Every row of a difference, none left out.

    Both sides are compared as if their last line were ended, so that an entry added after it does
    not look like a change of it; `line_ends` says what that hides.
    """
    found = lines(_ended(before), _ended(after))
    if not found.exact:
        page.say("  (these could not be aligned: the whole old text, then the whole new text)")
    for line in found.lines:
        page.row(SIGNS[line.tag], line.text)


def _ended(text: str | None) -> str | None:
    return text + "\n" if text and not text.endswith("\n") else text


def line_ends(page: Page, before: str | None, after: str | None) -> None:
    """Say what no row can show: whether the end of the last line comes or goes."""
    had, has = (before or "").endswith("\n"), (after or "").endswith("\n")
    if had and after and not has:
        page.say("  (the line end at the end of the file goes)")
    elif has and before and not had:
        page.say("  (a line end is added at the end of the file)")
    elif has and not before:
        page.say("  (with a line end at the end of the file)")


def readable(data: bytes | None) -> tuple[str | None, bool]:
    """A file side as text, and whether it is UTF-8; other bytes appear as \\xNN."""
    if data is None:
        return None, True
    try:
        return data.decode("utf-8"), True
    except UnicodeDecodeError:
        return data.decode("utf-8", errors="backslashreplace"), False


def changes(page: Page, found: Sequence[Change]) -> None:
    """Every file, before and after."""
    for change in found:
        before, first = readable(change.before)
        after, second = readable(change.after)
        page.say(f"--- {change.name}{'' if change.before is not None else ' (does not exist yet)'}")
        page.say(f"+++ {change.name}{_fate(change)}")
        if not (first and second):
            page.say("  (not UTF-8: such bytes are shown as \\xNN)")
        difference(page, before, after)
        line_ends(page, before, after)


def _fate(change: Change) -> str:
    if change.after is None:
        return f" (moved to {change.destination})" if change.destination else " (removed)"
    return f" (mode {change.mode:04o})" if change.mode is not None else ""


def operations(page: Page, plan: Plan) -> None:
    """What each operation does to the text it names, or what it asks for where it cannot."""
    planned = {o.number: o for o in plan.operations}
    for number, asked in enumerate(plan.proposal.operations, 1):
        found = planned.get(number)
        page.say(f"operation {number}: {_heading(asked.action, found, plan)}")
        if found is not None and _says_all(found):
            difference(page, found.before, found.after)
        else:
            _as_asked(page, asked)
        if found is not None and found.proposed is not None:
            page.say("  the proposed text, before your edit:")
            page.block(found.proposed)


def _says_all(found: Outcome) -> bool:
    """Whether the texts before and after hold what was asked for; Hermes strips what it takes, so
    of an operation that changes nothing they may hold less."""
    changes = (found.before or "") != (found.after or "")
    return changes and (found.applied or found.dropped or found.proposed is not None)


def _as_asked(page: Page, asked: Operation) -> None:
    """The texts of an operation as the record has them."""
    for words, text in (("looks for", asked.old), ("new text", asked.content)):
        if text is not None:
            page.say(f"  {words}{_blanks(text)}:")
            page.block(text)


def _blanks(text: str) -> str:
    """How much there is of a text that nobody could see."""
    count = len(text)
    return "" if text.strip() else f" ({count} blank character{'' if count == 1 else 's'})"


def _heading(action: Action, found: Outcome | None, plan: Plan) -> str:
    target = found.target if found else plan.proposal.target
    place = f" in {target}" if target is not None else ""
    fate = ""
    if found is not None and found.dropped:
        fate = " (left out)"
    elif found is not None and not found.applied:
        fate = " (changes nothing)"
    return f"{action.value}{place}{fate}"


def change_only(page: Page, plan: Plan) -> None:
    """The complete change: every file, or, where none would change, what was asked for."""
    if plan.changes:
        changes(page, plan.changes)
    if not plan.changes or any(o.dropped or not o.applied for o in plan.operations):
        operations(page, plan)


def origin(name: str) -> str:
    """Who staged something, in words."""
    known = {"background_review": "background review", "": "unknown"}
    return known.get(name, name)


def effect(plan: Plan) -> str:
    """The effect in words, such as "adds 1, removes 2 in USER.md of home work"."""
    acting = [o.action for o in plan.operations if o.applied and not o.dropped]
    asked = [o.action for o in plan.proposal.operations]
    counts = Counter(VERBS[action] for action in acting)
    done = ", ".join(f"{verb} {number}" for verb, number in counts.items())
    if not done:
        wanted = ", ".join(dict.fromkeys(action.value for action in asked)) or "nothing known"
        done = f"changes nothing (asks for: {wanted})"
    return f"{done} in {place(plan)} of home {plan.proposal.home.label}"


def place(plan: Plan) -> str:
    """Where it lands, as people call it."""
    target = plan.proposal.target
    if target is None:
        return "no known target"
    return FILES.get(target.kind, f"skill {target.skill}")


def usage(page: Page, found: Usage | None) -> None:
    """The meter: characters before and after against the cap."""
    if found is None:
        return
    before, after = (_share(n, found.limit) for n in (found.before, found.after))
    page.say(
        f"usage {found.before:,} {page.arrow} {found.after:,} of {found.limit:,} characters"
        f" ({before} {page.arrow} {after})"
    )


def _share(size: int, limit: int) -> str:
    return f"{100 * size // limit} %" if limit > 0 else "no room at all"


MARKS = {Level.NOTE: ".", Level.WARNING: "*", Level.BLOCKER: "!"}
"""The signs of the console, so that a person who uses both reads them alike."""


def verdicts(page: Page, found: Sequence[Verdict]) -> None:
    """Every finding with its code."""
    order = (Level.BLOCKER, Level.WARNING, Level.NOTE)
    for finding in sorted(found, key=lambda v: order.index(v.level)):
        where = f" (operation {finding.operation})" if finding.operation else ""
        rule = f" [{finding.rule}]" if finding.rule else ""
        page.say(
            f"{MARKS[finding.level]} {finding.level} {finding.code}{rule}{where}: {finding.message}"
        )


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
        yield "digest none: this cannot be approved as it is"
    else:
        yield f"digest {plan.digest}"
        yield f"  {command} --seen {plan.digest}"
        if plan.warnings:
            yield f"  (asks on the terminal for the word `{word(plan)}`)"
    yield from _other_ways(plan)


def _other_ways(plan: Plan) -> Iterator[str]:
    """There is always a way to finish; a change of one's own needs none."""
    asked = plan.proposal
    if not asked.name:
        return
    if asked.operations and plan.standing is not Standing.REFUSED:
        yield f"or  placet reject {asked.ref}   (refuses the text, also when it comes back)"
    yield f"or  placet discard {asked.ref}   (takes it out of the queue, refuses nothing)"


def word(plan: Plan) -> str:
    """The word a person types to approve a plan with warnings."""
    target = plan.proposal.target
    if effort_of(plan) is Effort.TYPED_TARGET and target is not None:
        return target.word
    return "approve"
