"""Editing from the command line: records, memory, and normalising (design §12)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from homes.build import HomeBuilder, add, replace
from homes.reading import identity, memory

Placet = Callable[..., Any]


class TestEditing:
    def test_edit_then_approve_keeps_both_texts(
        self, own: HomeBuilder, placet: Placet, person: Any, editor: Any
    ) -> None:
        """Q07, field report 88."""
        own.memory("first")
        ref = own.stage_add("a very long text")
        given = editor("t = 'short'")
        person.says = ["approve"]
        answer = placet(own, "edit", ref, "--json")
        assert answer.code == 0, answer.err
        assert given.read_text() == "a very long text"
        assert answer.json["decision"] == "edited" and memory(own) == ["first", "short"]
        again = own.stage_add("a very long text")
        codes = [v["code"] for v in placet(own, "show", again, "--json").json["verdicts"]]
        assert "edited-before" in codes

    def test_hidden_characters_are_edited_in_escaped_form(
        self, own: HomeBuilder, placet: Placet, person: Any, editor: Any
    ) -> None:
        own.memory("first")
        ref = own.stage_add("pay\u200bload C:\\new")
        given = editor("t = t.replace('\\\\u{200B}', '')")
        person.says = ["approve"]
        answer = placet(own, "edit", ref)
        assert answer.code == 0, answer.err
        assert given.read_text() == "pay\\u{200B}load C:\\\\new"
        assert memory(own) == ["first", "payload C:\\new"]

    def test_the_file_is_private_and_goes_away(
        self, own: HomeBuilder, placet: Placet, person: Any, editor: Any, tmp_path: Path
    ) -> None:
        own.memory("first")
        ref = own.stage_add("second")
        note = tmp_path / "note"
        editor(f"pathlib.Path({str(note)!r}).write_text(f'{{mode:o}} {{p}}'); t = 'third'")
        person.says = ["approve"]
        assert placet(own, "edit", ref).code == 0
        mode, _, path = note.read_text().partition(" ")
        assert mode == "600" and not Path(path).exists() and not Path(path).parent.exists()

    @pytest.mark.parametrize("answer", [[], ["no"]])
    def test_stopping_keeps_what_was_typed(
        self, own: HomeBuilder, placet: Placet, person: Any, editor: Any, answer: list[str]
    ) -> None:
        own.memory("first")
        ref = own.stage_add("second")
        editor("t = 'typed for an hour'")
        person.says = answer
        stopped = placet(own, "edit", ref)
        assert stopped.code == 1 and memory(own) == ["first"] and own.record_path(ref).exists()
        kept = Path(stopped.err.rpartition("kept in ")[2].strip())
        assert kept.read_text() == "typed for an hour"
        assert kept.stat().st_mode & 0o777 == 0o600

    def test_an_interrupted_edit_keeps_what_was_typed(
        self, own: HomeBuilder, placet: Placet, editor: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        from placet.console.commands import ask

        def interrupted(*_: object, **__: object) -> str:
            raise KeyboardInterrupt

        monkeypatch.setattr(ask, "line", interrupted)
        ref = own.stage_add("second")
        editor("t = 'typed for an hour'")
        answer = placet(own, "edit", ref)
        assert answer.code == 1
        kept = Path(answer.err.rpartition("kept in ")[2].strip())
        assert kept.read_text() == "typed for an hour"

    def test_an_edit_that_a_gate_blocks_keeps_the_text(
        self, own: HomeBuilder, placet: Placet, person: Any, editor: Any
    ) -> None:
        own.memory("first")
        ref = own.stage_add("second")
        editor("t = 'a\\n§\\nb'")
        answer = placet(own, "edit", ref)
        assert answer.code == 1 and "kept in" in answer.err and memory(own) == ["first"]
        assert not person.asked

    def test_a_failing_editor_decides_nothing(
        self, own: HomeBuilder, placet: Placet, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ref = own.stage_add("second")
        monkeypatch.setenv("VISUAL", "false")
        assert placet(own, "edit", ref).code == 1
        monkeypatch.setenv("VISUAL", "/no/such/editor")
        assert "could not be started" in placet(own, "edit", ref).err
        assert own.record_path(ref).exists()

    def test_which_operation_has_to_be_said(
        self, own: HomeBuilder, placet: Placet, person: Any, editor: Any
    ) -> None:
        own.memory("first")
        ref = own.stage_batch(add("one"), replace("first", "two"))
        editor("t = 'edited'")
        assert placet(own, "edit", ref).code == 2
        assert placet(own, "edit", ref, "--operation", "9").code == 2
        person.says = ["approve"]
        answer = placet(own, "edit", ref, "--operation", "1")
        assert answer.code == 0, answer.err
        assert memory(own) == ["two", "edited"]

    def test_edit_memory_adds_edits_and_removes(
        self, own: HomeBuilder, placet: Placet, person: Any, editor: Any
    ) -> None:
        """C06 on the command line: every gate, the change first, a decision like any other."""
        own.memory("first", "second", "third")
        for line, words, after in (
            ("t = 'fourth'", ["memory"], ["first", "second", "third", "fourth"]),
            ("t = 'zweite'", ["memory", "2"], ["first", "zweite", "third", "fourth"]),
            ("t = ''", ["memory", "2"], ["first", "third", "fourth"]),
        ):
            editor(line)
            person.says = ["approve"]
            answer = placet(own, "edit-memory", *words)
            assert answer.code == 0, answer.err
            assert memory(own) == after
        assert placet(own, "edit-memory", "memory", "9").code == 1
        assert placet(own, "edit-memory", "nonsense").code == 1

    def test_edit_memory_writes_soul_as_a_whole(
        self, own: HomeBuilder, placet: Placet, person: Any, editor: Any
    ) -> None:
        own.soul("Be kind.\n")
        given = editor("t = t + 'Be brief.\\n'")
        person.says = ["approve", "soul"]
        answer = placet(own, "edit-memory", "soul")
        assert answer.code == 0, answer.err
        assert given.read_text() == "Be kind.\n"
        assert own.read("SOUL.md") == b"Be kind.\nBe brief.\n"

    def test_an_untouched_text_decides_nothing(
        self, own: HomeBuilder, placet: Placet, editor: Any
    ) -> None:
        """An editor that only adds a line end at the end changes nothing."""
        own.memory("first")
        editor("t = t + '\\n'")
        before = identity(own)
        answer = placet(own, "edit-memory", "memory", "1")
        assert answer.code == 0 and "as it was" in answer.err and identity(own) == before

    def test_a_file_that_moves_meanwhile_keeps_the_text(
        self, own: HomeBuilder, placet: Placet, person: Any, editor: Any
    ) -> None:
        """C06: fails safely when the file moved meanwhile; both texts kept."""
        own.memory("first", "second", "third")
        place = own.path / "memories" / "MEMORY.md"
        editor(f"pathlib.Path({str(place)!r}).write_text('other\\n§\\nsecond'); t = 'typed'")
        person.says = ["approve"]
        answer = placet(own, "edit-memory", "memory", "1")
        assert answer.code == 1 and memory(own) == ["other", "second"]
        kept = Path(answer.err.rpartition("kept in ")[2].strip())
        assert kept.read_text() == "typed"

    def test_normalise_frees_a_drifted_file(
        self, own: HomeBuilder, placet: Placet, person: Any
    ) -> None:
        """Q19, field report 31."""
        own.write("memories/MEMORY.md", "alpha\n\n§\n\nbeta\n")
        ref = own.stage_add("gamma")
        assert placet(own, "show", ref, "--json").json["standing"] == "held"
        person.says = ["approve"]
        answer = placet(own, "normalise", "memory")
        assert answer.code == 0, answer.err
        assert own.read("memories/MEMORY.md") == "alpha\n§\nbeta".encode()
        assert placet(own, "show", ref, "--json").json["standing"] == "ready"
