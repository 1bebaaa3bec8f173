"""Undo, keep, revert and lift from the command line (design §12)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from homes.build import HomeBuilder
from homes.reading import memory

Placet = Callable[..., Any]
Digest = Callable[..., str]


class TestHistory:
    def test_a_change_that_nobody_was_shown_cannot_be_kept(
        self, own: HomeBuilder, placet: Placet, person: Any
    ) -> None:
        """Q13, promise 1: the number that this very command gives out is no consent."""
        assert placet(own, "keep").code == 0
        own.memory("first", "behind the queue")
        shown = placet(own, "pending").out
        assert "not recorded yet" in shown and "`placet keep` records it" in shown
        answer = placet(own, "keep", "2")
        assert answer.code == 1 and "There was no #2 before this command" in answer.err
        named = placet(own, "keep")
        assert named.code == 0 and "ungated #2: memories/MEMORY.md" in named.err
        assert "ungated #2:" in placet(own, "pending").out
        kept = placet(own, "keep", "2", "--json")
        assert (kept.code, kept.json["decision"]) == (0, "kept")
        assert placet(own, "undo", "99").err.startswith("There is no #99")

    def test_undo_of_an_approval_shows_the_inverse_and_asks(
        self, own: HomeBuilder, placet: Placet, digest: Digest, person: Any
    ) -> None:
        """Q10, field report 98: after a later unrelated add."""
        own.memory("first", "second", "third", "fourth")
        remove, more = own.stage_remove("second"), own.stage_add("fifth")
        done = placet(own, "approve", remove, "--seen", digest(own, remove), "--json").json
        assert placet(own, "approve", more, "--seen", digest(own, more)).code == 0
        answer = placet(own, "undo", done["event"])
        assert answer.code == 1 and "+ second" in answer.out and "second" not in memory(own)
        person.says = ["undo"]
        answer = placet(own, "undo", done["event"], "--json")
        assert answer.code == 0, answer.err
        assert "second" in memory(own) and "fifth" in memory(own)
        assert answer.json["decision"] == "undone"
        assert placet(own, "undo", done["event"]).code == 1

    def test_a_conflict_shows_the_three_texts(
        self, own: HomeBuilder, placet: Placet, digest: Digest, person: Any
    ) -> None:
        """Q10: when the entry has changed since, three texts and no guess."""
        own.memory("old text", "b", "c")
        ref = own.stage_replace("old text", "new text")
        done = placet(own, "approve", ref, "--seen", digest(own, ref), "--json")
        if done.code:
            person.says = ["approve"]
            done = placet(own, "approve", ref, "--seen", digest(own, ref), "--json")
        own.memory("newest text", "b", "c")
        answer = placet(own, "undo", done.json["event"])
        assert answer.code == 1
        assert all(f"| {text}" in answer.out for text in ("old text", "new text", "newest text"))
        as_json = placet(own, "undo", done.json["event"], "--json").json
        assert as_json["error"] == "conflict" and as_json["texts"]["now"] == "newest text"

    @pytest.mark.parametrize("word", ["x", "", "#", "-1", "default:", "9" * 30])
    def test_what_is_no_number_is_not_found(
        self, own: HomeBuilder, placet: Placet, word: str
    ) -> None:
        assert placet(own, "undo", "--", word).code == 1
        assert placet(own, "keep", "--", word).code == 1

    def test_a_missing_number_explains_the_shell(self, own: HomeBuilder, placet: Placet) -> None:
        """`placet undo #12` reaches us as `placet undo` in most shells."""
        answer = placet(own, "undo")
        assert answer.code == 2 and "'#12'" in answer.err

    def test_ungated_changes_are_kept_and_reverted(
        self, own: HomeBuilder, placet: Placet, digest: Digest, person: Any
    ) -> None:
        """Q13: a change behind the queue's back is listed with both sides, kept or reverted."""
        own.memory("first")
        ref = own.stage_add("second")
        assert placet(own, "approve", ref, "--seen", digest(own, ref)).code == 0
        own.memory("first", "second", "sneaked in")
        (home,) = placet(own, "pending", "--json").json["homes"]
        (change,) = home["ungated"]
        assert change["ref"] is None and change["path"] == "memories/MEMORY.md"
        assert change["before"]["text"] == "first\n§\nsecond"
        assert change["after"]["text"].endswith("sneaked in")
        assert placet(own, "count", "--json").json["ungated"] == 1
        other = own.stage_remove("nothing")
        assert placet(own, "discard", other).code == 0
        (home,) = placet(own, "pending", "--json").json["homes"]
        (change,) = home["ungated"]
        assert change["ref"].startswith("default:#")
        person.says = ["revert", "memory"]
        answer = placet(own, "revert", change["ref"])
        assert answer.code == 0, answer.err
        assert memory(own) == ["first", "second"]
        assert placet(own, "count", "--json").json["ungated"] == 0
        own.memory("first", "second", "by hand")
        other = own.stage_remove("nothing")
        assert placet(own, "discard", other).code == 0
        (home,) = placet(own, "pending", "--json").json["homes"]
        assert placet(own, "keep", home["ungated"][0]["ref"]).code == 0
        assert placet(own, "count", "--json").json["ungated"] == 0
        assert memory(own) == ["first", "second", "by hand"]

    def test_lift_lets_it_through_again(
        self, own: HomeBuilder, placet: Placet, person: Any
    ) -> None:
        """Q06: lifting is asked for, logged, and by fingerprint or by event."""
        for how in ("fingerprint", "event"):
            ref = own.stage_add(f"Use port 8080 ({how}).")
            assert placet(own, "reject", ref).code == 0
            found = placet(own, "refusals", "--json").objects[0]
            name = found["fingerprint"][:12] if how == "fingerprint" else found["event"]
            assert placet(own, "lift", name).code == 1
            person.says = ["lift"]
            answer = placet(own, "lift", name, "--json")
            assert answer.code == 0, answer.err
            assert answer.json["decision"] == "lifted"
            assert placet(own, "refusals", "--json").objects == []
        assert len(placet(own, "refusals", "--lifted", "--json").objects) == 2
        assert placet(own, "lift", "ffffffffffff").code == 1
