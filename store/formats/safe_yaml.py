"""YAML from files that anyone may have written: bounded in size, depth and expansion."""

from __future__ import annotations

from typing import Any, cast

import yaml

MAX_BYTES = 1 << 20
"""Largest document that is parsed, in bytes of UTF-8."""

MAX_DEPTH = 50
"""Deepest nesting of lists and mappings."""

MAX_NODES = 100_000
"""Most nodes after every alias is written out; what bombs of aliases exceed."""

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class BadYaml(ValueError):
    """The text cannot be taken as YAML; the message says why in a few words."""


def load(text: str) -> Any:
    """Parse one YAML document into plain Python values.

    Args:
        text: The document, decoded; a byte order mark at its start is allowed.

    Returns:
        What PyYAML's safe loader makes of it; None for an empty document.

    Raises:
        BadYaml: It is broken, too large, too deep, or grows beyond bounds.
    """
    try:
        if len(text.encode("utf-8")) > MAX_BYTES:
            raise BadYaml(f"it is larger than {MAX_BYTES >> 20} MiB")
        plain = text.removeprefix("\ufeff")
        _check_depth(plain)
        return _construct(plain)
    except BadYaml:
        raise
    except yaml.MarkedYAMLError as problem:
        raise BadYaml(_marked(problem)) from None
    except Exception as problem:  # the loader lets ValueError, TypeError and others through
        raise BadYaml(f"{type(problem).__name__}: {problem}") from None


def mapping(text: str) -> dict[object, object]:
    """Parse one YAML document that has to be a mapping; an empty one counts as such.

    Args:
        text: The document, decoded.

    Raises:
        BadYaml: As `load`, or the document is something else than a mapping.
    """
    value = load(text)
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise BadYaml("it is not a list of “key: value” lines")
    return cast("dict[object, object]", value)


def words(value: object) -> str:
    """Return a plain value as text, empty for none and for a number too long to be written out."""
    try:
        return "" if value is None else str(value)
    except ValueError:
        return ""


def _check_depth(text: str) -> None:
    """Walk the events, which needs no stack, before anything recursive sees the document."""
    depth = 0
    for event in yaml.parse(text, Loader=_Loader):
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > MAX_DEPTH:
                raise BadYaml(f"it is nested more than {MAX_DEPTH} levels deep")
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1


def _construct(text: str) -> Any:
    loader = _Loader(text)
    try:
        node = loader.get_single_node()
        if node is None:
            return None
        _expanded(node, {})
        return loader.construct_document(node)
    finally:
        loader.dispose()


def _expanded(node: yaml.Node, known: dict[int, int]) -> int:
    """Count the nodes below `node` with every alias written out."""
    if id(node) in known:
        if known[id(node)] == 0:
            raise BadYaml("an alias refers to what it stands in")
        return known[id(node)]
    known[id(node)] = 0
    total = 1 + sum(_expanded(child, known) for child in _children(node))
    if total > MAX_NODES:
        raise BadYaml(f"its aliases grow to more than {MAX_NODES:,} values")
    known[id(node)] = total
    return total


def _children(node: yaml.Node) -> list[yaml.Node]:
    if isinstance(node, yaml.MappingNode):
        return [side for pair in node.value for side in pair]
    return list(node.value) if isinstance(node, yaml.SequenceNode) else []


def _marked(problem: yaml.MarkedYAMLError) -> str:
    mark = problem.problem_mark or problem.context_mark
    where = f"line {mark.line + 1}: " if mark else ""
    return f"{where}{problem.problem or problem.context or 'not YAML'}"
