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

from placet.store.errors import words_of
from placet.store.formats import safe_yaml
from placet.store.model import Gate, Home, HomeConfig

ON_WORDS = frozenset({"on", "true", "yes", "1", "approve", "enabled"})
"""Strings that Hermes takes for a switched-on write approval; a number 1 is off."""

_OFF_WORDS = frozenset({"off", "false", "no", "0", "none", "disabled", "never", ""})
_VARIABLE = re.compile(r"\$\{([^}]+)\}")
_SHELL_VARIABLE = re.compile(r"\$(?:([A-Za-z0-9_]+)|\{([^}]*)\})")
"""What Hermes expands in a folder of `skills.external_dirs`; elsewhere only `${VAR}`."""

_DEFAULTS = HomeConfig()
_SECTIONS = ("memory", "skills")
_MAX_DIRS = 64

MAX_BYTES = 1 << 18
"""Largest config.yaml that is parsed, in bytes: larger ones cost every command seconds."""

MAX_LIMIT = 1_000_000_000
"""Largest cap that is counted with, in characters, either way; more says no more."""

MAX_TEXT = 4096
"""Longest text of a value that is taken, in characters."""

_MAX_SHOWN = 80
_MAX_PROBLEMS = 20

_Table = Mapping[object, object]


def read(home: Home, env: Mapping[str, str] | None = None) -> HomeConfig:
    """Read the configuration of a home; never raises, every trouble is a sentence in `problems`.

    Args:
        home: Home whose config.yaml is read; a missing file means Hermes' defaults.
        env: Environment for `${VAR}`; that of this process if None.
    """
    problems: list[str] = []
    env = os.environ if env is None else env
    table = _load(home, problems)
    unread = bool(problems)
    values = _expand_sections(table, env, problems)
    found = replace(
        _interpret(values, problems),
        external_dirs=_external_dirs(home, table, env, problems),
        inline_shell=None if unread else bool(values["skills"].get("inline_shell")),
    )
    return _digested(replace(found, problems=_few(problems)))


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
        text = _text(home.config)
        return safe_yaml.mapping(text)
    except FileNotFoundError:
        return {}
    except _TooLarge:
        problems.append(
            f"config.yaml holds more than {MAX_BYTES >> 10} KiB and is not read. Hermes may read"
            " it all the same; placet goes on with Hermes' defaults: write approval is off,"
            " the limits are 2,200 and 1,375 characters. Make the file"
            " smaller before you rely on this queue."
        )
        return {}
    except UnicodeDecodeError as broken:
        reason = f"byte {broken.start} is not UTF-8"
    except OSError as broken:
        reason = words_of(broken)
    except safe_yaml.BadYaml as broken:
        reason = str(broken)
    problems.append(
        f"config.yaml cannot be read ({reason}). A fresh Hermes process then uses its defaults: "
        "write approval is off and the limits are 2,200 and 1,375 characters; a running one keeps "
        "what it read last. Repair the file before you rely on this queue."
    )
    return {}


class _TooLarge(Exception):
    """The file is larger than what is parsed."""


