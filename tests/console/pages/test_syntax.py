"""Skill files get inks by what they are written in, and never another character."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.console.pages import syntax
from placet.console.pages.cells import Look, text_of
from placet.console.pages.lines import DiffDoc, DiffLine
from placet.console.pages.syntax import LONGEST, Token, languages, runs
from placet.console.rows import layout
from placet.console.shown import plain

KNOWN = ("markdown", "python", "shell", "json", "yaml", "toml")

SKILL = """---
name: deploy
---
# Deploy
```python
def go(): ...
```
~~~
plain
~~~
after"""


def test_a_skill_is_read_line_by_line() -> None:
    assert languages("skills/deploy/SKILL.md", SKILL) == (
        "yaml", "yaml", "yaml", "markdown", "markdown", "python", "markdown",
        "markdown", "", "markdown", "markdown",
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "language"),
    [("a.py", "python"), ("run.SH", "shell"), ("x.yml", "yaml"), ("pyproject.toml", "toml"),
     ("data.json", "json"), ("LICENSE", ""), ("picture.png", "")],
)  # fmt: skip
def test_the_ending_of_a_name_tells_the_language(name: str, language: str) -> None:
    assert languages(name, "one\ntwo") == (language, language)


@pytest.mark.parametrize(
    ("language", "line", "word", "token"),
    [
        ("markdown", "# Deploy", "# Deploy", Token.HEADING),
        ("python", "def go(): return 1  # later", "def", Token.KEYWORD),
        ("python", "def go(): return 1  # later", "# later", Token.COMMENT),
        ("shell", 'for x in $(ls); do echo "$x"; done', "for", Token.KEYWORD),
        ("json", '{"a": [1, true]}', '"a"', Token.NAME),
        ("yaml", "name: deploy", "name", Token.NAME),
        ("toml", "port = 8080", "8080", Token.NUMBER),
    ],
)
def test_each_language_gets_its_inks(language: str, line: str, word: str, token: Token) -> None:
    found = [(line[start:end], what) for start, end, what in runs(language, line)]
    assert (word, token) in found


def test_a_hostile_or_overlong_line_gets_none() -> None:
    line = "x = 'a'"
    assert runs("python", line)
    assert runs("python", line + "\u202e") == ()
    assert runs("python", f"# {'x' * LONGEST}") == ()


def test_a_slow_lexer_leaves_the_rest_in_one_ink() -> None:
    lexer = syntax._lexer("python")  # pyright: ignore[reportPrivateUsage]
    ticks = iter([0.0, 0.0, 1.0])
    found = list(syntax._runs(lexer, "def go(): return 1", lambda: next(ticks)))  # pyright: ignore
    assert [run.token for run in found] == [Token.KEYWORD]


@given(st.sampled_from(KNOWN), st.text(st.characters(exclude_characters="\n"), max_size=80))
def test_a_styled_line_is_the_escaped_line(language: str, text: str) -> None:
    line = DiffLine("+", text, Look.NEW, language=language)
    rows = layout(DiffDoc((line,)), 4000)
    assert text_of(rows.cells(0)) == plain(text)
    found = runs(language, text)
    assert all(a.end <= b.start for a, b in pairwise(found))
    assert all(0 <= run.start < run.end <= len(text) for run in found)


def test_only_plain_looks_take_an_ink() -> None:
    """Changed words, hits and matches keep their own colours."""
    line = DiffLine("+", "def go", Look.NEW, ((0, 3, Look.NEW_WORD),), language="python")
    cells = layout(DiffDoc((line,)), 80).cells(0)
    assert [(c.text, c.look, c.token) for c in cells] == [
        ("def", Look.NEW_WORD, None), (" ", Look.NEW, None), ("go", Look.NEW, Token.NAME),
    ]  # fmt: skip
