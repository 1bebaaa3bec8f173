"""SOUL.md is one text, kept character for character."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from placet.store.formats import verbatim


@given(st.text())
def test_parse_and_render_are_inverse(text: str) -> None:
    """K02."""
    assert verbatim.render(verbatim.parse(text)) == text


def test_the_whole_text_is_one_entry() -> None:
    assert verbatim.parse(" a\r\n§\nb \n") == [" a\r\n§\nb \n"]
    assert verbatim.parse("") == []
