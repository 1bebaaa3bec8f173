"""When something was, and how long ago, for people; what outlives the screen is in UTC.

The times of the log, of JSON and of what is written down are those of `store/text/times.py`.
Nothing heavy is imported, because `placet count` says an age.
"""

from __future__ import annotations

import time

DAY, HOUR, MINUTE = 86400, 3600, 60
MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


def moment(seconds: float | None) -> str:
    """A time as people read it, in the local zone: `2 Nov 10:04`, with the year when it is not
    this year's."""
    if seconds is None:
        return "time unknown"
    try:
        at = time.localtime(seconds)
    except (OverflowError, OSError, ValueError):
        return "time out of range"
    year = "" if at.tm_year == time.localtime().tm_year else f" {at.tm_year}"
    return f"{at.tm_mday} {MONTHS[at.tm_mon - 1]}{year} {at.tm_hour:02}:{at.tm_min:02}"


def age(seconds: float) -> str:
    """How long ago, in the largest unit that fits: `2 d`, `5 h`, `3 min`, at least `0 min`."""
    for unit, name in ((DAY, "d"), (HOUR, "h")):
        if seconds >= unit:
            return f"{int(seconds // unit)} {name}"
    return f"{int(max(seconds, 0) // MINUTE)} min"
