"""Refusing and discarding from the command line (design §12)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from homes.build import HomeBuilder, add
from homes.reading import identity

Placet = Callable[..., Any]
Digest = Callable[..., str]


class TestRejectAndDiscard:
    def test_reject_leaves_memory_alone_and_is_remembered(
        self, own: HomeBuilder, placet: Placet, person: Any
    ) -> None:
        """Q04, Q05, Q10, field report 100: recognised when it comes back; undone byte for byte."""
        own.memory("first")
        ref = own.stage_add("Use port 8080.")
        raw = own.record_path(ref).read_bytes()
        before = identity(own)
        answer = placet(own, "reject", ref, "--reason", "not true", "--json")
        assert answer.code == 0, answer.err
        assert identity(own) == before and not own.record_path(ref).exists()
        again = own.stage_add("use  port 8080")
        (home,) = placet(own, "pending", "--json").json["homes"]
        assert [p["standing"] for p in home["proposals"]] == ["refused"]
        person.says = ["undo"]
        undone = placet(own, "undo", answer.json["event"])
        assert undone.code == 0, undone.err
        assert own.record_path(ref).read_bytes() == raw
        assert own.record_path(again).exists()

    def test_a_seen_that_is_another_one_rejects_nothing(
        self, own: HomeBuilder, placet: Placet, digest: Digest
    ) -> None:
        ref = own.stage_add("second")
        assert placet(own, "reject", ref, "--seen", "0" * 64).code == 1
        assert own.record_path(ref).exists()
        assert placet(own, "reject", ref, "--seen", digest(own, ref)).code == 0

    def test_until_is_a_span_or_a_date(self, own: HomeBuilder, placet: Placet) -> None:
        """Field report 77: `--until 30d`."""
        ref = own.stage_add("second")
        assert placet(own, "reject", ref, "--until", "soon").code == 2
        assert placet(own, "reject", ref, "--until", "2001-01-01").code == 2
        assert own.record_path(ref).exists()
        assert placet(own, "reject", ref, "--until", "30d").code == 0
        assert placet(own, "refusals", "--json").objects[0]["until"] is not None

    def test_each_refuses_every_operation(self, own: HomeBuilder, placet: Placet) -> None:
        ref = own.stage_batch(add("one"), add("two"))
        assert placet(own, "reject", ref, "--each").code == 0
        found = placet(own, "refusals", "--json").objects
        assert {one["text"] for one in found} == {"one", "two"}

    def test_several_are_discarded_with_a_line_each_and_a_total(
        self, own: HomeBuilder, placet: Placet
    ) -> None:
        """Field reports 4 and 21: one result for each id, and the total adds up."""
        own.memory("first")
        refs = [own.stage_remove(f"gone {n}") for n in range(3)]
        answer = placet(own, "discard", refs[0], "nosuch", refs[1], refs[2])
        assert answer.code == 1
        assert "3 discarded, 1 not discarded: 4 in all." in answer.err
        assert answer.out.count("discarded") == 3
        assert "nosuch" in answer.err
        again = own.stage_remove("gone 0")
        (home,) = placet(own, "pending", "--json").json["homes"]
        assert [(p["id"], p["standing"]) for p in home["proposals"]] == [(again, "dead")]

    def test_what_repeats_a_refusal_is_taken_by_the_next_deciding_verb_and_put_back(
        self, own: HomeBuilder, placet: Placet, person: Any
    ) -> None:
        """Q05: taken once, listed, put back with `undo`."""
        first, other = own.stage_add("Use port 8080."), own.stage_add("something else")
        assert placet(own, "reject", first).code == 0
        repeat = own.stage_add("use port 8080")
        raw = own.record_path(repeat).read_bytes()
        assert placet(own, "pending").code == 0 and own.record_path(repeat).exists()
        assert placet(own, "discard", other).code == 0
        assert not own.record_path(repeat).exists()
        taken = [o for o in placet(own, "refusals", "--json").objects if "taken" in o]
        assert [one["taken"] for one in taken] == [f"default:memory/{repeat}"]
        assert placet(own, "undo", taken[0]["event"]).code == 0
        assert own.record_path(repeat).read_bytes() == raw
        assert placet(own, "show", repeat, "--json").json["standing"] == "warning"
