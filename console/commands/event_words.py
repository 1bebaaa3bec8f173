"""One event of the log in plain text: what, who, when, why, and how it was seen."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from placet.console.commands.shapes import time_of
from placet.store.ledger import audit
from placet.store.model import Event

_DIGEST = re.compile(r"[0-9a-f]{64}\Z")
_HEAD = frozenset({"at", "kind", "home", "label", "target", "ref", "actor", "words", "reason"})
_LATER = frozenset({"evidence", "noticed_by"})


def lines_of(label: str, event: Event) -> Iterator[str]:
    """The event as lines; digests are cut to twelve characters, `--json` has them whole.

    Args:
        label: Label of its home.
        event: The row.
    """
    body = audit.body(event)
    head = [f"{label}:#{event.seq}", time_of(body.get("at")) or "?", body.get("kind")]
    head += [body.get(name) for name in ("target", "ref", "actor", "words")]
    yield "  ".join(str(part) for part in head if part)
    if body.get("reason"):
        yield f"    reason: {body['reason']}"
    for name, value in sorted(body.items()):
        if name not in _HEAD | _LATER and value not in (None, "", [], {}):
            yield f"    {name}: {compact(value)}"
    for name in sorted(_LATER):
        found = body.get(name)
        if isinstance(found, dict):
            yield from (f"    {line}" for line in _who(cast("dict[str, Any]", found)))


def compact(value: object) -> str:
    """A value in one line, without the marks of JSON."""
    if isinstance(value, dict):
        pairs = cast("dict[str, object]", value)
        return ", ".join(f"{name} {compact(inner)}" for name, inner in pairs.items())
    if isinstance(value, list):
        return "; ".join(map(compact, cast("list[object]", value))) or "none"
    text = "none" if value is None else str(value)
    return text[:12] if _DIGEST.match(text) else text


def _who(evidence: Mapping[str, Any]) -> Iterator[str]:
    """Who decided: what the kernel says apart from what is only stated."""
    inner = evidence.get("evidence", evidence)
    kernel, stated = inner.get("kernel", {}), inner.get("stated", {})
    chain = " < ".join(str(step.get("command")) for step in kernel.get("ancestry", ()))
    facts = {k: v for k, v in kernel.items() if k != "ancestry" and v not in (None, "")}
    if facts or chain:
        yield f"who (kernel): {compact(facts)}{', processes ' + chain if chain else ''}"
    claims = {k: v for k, v in stated.items() if v not in (None, "")}
    if claims:
        yield f"who (stated): {compact(claims)}"
    if inner.get("via"):
        yield f"via: {inner['via']}"
