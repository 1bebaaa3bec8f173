"""Who may decide from the command line, and in which home (design §9, §12)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from homes.build import HomeBuilder
from homes.reading import memory

Placet = Callable[..., Any]
Digest = Callable[..., str]


class TestWhoMayDecide:
    def test_without_a_terminal_nothing_is_decided(
        self, home: HomeBuilder, placet: Placet, digest: Digest
    ) -> None:
        """Q16: refused with the reason, and nothing is made."""
        home.memory("first")
        ref = home.stage_add("second")
        seen = digest(home, ref)
        before = home.tree()
        for words in (
            ("approve", ref, "--seen", seen),
            ("reject", ref),
            ("discard", ref),
            ("edit", ref),
            ("edit-memory", "memory"),
            ("normalise", "memory"),
            ("undo", "1"),
            ("keep", "1"),
            ("revert", "1"),
            ("lift", "#1"),
            ("audit", "--accept"),
        ):
            answer = placet(home, *words, "--json")
            assert answer.code == 1, words
            assert answer.json["error"] == "not-allowed"
            assert "Nothing is decided here" in answer.err
        assert home.tree() == before

    def test_a_claimed_name_is_no_option(self, own: HomeBuilder, placet: Placet) -> None:
        """Field report 52: who decides comes from the system, never from an argument."""
        ref = own.stage_add("second")
        assert placet(own, "approve", ref, "--as", "root-admin").code == 2

    def test_the_same_id_in_two_homes_is_told_apart(
        self,
        own: HomeBuilder,
        make_home: Callable[[str], HomeBuilder],
        placet: Placet,
    ) -> None:
        """Field report 56: approve in one, the other is untouched."""
        other = make_home("other")
        own.memory("zero")
        own.stage_add("one", record_id="same")
        other.stage_add("two", record_id="same")
        answer = placet([own, other], "show", "same", "--json")
        assert answer.code == 2 and answer.json["error"] == "ambiguous"
        mine = next(c for c in answer.json["choices"] if str(own.path) in c)
        shown = placet([own, other], "show", mine, "--json").json
        before = other.tree()
        done = placet([own, other], "approve", mine, "--seen", shown["digest"])
        assert done.code == 0, done.err
        assert memory(own) == ["zero", "one"] and other.tree() == before
