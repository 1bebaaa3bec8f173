"""Payloads of `pending/skills`: the six things that can be done to a skill."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from placet.store.formats import skill
from placet.store.model import SKILL_ACTIONS, Action, Operation, Target, TargetKind
from placet.store.staged.asked import Asked
from placet.store.staged.findings import Fields, Findings, Reader

ACTIONS = frozenset(SKILL_ACTIONS)
"""Every action that a skill payload of Hermes bears."""

_COMMON = frozenset({"action", "name", "replace_all"})
_USED: Mapping[Action, frozenset[str]] = MappingProxyType(
    {
        Action.CREATE: _COMMON | {"content", "category"},
        Action.EDIT: _COMMON | {"content"},
        Action.PATCH: _COMMON | {"old_string", "new_string", "file_path"},
        Action.WRITE_FILE: _COMMON | {"file_path", "file_content"},
        Action.REMOVE_FILE: _COMMON | {"file_path"},
        Action.DELETE: _COMMON | {"absorbed_into"},
    }
)


def read(payload: Fields, findings: Findings) -> Asked:
    """Understand one skill payload.

    Args:
        payload: The record's payload, whose action is one of `ACTIONS`.
        findings: Collects what is found on the way.

    Raises:
        Malformed: A field is missing or of the wrong type.
    """
    action = Action(str(payload["action"]))
    reader = Reader(payload, f"The {action}", _USED[action], 1)
    name = reader.filled("name")
    operation = _MAKERS[action](reader)
    reader.report_unknown(findings)
    whole = action is Action.DELETE
    path = "" if whole else operation.path or skill.MAIN_FILE
    return Asked(Target(TargetKind.SKILL, name, path), (operation,))


def _create(reader: Reader) -> Operation:
    category = reader.optional("category") or ""
    return Operation(Action.CREATE, content=reader.filled("content"), category=category)


def _edit(reader: Reader) -> Operation:
    return Operation(Action.EDIT, content=reader.filled("content"))


def _patch(reader: Reader) -> Operation:
    old, new = reader.text("old_string"), reader.text("new_string")
    if not old:
        raise reader.malformed("The patch has an empty “old_string”, so there is nothing to find")
    return Operation(
        Action.PATCH,
        content=new,
        old=old,
        path=reader.optional("file_path") or "",
        replace_all=reader.flag("replace_all"),
    )


def _write_file(reader: Reader) -> Operation:
    content = reader.text("file_content")
    return Operation(Action.WRITE_FILE, content=content, path=reader.filled("file_path"))


def _remove_file(reader: Reader) -> Operation:
    return Operation(Action.REMOVE_FILE, path=reader.filled("file_path"))


def _delete(reader: Reader) -> Operation:
    return Operation(Action.DELETE, absorbed_into=reader.optional("absorbed_into"))


_MAKERS: Mapping[Action, Callable[[Reader], Operation]] = MappingProxyType(
    {
        Action.CREATE: _create,
        Action.EDIT: _edit,
        Action.PATCH: _patch,
        Action.WRITE_FILE: _write_file,
        Action.REMOVE_FILE: _remove_file,
        Action.DELETE: _delete,
    }
)
