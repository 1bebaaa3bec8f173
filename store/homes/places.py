"""Where a person's own files lie, and what is said where the system names no place for them.

Only the standard library is used here, because `placet count` comes this way too.
"""

from __future__ import annotations

import os
import pwd
from collections.abc import Mapping
from pathlib import Path


def home(env: Mapping[str, str]) -> Path | None:
    """The person's home directory: `$HOME`, else what the system knows of this user, or None.

    Args:
        env: The process environment.
    """
    named = env.get("HOME", "")
    if not named:
        try:
            named = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            return None
    return Path(named) if named.startswith("/") else None


def config(env: Mapping[str, str], user_home: Path | None) -> Path | None:
    """Folder of preferences and of the person's own themes, below `$XDG_CONFIG_HOME` or
    `~/.config`; None where there is no place for it."""
    return _below(env, "XDG_CONFIG_HOME", user_home, ".config")


def state(env: Mapping[str, str], user_home: Path | None) -> Path | None:
    """Folder of anchors and of the console's own log, below `$XDG_STATE_HOME` or
    `~/.local/state`; None where there is no place for it."""
    return _below(env, "XDG_STATE_HOME", user_home, ".local/state")


def _below(env: Mapping[str, str], name: str, user_home: Path | None, usual: str) -> Path | None:
    given = env.get(name, "")
    if given.startswith("/"):
        return Path(given) / "placet"
    return None if user_home is None else user_home / usual / "placet"


def no_home(env: Mapping[str, str]) -> str:
    """Why there is no home directory, as the end of a sentence without its full stop."""
    named = env.get("HOME", "")
    if named:
        return f"HOME is {named}, which is no path from the root"
    return f"HOME is not set, and the system knows no home directory of user {os.getuid()}"
