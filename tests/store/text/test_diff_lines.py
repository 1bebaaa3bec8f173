"""Diffs are complete, proved by rebuilding, readable, and bounded for the worst inputs."""

from __future__ import annotations

import random
import string
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from placet.store.text import diff
from placet.store.text.diff import Line, Tag, closest, lines, rebuild, similarity

TEXT = st.text(st.sampled_from("ab \n§\r\u2028é\ud800")) | st.text(
    st.characters(exclude_categories=())
)
SIDE = st.none() | TEXT


def drawn(before: str | None, after: str | None) -> list[str]:
    """Each line as sign and text, what changed inside in brackets, `~` where no newline ends it."""
    signs = {Tag.SAME: " ", Tag.OLD: "-", Tag.NEW: "+"}
    return [
        signs[line.tag] + bracketed(line) + ("" if line.eol else "~")
        for line in lines(before, after).lines
    ]


def bracketed(line: Line) -> str:
    text = line.text
    for start, end in reversed(line.spans):
        text = f"{text[:start]}[{text[start:end]}]{text[end:]}"
    return text


@given(SIDE, SIDE)
@example("a\u2028b", "a\nb")
@example("a\r\nb", "a\nb")
@example("a", "a\n")
@example(None, "")
def test_both_texts_can_be_rebuilt(before: str | None, after: str | None) -> None:
    """design §14: a rebuild check proves every diff exact; lines end at line feeds only."""
    found = lines(before, after)
    assert rebuild(found) == (before, after)
    assert all("\n" not in line.text for line in found.lines)
    assert [x.old for x in found.lines if x.old is not None] == list(range(count(before)))
    assert [x.new for x in found.lines if x.new is not None] == list(range(count(after)))


def count(text: str | None) -> int:
    """Lines of a text, a last one without line feed included."""
    return 0 if not text else text.count("\n") + (not text.endswith("\n"))


@given(TEXT, TEXT)
def test_spans_lie_in_order_inside_their_line(before: str, after: str) -> None:
    """Word marks never overlap, and what lies outside them is equal on both lines of a pair."""
    found = lines(before, after).lines
    for line in found:
        at = 0
        for start, end in line.spans:
            assert at <= start < end <= len(line.text)
            at = end
    for old, new in pairwise(found):
        if old.tag is Tag.OLD and new.tag is Tag.NEW and old.spans and new.spans:
            assert kept(old) == kept(new)


def kept(line: Line) -> str:
    at, parts = 0, []
    for start, end in line.spans:
        parts.append(line.text[at:start])
        at = end
    return "".join([*parts, line.text[at:]])


@given(st.lists(st.sampled_from(["a", "b", "c", "§", ""]), max_size=40), st.data())
def test_equal_ends_are_never_drawn_as_changed(items: list[str], data: st.DataObject) -> None:
    """Putting one new line in draws exactly one new line."""
    at = data.draw(st.integers(0, len(items)))
    before = "".join(f"{item}\n" for item in items)
    after = "".join(f"{item}\n" for item in [*items[:at], "inserted", *items[at:]])
    assert [line.tag for line in lines(before, after).lines if line.tag is not Tag.SAME] == [
        Tag.NEW
    ]


def test_a_changed_word_is_marked_in_its_pair() -> None:
    """The reader sees which word changed, beside the line it was."""
    before = "top\nThe port is 8080 here.\n§\nlast\n"
    after = "top\nThe port is 8081 here.\n§\nlast\n"
    assert drawn(before, after) == [
        " top",
        "-The port is [8080] here.",
        "+The port is [8081] here.",
        " §",
        " last",
    ]


def test_the_last_ten_of_3000_characters() -> None:
    """Field report 109: one change at the end of a long line is one mark."""
    line = "word " * 598
    found = lines(line + "first word", line + "other text").lines
    assert [x.spans for x in found] == [((2990, 2995), (2996, 3000)), ((2990, 2995), (2996, 3000))]


def test_unlike_lines_are_not_paired() -> None:
    """Two unrelated lines are drawn whole, without word marks."""
    assert drawn("The cat sat there.\n", "Postgres listens on 5432\n") == [
        "-The cat sat there.",
        "+Postgres listens on 5432",
    ]


def test_each_line_finds_its_own_counterpart() -> None:
    """Pairs rise in both texts, and lines between them stay unpaired."""
    before = "alpha port is 1\nbeta port is 2\n"
    after = "gamma rays are new\nalpha port is 3\nbeta port is 4\n"
    assert drawn(before, after) == [
        "+gamma rays are new",
        "-alpha port is [1]",
        "+alpha port is [3]",
        "-beta port is [2]",
        "+beta port is [4]",
    ]


