"""The stable JSON shapes of docs/json.md, built from the words of the store."""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from placet.store.model import (
    SCHEMA,
    Change,
    Done,
    Gate,
    Life,
    Operation,
    Outcome,
    Plan,
    SideEffect,
    Ungated,
    Usage,
    Verdict,
    sha256,
)
from placet.store.text import times

Shape = dict[str, Any]


def dumps(shape: Mapping[str, Any]) -> str:
    """One line of ASCII JSON that begins with the schema."""
    whole: Shape = {"schema": SCHEMA, **shape}
    try:
        line = json.dumps(whole, ensure_ascii=True, allow_nan=False)
    except ValueError:  # a row that somebody tampered with can hold a number that JSON cannot
        line = json.dumps(_worded(whole), ensure_ascii=True, allow_nan=False)
    return line.replace("\x7f", "\\u007f")


def _worded(value: object) -> object:
    """The value, numbers that are not finite as their words: `inf`, `-inf`, `nan`."""
    if isinstance(value, dict):
        pairs = cast("dict[str, object]", value)
        return {name: _worded(inner) for name, inner in pairs.items()}
    if isinstance(value, list | tuple):
        return [_worded(inner) for inner in cast("Sequence[object]", value)]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def side(data: bytes | None) -> Shape | None:
    """One side of a file: its digest, and its text where it is UTF-8, else its bytes in base64."""
    if data is None:
        return None
    try:
        text: str | None = data.decode("utf-8")
    except UnicodeDecodeError:
        text = None
    raw = base64.b64encode(data).decode("ascii") if text is None else None
    return {"sha256": sha256(data), "text": text, "base64": raw}


def verdict(found: Verdict) -> Shape:
    """A verdict."""
    return {
        "code": found.code.value,
        "level": found.level.value,
        "operation": found.operation,
        "message": found.message,
        "rule": found.rule or None,
        "span": list(found.span) if found.span else None,
    }


def gate(found: Gate) -> Shape:
    """Hermes' write approval."""
    return {"memory": found.memory, "skills": found.skills}


def proposal(plan: Plan, life: Life, same: Iterable[object]) -> Shape:
    """P of docs/json.md: one proposal in a list."""
    asked = plan.proposal
    targets = list(dict.fromkeys(str(o.target) for o in plan.operations))
    if not targets and asked.target is not None:
        targets = [str(asked.target)]
    return {
        "schema": SCHEMA,
        "ref": str(asked.ref),
        "id": asked.id,
        "home": asked.home.label,
        "subsystem": asked.subsystem.value,
        "origin": asked.origin or "unknown",
        "created_at": times.stamp(asked.created_at),
        "actions": [o.action.value for o in asked.operations],
        "targets": targets,
        "life": life.value,
        "standing": plan.standing.value,
        "verdicts": [verdict(v) for v in plan.verdicts],
        "digest": plan.digest,
        "state": plan.state,
        "dropped": sorted(plan.choice.dropped),
        "same_as": [str(ref) for ref in same],
    }


def skill(plan: Plan) -> Shape | None:
    """The skill that a plan changes, as Hermes has it on record."""
    if plan.place is None or plan.facts is None:
        return None
    return {
        "folder": str(plan.place.folder),
        "owner": plan.facts.owner.value,
        "source": plan.facts.source or None,
        "pinned": bool(plan.facts.pin) if plan.facts.pin_known else None,
        "problems": list(plan.facts.problems),
    }


def outcome(found: Outcome) -> Shape:
    """One operation with the whole text on both sides."""
    return {
        "number": found.number,
        "action": found.action.value,
        "target": str(found.target),
        "before": found.before,
        "after": found.after,
        "proposed": found.proposed,
        "dropped": found.dropped,
        "applied": found.applied,
    }


def asked(number: int, found: Operation) -> Shape:
    """One operation as the record has it, for what cannot be planned."""
    return {
        "number": number,
        "action": found.action.value,
        "content": found.content,
        "old": found.old,
        "path": found.path or None,
        "category": found.category or None,
        "absorbed_into": found.absorbed_into,
    }


def change(found: Change) -> Shape:
    """One file with both sides."""
    return {
        "path": str(found.path),
        "name": found.name,
        "before": side(found.before),
        "after": side(found.after),
        "mode": None if found.mode is None else f"{found.mode:04o}",
        "destination": found.destination or None,
    }


def side_effect(found: SideEffect) -> Shape:
    """Something that no operation names."""
    return {"code": found.code, "message": found.message}


def usage(found: Usage | None) -> Shape | None:
    """Size against the cap, in characters."""
    if found is None:
        return None
    return {"before": found.before, "after": found.after, "limit": found.limit}


def ungated(found: Ungated) -> Shape:
    """A change that no decision explains."""
    return {
        "ref": f"{found.home.label}:#{found.event}" if found.event else None,
        "path": found.path,
        "since": times.stamp(found.since),
        "before": side(found.before),
        "after": side(found.after),
        "names": list(found.names),
    }


def done(found: Done) -> Shape:
    """The answer of a decision."""
    return {
        "decision": found.kind.value,
        "event": f"{found.home}:#{found.event}",
        "files": [{"path": path, "sha256": digest or None} for path, digest in found.files],
        "words": found.words,
        "notes": list(found.notes),
    }
