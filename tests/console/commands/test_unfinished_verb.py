"""What could not be written is listed, tried again and given up from the command line as well."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from driving.console import events_of
from homes.build import HomeBuilder
from homes.reading import memory

from placet.store.disk import swap
from placet.store.errors import NotWritten
from placet.store.model import Change

Placet = Callable[..., Any]
Stuck = Callable[..., Callable[[], None]]


@pytest.fixture
def stuck(own: HomeBuilder, placet: Placet, digest: Callable[..., str]) -> Iterator[Stuck]:
    """Approve records while the disk takes nothing; returns what makes it take things again."""

    def no_room(change: Change, token: str) -> None:
        reason = os.strerror(errno.ENOSPC)
        raise NotWritten(f"{change.name} could not be written: {reason}.")

    patch = pytest.MonkeyPatch()

    def stop(*refs: str) -> Callable[[], None]:
        patch.setattr(swap, "swap", no_room)
        for ref in refs:
            answer = placet(own, "approve", ref, "--seen", digest(own, ref))
            assert answer.code == 1 and "No space left on device" in answer.err
            assert "`placet unfinished`" in answer.err
        return patch.undo

    yield stop
    patch.undo()


def test_nothing_unfinished_is_an_empty_list(own: HomeBuilder, placet: Placet) -> None:
    assert placet(own, "unfinished").out == "Nothing is unfinished.\n"
    assert placet(own, "unfinished", "--json").out == ""


def test_it_is_listed_and_retried(own: HomeBuilder, placet: Placet, stuck: Stuck) -> None:
    """The list names record, file and token; a retry that fails says why, then it is written."""
    own.memory("first")
    ref = own.stage_add("second")
    room = stuck(ref)
    listed = placet(own, "unfinished")
    assert (
        f"default:memory/{ref} (" in listed.out
        and "not finished (memories/MEMORY.md)" in listed.out
    )
    (shape,) = placet(own, "unfinished", "--json").objects
    assert shape["ref"] == f"default:memory/{ref}" and shape["files"] == ["memories/MEMORY.md"]
    again = placet(own, "unfinished", "retry", ref, "--json")
    assert again.code == 1 and again.json["error"] == "not-written"
    room()
    done = placet(own, "unfinished", "retry", ref)
    assert done.code == 0 and "added 1 to MEMORY.md" in done.out and "undo: " in done.out
    assert memory(own) == ["first", "second"] and placet(own, "unfinished").code == 0
    assert placet(own, "unfinished", "--json").out == ""


def test_it_is_given_up_although_it_could_be_written_now(
    own: HomeBuilder, placet: Placet, stuck: Stuck
) -> None:
    """Cancelling never writes first what it was asked to give up."""
    own.memory("first")
    ref = own.stage_add("second")
    stuck(ref)()
    (shape,) = placet(own, "unfinished", "--json").objects
    done = placet(own, "unfinished", "cancel", shape["token"], "--json").json
    assert done["decision"] == "aborted" and memory(own) == ["first"]
    assert own.record_path(ref).exists()
    assert [event["kind"] for event in events_of(own)] == ["baseline", "aborted"]
    assert placet(own, "pending", "--json").json["homes"][0]["proposals"][0]["life"] == "waiting"


def test_an_own_change_is_called_by_its_token(
    own: HomeBuilder,
    placet: Placet,
    person: Any,
    editor: Callable[[str], Any],
    stuck: Stuck,
) -> None:
    """It has no record, so nothing else names it."""
    own.memory("first")
    editor("t = 'written by hand'")
    room = stuck()
    person.says = ["approve"]
    assert placet(own, "edit-memory", "memory").code == 1
    (shape,) = placet(own, "unfinished", "--json").objects
    assert shape["ref"] is None and shape["target"] == "memory"
    out = placet(own, "unfinished").out
    assert "your own change of memory" in out and shape["token"] in out
    room()
    assert placet(own, "unfinished", "retry", shape["token"]).code == 0
    assert memory(own) == ["first", "written by hand"]


def test_only_the_one_that_is_named_is_ended(
    own: HomeBuilder, placet: Placet, stuck: Stuck
) -> None:
    """The others wait on, and are not finished on the way."""
    own.memory("first").user("theirs")
    one, two = own.stage_add("second"), own.stage_add("third", target="user")
    stuck(one, two)()
    assert placet(own, "unfinished", "cancel", one).code == 0
    (left,) = placet(own, "unfinished", "--json").objects
    assert left["ref"] == f"default:memory/{two}" and own.read("memories/USER.md") == b"theirs"


def test_what_is_only_claimed_is_said_to_be_that(own: HomeBuilder, placet: Placet) -> None:
    """There is nothing to retry in a claim without a decision."""
    ref = own.stage_add("second")
    own.record_path(ref).rename(own.pending() / f".{ref}.json.placet")
    assert "claimed by a placet process and not decided" in placet(own, "unfinished").out
    answer = placet(own, "unfinished", "retry", ref)
    assert answer.code == 1 and "nothing to retry" in answer.err
    assert placet(own, "unfinished", "cancel", "nosuch").code == 1


def test_deciding_verbs_name_the_way(own: HomeBuilder, placet: Placet, stuck: Stuck) -> None:
    """Whatever is asked of such a record, the answer names what can be done."""
    own.memory("first")
    ref = own.stage_add("second")
    patch = stuck(ref)
    for words in (("reject", ref), ("discard", ref), ("approve", ref)):
        answer = placet(own, *words)
        assert answer.code == 1 and "placet unfinished" in answer.err, words
    assert "placet unfinished" in placet(own, "pending").out
    assert "placet unfinished" in placet(own, "show", ref).out
    patch()
