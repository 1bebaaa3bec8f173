"""Payloads of `pending/memory`: single operations and batches."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import cast

from placet.store.model import MEMORY_ACTIONS, Action, Code, Operation, Target, TargetKind
from placet.store.staged.asked import Asked
from placet.store.staged.decode import in_full, table
from placet.store.staged.findings import Fields, Findings, Malformed, Reader

MAX_OPERATIONS = 1_000
"""Most operations of one batch that are looked at."""

BATCH = "batch"
"""The action of a payload that holds a list of operations."""

ACTIONS = frozenset({*MEMORY_ACTIONS, BATCH})
"""Every action that a memory payload of Hermes bears."""

_TARGETS: Mapping[object, Target] = MappingProxyType(
    {"memory": Target(TargetKind.MEMORY), "user": Target(TargetKind.USER)}
)
_SINGLE = frozenset({"action", "target", "content", "new_text", "old_text", "matched_entry"})
_BATCH = frozenset({"action", "target", "operations"})


def read(payload: Fields, findings: Findings) -> Asked:
    """Understand one memory payload.

    Args:
        payload: The record's payload, whose action is one of `ACTIONS`.
        findings: Collects what is found on the way.

    Raises:
        Malformed: A field is missing or of the wrong type.
    """
    if payload.get("action") == BATCH:
        operations, batch = _batch(payload, findings), True
    else:
        reader = Reader(payload, f"The {payload.get('action')}", _SINGLE, 1)
        operations, batch = (_operation(reader, findings, batched=False),), False
    target = _target(payload, findings)
    _check_conflicts(target, operations, findings)
    return Asked(target, operations, batch)


def _target(payload: Fields, findings: Findings) -> Target | None:
    """The target, taken literally: Hermes would write anything else to MEMORY.md (D4)."""
    named = payload.get("target")
    target = _TARGETS.get(named) if isinstance(named, str) else None
    if target is None:
        which = "names no target" if named is None else f"names the target {in_full(named)}"
        findings.block(
            Code.TARGET_UNKNOWN,
            f"The record {which}; only “memory” and “user” are known. Hermes would write it to "
            "MEMORY.md all the same, so do not approve it there.",
        )
    return target


def _batch(payload: Fields, findings: Findings) -> tuple[Operation, ...]:
    reader = Reader(payload, "The batch", _BATCH)
    reader.report_unknown(findings)
    listed = payload.get("operations")
    if listed is None or listed == []:
        raise reader.malformed("The batch holds no operations")
    if not isinstance(listed, list):
        raise reader.malformed(f"The operations of the batch are no list: {in_full(listed)}")
    items = cast("list[object]", listed)
    if len(items) > MAX_OPERATIONS:
        raise reader.malformed(
            f"The batch holds {len(items):,} operations; more than {MAX_OPERATIONS:,} are not read"
        )
    return _each(items, findings)


def _each(items: list[object], findings: Findings) -> tuple[Operation, ...]:
    """Every operation, and every fault: one bad operation does not hide the next."""
    read_ones: list[Operation] = []
    faults: list[Malformed] = []
    for number, item in enumerate(items, start=1):
        try:
            read_ones.append(_batch_operation(item, number, findings))
        except Malformed as malformed:
            faults.append(malformed)
    for fault in faults[:-1]:
        findings.block(Code.MALFORMED, str(fault), fault.operation)
    if faults:
        raise faults[-1]
    return tuple(read_ones)


def _batch_operation(item: object, number: int, findings: Findings) -> Operation:
    fields = table(item)
    if fields is None:
        raise Malformed(f"Operation {number} is no object: {in_full(item)}.", number)
    action = fields.get("action")
    if not isinstance(action, str) or action not in MEMORY_ACTIONS:
        named = "no action" if action is None else f"the action {in_full(action)}"
        raise Malformed(f"Operation {number} has {named}; known are add, replace, remove.", number)
    reader = Reader(fields, f"Operation {number} ({action})", _SINGLE, number)
    return _operation(reader, findings, batched=True)


def _operation(reader: Reader, findings: Findings, *, batched: bool) -> Operation:
    reader.report_unknown(findings)
    action = Action(str(reader.fields["action"]))
    content, old = _content(reader), reader.optional("old_text")
    matched = reader.optional("matched_entry")
    if action is not Action.ADD:
        old = reader.filled("old_text")
    if action is not Action.REMOVE and content is None:
        content = reader.text("content")
    _note_idle(reader, action, content, old, findings)
    return Operation(
        action,
        content=None if action is Action.REMOVE else content,
        old=None if action is Action.ADD else old,
        matched=None if action is Action.ADD else matched,
        target=_own_target(reader) if batched else "",
    )


def _content(reader: Reader) -> str | None:
    """The new text; later versions of Hermes also call it `new_text`."""
    content, alias = reader.optional("content"), reader.optional("new_text")
    if content and alias and content != alias:
        raise reader.malformed(f"{reader.what} has both “content” and “new_text”, and they differ")
    return content or alias if alias is not None else content


def _note_idle(
    reader: Reader, action: Action, content: str | None, old: str | None, findings: Findings
) -> None:
    """Say what the record carries along without effect."""
    if action is Action.ADD and old:
        idle = f"“old_text”: {in_full(old)}"
    elif action is Action.REMOVE and content:
        idle = f"“content”: {in_full(content)}"
    else:
        return
    findings.note(Code.UNKNOWN_FIELD, f"{reader.what} does not use its {idle}.", reader.operation)


def _own_target(reader: Reader) -> str:
    """The target named inside a batch operation, as text whatever it is."""
    named = reader.fields.get("target")
    return named if isinstance(named, str) else "" if named is None else in_full(named)


def _check_conflicts(
    target: Target | None, operations: tuple[Operation, ...], findings: Findings
) -> None:
    """A target inside an operation is ignored by Hermes, so it must agree (field report 7)."""
    if target is None:
        return
    for number, operation in enumerate(operations, start=1):
        if operation.target and operation.target != str(target):
            findings.block(
                Code.TARGET_CONFLICT,
                f"Operation {number} names the target “{operation.target}”, but the batch goes "
                f"to {target}: all of it would land there.",
                number,
            )
