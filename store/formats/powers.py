"""What a SKILL.md makes run, or hands over, when an agent merely looks at it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import cast

from placet.store.formats import safe_yaml, skill
from placet.store.formats.section import universal

_INLINE = re.compile(r"!`([^`\n]+)`")
"""A command that Hermes replaces by its output, where `skills.inline_shell` is on."""

_RUNS = "it names commands, which some agents run by themselves"
_ALLOWS = "it names tools, which some agents then use without asking"
_PASSES = "Hermes passes these variables on to what the agent runs, once the skill is viewed"
_MOUNTS = "Hermes hands these files to where the agent runs programs, once the skill is viewed"

_ANYWHERE = {"hooks": _RUNS, "onload": _RUNS, "allowedtools": _ALLOWS}
"""By key without case and punctuation, at any depth; Hermes 0.19 itself makes nothing of them."""

_HERMES: Mapping[tuple[str, ...], str] = {
    ("required_environment_variables",): _PASSES,
    ("prerequisites", "env_vars"): _PASSES,
    ("setup", "collect_secrets"): _PASSES,
    ("required_credential_files",): _MOUNTS,
}
"""By the keys that lead there, as Hermes looks for them."""


def new_commands(before: str, after: str) -> list[tuple[int, int, str]]:
    """Return the commands of a SKILL.md that it did not hold before.

    Args:
        before: The whole file as it is, or empty.
        after: The whole file as it would be.

    Returns:
        Start and end in `after`, in characters, and the command, in their order. A command that
        stands there more often than before counts as new for each time.
    """
    known = Counter(command for _, _, command in _commands(before))
    found: list[tuple[int, int, str]] = []
    for start, end, command in _commands(after):
        known[command] -= 1
        if known[command] < 0:
            found.append((start, end, command))
    return found


def _commands(text: str) -> Iterator[tuple[int, int, str]]:
    # Hermes reads the file with universal newlines; each \r\n there is one character here
    plain = universal(text) if "\r" in text else text
    for hit in _INLINE.finditer(plain):
        if hit[1].strip():
            yield hit.start(), hit.end(), hit[1].strip()


def new_grants(before: str, after: str) -> list[tuple[str, str, str]]:
    """Return what the head of a SKILL.md runs or grants, and did not before.

    Args:
        before: The whole file as it is, or empty.
        after: The whole file as it would be.

    Returns:
        Key with those above it, its value in words, and what comes of it, in the order of the head.
    """
    known = {(key, value) for key, value, _ in _grants(before)}
    return [one for one in _grants(after) if one[:2] not in known]


def _grants(text: str) -> list[tuple[str, str, str]]:
    return list(_powers(skill.frontmatter(text).values, ()))


def _powers(value: object, above: tuple[str, ...]) -> Iterator[tuple[str, str, str]]:
    if isinstance(value, list):
        for item in cast("list[object]", value):
            yield from _powers(item, above)
    if not isinstance(value, Mapping):
        return
    for key, inner in cast("Mapping[object, object]", value).items():
        path = (*above, safe_yaml.words(key))
        plain = re.sub(r"[^a-z]", "", path[-1].casefold())
        words = _HERMES.get(path) or _ANYWHERE.get(plain)
        if words is None:
            yield from _powers(inner, path)
        elif inner not in (None, "", [], {}):
            yield ".".join(path), _told(inner), words


def _told(value: object) -> str:
    """A value of the head on one line."""
    if isinstance(value, list):
        return ", ".join(_told(item) for item in cast("list[object]", value))
    if isinstance(value, dict):
        pairs = cast("dict[object, object]", value).items()
        return ", ".join(f"{_told(key)}: {_told(item)}" for key, item in pairs)
    return safe_yaml.words(value)
