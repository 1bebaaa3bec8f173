"""Read from Hermes' config.yaml what bears on memory writes, exactly as Hermes takes it."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat as modes
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

from placet.store.formats import safe_yaml
from placet.store.model import Gate, Home, HomeConfig

ON_WORDS = frozenset({"on", "true", "yes", "1", "approve", "enabled"})
"""Strings that Hermes takes for a switched-on write approval; a number 1 is off."""

_OFF_WORDS = frozenset({"off", "false", "no", "0", "none", "disabled", "never", ""})
_VARIABLE = re.compile(r"\$\{([^}]+)\}")
_DEFAULTS = HomeConfig()
_SECTIONS = ("memory", "skills")
_MAX_DIRS = 64

_Table = Mapping[object, object]


def read(home: Home, env: Mapping[str, str] | None = None) -> HomeConfig:
    """Read the configuration of a home; never raises, every trouble is a sentence in `problems`.

    Args:
        home: Home whose config.yaml is read; a missing file means Hermes' defaults.
        env: Environment for `${VAR}`; that of this process if None.
    """
    problems: list[str] = []
    table = _load(home, problems)
    values = _expand_sections(table, os.environ if env is None else env, problems)
    return _digested(_interpret(home, values, problems))


def stamp(home: Home) -> tuple[int, int]:
    """Return modification time in nanoseconds and size in bytes of config.yaml; (0, 0) if absent.

    Hermes uses the same pair to notice a change.
    """
    try:
        found = home.config.stat()
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)


def _load(home: Home, problems: list[str]) -> _Table:
    try:
        return safe_yaml.mapping(_text(home.config))
    except FileNotFoundError:
        return {}
    except UnicodeDecodeError as broken:
        reason = f"byte {broken.start} is not UTF-8"
    except OSError as broken:
        reason = broken.strerror or str(broken)
    except safe_yaml.BadYaml as broken:
        reason = str(broken)
    problems.append(
        f"config.yaml cannot be read ({reason}). A fresh Hermes process then uses its defaults: "
        "write approval is off and the limits are 2,200 and 1,375 characters; a running one keeps "
        "what it read last. Repair the file before you rely on this queue."
    )
    return {}


def _text(path: Path) -> str:
    """Read the file whole, without waiting on a FIFO and without following what is no file."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not modes.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(0, "it is not a regular file")
        with os.fdopen(handle, "rb", closefd=False) as file:
            data = file.read(safe_yaml.MAX_BYTES + 1)
    finally:
        os.close(handle)
    return data.decode("utf-8")


def _expand_sections(
    table: _Table, env: Mapping[str, str], problems: list[str]
) -> dict[str, dict[object, object]]:
    """Take the two sections that matter, with `${VAR}` written out in their strings."""
    for name in table:
        if isinstance(name, str) and name.startswith(tuple(f"{part}." for part in _SECTIONS)):
            problems.append(
                f"config.yaml has the key “{name}” in one word, which Hermes does not understand; "
                "write it as a section with the key below it."
            )
    return {name: _section(name, table.get(name), env, problems) for name in _SECTIONS}


def _section(
    name: str, value: object, env: Mapping[str, str], problems: list[str]
) -> dict[object, object]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        problems.append(f"config.yaml: “{name}” is not a section; Hermes uses its defaults.")
        return {}
    section = cast("dict[object, object]", value)
    return {key: _expand(item, env) for key, item in section.items()}


def _expand(value: object, env: Mapping[str, str]) -> object:
    """Write out `${VAR}`; a variable that is not set stays as it stands, as in Hermes."""
    if isinstance(value, str):
        return _VARIABLE.sub(lambda found: env.get(found[1], found[0]), value)
    if isinstance(value, list):
        return [_expand(item, env) for item in cast("list[object]", value)[:_MAX_DIRS]]
    return value


