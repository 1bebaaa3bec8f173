"""Every plan of the two whole homes is drawn completely (promise 2, reports 1-6, Q01, Q02)."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from homes.build import HomeBuilder

from placet.console.pages.cells import Look
from placet.console.pages.document import document
from placet.console.pages.lines import DiffDoc, Role
from placet.console.pages.seen import Seen
from placet.console.rows import layout
from placet.store.homes import config as home_config
from placet.store.model import Context, Plan, Subsystem, TargetKind
from placet.store.plan import plan as make_plan
from placet.store.plan import snapshot
from placet.store.staged import parse, scan


def plans(home: HomeBuilder) -> Iterator[Plan]:
    config = home_config.read(home.home)
    for subsystem in Subsystem:
        for name in scan.names(home.home, subsystem).names:
            record = scan.read(home.home, subsystem, name)
            proposal = parse.understand(record, record.modified + 60)
            taken = snapshot.take(proposal, config)
            yield make_plan(proposal, taken, Context(config))


@pytest.fixture(params=["home_small", "home_busy"])
def found(request: pytest.FixtureRequest) -> list[Plan]:
    home: HomeBuilder = request.getfixturevalue(request.param)
    return list(plans(home))


def side_of(doc: DiffDoc, signs: str) -> str:
    body = [line for line in doc.lines if line.role in (Role.TEXT, Role.DELIMITER)]
    return "\n".join(line.text for line in body if line.sign in signs)


def test_every_operation_has_its_heading_and_its_text(found: list[Plan]) -> None:
    assert len(found) > 5
    for plan in found:
        doc = document(plan)
        assert set(doc.operations) == {o.number for o in plan.operations}
        text = {line.text for line in doc.lines}
        for number, asked in enumerate(plan.proposal.operations, 1):
            missing = set((asked.content or "").strip().split("\n")) - text
            whole = plan.operations[number - 1].after or ""
            assert all(part.strip() in whole for part in missing), (plan.proposal.name, missing)


def test_both_sides_can_be_read_off(found: list[Plan]) -> None:
    compared = 0
    for plan in found:
        doc = document(plan)
        if len(plan.changes) != 1 or len(doc.operations) > 1 or plan.proposal.target is None:
            continue
        start = next(n for n, line in enumerate(doc.lines) if line.role is Role.FILE)
        body = DiffDoc(doc.lines[start:])
        memory = plan.proposal.target.kind is not TargetKind.SKILL
        for data, signs in ((plan.changes[0].before, " -"), (plan.changes[0].after, " +")):
            text = (data or b"").decode()
            end = "\n" if not memory and text.endswith("\n") else ""
            assert side_of(body, signs) + end == text
            compared += 1
    assert compared > 4


def test_findings_are_highlighted_where_they_are(found: list[Plan]) -> None:
    for plan in found:
        doc = document(plan)
        marked = [
            line.text[a:b] for line in doc.lines for a, b, look in line.spans if look is Look.HIT
        ]
        for verdict in plan.verdicts:
            if verdict.span is None or verdict.operation is None:
                continue
            after = plan.operations[verdict.operation - 1].after
            if after is not None:
                first = after[slice(*verdict.span)].split("\n")[0]
                assert not first or first in marked, (plan.proposal.name, verdict)


def test_seeing_every_row_is_seeing_everything(found: list[Plan]) -> None:
    for plan in found:
        doc = document(plan)
        rows = layout(doc, 77)
        seen = Seen(doc.lengths)
        seen.add(rows.position(row) for row in range(len(rows)))
        assert seen.complete
        assert all(seen.covers(rows.position(row)) for row in range(len(rows)))
