"""An event of the log: one line that says it, and everything else on demand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from placet.store.ledger import audit
from placet.store.model import Event, Kind
from placet.store.text import times

_DIGEST = re.compile(r"[0-9a-f]{64}\Z")
_HEAD = frozenset({"at", "kind", "home", "label", "actor", "words", "reason"})
_LATER = frozenset({"evidence", "noticed_by"})


def line_of(label: str, event: Event, gone: str) -> str:
    """The event in one line: number, time, kind, what it did, by whom, why, and what is missing.

    Args:
        label: Label of its home.
        event: The row.
        gone: What became of texts that it names and that are not there, or empty.
    """
    body = audit.body(event)
    parts = [f"{label}:#{event.seq}", times.stamp(audit.at(event)) or "time unknown"]
    parts += [kind_of(body), happened(body) or str(body.get("target") or "")]
    parts.append(", ".join(filter(None, (f"by {body.get('actor') or 'unknown'}", held(body)))))
    if body.get("reason"):
        parts.append(f"reason: {body['reason']}")
    if gone:
        parts.append(f"[the text {gone}]")
    return "  ".join(part for part in parts if part)


def kind_of(body: Mapping[str, Any]) -> str:
    """Its kind, which a row that somebody tampered with may not have."""
    return str(body.get("kind") or "kind unknown")


def happened(body: Mapping[str, Any]) -> str:
    """What happened; words that an event does not bring along are made from its facts."""
    if words := str(body.get("words") or ""):
        ref = str(body.get("ref") or "")
        return words if not ref or ref in words else f"{words} ({ref})"
    kind = body.get("kind")
    if kind == Kind.BASELINE:
        return f"first known state of {_count(body.get('files'))} files"
    if kind == Kind.UNGATED:
        return ungated(str(body.get("path")))
    if kind == Kind.CHAIN_ACCEPTED:
        return f"accepted the log as it is, with {_count(body.get('accepted'))} findings"
    facts = [body.get(name) for name in ("what", "why", "path", "ref")]
    return ", ".join(str(fact) for fact in facts if fact)


def ungated(path: str) -> str:
    """A change behind the queue's back."""
    return f"{path} was changed, and no decision explains it"


def _count(value: object) -> int:
    return len(cast("list[object]", value)) if isinstance(value, list) else 0


def _object(value: object) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def details_of(event: Event) -> Iterator[str]:
    """Everything else that the event says; digests are cut to twelve characters, `--json` has
    them whole."""
    body = audit.body(event)
    for name, value in sorted(body.items()):
        if name not in _HEAD | _LATER and value not in (None, "", [], {}):
            yield f"    {name}: {compact(value)}"
    for name in sorted(_LATER):
        yield from (f"    {line}" for line in _who(_object(body.get(name))))


def compact(value: object) -> str:
    """A value in one line, without the marks of JSON."""
    if isinstance(value, dict):
        pairs = cast("dict[str, object]", value)
        return ", ".join(f"{name} {compact(inner)}" for name, inner in pairs.items())
    if isinstance(value, list):
        return "; ".join(map(compact, cast("list[object]", value))) or "none"
    text = "none" if value is None else str(value)
    return text[:12] if _DIGEST.match(text) else text


def held(body: Mapping[str, Any]) -> str:
    """Who held the terminal that a decision came from, or empty where its event does not say.

    A program is called by the path of its file, which the kernel tells; its own name is not.
    """
    evidence = _object(body.get("evidence"))
    kernel, stated = _object(evidence.get("kernel")), _object(evidence.get("stated"))
    how = kernel.get("holder")
    if how == "read":
        told = {_object(names).get("pid"): _object(names) for names in _list(stated, "held_by")}
        rows = map(_object, _list(kernel, "held_by"))
        holders = [_holder(row, told.get(row.get("pid"), {})) for row in rows]
        return f"terminal held by {', shown on that of '.join(dict.fromkeys(holders))}"
    if how == "a console":
        return "at a console of this machine"
    if how == "not readable for this user":
        likely = stated.get("likely_holder")
        return "terminal held by a process that this user may not read" + (
            f" ({likely}, as it calls itself)" if likely else ""
        )
    return _UNREAD if how else ""


def _holder(facts: Mapping[str, Any], names: Mapping[str, Any]) -> str:
    path = facts.get("executable")
    name = f"{names.get('name')} (as it calls itself)" if path == "not readable" else str(path)
    runs = f" running {names['runs']}" if names.get("runs") else ""
    return f"{name}{runs}{', which this user can replace' if facts.get('replaceable') else ''}"


def _list(values: Mapping[str, Any], name: str) -> list[object]:
    found: object = values.get(name)
    return cast("list[object]", found) if isinstance(found, list) else []


def _who(evidence: Mapping[str, Any]) -> Iterator[str]:
    """Who decided: what the kernel says apart from what is only stated."""
    inner = _object(evidence.get("evidence", evidence))
    for mark in ("kernel", "stated"):
        facts = _object(inner.get(mark))
        plain = {k: v for k, v in facts.items() if v not in (None, "") and not isinstance(v, list)}
        if plain:
            yield f"who ({mark}): {compact(plain)}"
        for name in ("held_by", "ancestry"):
            for row in _list(facts, name):
                yield f"{_STEPS[name]} ({mark}): {compact(row)}"
    if inner.get("via"):
        yield f"via: {inner['via']}"


_UNREAD = (
    "who holds the terminal, and with what variables the programs above were started, cannot be"
    " read on this system"
)
_STEPS = {"held_by": "terminal held by", "ancestry": "process"}
