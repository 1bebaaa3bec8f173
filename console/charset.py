"""Whether this terminal can draw more than ASCII; kept apart, so that no framework is imported."""

from __future__ import annotations

from collections.abc import Mapping


def ascii_only(env: Mapping[str, str]) -> bool:
    """Whether the locale promises no more than ASCII on the screen.

    Args:
        env: The process environment.
    """
    if _coerced(env):
        return True
    locale = env.get("LC_ALL") or env.get("LC_CTYPE") or env.get("LANG") or ""
    encoding = locale.partition(".")[2].partition("@")[0]
    return encoding.lower().replace("-", "") != "utf8"


def _coerced(env: Mapping[str, str]) -> bool:
    """Whether Python itself put a UTF-8 locale in place of a plain one that was asked for."""
    asked = env.get("LANG") in ("C", "POSIX") and not env.get("LC_ALL")
    return asked and env.get("LC_CTYPE", "") in ("C.UTF-8", "C.utf8", "UTF-8")


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