def test_a_missing_newline_at_the_end_is_seen() -> None:
    """injection §2: it is a difference, drawn as one."""
    assert drawn("a\nb\n", "a\nb") == [" a", "-b", "+b~"]
    assert drawn("a", "a") == [" a~"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a b", "a  b "),
        ("a b", "a\u00a0b"),
        ("a\n", "a\r\n"),
        ("a\tb", "a b"),
        ("a\u2028b", "a\nb"),
    ],
)
def test_white_space_changes_are_changes(before: str, after: str) -> None:
    """Field report 111: nothing is normalised."""
    assert {line.tag for line in lines(before, after).lines} >= {Tag.OLD, Tag.NEW}


def test_ideographs_are_compared_one_by_one() -> None:
    """A text without blanks still shows which character changed."""
    assert drawn("端口是八号", "端口是九号") == ["-端口是[八]号~", "+端口是[九]号~"]


def worst() -> dict[str, tuple[str, str]]:
    """Inputs of 100 KB that are bad for one algorithm or another."""
    rng = random.Random(7)

    def noise(size: int, letters: str) -> str:
        return "".join(rng.choices(letters, k=size))

    same = "- same line of fifty-eight characters, always the same one\n"
    shuffled = [f"line {n}" for n in range(8000)]
    mixed = rng.sample(shuffled, len(shuffled))
    prose = string.ascii_lowercase + "    "
    return {
        "identical lines": (same * 1700, same * 1650 + "x\n" + same * 50),
        "one line": (noise(100_000, "!@#$%"), noise(100_000, "!@#$%")),
        "one line of words": (noise(100_000, "abc "), noise(100_000, "abc ")),
        "all changed": (noise(100_000, prose + "\n"), noise(100_000, prose + "\n")),
        "short lines": ("a\n" * 50_000, "b\n" * 50_000),
        "shuffled": ("\n".join(shuffled), "\n".join(mixed)),
        "two letters": (noise(50_000, "ab\n"), noise(50_000, "ab\n")),
    }


@pytest.mark.parametrize("name", worst())
def test_the_worst_inputs_are_drawn_completely(name: str) -> None:
    """design §15: bounded work; what cannot be aligned says so (times are measured in bench)."""
    before, after = worst()[name]
    found = lines(before, after)
    assert rebuild(found) == (before, after)
    assert found.exact is (name != "one line")


def test_a_block_beyond_the_budget_is_drawn_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """design §14: whole old, whole new, and it says so; with the budget it is aligned."""
    before, after = "a\nb\n" * 200, "b\na\n" * 200
    assert lines(before, after).exact
    small = diff._Budget(cells=10)
    monkeypatch.setattr(diff, "_Budget", lambda: small)
    found = lines(before, after)
    assert not found.exact
    assert rebuild(found) == (before, after)


def test_a_broken_alignment_falls_back_to_whole_sides(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rebuild check is inside: a wrong diff is never shown."""
    monkeypatch.setattr(diff, "_draw", lambda old, new, budget: iter(()))
    found = lines("a\nb", "a\nc")
    assert not found.exact
    assert rebuild(found) == ("a\nb", "a\nc")
    assert [line.tag for line in found.lines] == [Tag.OLD, Tag.OLD, Tag.NEW, Tag.NEW]


def test_closest_names_the_place_that_was_meant() -> None:
    """design §5: a dead patch shows the closest text."""
    text = "Intro here.\nThe server is rebuilt every Monday at 06:00.\nBye."
    start, end = closest("The server is rebuilt each Monday at 05:00.", text) or (0, 0)
    assert text[start:end] == "The server is rebuilt every Monday at 06:00."
    start, end = closest("recieve", "we receive mail") or (0, 0)
    assert text and "rece" in "we receive mail"[start:end]
    assert closest("zebra quagga", text) is None
    assert closest("", text) is None
    assert closest("x", "") is None


@given(TEXT, TEXT)
def test_closest_stays_inside(needle: str, haystack: str) -> None:
    """Any two texts give a place inside the second, or none."""
    span = closest(needle, haystack)
    assert span is None or 0 <= span[0] < span[1] <= len(haystack)


def test_similarity_knows_no_word_order() -> None:
    """Field report 18: the same rule in other words is seen; a number is told apart."""
    assert similarity("tests first, code second", "Code second, tests first!") == 100
    assert similarity("Think first, then act", "Before acting, think first") > 60
    assert similarity("port 8080", "port 8081") < 100
    assert similarity("abc", "xyz") == 0
    assert similarity("", "") == similarity("a" * 40_000, "a" * 40_000) == 100
