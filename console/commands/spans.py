"""Spans of time as people write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime

import click

_SPAN = re.compile(r"([1-9][0-9]{0,5})\s*(h|d|w|m|y)\Z")
_SECONDS = {"h": 3600, "d": 86400, "w": 7 * 86400, "m": 30 * 86400, "y": 365 * 86400}


def until_of(text: str, now: float) -> float | None:
    """Read `30d`, `12h`, `2w`, `6m`, `1y` or a date.

    Args:
        text: As typed; empty for no end.
        now: Seconds since the epoch.

    Returns:
        Seconds since the epoch, or None for no end.

    Raises:
        click.UsageError: It is neither, or lies in the past.
    """
    if not text:
        return None
    span = _SPAN.match(text.strip())
    if span:
        return now + int(span[1]) * _SECONDS[span[2]]
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise click.UsageError(
            f"--until {text} is no span of time: write 30d, 12h, 2w, or a date such as 2027-01-31."
        ) from error
    seconds = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()
    if seconds <= now:
        raise click.UsageError(f"--until {text} lies in the past.")
    return seconds
