"""Between a kill and its recovery the log is whole: what is unfinished is named, not suspected."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from homes.build import HomeBuilder

from placet.store.decide import carry
from placet.store.disk import swap

Placet = Callable[..., Any]


class Stopped(BaseException):
    """Stands for a process that ends here."""


@pytest.fixture(params=["before the file is written", "after it"])
def stopped(
    request: pytest.FixtureRequest,
    own: HomeBuilder,
    placet: Placet,
    digest: Callable[..., str],
) -> HomeBuilder:
    """A home where an approval stopped."""
    own.memory("first")
    ref = own.stage_add("second", record_id="one")
    seen = digest(own, ref)
    module, name = (swap, "swap") if request.param.startswith("before") else (carry, "close")

    def stop(*_: object, **__: object) -> None:
        raise Stopped

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, name, stop)
        with pytest.raises(Stopped):
            placet(own, "approve", ref, "--seen", seen)
    return own


def test_it_is_named_and_no_finding(stopped: HomeBuilder, placet: Placet) -> None:
    answer = placet(stopped, "audit", "--verify")
    assert answer.code == 0 and "0 findings" in answer.out
    assert "unfinished: memory/one: approved" in answer.out
    found = placet(stopped, "audit", "--verify", "--json").json
    assert found["findings"] == [] and len(found["unfinished"]) == 1
    assert placet(stopped, "count", "--json").json["ungated"] == 0


def test_what_it_does_not_explain_is_a_finding_all_the_same(
    stopped: HomeBuilder, placet: Placet
) -> None:
    """Only its own bytes are explained by it."""
    stopped.memory("somebody else's")
    answer = placet(stopped, "audit", "--verify")
    assert answer.code == 3 and "MEMORY.md is not what #1" in answer.out
    assert "unfinished: memory/one" in answer.out
