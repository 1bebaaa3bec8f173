"""Which characters are marked, which of them warn, and what the marks are called."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.store.text.suspect import MarkKind, hidden, marks, mixed_script_words

HOSTILE = (
    "\x00\x07\x1b\x7f\x9b\u200b\u200d\u202e\u2028\ufe0f\ufe00\U000e0041\u0301\u3164\ud800 a👩é\n"
)
ANY = st.text(st.one_of(st.characters(exclude_categories=()), st.sampled_from(HOSTILE)))

FAMILY = "👨\u200d👩\u200d👧\u200d👦"
PERSIAN = "می\u200cخواهم"


def labels(text: str) -> list[str]:
    return [mark.label for mark in hidden(text)]


def test_every_invisible_code_point_is_marked() -> None:
    """C02, injection §2: no control, format, odd blank, private or unassigned one is drawn raw."""
    always = {"Cc", "Cf", "Zs", "Zl", "Zp", "Co", "Cs", "Cn"}
    codes = [*range(0x20000), *range(0xE0000, 0xE0200)]
    text = "".join(f"a{chr(code)}b" for code in codes)
    marked = {text[i] for mark in marks(text) for i in range(mark.start, mark.end)}
    wanted = {chr(c) for c in codes if unicodedata.category(chr(c)) in always} - {" ", "\n"}
    wanted |= set("\u034f\u115f\u1160\u2800\u3164\uffa0\u17b4\u17b5") | set(
        map(chr, range(0xFE00, 0xFE10))
    )
    assert wanted <= marked
    assert marked - wanted <= set(map(chr, range(0xE0000, 0xE0200))) | set(
        "‹›\ufffc\U0001d159\u180b\u180c\u180d\u180f"
    )


@given(ANY)
def test_marks_are_sorted_disjoint_and_inside(text: str) -> None:
    """Marks can be walked from left to right, and no mark is empty."""
    at = 0
    for mark in marks(text):
        assert at <= mark.start < mark.end <= len(text)
        at = mark.end


@given(ANY)
def test_labels_are_harmless_themselves(text: str) -> None:
    """A label decodes what is hidden, yet can be drawn as it is."""
    for mark in marks(text):
        assert not marks(mark.label)
        assert "\n" not in mark.label


@given(st.text(st.characters(min_codepoint=32, max_codepoint=126)))
def test_printable_ascii_is_never_marked(text: str) -> None:
    """The fast path finds nothing, and the slow path agrees."""
    assert marks(text) == ()
    assert [m for m in marks(text + "é") if m.start < len(text)] == []


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("safe\u202etxt.exe", "U+202E RLO"),
        ("pay\u200bload", "U+200B ZWSP"),
        ("a\u2028b", "U+2028 LS"),
        ("a\u00a0b", "U+00A0 NBSP"),
        ("a\x1b[2J", "U+001B ESC"),
        ("a\x9b2J", "U+009B CSI"),
        ("a\u00adb", "U+00AD SHY"),
        ("a\ue000b", "U+E000"),
        ("a\u0378b", "U+0378"),
        ("a\ufdd0b", "U+FDD0"),
        ("a\ud800b", "U+D800"),
        ("delete nothing\rdelete all", "U+000D CR"),
        ("a\u200db", "U+200D ZWJ"),
        ("a\u200cb", "U+200C ZWNJ"),
        ("a\ufe0fb", "U+FE0F VS16"),
        ("\u0301a", "U+0301"),
        ("\ufeffhello", "U+FEFF BOM"),
    ],
)
def test_each_hidden_character_is_named(text: str, label: str) -> None:
    """K10, field report 64: named with its code point."""
    assert labels(text) == [label]


def test_tags_are_decoded() -> None:
    """A message in tag characters is spelled out, quotes escaped; field report 64."""
    smuggled = "".join(chr(0xE0000 + ord(c)) for c in 'ignore "all"')
    (mark,) = hidden(f"x{smuggled}y")
    assert (mark.kind, mark.label) == (MarkKind.TAG, 'TAG "ignore \\"all\\""')
    assert (mark.start, mark.end) == (1, 1 + len(smuggled))


def test_variation_selector_runs_are_decoded() -> None:
    """Bytes smuggled in variation selectors are spelled out, the unprintable ones in hex."""
    run = "".join(chr(0xFE00 + b if b < 16 else 0xE0100 + b - 16) for b in b"hi\x00\xff")
    (mark,) = hidden(f"👍{run}")
    assert (mark.kind, mark.label) == (MarkKind.VARIATION, 'VS "hi\\x00\\xFF"')


@pytest.mark.parametrize(
    "text",
    [
        FAMILY,
        "👩🏽\u200d🚀",
        "❤\ufe0f",
        "🏴\u200d☠\ufe0f",
        "1\ufe0f\u20e3",
        PERSIAN,
        "क\u094d\u200dष",
        "র\u200d\u09cdযাম",
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    ],
)
def test_joiners_in_their_place_pass_and_are_still_marked(text: str) -> None:
    """K10: a family emoji and Persian with ZWNJ pass; C02: yet none of them is drawn raw."""
    assert hidden(text) == ()
    assert {mark.kind for mark in marks(text)} == {MarkKind.JOINER}


@pytest.mark.parametrize(
    "text",
    [
        "\u200d👩",
        "👩\u200d",
        "👩\u200d\u200d👧",
        "👩\u200da",
        "م\u200c",
        "🏴\U000e0078\U000e0078\U000e007f",
        "a\u20e3\ufe0f",
    ],
)
def test_joiners_out_of_place_warn(text: str) -> None:
    """K10, the other side: the same characters elsewhere are hidden ones."""
    assert hidden(text)


def test_few_accents_pass_and_a_flood_does_not() -> None:
    """injection §2: more than three marks on one base are badged, the first three are not."""
    assert marks("e\u0301\u0323\u0302") == ()
    (mark,) = marks("e" + "\u0301" * 33)
    assert (mark.kind, mark.start, mark.label) == (MarkKind.COMBINING, 4, "U+0301 ×30")
    assert [m.label for m in marks("e\u0301\u0302\u0303\u0304\u0305")] == ["U+0304", "U+0305"]


def test_a_run_of_equal_characters_is_one_mark_and_counts_them() -> None:
    """Nothing is folded: the count says how many there are."""
    (mark,) = marks("a" + "\u200b" * 9)
    assert (mark.start, mark.end, mark.label) == (1, 10, "U+200B ZWSP ×9")


def test_quotes_like_ours_are_marked_and_tabs_too_but_neither_warns() -> None:
    """injection §2a: badges cannot be forged; a tab is drawn, not warned of."""
    assert [m.kind for m in marks("‹U+202E›\t")] == [
        MarkKind.QUOTE,
        MarkKind.QUOTE,
        MarkKind.CONTROL,
    ]
    assert hidden("‹U+202E›\t") == ()


@pytest.mark.parametrize(
    ("word", "names"),
    [
        ("аdmin", "CYRILLIC а U+0430"),
        ("раypal", "CYRILLIC р U+0440, CYRILLIC а U+0430"),
        ("αlpha", "GREEK α U+03B1"),
        ("Mосква", "LATIN M U+004D"),
        ("a\u0301а", "CYRILLIC а U+0430"),
    ],
)
def test_mixed_scripts_are_named(word: str, names: str) -> None:
    """Field report 64: the foreign letters are named."""
    (mark,) = mixed_script_words(f"the {word} page")
    assert (mark.start, mark.end, mark.label) == (4, 4 + len(word), names)


@pytest.mark.parametrize(
    "text", ["Привет world", "USB-флешка", "5 kΩ, 3 μs", "naïve café", "使用API"]
)
def test_words_of_one_script_are_not_mixed(text: str) -> None:
    """Ordinary texts in several languages give no finding."""
    assert mixed_script_words(text) == ()
