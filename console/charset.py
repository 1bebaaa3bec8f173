"""Whether this terminal can draw more than ASCII; kept apart, so that no framework is imported.

On an 8-bit terminal the bytes 0x80 to 0x9F, of which most UTF-8 sequences have one, are control
characters. So UTF-8 is sent only where the environment asks for it.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, MutableMapping
from pathlib import Path

_COERCED = frozenset({"C.UTF-8", "C.utf8", "UTF-8"})
"""What Python puts into LC_CTYPE in place of a plain locale, before it runs any program."""

_STARTED_WITH = Path("/proc/self/environ")


def ascii_only(env: Mapping[str, str]) -> bool:
    """Whether the locale promises no more than ASCII on the screen.

    Args:
        env: The process environment as the program was started with.
    """
    locale = env.get("LC_ALL") or env.get("LC_CTYPE") or env.get("LANG") or ""
    name, _, encoding = locale.partition("@")[0].partition(".")
    return (encoding or name).lower().replace("-", "") != "utf8"


def uncoerce(env: MutableMapping[str, str]) -> None:
    """Give LC_CTYPE the value back that it had before Python coerced a plain locale to UTF-8.

    Where the system does not tell what a process was started with, a coerced value becomes `C`.

    Args:
        env: The process environment, changed in place.
    """
    if env.get("LC_CTYPE") not in _COERCED:
        return
    try:
        started = _STARTED_WITH.read_bytes()
    except OSError:
        if sys.flags.utf8_mode and not _chosen(env):
            env["LC_CTYPE"] = "C"
        return
    asked = re.search(rb"(?:\A|\0)LC_CTYPE=([^\0]*)", started)
    if asked is None:
        del env["LC_CTYPE"]
    else:
        env["LC_CTYPE"] = os.fsdecode(asked[1])


def _chosen(env: Mapping[str, str]) -> bool:
    """Whether UTF-8 mode was asked for; otherwise Python turns it on for a plain locale alone."""
    return env.get("PYTHONUTF8") == "1" or "utf8" in sys._xoptions  # pyright: ignore[reportPrivateUsage]


_PLAIN = str.maketrans(
    {
        "·": "-",
        "▸": ">",
        "▾": "v",
        "→": ">",
        "✓": "+",
        "“": '"',
        "”": '"',
        "…": ".",
        "↑": "^",
        "↓": "v",
    }
)


def in_ascii(words: str) -> str:
    """Our own words with the few signs that are not ASCII put plainly; as long as before."""
    return words.translate(_PLAIN)
