"""docs/json.md names every field and code that the command line prints."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from homes.build import REPO, HomeBuilder

from placet.console.commands.root import VERBS
from placet.console.commands.run import ERROR_NAMES

Placet = Callable[..., Any]
PAGE = (REPO / "docs" / "json.md").read_text(encoding="utf-8")
NAMED = set(re.findall(r"[a-z0-9_-]+", " ".join(re.findall(r"`[^`]+`", PAGE))))


def keys(value: Any) -> Iterator[str]:
    """Every key of a shape, the free bodies of events and home labels left out."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield name
            if name != "body":
                yield from keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys(inner)


def test_every_field_is_on_the_page(own: HomeBuilder, placet: Placet) -> None:
    """Issue 2: the shapes of docs/json.md are stable, so they have to be there."""
    own.memory("first")
    ref, other = own.stage_add("second"), own.stage_add("third", origin="assistant_tool")
    shown = placet(own, "show", ref, "--json").json
    answers = [
        placet(own, "count", "--json").json,
        placet(own, "status", "--json").json,
        placet(own, "pending", "--json").json,
        placet(own, "show", other, "--json").json,
        placet(own, "diff", ref, "--json").json,
        placet(own, "memory", "--json").json,
        placet(own, "locate", "--json").json,
        placet(own, "approve", ref, "--json").json,
        placet(own, "approve", ref, "--seen", shown["digest"], "--json").json,
        placet(own, "reject", other, "--json").json,
        *placet(own, "refusals", "--json").objects,
        *placet(own, "audit", "--json").objects,
        placet(own, "audit", "--verify", "--json").json,
    ]
    found = set(keys(answers))
    assert found - NAMED == set()
    assert len(found) > 60


def test_every_verb_and_error_is_on_the_page() -> None:
    assert set(VERBS) - NAMED - {"demo"} == set()
    assert {name for _, name in ERROR_NAMES} - NAMED == set()
