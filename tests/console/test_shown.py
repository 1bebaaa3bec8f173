"""Nothing of a text is lost or reaches the terminal raw, and every piece knows its source."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.cells import cell_len

from placet.console.shown import escape_source, plain, show, unescape_source

HOSTILE = (
    "\x00\t\n\r\x1b\x7f\x9b\u200b\u200d\u202e\u2028\ufe0f\U000e0041\u0301\u3164\ud800‹›\\ ^é👩→·"
)
ANY = st.text(st.one_of(st.characters(exclude_categories=()), st.sampled_from(HOSTILE)))
FORBIDDEN_CATEGORIES = {"Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn"}
FORBIDDEN = set("\u034f\u115f\u1160\u3164\uffa0\u2800\ufe0e\ufe0f\ufe00\u00a0\u3000")


def is_harmless(text: str) -> bool:
    """Judged without the code under test."""
    return not any(
        c in FORBIDDEN
        or unicodedata.category(c) in FORBIDDEN_CATEGORIES
        or 0xFE00 <= ord(c) <= 0xFE0F
        or 0xE0000 <= ord(c) <= 0xE0FFF
        for c in text
    )


@given(ANY, st.booleans(), st.booleans())
@example("\u0301", False, False)
@example("a\n\u0301", False, True)
def test_nothing_forbidden_is_drawn(text: str, ascii_only: bool, invisibles: bool) -> None:
    """C02: no ESC, C1, bidi, zero-width or tag code point; in ASCII nothing but ASCII."""
    drawn = "".join(piece.text for piece in show(text, ascii=ascii_only, invisibles=invisibles))
    assert is_harmless(drawn)
    assert not ascii_only or (drawn.isascii() and drawn.isprintable())


@given(ANY, st.booleans(), st.booleans())
def test_pieces_cover_the_source_exactly(text: str, ascii_only: bool, invisibles: bool) -> None:
    """design §10: mapping back gives the exact characters, lone surrogates too."""
    at, source = 0, ""
    for piece in show(text, ascii=ascii_only, invisibles=invisibles):
        assert piece.start == at < piece.end
        assert piece.text
        source += text[piece.start : piece.end]
        at = piece.end
    assert source == text


@given(ANY)
def test_a_piece_that_is_no_badge_is_the_source_itself(text: str) -> None:
    """Offsets inside an ordinary piece can be counted character by character."""
    for piece in show(text):
        if not piece.suspect and not piece.blank:
            assert piece.text == text[piece.start : piece.end]
        elif piece.blank:
            assert len(piece.text) == piece.end - piece.start


@given(ANY)
def test_widths_of_pieces_add_up(text: str) -> None:
    """C03: no piece joins another one on the screen."""
    pieces = show(text)
    assert cell_len("".join(p.text for p in pieces)) == sum(cell_len(p.text) for p in pieces)


@given(ANY)
def test_source_form_has_an_exact_inverse(text: str) -> None:
    """design §10: saving an untouched entry is byte-identical."""
    source = escape_source(text)
    assert unescape_source(source) == text
    assert is_harmless(source.replace("\n", ""))
    assert source.splitlines() == source.split("\n") or source.endswith("\n") or not source


@given(ANY)
def test_the_ascii_form_is_a_source_form(text: str) -> None:
    """What an ASCII terminal shows is exact as well."""
    assert unescape_source(plain(text, ascii=True)) == text


@given(ANY)
def test_plain_is_one_line(text: str) -> None:
    """Titles, messages, names: field reports 66 and 67."""
    assert len(plain(text).splitlines()) <= 1


@pytest.mark.parametrize(
    ("text", "drawn", "in_ascii"),
    [
        (
            "\x1b[2J\x1b[HApproved by you",
            "^[[2J^[[HApproved by you",
            "\\x1b[2J\\x1b[HApproved by you",
        ),
        ("\x1b]0;hello\x07", "^[]0;hello^G", "\\x1b]0;hello\\x07"),
        ("del \x7f nul \x00", "del ^? nul ^@", "del \\x7f nul \\x00"),
        ("delete nothing\rdelete all", "delete nothing^Mdelete all", "delete nothing\\rdelete all"),
        ("a\u202eb", "a‹U+202E RLO›b", "a\\u{202E}b"),
        ("a\x9bb", "a‹U+009B CSI›b", "a\\u{9B}b"),
        ("a\u2028b", "a‹U+2028 LS›b", "a\\u{2028}b"),
        ("a\ud800b", "a‹U+D800›b", "a\\u{D800}b"),
        ("a\u00a0b", "a‹U+00A0 NBSP›b", "a\\u{A0}b"),
        ("a  b ", "a  b·", "a  b\\x20"),
        ("a\tb", "a→b", "a\\tb"),
        ("   ", "···", "\\x20\\x20\\x20"),
        ("a \nb", "a·␊b", "a\\x20\\nb"),
        ("‹U+202E›", "‹U+2039›U+202E‹U+203A›", "\\u{2039}U+202E\\u{203A}"),
        ("C:\\new", "C:\\new", "C:\\\\new"),
        ("é", "é", "\\u{E9}"),
        ("[red]x[/red] [@click=app.quit]y[/]", None, None),
        ("", "", ""),
    ],
)
def test_forms(text: str, drawn: str | None, in_ascii: str | None) -> None:
    """Field reports 68, 111, 112: caret, badge, tab, trailing blanks; markup stays as it is."""
    assert plain(text) == (text if drawn is None else drawn)
    assert plain(text, ascii=True) == (text if in_ascii is None else in_ascii)


def test_badges_have_a_look_that_content_cannot_have() -> None:
    """injection §2a: text that looks like a badge is not suspect, the badge is."""
    assert [p.suspect for p in show("^[ U+202E \x1b")] == [False, True]
    forged = show("\u202e ‹U+202E RLO›")
    assert [p.text for p in forged if p.suspect] == ["‹U+202E RLO›", "‹U+2039›", "‹U+203A›"]


def test_joiners_are_badged() -> None:
    """K10, C02: an emoji family is shown with its joiners."""
    pieces = show("👨\u200d👩")
    assert [(p.text, p.suspect) for p in pieces] == [
        ("👨", False),
        ("‹U+200D ZWJ›", True),
        ("👩", False),
    ]


def test_invisibles_show_every_blank() -> None:
    """On request inner blanks are marks too; without it only those at the end."""
    assert plain("a b ") == "a b·"
    assert "".join(p.text for p in show("a b ", invisibles=True)) == "a·b·"


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("a\\q", "Line 1, column 2: `\\q`"),
        ("ok\n \\u{110000}", "Line 2, column 2: `\\u{110000}`"),
        ("end\\", "Line 1, column 4: `\\`"),
        ("\\u{}", "Line 1, column 1"),
        ("\\x1", "Line 1, column 1"),
        ("\\\x1b", "Line 1, column 1: `\\^[`"),
    ],
)
def test_a_bad_escape_says_where_and_what_to_write(source: str, words: str) -> None:
    """Saving fails safely, in words that are harmless themselves."""
    with pytest.raises(ValueError, match="is no escape") as caught:
        unescape_source(source)
    assert str(caught.value).startswith(words)
    assert is_harmless(str(caught.value))
    assert unescape_source("a\\\\q") == "a\\q"


@pytest.mark.parametrize("text", ["plain", "a\nb\n", "❤ é ‹x›", "a  "])
def test_what_needs_no_escape_is_edited_as_it_is(text: str) -> None:
    """The editor holds ordinary text unchanged; escapes are for what a text area would break."""
    assert escape_source(text) == text
    assert escape_source(text + "\u2028\t\\") == text + "\\u{2028}\\t\\\\"
