"""What has been on the screen, kept by source position (design §11)."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from placet.console.pages.seen import Position, Seen


def test_nothing_is_seen_at_first() -> None:
    seen = Seen([3, 0])
    assert not seen.complete
    assert seen.first_unseen() == Position(0, 0, 3)


def test_empty_document_is_seen() -> None:
    assert Seen([]).complete
    assert Seen([]).first_unseen() is None


def test_empty_line_has_to_be_on_the_screen() -> None:
    seen = Seen([0])
    assert not seen.complete
    assert seen.add([Position(0, 0, 0)])
    assert seen.complete


def test_parts_of_a_line_add_up() -> None:
    seen = Seen([10])
    assert seen.add([Position(0, 0, 4), Position(0, 7, 10)])
    assert seen.first_unseen() == Position(0, 4, 7)
    assert not seen.covers(Position(0, 3, 8))
    assert seen.add([Position(0, 4, 7)])
    assert seen.complete


def test_nothing_of_a_line_is_no_part_of_it() -> None:
    seen = Seen([10])
    assert not seen.add([Position(0, 4, 4)])
    assert not seen.add([Position(7, 0, 1)]), "a line that does not exist"
    assert seen.whole_lines == 0


SPAN = st.tuples(st.integers(0, 3), st.integers(0, 12), st.integers(0, 12))


@given(st.lists(st.integers(0, 12), min_size=4, max_size=4), st.lists(SPAN, max_size=30))
def test_agrees_with_a_set_of_characters(
    lengths: list[int], spans: list[tuple[int, int, int]]
) -> None:
    """The model: the plain set of characters seen."""
    seen = Seen(lengths)
    model: set[tuple[int, int]] = set()
    visited: set[int] = set()
    for line, a, b in spans:
        start, end = min(a, b, lengths[line]), min(max(a, b), lengths[line])
        seen.add([Position(line, start, end)])
        model |= {(line, at) for at in range(start, end)}
        visited |= {line} if start == end == lengths[line] == 0 else set()
    whole = [
        n in visited if length == 0 else all((n, at) in model for at in range(length))
        for n, length in enumerate(lengths)
    ]
    assert seen.complete is all(whole)
    assert seen.whole_lines == sum(whole)
    first = seen.first_unseen()
    if first is not None:
        assert first.line == whole.index(False)
        expected = [at for at in range(lengths[first.line]) if (first.line, at) not in model]
        assert first.start == (expected[0] if expected else 0)
        assert set(range(first.start, first.end)) <= set(expected)
