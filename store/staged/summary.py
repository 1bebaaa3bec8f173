"""The one-line summaries that Hermes writes into records, and whether one tells the truth.

A summary is the proposer's words: it never stands in for the change (field report 3).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import cast

from placet.store.formats import skill
from placet.store.model import Action, Operation, Subsystem, Target, TargetKind
from placet.store.staged.decode import table

_DETAIL = 120
"""Characters of detail that Hermes keeps in a memory summary."""

_DESCRIPTION = 140
"""Characters of a skill's description that Hermes keeps."""

_Payload = Mapping[str, object]


def of(subsystem: Subsystem, payload: _Payload) -> str:
    """Return the summary that Hermes would write for this payload.

    Args:
        subsystem: Folder it is staged in.
        payload: The payload as it will be staged.
    """
    if subsystem is Subsystem.SKILLS:
        make = _SKILLS.get(_text(payload, "action"))
        return make(payload) if make else ""
    label = "user profile" if payload.get("target") == "user" else "memory"
    make_memory = _MEMORY.get(_text(payload, "action"))
    return make_memory(payload, label).strip() if make_memory else ""


def contradiction(
    summary: str, target: Target | None, operations: Iterable[Operation], batch: bool
) -> str:
    """Tell how a summary contradicts the change: one sentence, or empty if it does not.

    Args:
        summary: The record's own summary.
        target: What the record lands in, where that is known.
        operations: What the record asks for.
        batch: Whether the record is a batch.
    """
    asked = list(operations)
    if not summary.strip() or target is None or not asked:
        return ""
    if target.kind is TargetKind.SKILL:
        return _skill_contradiction(summary, target, asked[0])
    return _memory_contradiction(summary, target, asked, batch)


def _memory_contradiction(summary: str, target: Target, asked: list[Operation], batch: bool) -> str:
    form = _MEMORY_FORM.match(summary)
    if form is None:
        return _unnamed(summary, {operation.action for operation in asked})
    verb, count, label, detail = form["verb"], form["count"], form["label"], form["detail"]
    if (label == "user profile") is not (target.kind is TargetKind.USER):
        return f"The summary speaks of {label}; the change lands in {target}."
    if batch is not (count is not None) or (count is not None and int(count) != len(asked)):
        return f"The summary speaks of {count or 1} operations; the change holds {len(asked)}."
    if not batch and _VERBS[verb] is not asked[0].action:
        return f"The summary says “{verb}”; the change is a {asked[0].action}."
    return "" if batch else _detail_differs(detail, asked[0])


def _detail_differs(detail: str, operation: Operation) -> str:
    """A single operation's detail is the head of its own text; anything else is invented."""
    texts = [_plain(text) for text in (operation.content, operation.old) if text]
    pieces = [piece for piece in map(_plain, _PARTS.split(detail)) if piece]
    if all(any(piece in text for text in texts) for piece in pieces):
        return ""
    return "The summary quotes text that is not in the change."


def _skill_contradiction(summary: str, target: Target, operation: Operation) -> str:
    form = _SKILL_FORM.match(summary)
    if form is None:
        return _unnamed(summary, {operation.action})
    verb = form["verb"]
    if _SKILL_VERBS[verb.split()[0]] is not operation.action:
        return f"The summary says “{verb}”; the change is a {operation.action}."
    if f"'{target.skill}'" not in summary:
        return f"The summary names another skill than “{target.skill}”."
    return ""


def _unnamed(summary: str, actions: set[Action]) -> str:
    """A free summary has to own up to what takes text away."""
    taking = [action for action in sorted(actions) if action in _OWNING_UP]
    silent = [action for action in taking if not _OWNING_UP[action].search(summary)]
    if not silent:
        return ""
    return f"The summary does not say that the change is a {silent[0].replace('_', ' ')}."


def _batch(payload: _Payload, label: str) -> str:
    listed = payload.get("operations")
    operations = cast("list[object]", listed) if isinstance(listed, list) else []
    detail = "\n".join(map(_batch_line, operations))
    return f"apply {len(operations)} op(s) to {label}: {detail[:_DETAIL]}"


