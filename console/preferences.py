"""The person's preferences: `config.toml` in the configuration folder; every key has a default."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from placet.store.errors import words_of

KNOWN = frozenset({"theme", "mouse", "poll", "keys"})


@dataclass(frozen=True, slots=True)
class Preferences:
    """What a person chose.

    Attributes:
        theme: Name of a theme, or empty for the default.
        mouse: Whether the mouse works, or None to decide by the terminal.
        poll: Whether homes are watched by listing alone.
        keys: The table `[keys]`, a key or a list of keys by action id (see `keymap.read_keymap`).
        problems: What is wrong with the file, in words; a bad value counts as not given.
    """

    theme: str = ""
    mouse: bool | None = None
    poll: bool = False
    keys: Mapping[str, object] = field(default_factory=dict[str, object])
    problems: tuple[str, ...] = ()


def load(place: Path | None) -> Preferences:
    """Read `config.toml` in a folder; an absent file is all defaults.

    Args:
        place: The folder (`places.config`), or None where there is no place for it.

    Returns:
        The preferences; what cannot be used is named in `problems` and left at its default.
    """
    if place is None:
        return Preferences()
    path = place / "config.toml"
    try:
        data = tomllib.loads(path.read_bytes().decode("utf-8"))
    except FileNotFoundError:
        return Preferences()
    except OSError as error:
        return Preferences(problems=(f"{path} is not used: {words_of(error)}.",))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        return Preferences(problems=(f"{path} is not used: {error}",))
    return understand(data)


def understand(data: Mapping[str, Any]) -> Preferences:
    """Turn the parsed file into preferences, naming what cannot be used."""
    problems = [f"config.toml: {key} is not known" for key in data if key not in KNOWN]
    return Preferences(
        theme=_text(data, "theme", problems),
        mouse=_flag(data, "mouse", problems),
        poll=bool(_flag(data, "poll", problems)),
        keys=_keys(_table(data, "keys", problems)),
        problems=tuple(problems),
    )


def _table(data: Mapping[str, Any], key: str, problems: list[str]) -> Mapping[str, Any]:
    value = data.get(key, {})
    if isinstance(value, dict):
        return value  # pyright: ignore[reportUnknownVariableType]
    problems.append(f"config.toml: [{key}] is not a table")
    return {}


def _text(data: Mapping[str, Any], key: str, problems: list[str]) -> str:
    value = data.get(key, "")
    if isinstance(value, str):
        return value
    problems.append(f"config.toml: {key} is not a text")
    return ""


def _flag(data: Mapping[str, Any], key: str, problems: list[str]) -> bool | None:
    value = data.get(key)
    if value is None or isinstance(value, bool):
        return value
    problems.append(f"config.toml: {key} is neither true nor false")
    return None


def _keys(table: Mapping[str, Any], head: str = "") -> dict[str, object]:
    """Flatten `keys.batch.approve = "x"` and `keys."batch.approve" = "x"` alike."""
    found: dict[str, object] = {}
    for name, value in table.items():
        if isinstance(value, dict):
            found |= _keys(value, f"{head}{name}.")  # pyright: ignore[reportUnknownArgumentType]
        else:
            found[f"{head}{name}"] = value
    return found
