"""Whether this terminal can draw more than ASCII; kept apart, so that no framework is imported."""

from __future__ import annotations

from collections.abc import Mapping


def ascii_only(env: Mapping[str, str]) -> bool:
    """Whether the locale promises no more than ASCII on the screen.

    Args:
        env: The process environment.
    """
    locale = env.get("LC_ALL") or env.get("LC_CTYPE") or env.get("LANG") or ""
    encoding = locale.partition(".")[2].partition("@")[0]
    return encoding.lower().replace("-", "") != "utf8"
