"""Heads, names and paths of skills are judged by Hermes' limits."""

from __future__ import annotations

import pytest
from homes.build import skill_text
from hypothesis import given
from hypothesis import strategies as st

from placet.store.formats import skill


def test_a_correct_head_is_read() -> None:
    front = skill.frontmatter(skill_text("tidy", "Keeps things tidy."))
    assert front == skill.Front("tidy", "Keeps things tidy.", "")
    assert skill.frontmatter(skill_text("tidy").replace("\n", "\r\n")).problem == ""


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("just text", "start with"),
        ("", "start with"),
        ("---\nname: a\n", "not closed"),
        ("---\nname: [\n---\nbody\n", "YAML"),
        ("---\n- a\n---\nbody\n", "key: value"),
        ("---\ndescription: d\n---\nbody\n", "“name”"),
        ("---\nname: a\n---\nbody\n", "“description”"),
        ("---\nname: a\ndescription: d\n---\n\n", "Nothing follows"),
        (f"---\nname: a\ndescription: {'d' * 1025}\n---\nbody\n", "longer than"),
        ("---\na: " + "[" * 9000 + "\n---\nbody\n", "nest"),
    ],
)
def test_a_broken_head_is_named(text: str, word: str) -> None:
    """format.md §2.3: frontmatter-broken."""
    assert word in skill.frontmatter(text).problem


@given(st.text(alphabet="-\nname:descrpto &*[]{}\"'|>!%@`\u2028\x00", max_size=80))
def test_heads_never_raise(text: str) -> None:
    """Any head is either broken, in words, or has the name and the description Hermes asks for."""
    for whole in (f"---\n{text}\n---\nbody", text):
        front = skill.frontmatter(whole)
        if front.problem:
            assert front.problem.endswith(".")
        else:
            assert "name:" in whole
            assert front.name
            assert front.description


@pytest.mark.parametrize("name", ["a", "log-triage", "0", "a.b_c-d", "x" * 64])
def test_good_names(name: str) -> None:
    assert skill.valid_name(name) == ""


@pytest.mark.parametrize(
    "name",
    ["", "A", "../evil", "a/b", ".x", "-x", "x" * 65, "a b", "a\n", "ä", "a\u202e", "a\x00"],
)
def test_bad_names(name: str) -> None:
    """pending-records `create-bad-name`, field report 66."""
    assert skill.valid_name(name)


@pytest.mark.parametrize(
    "path", ["SKILL.md", "sub/SKILL.md", "references/x.md", "scripts/deep/er/a.py", "assets/ä.png"]
)
def test_good_paths(path: str) -> None:
    assert skill.valid_path(path) == ""


@pytest.mark.parametrize(
    "path",
    [
        "",
        "references",
        "references/",
        "references/../../../x.md",
        "/etc/passwd",
        "~/x",
        "x.md",
        "a/b/SKILL.md",
        "references//x",
        "references/./x",
        "references\\x",
        "references/a\x00b",
        "references/a\nb",
        "references/" + "x" * 300,
    ],
)
def test_bad_paths(path: str) -> None:
    """pending-records `traversal`, field report 55."""
    assert skill.valid_path(path)
