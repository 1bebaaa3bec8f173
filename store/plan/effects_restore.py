"""Files of a skill put back, as an undo or a revert asks; a deleted one comes back as a whole."""

from __future__ import annotations

from dataclasses import replace

from placet.store.model import (
    Archived,
    Change,
    FileKind,
    Operation,
    Outcome,
    SideEffect,
    UsageRecord,
)
from placet.store.plan.draft import Draft, Fresh, decoded
from placet.store.plan.skill_steps import booked, change_of, inside, outcome_of, target_of


def restore(draft: Draft, operation: Operation) -> Draft:
    """Put files back as an undo or a revert asks; each path is one change."""
    changes: list[Change] = []
    fresh: list[Fresh] = []
    before_size = after_size = 0
    for path, data, mode in operation.files:
        state = inside(draft, path)
        if data != state.data:
            changes.append(replace(change_of(draft, state, data), mode=mode))
        before, after = decoded(state.data) or "", decoded(data) or ""
        before_size, after_size = before_size + len(before), after_size + len(after)
        if after and after != before:
            fresh.append(Fresh(1, after, None))
    done = replace(
        draft,
        outcomes=(_restored_outcome(draft, operation),),
        changes=tuple(sorted(changes, key=lambda c: c.name)),
        sizes=(before_size, after_size),
        fresh=tuple(fresh),
    )
    if not changes:
        return done
    if operation.archived is not None:
        return _brought_back(done, operation, operation.archived)
    return booked(done, "patched" if draft.snapshot.root else "created")


def _brought_back(draft: Draft, operation: Operation, archived: Archived) -> Draft:
    """A deleted skill comes back: its folder as a whole where that is as it was, else its files."""
    home, name = draft.proposal.home, target_of(draft).skill
    if _as_archived(draft, operation, archived):
        words = (
            f"The folder comes back from {archived.path} as it is, with its permissions, empty"
            " folders and links; nothing of it stays in the archive."
        )
        effect = SideEffect("folder-returned", words)
        draft = replace(draft, returns=home.path / archived.path)
    else:
        unread = ", ".join(f"{path} ({what})" for path, what in archived.along)
        links = f", nor {unread}" if unread else ""
        words = (
            f"The folder in {archived.path} is not as it was put there, or {name}/ exists by now;"
            " it stays where it is. The files are written from what was kept, with their"
            f" permissions; empty folders and extended attributes do not come back{links}."
        )
        effect = SideEffect("files-rewritten", words)
    draft = replace(draft, side_effects=(*draft.side_effects, effect))
    if not archived.usage:
        return draft
    words = f"skills/.usage.json gets its record of {name} back, as it was."
    record = UsageRecord(name, "restored", kept=archived.usage)
    effects = (*draft.side_effects, SideEffect("usage-record", words))
    return replace(draft, side_effects=effects, bookkeeping=record)


def _as_archived(draft: Draft, operation: Operation, archived: Archived) -> bool:
    """Whether the archived folder holds what was put there, and its old place is free.

    Links count by where they lead, files also by their permissions: what somebody changed there
    meanwhile would come back unseen.
    """
    there = draft.snapshot.archived
    if there is None or draft.snapshot.taken:
        return False
    files = {path: (s.data, s.mode) for path, s in there.items() if s.kind is FileKind.FILE}
    wanted = {path: (data, mode) for path, data, mode in operation.files}
    along = {path: s.problem for path, s in there.items() if path not in files}
    return files == wanted and along == dict(archived.along)


def _restored_outcome(draft: Draft, operation: Operation) -> Outcome:
    if len(operation.files) != 1 or operation.archived is not None:
        return replace(draft.outcomes[0], applied=True)
    path, data, _ = operation.files[0]
    return outcome_of(draft, path, decoded(inside(draft, path).data), decoded(data))
