"""Repeats collide, different facts do not; fingerprints are stable and quick to compute."""

from __future__ import annotations

import ast
import sys
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.store.text import fingerprint
from placet.store.text.fingerprint import VERSION, batch_print, normal, operation_print

REPEATS = [
    "Use Ruff for the build.",
    "use ruff for the build",
    "USE RUFF FOR THE BUILD",
    "  Use\tRuff \n for  the build ",
    "Use Ruff for the build",
    "Use Ruff for the build!",
    "Use Ruff for the build .",
    "Ｕｓｅ Ｒｕｆｆ ｆｏｒ ｔｈｅ ｂｕｉｌｄ．",
    "U\u200bs\u200de Ru\u00adff for\u2060 the build.",
    "\u200d".join("Use Ruff for the build."),
    "Usе Ruff fоr the buіld.",
    "Uѕе Ruff fог the build".replace("г", "r"),
    "“Use **Ruff** for the `build`.”",
    "- Use Ruff for the build",
    "* _Use_ (Ruff) for the build;",
    "𝐔𝐬𝐞 𝐑𝐮𝐟𝐟 for the build",
    "Use\u00a0Ruff\u3000for the build",
]

DIFFERENT = [
    ("the port is 8080", "the port is 8081"),
    ("version 2.10", "version 2.1.0"),
    ("host 10.0.0.1", "host 100.0.1"),
    ("write C", "write C++"),
    ("run it with -v", "run it with -V"),
    ("offset +5", "offset -5"),
    ("keep <100", "keep >100"),
    ("1.5 s", "15 s"),
    ("use tabs", "do not use tabs"),
    ("can deploy", "can't deploy"),
    ("send US mail home", "send us mail home"),
    ("x² is right", "x2 is right"),
    ("½ cup", "1/2 cup"),
    ("step ①", "step 1"),
    ("the separator is ;", "the separator is ,"),
    ("the key is `_`", "the key is `*`"),
    ("Is it ready?", "It is ready"),
    (".env", "env"),
    ("Привет мир", "Привет мор"),
    ("сор", "рос"),
    ("нет", "нот"),
    ("端口是八", "端口是九"),
    ("kız", "kiz"),
    ("ναός", "νεός"),
    ("ab", "a b"),
]


def test_repeats_in_another_dress_collide() -> None:
    """Q05, field reports 75 and 76: case, width, spacing, dot, invisible, look-alikes."""
    assert {normal(text) for text in REPEATS} == {"use ruff for the build"}


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_facts_stay_different(one: str, other: str) -> None:
    """Q05: what can carry meaning is kept."""
    assert normal(one) != normal(other)
    assert normal(one) == normal(f"  {one} ")


def test_capitals_fold_in_shouting_but_not_beside_lower_case() -> None:
    """design §7: two- and three-letter capitals keep their case inside mixed-case text."""
    assert normal("USE RUFF") == normal("use ruff")
    assert normal("ask the US team") != normal("ask the us team")
    assert normal("НЕТ") == normal("нет")


def test_contractions_fold_like_plain_words() -> None:
    """A sentence that starts with “Don't” is the same in lower case."""
    assert normal("Don’t push on Friday") == normal("don't push on friday")


def test_composed_and_decomposed_accents_collide_around_invisible_characters() -> None:
    """NFC and NFD of one word are one word, also with a joiner in between."""
    assert normal("caf\u00e9") == normal("cafe\u0301") == normal("cafe\u200b\u0301")


def test_no_two_letters_of_one_alphabet_share_an_ascii_letter() -> None:
    """Non-Latin words that differ stay different, whatever they are made of."""
    for pairs in fingerprint._ALPHABETS:
        ascii_letters = [letter.lower() for letter in pairs[1::2]]
        assert len(set(ascii_letters)) == len(ascii_letters)
        for letter in pairs[::2]:
            assert unicodedata.normalize("NFKC", letter) == letter


@given(st.text("абвгдежзийклмнопрстуфхцчшщъыьэюяіјѕһ", min_size=1), st.data())
def test_cyrillic_words_that_differ_stay_different(word: str, data: st.DataObject) -> None:
    """Q05: swapping one letter always changes the fingerprint."""
    at = data.draw(st.integers(0, len(word) - 1))
    letter = data.draw(st.sampled_from("абвгдежзиклмнопрстуфхцчшщыэюяіјѕһ"))
    other = word[:at] + letter + word[at + 1 :]
    assert (normal(word) == normal(other)) == (word == other or normal(letter) == normal(word[at]))
    assert word == other or normal(word) != normal(other)


@given(st.text(st.characters(exclude_categories=())))
def test_any_text_has_a_fingerprint(text: str) -> None:
    """Lone surrogates and all: a value, never an exception, and the same twice."""
    first = operation_print("memory", "put", text)
    assert first == operation_print("memory", "put", text)
    assert len(first) == 64


@given(st.text(st.characters(exclude_categories=("Cs",))))
def test_width_of_spaces_never_matters(text: str) -> None:
    """Spacing at the ends and doubled blanks change nothing."""
    assert normal(text) == normal(f" \t{text}\n") == normal(text.replace(" ", "  "))


def test_border_target_and_kind_are_part_of_it() -> None:
    """Field report 75: ("ab","") and ("a","b") do not collide; targets and kinds differ."""
    prints = {
        operation_print("ab", "", ""),
        operation_print("a", "b", ""),
        operation_print("a", "", "b"),
        operation_print("memory", "put", "x"),
        operation_print("user", "put", "x"),
        operation_print("memory", "drop", "x"),
    }
    assert len(prints) == 6


def test_batches_are_free_of_order_and_not_of_content() -> None:
    """design §7: over the sorted operation keys."""
    one, two = operation_print("memory", "put", "a"), operation_print("memory", "put", "b")
    assert batch_print([one, two]) == batch_print([two, one])
    assert len({batch_print([one, two]), batch_print([one]), batch_print([one, one]), one}) == 4


def test_known_values_hold() -> None:
    """A change of the rules or the table must bump VERSION: refusals on disk depend on it."""
    assert VERSION == "fp1"
    assert operation_print("memory", "put", "Usе Ruff, “v2.10”.") == (
        operation_print("memory", "put", "use ruff v2.10")
    )
    assert operation_print("memory", "put", "use ruff v2.10") == KNOWN


def test_it_needs_nothing_but_the_standard_library() -> None:
    """Guards inside agents ship this very file."""
    source = Path(fingerprint.__file__).read_bytes()
    roots: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            roots |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            roots.add((node.module or "").split(".")[0])
    assert "hashlib" in roots
    assert roots <= set(sys.stdlib_module_names)


@pytest.mark.parametrize(
    "flood", ["\u0301\u0316", "\u0f73", "\uff9e\u0301", "\u0344\u0316"], ids=ascii
)
def test_floods_of_marks_settle_into_the_same_form(flood: str) -> None:
    """Field report 76: cost is bounded; the shortcut changes no normal form."""
    text = "a" + flood * 40
    assert fingerprint.compatible(text) == unicodedata.normalize("NFKC", text)
    assert normal(text) == normal(unicodedata.normalize("NFD", text))
    assert normal("a" + flood * 200_000)


KNOWN = "b55405eb1e36c6cc8af1f0f3aa2ec93b9e28178c31df1adafd6d4c2f4da1ce1a"