def _interpret(
    home: Home, values: dict[str, dict[object, object]], problems: list[str]
) -> HomeConfig:
    memory, skills = values["memory"], values["skills"]
    limit, user_limit = _limits(memory, problems)
    return HomeConfig(
        memory_limit=limit,
        user_limit=user_limit,
        gate=Gate(_gate("memory", memory, problems), _gate("skills", skills, problems)),
        memory_enabled=_enabled("memory_enabled", memory, problems),
        user_enabled=_enabled("user_profile_enabled", memory, problems),
        provider=_provider(memory, problems),
        external_dirs=_external_dirs(home, skills, problems),
        problems=tuple(problems),
    )


def _limits(memory: _Table, problems: list[str]) -> tuple[int, int]:
    """Both caps; as in Hermes, a bad first one drops both and a bad second one only itself."""
    limit, user_limit = _DEFAULTS.memory_limit, _DEFAULTS.user_limit
    key = "memory_char_limit"
    try:
        limit = _number(memory.get(key, limit))
        key = "user_char_limit"
        user_limit = _number(memory.get(key, user_limit))
    except (TypeError, ValueError, OverflowError):
        problems.append(
            f"config.yaml: memory.{key} is {_shown(memory.get(key))}, which is no number. "
            f"Hermes goes on with {limit:,} characters for MEMORY.md and {user_limit:,} for "
            "USER.md."
        )
    return limit, user_limit


def _number(value: object) -> int:
    if not isinstance(value, int | float | str):
        raise TypeError(type(value).__name__)
    return int(value)


def _gate(section: str, table: _Table, problems: list[str]) -> bool:
    value = table.get("write_approval", False)
    if isinstance(value, bool):
        return value
    word = value.strip().lower() if isinstance(value, str) else None
    if word in ON_WORDS:
        return True
    if word not in _OFF_WORDS:
        problems.append(
            f"config.yaml: {section}.write_approval is {_shown(value)}, which Hermes takes for "
            f"off. Turn it on: `hermes config set {section}.write_approval true`."
        )
    return False


def _enabled(key: str, memory: _Table, problems: list[str]) -> bool:
    value = memory.get(key, True)
    if isinstance(value, bool):
        return value
    problems.append(
        f"config.yaml: memory.{key} is {_shown(value)} instead of true or false; "
        "Hermes may take it differently from what you mean."
    )
    return str(value).strip().lower() not in _OFF_WORDS


def _provider(memory: _Table, problems: list[str]) -> str:
    value = memory.get("provider")
    if value is None or isinstance(value, str):
        return (value or "").strip()
    problems.append(f"config.yaml: memory.provider is {_shown(value)}, which names no provider.")
    return ""


def _external_dirs(home: Home, skills: _Table, problems: list[str]) -> tuple[Path, ...]:
    value = skills.get("external_dirs")
    if value is None:
        return ()
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list):
        problems.append(f"config.yaml: skills.external_dirs is {_shown(value)}, which is no list.")
        return ()
    found = (_folder(home, item, problems) for item in cast("list[object]", listed)[:_MAX_DIRS])
    return tuple(dict.fromkeys(path for path in found if path is not None))


def _folder(home: Home, item: object, problems: list[str]) -> Path | None:
    if not isinstance(item, str) or not item.strip() or "\0" in item:
        problems.append(f"config.yaml: skills.external_dirs holds {_shown(item)}; it is ignored.")
        return None
    try:
        return home.path / Path(item.strip()).expanduser()
    except RuntimeError:
        problems.append(f"config.yaml: no home directory is known for {_shown(item)}.")
        return None


def _shown(value: object) -> str:
    """A value for a sentence, short whatever it is."""
    text = repr(value) if isinstance(value, str | int | float | None) else type(value).__name__
    return text if len(text) <= 80 else f"{text[:80]}…"


def _digested(config: HomeConfig) -> HomeConfig:
    fields = [
        config.memory_limit,
        config.user_limit,
        config.gate.memory,
        config.gate.skills,
        config.memory_enabled,
        config.user_enabled,
        config.provider,
        [str(path) for path in config.external_dirs],
        config.problems,
    ]
    packed = json.dumps(fields).encode()
    return replace(config, digest=hashlib.sha256(packed).hexdigest())
