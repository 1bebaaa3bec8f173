"""Times in UTC: for the log, for JSON, and for words that are read later than they are said."""

from __future__ import annotations

import time

END = 253_402_300_800.0
"""The first second of the year 10000, which no calendar here can write."""


def moment_in(value: object) -> float | None:
    """A time that a record states, or None where it states none.

    Args:
        value: What the record holds in its place, a JSON value.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < END else None  # NaN is not below anything


def stamp(seconds: float | None) -> str | None:
    """`2026-11-02T10:04:00Z`, or None where the time is unknown or no date of four digits."""
    at = _at(seconds)
    return None if at is None else f"{_date(at)}T{_clock(at)}Z"


def utc(seconds: float) -> str:
    """A time in a sentence, as `2026-11-02 10:04:00 UTC`."""
    at = _at(seconds)
    return "an unknown time" if at is None else f"{_date(at)} {_clock(at)} UTC"


def day(seconds: float) -> str:
    """The date of a time, as `2026-11-02`."""
    at = _at(seconds)
    return "an unknown date" if at is None else _date(at)


def in_a_name() -> str:
    """Now, as a part of a file's name: `20261102T100400Z`."""
    return time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())


def _at(seconds: float | None) -> time.struct_time | None:
    if seconds is None:
        return None
    try:
        at = time.gmtime(seconds)
    except (OverflowError, ValueError, OSError):
        return None  # a clock far outside what the platform can name
    return at if 1 <= at.tm_year <= 9999 else None


def _date(at: time.struct_time) -> str:
    return f"{at.tm_year:04}-{at.tm_mon:02}-{at.tm_mday:02}"


def _clock(at: time.struct_time) -> str:
    return f"{at.tm_hour:02}:{at.tm_min:02}:{at.tm_sec:02}"