def _text(path: Path) -> str:
    """Read the file whole, without waiting on a FIFO and without following what is no file."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not modes.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(0, "it is not a regular file")
        with os.fdopen(handle, "rb", closefd=False) as file:
            data = file.read(MAX_BYTES + 1)
    finally:
        os.close(handle)
    if len(data) > MAX_BYTES:
        raise _TooLarge
    return data.decode("utf-8")


def _expand_sections(
    table: _Table, env: Mapping[str, str], problems: list[str]
) -> dict[str, dict[object, object]]:
    """Take the two sections that matter, with `${VAR}` written out in their strings."""
    for name in table:
        if isinstance(name, str) and name.startswith(tuple(f"{part}." for part in _SECTIONS)):
            problems.append(
                f"config.yaml has the key “{_cut(name)}” in one word, which Hermes does not"
                " understand; write it as a section with the key below it."
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
    if isinstance(value, str) and len(value) <= MAX_TEXT:
        return _VARIABLE.sub(lambda found: env.get(found[1], found[0]), value)
    return value


def _interpret(values: dict[str, dict[object, object]], problems: list[str]) -> HomeConfig:
    memory, skills = values["memory"], values["skills"]
    limit, user_limit = _limits(memory, problems)
    return HomeConfig(
        memory_limit=limit,
        user_limit=user_limit,
        gate=Gate(_gate("memory", memory, problems), _gate("skills", skills, problems)),
        memory_enabled=_enabled("memory_enabled", memory, problems),
        user_enabled=_enabled("user_profile_enabled", memory, problems),
        provider=_provider(memory, problems),
    )


def _few(problems: list[str]) -> tuple[str, ...]:
    more = len(problems) - _MAX_PROBLEMS
    told = [f"config.yaml: {more:,} more problems of this kind."] if more > 0 else []
    return (*problems[:_MAX_PROBLEMS], *told)


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
    return _bounded("memory_char_limit", limit, problems), _bounded(
        "user_char_limit", user_limit, problems
    )


def _bounded(key: str, value: int, problems: list[str]) -> int:
    """A cap that can be counted and printed with, whatever the file says."""
    near = max(-MAX_LIMIT, min(MAX_LIMIT, value))
    if near != value:
        problems.append(
            f"config.yaml: memory.{key} is {_shown(value)}; placet counts with {near:,} characters."
            " Write the cap that you mean."
        )
    return near


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
    text = value if isinstance(value, str) else _shown(value)
    return text.strip().lower() not in _OFF_WORDS


def _provider(memory: _Table, problems: list[str]) -> str:
    value = memory.get("provider")
    if value is None or (isinstance(value, str) and len(value) <= _MAX_SHOWN):
        return (value or "").strip()
    if isinstance(value, str):
        problems.append(
            f"config.yaml: memory.provider is longer than {_MAX_SHOWN} characters: {_shown(value)}."
        )
        return _cut(value.strip())
    problems.append(f"config.yaml: memory.provider is {_shown(value)}, which names no provider.")
    return ""


def _external_dirs(
    home: Home, table: _Table, env: Mapping[str, str], problems: list[str]
) -> tuple[Path, ...]:
    """Folders as Hermes takes them, which reads them without the expansion of other values."""
    skills = table.get("skills")
    value = cast("_Table", skills).get("external_dirs") if isinstance(skills, dict) else None
    if value is None:
        return ()
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list):
        problems.append(f"config.yaml: skills.external_dirs is {_shown(value)}, which is no list.")
        return ()
    items = cast("list[object]", listed)
    if len(items) > _MAX_DIRS:
        problems.append(
            f"config.yaml: skills.external_dirs holds {len(items):,} folders; placet looks into the"
            f" first {_MAX_DIRS}."
        )
    found = dict.fromkeys(_folder(home, item, env, problems) for item in items[:_MAX_DIRS])
    own = os.path.realpath(home.skills)
    return tuple(path for path in found if path is not None and str(path) != own)


def _folder(home: Home, item: object, env: Mapping[str, str], problems: list[str]) -> Path | None:
    """One folder: variables, then `~`, then relative to the home, then links resolved."""
    text = item.strip() if isinstance(item, str) and len(item) <= MAX_TEXT else ""
    plain = _shell_expanded(text, env, problems)
    expanded = os.path.expanduser(plain)  # noqa: PTH111 - leaves an unknown ~user, as Hermes does
    if not expanded or not _is_path(expanded):
        problems.append(f"config.yaml: skills.external_dirs holds {_shown(item)}; it is ignored.")
        return None
    return Path(os.path.realpath(home.path / expanded))


def _shell_expanded(text: str, env: Mapping[str, str], problems: list[str]) -> str:
    def value(found: re.Match[str]) -> str:
        name = found[2] if found[1] is None else found[1]
        if name not in env:
            problems.append(
                f"config.yaml: skills.external_dirs names {_cut(found[0])}, which is not set here."
                " Where Hermes has it set, it finds skills there that placet does not."
            )
        return env.get(name, found[0])[: MAX_TEXT + 1]

    return _SHELL_VARIABLE.sub(value, text)


def _shown(value: object) -> str:
    """A value for a sentence, short whatever it is."""
    if isinstance(value, int) and abs(value) > 10**18:
        return f"a number of {value.bit_length():,} bits"  # its digits may be too many to print
    if isinstance(value, str):
        return _cut(repr(value[: _MAX_SHOWN + 1]))
    return str(value) if isinstance(value, int | float | None) else type(value).__name__


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}…"


def _is_path(text: str) -> bool:
    """Whether the system can be asked about a path; an escape in YAML can hold half a character."""
    try:
        return len(text) <= MAX_TEXT and b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


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
        config.inline_shell,
        config.problems,
    ]
    packed = json.dumps(fields).encode()
    return replace(config, digest=hashlib.sha256(packed).hexdigest())