def _batch_line(operation: object) -> str:
    fields = table(operation) or {}
    action, content, old = _text(fields, "action"), _text(fields, "content"), _old(fields)
    if action == Action.REPLACE:
        return f"- replace: {old} -> {content}"
    return f"- {action or '?'}: {old if action == Action.REMOVE else content}"


def _old(payload: _Payload) -> str:
    return _text(payload, "old_text")


def _text(payload: _Payload, key: str) -> str:
    value = payload.get(key)
    return "" if value is None else str(value)


def _size(text: str) -> str:
    count = len(text)
    return f"({count} chars)" if count < 1024 else f"({-(-count // 1024)} KB)"


def _described(verb: str) -> Callable[[_Payload], str]:
    def make(payload: _Payload) -> str:
        head = f"{verb} '{_text(payload, 'name')}'"
        content = _text(payload, "content")
        if not content:
            return head
        description = skill.frontmatter(content).description[:_DESCRIPTION]
        return (
            f"{head} — {description} {_size(content)}"
            if description
            else (f"{head} {_size(content)}")
        )

    return make


def _patch(payload: _Payload) -> str:
    name, path = _text(payload, "name"), _text(payload, "file_path") or skill.MAIN_FILE
    added, gone = (_lines(_text(payload, key)) for key in ("new_string", "old_string"))
    return f"patch '{name}' {path} (+{added}/-{gone} lines)"


def _lines(text: str) -> int:
    return text.count("\n") + 1 if text else 0


def _plain(text: str) -> str:
    return " ".join(text.split())


_MEMORY: dict[str, Callable[[_Payload, str], str]] = {
    "add": lambda payload, label: f"add to {label}: {_text(payload, 'content')[:_DETAIL]}",
    "replace": lambda payload, label: (
        f"replace in {label}: "
        + f"old: {_old(payload)}\nnew: {_text(payload, 'content')}"[:_DETAIL]
    ),
    "remove": lambda payload, label: f"remove from {label}: {_old(payload)[:_DETAIL]}",
    "batch": _batch,
}

_SKILLS: dict[str, Callable[[_Payload], str]] = {
    "create": _described("create"),
    "edit": _described("rewrite"),
    "patch": _patch,
    "write_file": lambda payload: (
        f"write {_text(payload, 'file_path')} in '{_text(payload, 'name')}'"
    ),
    "remove_file": lambda payload: (
        f"remove {_text(payload, 'file_path')} from '{_text(payload, 'name')}'"
    ),
    "delete": lambda payload: f"delete skill '{_text(payload, 'name')}'",
}

_MEMORY_FORM = re.compile(
    r"(?P<verb>add|replace|remove|apply) (?:(?P<count>[0-9]{1,6}) op\(s\) )?(?:to|in|from) "
    r"(?P<label>memory|user profile):(?P<detail>.*)\Z",
    re.DOTALL,
)
_VERBS = {"add": Action.ADD, "replace": Action.REPLACE, "remove": Action.REMOVE, "apply": None}
_PARTS = re.compile(r"(?:\A|\n|\s)(?:old|new): ")

_SKILL_FORM = re.compile(
    r"(?P<verb>create|rewrite|patch|write|remove|delete skill)(?= ).* ?'", re.DOTALL
)
_SKILL_VERBS = {
    "create": Action.CREATE,
    "rewrite": Action.EDIT,
    "patch": Action.PATCH,
    "write": Action.WRITE_FILE,
    "remove": Action.REMOVE_FILE,
    "delete": Action.DELETE,
}

_CHANGING = r"replac|rewrit|updat|chang|edit|patch|correct|merg|consolidat|revis|rename|old:"
_TAKING = r"remov|delet|drop|prun|forget|archiv|clean|merg|consolidat|absorb"
_OWNING_UP = {
    Action.REPLACE: re.compile(_CHANGING, re.IGNORECASE),
    Action.REMOVE: re.compile(_TAKING, re.IGNORECASE),
    Action.EDIT: re.compile(_CHANGING, re.IGNORECASE),
    Action.REMOVE_FILE: re.compile(_TAKING, re.IGNORECASE),
    Action.DELETE: re.compile(_TAKING, re.IGNORECASE),
}
