"""The console and the command line say the same: the same lines, the same verdict on a log."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Any

import pytest
from homes.build import HomeBuilder

from placet.console import demo_home
from placet.console.pages.document import document
from placet.console.pages.lines import Role
from placet.console.reader import Reader
from placet.console.shown import plain
from placet.store.inbox.inbox import Inbox
from placet.store.model import Plan

Placet = Callable[..., Any]

NOW = 1_700_000_000.0


@pytest.fixture
def telling(own: HomeBuilder) -> HomeBuilder:
    """A home with the demo's queue: every kind of operation, and every kind of trouble."""
    shutil.rmtree(own.path)
    demo_home.furnish(own.path)
    for staged in demo_home.QUEUE:
        demo_home.stage_one(own.home, staged, NOW)
    return own


def whole_plans(home: HomeBuilder) -> dict[str, Plan]:
    """What waits, by id, planned as for the selected row."""
    inbox = Inbox((home.home,))
    return {row.ref.id: inbox.plan(row) for row in inbox.refresh(home.home).members()}


def test_show_prints_every_line_of_the_consoles_document(
    telling: HomeBuilder, placet: Placet
) -> None:
    """Promise 2: what the console draws of a plan is what `show` prints, in the same order."""
    plans = whole_plans(telling)
    assert len(plans) == len(demo_home.QUEUE)
    for ref, plan in plans.items():
        drawn = document(plan).lines[1:]
        wanted = [f"{line.sign} {plain(line.text)}".rstrip() for line in drawn]
        printed = iter(line.rstrip() for line in placet(telling, "show", ref).out.split("\n"))
        missing = [line for line in wanted if line not in printed]
        assert not missing, ref


def test_diff_prints_the_change_without_its_findings(telling: HomeBuilder, placet: Placet) -> None:
    """Design §12: `diff` is the change alone; `show` of the same row has the findings too."""
    judged = {ref: plan for ref, plan in whole_plans(telling).items() if plan.verdicts}
    assert judged
    for ref, plan in judged.items():
        findings = [
            f"{line.sign} {plain(line.text)}"
            for line in document(plan).lines
            if line.role is Role.VERDICT
        ]
        shown = placet(telling, "show", ref).out.split("\n")
        alone = placet(telling, "diff", ref).out.split("\n")
        assert set(findings) <= set(shown) and not set(findings) & set(alone)


def test_a_lost_log_is_a_finding_of_both(own: HomeBuilder, placet: Placet) -> None:
    """T05: the database is gone and the anchor is not; neither may say that the log is whole."""
    assert placet(own, "discard", own.stage_add("a")).code == 0
    assert Reader([own.home]).verify() == [] and placet(own, "audit", "--verify").code == 0
    shutil.rmtree(own.path / "placet")
    (words,) = Reader([own.home]).verify()
    answer = placet(own, "audit", "--verify")
    assert answer.code == 3 and words.removeprefix("default: ") in answer.out
