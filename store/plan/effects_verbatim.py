"""What a person's own change does to SOUL.md, which has no entries."""

from __future__ import annotations

from dataclasses import replace

from placet.store.model import Action, Change, Code, FileState
from placet.store.plan import side_effects
from placet.store.plan.draft import NEW_FILE_MODE, Draft, Fresh, blocker, decoded, writable


def apply(draft: Draft) -> Draft:
    """Carry out a `write` or `restore` of a file that is kept as it is.

    Args:
        draft: A blank draft whose target is `soul` and whose file could be read.

    Returns:
        The draft with its change; what cannot be written is a blocker.
    """
    state = draft.snapshot.files[""]
    operation = draft.proposal.operations[0]
    before = decoded(state.data)
    if operation.action is Action.RESTORE:
        after, mode = _given(operation.files)
    elif operation.action is Action.WRITE:
        text = draft.edits.get(1, operation.content or "")
        if not writable(text):
            message = "The new text holds half of a surrogate pair, which UTF-8 cannot hold."
            return replace(draft, verdicts=(blocker(Code.MALFORMED, message, 1),), failed=True)
        after, mode = text.encode("utf-8"), None
    else:
        message = f"“{operation.action}” is no action on {state.path.name}."
        return replace(draft, verdicts=(blocker(Code.MALFORMED, message, 1),), failed=True)
    return _drafted(draft, state, before, after, mode)


def _given(
    files: tuple[tuple[str, bytes | None, int | None], ...],
) -> tuple[bytes | None, int | None]:
    for path, data, mode in files:
        if path == "":
            return data, mode
    return None, None


def _drafted(
    draft: Draft, state: FileState, before: str | None, after: bytes | None, mode: int | None
) -> Draft:
    text = decoded(after)
    outcome = replace(draft.outcomes[0], before=before, after=text, applied=True)
    sizes = len(before or ""), len(text or "")
    draft = replace(draft, outcomes=(outcome,), sizes=sizes)
    if after == state.data:
        return draft
    new_mode = (mode or NEW_FILE_MODE) if state.data is None else None
    change = Change(state.path, state.path.name, state.data, after, new_mode)
    return replace(
        draft,
        changes=(change,),
        side_effects=tuple(side_effects.of_file(state, after)),
        fresh=(Fresh(1, text),) if text else (),
    )
