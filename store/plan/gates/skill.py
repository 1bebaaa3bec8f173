"""Gates on skills: pins, names that fit several, and what a SKILL.md runs or grants when viewed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from placet.store.formats import powers, skill
from placet.store.model import Change, Code, Level, SkillPlace, TargetKind, Verdict
from placet.store.plan.draft import Draft, blocker, decoded, note, one_line, quoted, warning

MOST = 40
"""Most commands and keys that are listed one by one; the diff itself shows all."""


def pinned(draft: Draft) -> Iterator[Verdict]:
    """A pinned skill is not deleted, as Hermes does not delete it; it may be changed."""
    facts = draft.snapshot.facts
    if facts is None or draft.failed:
        return
    deletes = draft.removes is not None
    if facts.pin and deletes:
        yield blocker(
            Code.PINNED,
            f"The skill is pinned, and so is not deleted, here as in Hermes. If it is to go, run"
            f" `hermes curator unpin {one_line(facts.pin)}` first.",
            1,
        )
    elif facts.pin:
        yield note(Code.PINNED, "The skill is pinned: it may be changed, not deleted.", 1)
    elif deletes and not facts.pin_known:
        words = "Whether the skill is pinned cannot be told: skills/.usage.json cannot be read."
        yield warning(Code.PINNED, words, 1)


def shared_name(draft: Draft) -> Iterator[Verdict]:
    """A record's name fits one skill; where it fits several, which one is said, or it is held."""
    if not draft.proposal.name or draft.target is None or draft.failed:
        return  # a person's own change says which folder it is about
    name, mine = draft.target.skill, draft.snapshot.place
    others = _others(draft, name, draft.snapshot.folder)
    same = [place for place in others if place.folder.name == name]
    if mine is not None and same:
        yield _which(draft, name, mine, same)
    elif others:
        yield _also_called(draft, name, others)


def _which(draft: Draft, name: str, mine: SkillPlace, same: list[SkillPlace]) -> Verdict:
    there = _listed(draft, [mine, *same])
    if any(_as_near(mine, other) for other in same):
        return blocker(
            Code.NAME_SHARED,
            f"{quoted(name)} fits more than one skill: {there}. Hermes takes the one that the disk"
            " lists first, which cannot be known here. Rename or remove one of them first.",
            1,
        )
    words = f"{quoted(name)} fits more than one skill: {there}. Hermes takes the first"
    return warning(Code.NAME_SHARED, f"{words}: {_why(mine, same[0])}.", 1)


def _why(mine: SkillPlace, other: SkillPlace) -> str:
    if mine.linked != other.linked:
        return "it writes to none that lies behind a link"
    if mine.root != other.root:
        return "it searches the home's own skills before further folders"
    return "it comes to an outer folder before one in it"


def _as_near(mine: SkillPlace, other: SkillPlace) -> bool:
    """Whether nothing but the order on the disk decides between two places."""
    beside = mine.root == other.root and mine.linked == other.linked
    return beside and not other.folder.is_relative_to(mine.folder)


def head_names(draft: Draft) -> Iterator[Verdict]:
    """A new name in the head is the folder's own, and no other skill's."""
    for change in _heads(draft):
        after = _declared(change.after)
        folder = change.path.parent
        if not after or after == _declared(change.before):
            continue
        if after != folder.name:
            words = (
                f"The head names the skill {quoted(after)}, its folder is {quoted(folder.name)}:"
                " Hermes lists and views it by the one name, and changes it by the other."
            )
            yield warning(Code.NAME_DIFFERS, words, 1)
        others = _others(draft, after, folder)
        told = draft.target is not None and after == draft.target.skill
        if others and not told:
            yield _also_called(draft, after, others)


def _also_called(draft: Draft, name: str, others: list[SkillPlace]) -> Verdict:
    words = (
        f"{quoted(name)} is also what {_listed(draft, others)} is called. Hermes refuses to view"
        " a skill by a name that two go by."
    )
    return warning(Code.NAME_SHARED, words, 1)


def _others(draft: Draft, name: str, folder: Path | None) -> list[SkillPlace]:
    """All other skills that go by a name, each once."""
    found = draft.snapshot.bearers.get(name, ())
    own = draft.snapshot.root
    return [place for place in found if place.folder != folder and place.real != own]


def _listed(draft: Draft, places: list[SkillPlace]) -> str:
    return " and ".join(_told(draft, place.folder) for place in places)


def _told(draft: Draft, folder: Path) -> str:
    home = draft.proposal.home.path
    inside = folder.is_relative_to(home)
    return one_line(folder.relative_to(home).as_posix() if inside else str(folder))


def commands(draft: Draft) -> Iterator[Verdict]:
    """Each command that Hermes runs when the skill is viewed, where it is switched on."""
    on = draft.context.config.inline_shell
    level, words = {
        True: (Level.WARNING, "runs when the skill is viewed: skills.inline_shell is on here"),
        False: (Level.NOTE, "would run when the skill is viewed if skills.inline_shell were on"),
        None: (
            Level.WARNING,
            "may run when the skill is viewed: config.yaml cannot be read, so whether"
            " skills.inline_shell is on is unknown",
        ),
    }[on]
    for change in _heads(draft):
        before, after = decoded(change.before) or "", decoded(change.after) or ""
        found = powers.new_commands(before, after)
        for start, end, command in found[:MOST]:
            told = f"The command {quoted(command)} {words}."
            span = (start, end) if len(draft.changes) == 1 and "\r" not in after else None
            yield Verdict(Code.RUNS_WHEN_VIEWED, level, told, 1, span)
        if len(found) > MOST:
            told = f"{len(found) - MOST:,} more commands of this kind stand in {change.name}."
            yield Verdict(Code.RUNS_WHEN_VIEWED, level, told, 1)


def grants(draft: Draft) -> Iterator[Verdict]:
    """Each key of the head that runs something or hands something over."""
    for change in _heads(draft):
        found = powers.new_grants(decoded(change.before) or "", decoded(change.after) or "")
        for key, value, does in found[:MOST]:
            yield warning(
                Code.GRANTS, f"The head sets {quoted(key)} to {quoted(value)}: {does}.", 1
            )
        if len(found) > MOST:
            yield warning(Code.GRANTS, f"{len(found) - MOST:,} more keys of this kind follow.", 1)


def _heads(draft: Draft) -> Iterator[Change]:
    """The changes that bring a SKILL.md in, or change it."""
    if draft.target is None or draft.target.kind is not TargetKind.SKILL or draft.failed:
        return
    for change in draft.changes:
        if change.path.name == skill.MAIN_FILE and change.after is not None:
            yield change


def _declared(data: bytes | None) -> str:
    return skill.frontmatter(decoded(data) or "").name


GATES = (pinned, shared_name, head_names, commands, grants)
"""Run over the finished draft."""
