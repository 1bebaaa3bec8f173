"""Ages and moments: one form each, in list, diff, log and command line (design §11, Q01)."""

from __future__ import annotations

import time

import pytest

from placet.console.phrases.times import age, moment

DAY = 86_400


@pytest.mark.parametrize(
    ("seconds", "words"), [(-5, "0 min"), (59, "0 min"), (60, "1 min"), (3599, "59 min"),
                           (7200, "2 h"), (DAY, "1 d"), (56.9 * DAY, "56 d")],
)  # fmt: skip
def test_age(seconds: float, words: str) -> None:
    assert age(seconds) == words


def test_a_moment_is_in_the_local_zone_and_names_another_year(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    try:
        assert moment(1_700_000_000.0) == "14 Nov 2023 23:13"
        now = time.localtime()
        this_year = time.mktime((now.tm_year, 3, 5, 7, 8, 9, 0, 0, -1))
        assert moment(this_year) == "5 Mar 07:08"
    finally:
        monkeypatch.undo()
        time.tzset()


def test_a_moment_that_cannot_be_said_is_named() -> None:
    """Whatever a record claims, nothing fails (promise 2: it can be read)."""
    assert moment(None) == "time unknown"
    for impossible in (float("inf"), float("nan"), 1e30):
        assert moment(impossible) == "time out of range"
