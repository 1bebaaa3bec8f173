"""Bytes become JSON values within bounds, and what Hermes accepts is accepted."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from placet.store.staged import decode


def test_accepts_what_json_loads_accepts() -> None:
    """format.md §2.4: NaN, Infinity, duplicate keys with the last winning."""
    value, repeated = decode.decode(b'{"a": NaN, "b": {"c": 1, "c": 2}, "d": [{"c": 1}]}')
    assert json.dumps(value) == '{"a": NaN, "b": {"c": 2}, "d": [{"c": 1}]}'
    assert repeated == ("c",)


@pytest.mark.parametrize(
    ("raw", "word", "unfinished"),
    [
        (b"", "empty", True),
        (b" \n", "empty", True),
        (b"{not json", "not JSON", True),
        (b'{"id": "\xff"}', "byte 8", True),
        (b'{"id": "\xc3', "not UTF-8", True),
        (b"\xef\xbb\xbf{}", "byte order mark", False),
        ("{}".encode("utf-16"), "byte order mark", False),
        ("{}".encode("utf-16-le"), "not JSON", True),
        (b"[" * 10_000, "levels deep", False),
        (b"[" * 10_000 + b"]" * 10_000, "levels deep", False),
        (b'{"a":' * 10_000 + b"1" + b"}" * 10_000, "levels deep", False),
        (b"1" * 5_000, "can be read", False),
        (b"{} {}", "not JSON", True),
    ],
)
def test_refuses_the_rest_in_words(raw: bytes, word: str, unfinished: bool) -> None:
    """Field report 72, format.md §2.4."""
    with pytest.raises(decode.NotJson) as caught:
        decode.decode(raw)
    assert word in str(caught.value)
    assert caught.value.unfinished is unfinished


def test_brackets_inside_strings_are_no_depth() -> None:
    text = json.dumps({"content": '[[{{"\\' * 500 + "\\"})
    assert decode.decode(text.encode())[0] == json.loads(text)


def test_deepest_allowed() -> None:
    just = b"[" * decode.MAX_DEPTH + b"]" * decode.MAX_DEPTH
    assert decode.decode(just)
    with pytest.raises(decode.NotJson):
        decode.decode(b"[" + just + b"]")


@given(st.binary(max_size=60) | st.text(alphabet='{}[]":,\\ aeE1-.\ud800', max_size=60))
def test_nothing_but_not_json_is_raised(raw: bytes | str) -> None:
    data = raw if isinstance(raw, bytes) else raw.encode("utf-8", "surrogatepass")
    try:
        decode.decode(data)
    except decode.NotJson as problem:
        assert str(problem)


def test_lone_surrogates_are_found_anywhere() -> None:
    assert decode.writable({"a": ["ok", {"b": "😀"}]})
    assert not decode.writable({"a": ["ok", {"b": "\ud800"}]})
    assert not decode.writable({"\udfff": 1})
    assert decode.printable("a\ud800") == "a\\ud800"
    assert decode.in_full({"a": "\ud800ä"}) == '{"a": "\\ud800ä"}'
