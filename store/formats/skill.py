"""Skill files: the head of a SKILL.md, and the names and paths that Hermes allows."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from placet.store.formats import safe_yaml

MAX_NAME = 64
"""Longest name of a skill, in characters."""

MAX_DESCRIPTION = 1024
"""Longest description, in characters."""

MAX_CHARACTERS = 100_000
"""Largest skill file, in characters; exactly this many is still allowed."""

MAX_FILE_BYTES = 1 << 20
"""Largest supporting file, in bytes."""

FOLDERS = ("references", "templates", "scripts", "assets")
"""Where supporting files may lie."""

MAIN_FILE = "SKILL.md"
"""The file that makes a folder a skill."""

_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*\Z")
_CLOSING = re.compile(r"\n---[^\S\n]*(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class Front:
    """Head of a SKILL.md.

    Attributes:
        name: Name as the head gives it, or empty.
        description: Description as the head gives it, or empty.
        problem: Why Hermes would refuse the file, as one sentence, or empty.
        values: Everything that the head holds, where it is YAML.
    """

    name: str = ""
    description: str = ""
    problem: str = ""
    values: Mapping[object, object] = field(default_factory=dict[object, object], compare=False)


def frontmatter(text: str) -> Front:
    """Read the head of a SKILL.md and judge it by Hermes' rules; never raises."""
    plain = text.replace("\r\n", "\n")
    if not plain.startswith("---"):
        return Front(problem="It does not start with “---”, so it has no head.")
    closing = _CLOSING.search(plain, 3)
    if closing is None:
        return Front(problem="The head is not closed by a line “---”.")
    try:
        head = safe_yaml.mapping(plain[3 : closing.start()])
    except safe_yaml.BadYaml as broken:
        return Front(problem=f"The head is not valid YAML ({broken}).")
    name, description = safe_yaml.words(head.get("name")), safe_yaml.words(head.get("description"))
    problem = _head_problem("name" in head, "description" in head, description)
    if not problem and not plain[closing.end() :].strip():
        problem = "Nothing follows the head."
    return Front(name, description, problem, head)


def declared_name(text: str) -> str:
    """Return the name that the head of a SKILL.md gives, from its own line alone, or empty.

    Args:
        text: The file, or its beginning.
    """
    first, *lines = text.removeprefix("\ufeff").splitlines() or [""]
    if not first.startswith("---"):
        return ""
    for line in lines:
        if line.rstrip() == "---":
            break
        if line.startswith("name:"):
            try:
                return safe_yaml.words(safe_yaml.mapping(line).get("name"))
            except safe_yaml.BadYaml:
                return ""
    return ""


def valid_name(name: str) -> str:
    """Tell why a skill or category may not be called `name`: a sentence, or empty if it may."""
    if not name:
        return "The name is empty."
    if len(name) > MAX_NAME:
        return f"The name is longer than {MAX_NAME} characters."
    if not _NAME.match(name):
        return (
            "The name may hold lower-case letters, digits, “.”, “_” and “-” only, "
            "and starts with a letter or digit."
        )
    return ""


def valid_path(path: str) -> str:
    """Tell why `path` may not be written inside a skill: a sentence, or empty if it may.

    Args:
        path: Path inside the skill's folder, with forward slashes; `SKILL.md` itself is allowed.
    """
    if not path:
        return "The path is empty."
    if any(ord(letter) < 32 or letter in "\\\x7f" for letter in path):
        return "The path holds a backslash or a control character."
    parts = path.split("/")
    if path.startswith(("/", "~")) or ".." in parts:
        return "The path leads out of the skill's folder."
    if any(part in ("", ".") for part in parts):
        return "The path holds an empty part or “.”."
    if len(path.encode("utf-8", "surrogatepass")) > 1024 or any(
        len(part.encode("utf-8", "surrogatepass")) > 200 for part in parts
    ):
        return "The path is too long."
    return _place_problem(PurePosixPath(path))


def _place_problem(path: PurePosixPath) -> str:
    if path.name == MAIN_FILE and len(path.parts) <= 2:
        return ""
    if path.parts[0] in FOLDERS and len(path.parts) > 1:
        return ""
    return f"The path is not below {', '.join(FOLDERS)}, nor {MAIN_FILE}."


def _head_problem(has_name: bool, has_description: bool, description: str) -> str:
    if not has_name:
        return "The head names no “name”."
    if not has_description:
        return "The head names no “description”."
    if len(description) > MAX_DESCRIPTION:
        return f"The description is longer than {MAX_DESCRIPTION:,} characters."
    return ""
