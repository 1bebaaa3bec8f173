"""YAML that anyone may have written cannot hurt."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.store.formats import safe_yaml


def _bomb() -> str:
    lines = ["a0: &a0 {k: v}"]
    lines += [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}" for n in range(1, 9)]
    return "\n".join(lines)


def test_plain_documents_are_read() -> None:
    assert safe_yaml.mapping("\ufeffa: on\r\nb: [1, 'x']\r\n") == {"a": True, "b": [1, "x"]}
    assert safe_yaml.mapping("") == {}
    assert safe_yaml.mapping("x: &x [1]\ny: *x\n") == {"x": [1], "y": [1]}


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (_bomb(), "grow"),
        ("a: " + "[" * 100_000, "nest"),
        ("a: " * 60 + "1", ""),
        ("a: &a [*a]", "alias"),
        ("- a", "key: value"),
        ("a: [", "line"),
        ("a: 2024-99-99", "ValueError"),
        ("a: !!python/object:os.system {}", "constructor"),
        ("a: 1\n---\nb: 2\n", "document"),
        ("? {a: 1}\n: 2\n", "unhashable"),
        ("a: \x07", ""),
        ("x" * (safe_yaml.MAX_BYTES + 1), "larger"),
        ("a: \ud800", "surrogate"),
    ],
)
def test_everything_else_is_refused_in_words(text: str, word: str) -> None:
    """Field report 72: bombs of aliases, deep nesting, broken and oversized documents."""
    with pytest.raises(safe_yaml.BadYaml) as caught:
        safe_yaml.mapping(text)
    assert word in str(caught.value)


@given(st.text(alphabet="ab:&*-[]{}<>!|'\"#%\n\t ?,0.", max_size=60))
def test_nothing_but_bad_yaml_is_raised(text: str) -> None:
    try:
        safe_yaml.mapping(text)
    except safe_yaml.BadYaml as problem:
        assert str(problem)
