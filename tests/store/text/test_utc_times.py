"""Times in UTC: JSON, the log, words of decisions (design §12); impossible ones are named."""

from __future__ import annotations

import pytest

from placet.store.text import times


def test_every_form_of_one_time() -> None:
    at = 1_700_000_000.9
    assert times.stamp(at) == "2023-11-14T22:13:20Z"
    assert times.utc(at) == "2023-11-14 22:13:20 UTC"
    assert times.day(at) == "2023-11-14"


@pytest.mark.parametrize("impossible", [float("inf"), float("-inf"), float("nan"), 1e30, 4e11])
def test_a_clock_far_outside_is_named_and_is_null_in_json(impossible: float) -> None:
    """A record may claim any number (design §2); the same form of a possible one is a date."""
    assert times.stamp(impossible) is None and times.stamp(None) is None
    assert times.day(impossible) == "an unknown date"
    assert times.utc(impossible) == "an unknown time"
    assert times.stamp(0.0) == "1970-01-01T00:00:00Z"


def test_early_years_have_four_digits() -> None:
    assert times.day(-50_000_000_000.0) == "0385-07-25"
