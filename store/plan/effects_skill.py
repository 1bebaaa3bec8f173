"""What one operation does to the files of a skill.

Nothing is guessed: a patch applies where its text is found exactly once (or everywhere, where the
record says so), and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from placet.store.formats import section, skill
from placet.store.model import (
    Action,
    Code,
    FileKind,
    FileState,
    Operation,
    Owner,
    SideEffect,
    Verdict,
)
from placet.store.plan import effects_restore
from placet.store.plan.draft import (
    Draft,
    Fresh,
    blocker,
    decoded,
    plural,
    quoted,
    writable,
)
from placet.store.plan.skill_steps import (
    ARCHIVE,
    Missed,
    booked,
    change_of,
    existing,
    outcome_of,
    state_of,
    target_of,
)
from placet.store.text import diff


def apply(draft: Draft) -> Draft:
    """Carry out a skill proposal against its snapshot.

    Args:
        draft: A blank draft whose target is a skill.

    Returns:
        The draft with changes, outcomes, side effects, bookkeeping and what was found on the way.
    """
    number, operation = 1, draft.proposal.operations[0]
    if number in draft.choice.dropped:
        return draft
    try:
        return _DOERS[operation.action](draft, operation)
    except Missed as missed:
        found = blocker(missed.miss.code, missed.miss.message, number)
        return replace(draft, verdicts=(found,), failed=True)
    except KeyError:
        message = f"“{operation.action}” is no action on a skill."
        return replace(draft, verdicts=(blocker(Code.MALFORMED, message, number),), failed=True)


def path_of(operation: Operation) -> str:
    """Return the path inside the skill that an operation names, SKILL.md where it names none."""
    return operation.path or skill.MAIN_FILE


def patched(text: str, operation: Operation, new: str) -> str:
    """Return `text` with the operation's old text replaced by `new`.

    Args:
        text: The file, with single line feeds.
        operation: The patch.
        new: Its new text.

    Raises:
        Missed: The old text is not there exactly once (or not at all, for `replace_all`).
    """
    old = operation.old or ""
    if not old:
        raise Missed(Code.ANCHOR_MISSING, "The text to find is empty, so it names no place.")
    first = text.find(old)
    if first < 0:
        raise Missed(Code.ANCHOR_MISSING, _nowhere(old, text))
    if operation.replace_all:
        return text.replace(old, new)
    if text.find(old, first + 1) >= 0:
        count = plural(text.count(old), "time") if text.count(old) > 1 else "twice, overlapping"
        raise Missed(
            Code.ANCHOR_AMBIGUOUS,
            f"{quoted(old)} is there {count}, so it is unclear which place is meant.",
        )
    return text[:first] + new + text[first + len(old) :]


def _nowhere(old: str, text: str) -> str:
    span = diff.closest(old, text)
    closest = f" The closest text is {quoted(text[span[0] : span[1]], 400)}." if span else ""
    return f"{quoted(old)} is not in the file.{closest}"


def _create(draft: Draft, operation: Operation) -> Draft:
    name = target_of(draft).skill
    problem = skill.valid_name(name)
    if problem:
        raise Missed(Code.PATH_REFUSED, f"The name {quoted(name)} cannot be used. {problem}")
    if operation.category:
        problem = skill.valid_name(operation.category)
        if problem:
            raise Missed(
                Code.PATH_REFUSED,
                f"The category {quoted(operation.category)} cannot be used. {problem}",
            )
    if draft.snapshot.taken:
        raise Missed(Code.NAME_TAKEN, f"A skill or folder named {quoted(name)} is already there.")
    return _written(draft, operation, skill.MAIN_FILE, "created")


def _edit(draft: Draft, operation: Operation) -> Draft:
    existing(draft)
    return _written(draft, operation, skill.MAIN_FILE, "patched")


def _write_file(draft: Draft, operation: Operation) -> Draft:
    existing(draft)
    if not operation.path:
        raise Missed(Code.MALFORMED, "The record names no file to write.")
    return _written(draft, operation, operation.path, "patched")


def _written(draft: Draft, operation: Operation, path: str, step: str) -> Draft:
    text = draft.edits.get(1, operation.content)
    if text is None:
        raise Missed(Code.MALFORMED, "The record brings no text for the file.")
    if path == skill.MAIN_FILE and not text.strip():
        raise Missed(Code.EMPTY_CONTENT, "The new text is empty or only white space.")
    state = state_of(draft, path)
    return _put(draft, operation, path, state, text, text, step)


def _patch(draft: Draft, operation: Operation) -> Draft:
    existing(draft)
    path = path_of(operation)
    state = state_of(draft, path)
    if state.kind is FileKind.ABSENT:
        raise Missed(Code.MISSING_TARGET, f"{path} is not in this skill.")
    new = draft.edits.get(1, operation.content)
    if new is None:
        raise Missed(Code.MALFORMED, "The record brings no new text for the patch.")
    raw = decoded(state.data) or ""
    text = section.universal(raw)
    after = patched(text, operation, new)
    if after == text:
        raise Missed(Code.NO_CHANGE, "The new text equals the old text; nothing would change.")
    done = _put(draft, operation, path, state, after, new, "patched")
    if raw != text:
        effect = SideEffect(
            "line-endings",
            f"Line endings of {path} will change: {raw.count(chr(13)):,} CR go.",
        )
        done = replace(done, side_effects=(effect, *done.side_effects))
    return done


def _put(
    draft: Draft,
    operation: Operation,
    path: str,
    state: FileState,
    text: str,
    fresh: str,
    step: str,
) -> Draft:
    """Put `text` at `path`, of which `fresh` is what the operation brings."""
    if not writable(text):
        raise Missed(
            Code.MALFORMED, "The new text holds half of a surrogate pair, which UTF-8 cannot hold."
        )
    data = text.encode("utf-8")
    before = decoded(state.data)
    start = text.find(fresh)
    verdicts = tuple(_shape(path, text, data))
    outcome = outcome_of(draft, path, before, text)
    done = replace(
        draft,
        outcomes=(outcome,),
        verdicts=verdicts,
        sizes=(len(before or ""), len(text)),
        fresh=(Fresh(1, fresh, start if fresh and not operation.replace_all else None),),
    )
    if data == state.data:
        return done
    change = change_of(draft, state, data)
    effects = tuple(_effects_of_writing(draft, path, state))
    return booked(replace(done, changes=(change,), side_effects=effects), step)


def _shape(path: str, text: str, data: bytes) -> Iterator[Verdict]:
    """Check what Hermes would refuse about a file of a skill."""
    if len(text) > skill.MAX_CHARACTERS:
        yield blocker(
            Code.TOO_LARGE,
            f"{path} would have {len(text):,} characters; at most {skill.MAX_CHARACTERS:,} fit.",
            1,
        )
    if path != skill.MAIN_FILE and len(data) > skill.MAX_FILE_BYTES:
        yield blocker(
            Code.TOO_LARGE,
            f"{path} would have {len(data):,} bytes; at most {skill.MAX_FILE_BYTES:,} fit.",
            1,
        )
    if path.rsplit("/", 1)[-1] == skill.MAIN_FILE:
        problem = skill.frontmatter(text).problem
        if problem:
            yield blocker(Code.FRONTMATTER_BROKEN, f"The head of {path} is broken. {problem}", 1)


def _remove_file(draft: Draft, operation: Operation) -> Draft:
    existing(draft)
    path = operation.path
    if not path or path == skill.MAIN_FILE:
        raise Missed(
            Code.PATH_REFUSED, "SKILL.md is not removed by itself; delete the skill instead."
        )
    state = state_of(draft, path)
    if state.kind is FileKind.ABSENT:
        raise Missed(Code.MISSING_TARGET, f"{path} is not in this skill.")
    before = decoded(state.data)
    effect = SideEffect("file-removed", f"{path} is removed from the skill.")
    done = replace(
        draft,
        outcomes=(outcome_of(draft, path, before, None),),
        changes=(change_of(draft, state, None),),
        side_effects=(effect,),
        sizes=(len(before or ""), 0),
    )
    return booked(done, "patched")


def _delete(draft: Draft, operation: Operation) -> Draft:
    existing(draft)
    target = target_of(draft)
    heir = operation.absorbed_into
    if heir and (heir == target.skill or heir not in draft.snapshot.others):
        reason = "it is the deleted skill itself" if heir == target.skill else "there is none"
        raise Missed(
            Code.BAD_ABSORBED_INTO, f"The skill {quoted(heir)} cannot take this one over: {reason}."
        )
    held = [s for _, s in sorted(draft.snapshot.files.items()) if s.kind is FileKind.FILE]
    changes = tuple(change_of(draft, state, None) for state in held)
    texts = [decoded(state.data) or "" for state in held]
    main = draft.snapshot.files.get(skill.MAIN_FILE)
    outcome = outcome_of(draft, "", decoded(main.data) if main else None, None)
    done = replace(
        draft,
        outcomes=(outcome,),
        changes=changes,
        side_effects=tuple(_effects_of_deleting(draft, heir, len(held))),
        sizes=(sum(map(len, texts)), 0),
        removes=draft.snapshot.folder,
    )
    return booked(done, "dropped")


def _effects_of_deleting(draft: Draft, heir: str | None, count: int) -> Iterator[SideEffect]:
    files, name = plural(count, "file"), target_of(draft).skill
    yield SideEffect("archived", f"The whole folder {name}/ ({files}) moves to skills/{ARCHIVE}.")
    states = sorted(draft.snapshot.files.items())
    along = [f"{path} ({s.problem})" for path, s in states if s.kind is FileKind.SPECIAL]
    if along:
        words = f"Moved along as they are, their content is not shown: {', '.join(along)}."
        yield SideEffect("links-moved", words)
    if heir:
        yield SideEffect("absorbed", f"The record says that {quoted(heir)} takes this skill over.")
    yield from _effects_on_updates(_ON_DELETE, draft)


_DOERS: dict[Action, Callable[[Draft, Operation], Draft]] = {
    Action.CREATE: _create,
    Action.EDIT: _edit,
    Action.PATCH: _patch,
    Action.WRITE_FILE: _write_file,
    Action.REMOVE_FILE: _remove_file,
    Action.DELETE: _delete,
    Action.RESTORE: effects_restore.restore,
}


_ON_CHANGE = {
    Owner.BUNDLED: "Updates of this skill stop: it came with Hermes, which leaves what it bundled"
    " alone once it was changed.",
    Owner.HUB: "It came from the hub, whose updates replace a skill as a whole: the next"
    " `hermes skills update` that brings a new version takes this change out again.",
}
_ON_DELETE = {
    Owner.BUNDLED: "It came with Hermes; updates do not bring a deleted skill back.",
    Owner.HUB: "It came from the hub and stays on its list: the next `hermes skills update` that"
    " brings a new version brings it back. `hermes skills uninstall` takes it off the list.",
}


def _effects_on_updates(words: Mapping[Owner, str], draft: Draft) -> Iterator[SideEffect]:
    """What becomes of the updates of a skill that others keep up to date."""
    facts = draft.snapshot.facts
    if facts is None or facts.owner not in words:
        return
    told = words[facts.owner]
    if not facts.baseline and words is _ON_CHANGE:
        told = (
            "It came with Hermes, which has no note of how it was then: a later update may replace"
            " this change."
        )
    yield SideEffect("updates", told)


def _effects_of_writing(draft: Draft, path: str, state: FileState) -> Iterator[SideEffect]:
    yield from _effects_on_updates(_ON_CHANGE, draft)
    if draft.snapshot.link is not None:
        yield SideEffect(
            "link", f"The skill's folder is a link; what is written lies in {draft.snapshot.link}."
        )
    if state.data is None:
        yield SideEffect("created", f"{path} is made; it does not exist yet.")
    elif decoded(state.data) is None:
        size = plural(len(state.data), "byte")
        yield SideEffect("binary-replaced", f"{path} holds {size} that are no text; they go.")
