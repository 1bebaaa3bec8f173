"""One number for one thing, wherever it is told: what waits, how long, what is ungated."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from driving.console import running
from homes.build import START, HomeBuilder

from placet.console.board import Board
from placet.console.commands import deciding
from placet.console.header import status
from placet.console.pages.cells import text_of
from placet.console.screens.check import check_words
from placet.store.inbox.inbox import Inbox

Placet = Callable[..., Any]


@pytest.fixture
def busy(own: HomeBuilder, placet: Placet) -> HomeBuilder:
    """A home with a row in every group, twins, a claim, a taken record and an ungated change."""
    own.memory("first").user("second")
    own.skill("one")
    assert placet(own, "reject", own.stage_add("the refused text")).code == 0
    own.stage_add("The refused text", record_id="repeat1")
    placet(own, "discard", own.stage_add("first"))  # the next decision takes the repeat out
    own.stage_add("the REFUSED text", record_id="repeat2")
    for record_id in ("twin1", "twin2", "twin3"):
        own.stage_add("the same", record_id=record_id)
    own.stage_remove("not there", record_id="dead")
    own.stage_add("x" * 3000, record_id="held")
    own.stage_raw("malformed.json", b"{")
    own.stage({"action": "add"}, record_id="foreign", provider="othermem")
    own.stage_skill("delete", "one", record_id="skill")
    own.stage_add("claimed", record_id="claimed")
    own.record_path("claimed").rename(own.pending() / ".claimed.json.placet")
    own.stage_add("of times to come", record_id="future", created_at=time.time() + 9e6)
    own.stage_add("no time", record_id="timeless", created_at="1")
    own.stage_add("the oldest", record_id="oldest", created_at=START - 1e7)
    own.user("second", "written past the queue")
    return own


def on_the_board(home: HomeBuilder) -> Board:
    """What the console knows once everything is read."""
    inbox = Inbox([home.home])
    return Board((home.home,), views={"default": inbox.refresh(home.home)})


def number(pattern: str, text: str) -> int:
    """The one number that a text names like that."""
    (found,) = re.findall(pattern, text)
    return int(found)


def test_everybody_counts_the_same_records(busy: HomeBuilder, placet: Placet) -> None:
    """Pending, count, status, the header and the Check screen, folded groups included."""
    listed = placet(busy, "pending")
    shapes = placet(busy, "pending", "--json").json["homes"][0]["proposals"]
    counted = placet(busy, "count", "--json").json
    board, now = on_the_board(busy), time.time()
    found = {
        "pending": number(r"(?m)^(\d+) waiting", listed.out),
        "its groups": sum(map(int, re.findall(r"(?m)^[a-z][^·!]*: (\d+)$", listed.out))),
        "pending --json": len(shapes),
        "count": counted["memory"] + counted["skills"],
        "status": number(r"(\d+) waiting", placet(busy, "status").out),
        "status --json": placet(busy, "status", "--json").json["homes"][0]["waiting"],
        "header": number(r"(\d+) waiting", text_of(status(board, now).left)),
        "check": number(r"(\d+) waiting", "\n".join(words for words, _ in check_words(board, now))),
        "files": len([*busy.pending("memory").iterdir(), *busy.pending("skills").iterdir()]),
    }
    assert set(found.values()) == {13}, found


def test_everybody_tells_the_same_age_and_the_same_changes(
    busy: HomeBuilder, placet: Placet
) -> None:
    """The oldest record by what it says of itself, and ungated and taken ones beside it."""
    counted = placet(busy, "count", "--json").json
    told = placet(busy, "status", "--json").json["homes"][0]
    view = on_the_board(busy).views["default"]
    ages = (counted["oldest_seconds"], told["oldest_seconds"], view.oldest_seconds(time.time()))
    assert None not in ages and max(ages) - min(ages) <= 30, ages
    pending = placet(busy, "pending", "--json").json["homes"][0]
    assert [counted["ungated"], told["ungated"], len(pending["ungated"])] == [1, 1, 1]
    taken = [one for one in placet(busy, "refusals", "--json").objects if "taken" in one]
    assert told["taken"] == len(taken) == len(view.taken) == 1


async def test_the_list_names_all_that_wait_beside_what_a_search_leaves(
    tmp_path: Path, busy: HomeBuilder
) -> None:
    """The title never says fewer than the header without saying why."""
    async with running(busy, deciding.approver(), tmp_path, size=(120, 40)) as driver:
        waiting = driver.app.board.waiting
        assert f" waiting {waiting} " in driver.text()
        await driver.key("slash")
        await driver.type("the same\n")
        await driver.settled()
        assert f" waiting 3 of {waiting} " in driver.text()


def test_show_names_the_twins_that_pending_names(busy: HomeBuilder, placet: Placet) -> None:
    """How often something was proposed is the same in the list, in JSON, and of the row itself."""
    refs = {"twin1", "twin2", "twin3"}
    proposals = placet(busy, "pending", "--json").json["homes"][0]["proposals"]
    listed = {one["id"]: one["same_as"] for one in proposals if one["id"] in refs}
    for ref in refs:
        shown = placet(busy, "show", ref, "--json").json["same_as"]
        assert sorted(shown) == sorted(listed[ref]) and len(shown) == 2
        out = placet(busy, "show", ref).out
        assert "proposed 3 times" in out and out.count("same as ") == 2
