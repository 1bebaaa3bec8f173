"""Identical proposals get one answer, from the console and from a verb alike."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from driving.console import events_of, own_home
from homes.build import HomeBuilder

from placet.console.board import Wanted
from placet.console.commands import deciding
from placet.console.desks import Desks
from placet.store.decide import DemoApprover
from placet.store.inbox.inbox import Inbox
from placet.store.model import Ref, Sight, Subsystem

Placet = Callable[..., Any]
Door = Callable[[str], None]

ORIGIN = "assistant_tool"
"""Whose repeats the refusal rule leaves in the queue: only a decision settles them."""


@pytest.fixture(params=["console", "verb"])
def office(
    request: pytest.FixtureRequest,
    tmp_path: Path,
    placet: Placet,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[tuple[HomeBuilder, Door, Door]]:
    """A home with three twins and another proposal, and how each door approves and refuses."""
    home, approver = own_home(tmp_path)
    monkeypatch.setattr(deciding, "approver", lambda: approver)
    home.memory("first")
    for record_id in ("one", "two", "three"):
        home.stage_add("the same", record_id=record_id, origin=ORIGIN)
    home.stage_add("another", record_id="other", origin=ORIGIN)
    if request.param == "verb":
        yield home, *_by_verb(home, placet)
    else:
        desks = _desks(home, approver)
        yield home, *_by_console(home, desks)
        desks.close()


def _by_verb(home: HomeBuilder, placet: Placet) -> tuple[Door, Door]:
    def approve(ref: str) -> None:
        seen = placet(home, "show", ref, "--json").json["digest"]
        assert placet(home, "approve", ref, "--seen", seen).code == 0

    def reject(ref: str) -> None:
        assert placet(home, "reject", ref).code == 0

    return approve, reject


def _desks(home: HomeBuilder, approver: DemoApprover) -> Desks:
    return Desks([home.home], lambda: approver, lambda *_: None, lambda *_: None, lambda: False)


def _by_console(home: HomeBuilder, desks: Desks) -> tuple[Door, Door]:
    assert not desks.open().refused

    def item(ref: str) -> Any:
        inbox = Inbox([home.home])
        inbox.refresh(home.home)
        return inbox.item(Ref("default", Subsystem.MEMORY, ref))

    def approve(ref: str) -> None:
        row = item(ref)
        wanted = Wanted(row.proposal, row.plan.choice, row.plan.digest or "")
        desks.approve("default", wanted, [twin.proposal for twin in row.twins], Sight())

    def reject(ref: str) -> None:
        desks.reject("default", [one.proposal for one in item(ref).members], "", False, Sight())

    return approve, reject


def told(home: HomeBuilder) -> list[tuple[str, str, str]]:
    """Every decision with its record and its reason, in order."""
    kinds = ("approved", "discarded", "rejected")
    return [
        (event["kind"], event["ref"].rpartition("/")[2], event.get("reason") or "")
        for event in events_of(home)
        if event["kind"] in kinds
    ]


def test_approving_one_takes_its_twins_out(office: tuple[HomeBuilder, Door, Door]) -> None:
    """Whichever of them is named, none is left dead in the queue."""
    home, approve, _ = office
    approve("two")
    assert home.read("memories/MEMORY.md") == "first\n§\nthe same".encode()
    assert [path.stem for path in home.pending().iterdir()] == ["other"]
    (first, *twins) = told(home)
    assert first == ("approved", "two", "")
    assert {twin[:2] for twin in twins} == {("discarded", "one"), ("discarded", "three")}
    assert all("which was approved" in reason for _, _, reason in twins)


def test_refusing_one_refuses_its_twins(office: tuple[HomeBuilder, Door, Door]) -> None:
    """The value is refused once for all of them, and each leaves the queue."""
    home, _, reject = office
    reject("three")
    assert [path.stem for path in home.pending().iterdir()] == ["other"]
    assert [kind for kind, _, _ in told(home)] == ["rejected"] * 3


def test_the_verb_says_what_became_of_the_twins(
    own: HomeBuilder, placet: Placet, digest: Callable[..., str]
) -> None:
    """Each with the command that puts it back; in JSON as notes of the one answer."""
    for text in ("a", "b"):
        for number in (1, 2, 3):
            own.stage_add(text, record_id=f"{text}{number}")
    out = placet(own, "approve", "a1", "--seen", digest(own, "a1")).out
    assert "discarded default:memory/a2 (undo: placet undo default:" in out
    answer = placet(own, "approve", "b2", "--seen", digest(own, "b2"), "--json").json
    assert [note.split(" (")[0] for note in answer["notes"] if "undo" in note] == [
        "discarded default:memory/b1",
        "discarded default:memory/b3",
    ]


def test_a_twin_that_was_rewritten_stays_and_is_told(
    own: HomeBuilder, placet: Placet, person: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only what was shown is settled: other bytes are another proposal."""
    own.memory("a long entry that loses most of itself")
    for number in (1, 2):
        own.stage_replace("a long entry", "short", record_id=f"r{number}")
    shown = placet(own, "show", "r1", "--json").json

    def rewritten(question: str, *, ascii: bool = True) -> str:  # noqa: A002
        own.stage_add("something else", record_id="r2")
        return str(shown["targets"][0] if "Type `memory`" in question else "approve")

    monkeypatch.setattr(person, "line", rewritten)
    monkeypatch.setattr("placet.console.commands.ask.line", rewritten)
    answer = placet(own, "approve", "r1", "--seen", shown["digest"])
    assert answer.code == 0 and "not done: " in answer.out
    assert [path.stem for path in own.pending().iterdir()] == ["r2"]
