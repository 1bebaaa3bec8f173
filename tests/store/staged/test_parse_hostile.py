"""Half-written, unreadable and random files are rows with words, never exceptions."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from homes.reading import NOW, record, words
from hypothesis import given
from hypothesis import strategies as st

from placet.store.model import (
    Code,
    Home,
    Proposal,
    Record,
    Standing,
    Subsystem,
    Verdict,
    standing_of,
)
from placet.store.staged import memory_payload, parse

# a writer at work


@pytest.mark.parametrize(
    ("raw", "age", "settling"),
    [
        (b'{"id": "a', 0.2, True),
        (b"", 0.2, True),
        (b"", 1.5, False),
        (b'{"id": "a', 5.0, False),
        (b'{"id": "a', -0.5, True),
        (b'{"id": "a', -60.0, False),
        (b"[]", 0.2, False),
        (b"\xef\xbb\xbf{}", 0.2, False),
        (b"[" * 9999, 0.2, False),
    ],
)
def test_settling(raw: bytes, age: float, settling: bool) -> None:
    """Design §2: unparsable and younger than a second; a clock ahead does not settle for ever."""
    proposal = parse.understand(record(raw, NOW - age), NOW)
    assert proposal.settling is settling
    assert standing_of(proposal.verdicts) is Standing.MALFORMED


def test_unreadable_record_is_a_row() -> None:
    proposal = parse.understand(record(None, NOW, "It is a symbolic link."), NOW)
    assert words(proposal) == "It is a symbolic link." and proposal.raw == b""
    assert not proposal.settling


def test_an_exception_inside_is_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """Q12: never an exception, whatever goes wrong in here."""
    raw = b'{"id": "a", "payload": {"action": "add", "target": "memory", "content": "x"}}'
    assert parse.understand(record(raw, 0), NOW).operations

    def boom(*_: object) -> Any:
        raise RuntimeError("boom")

    monkeypatch.setattr(memory_payload, "read", boom)
    proposal = parse.understand(record(raw, 0), NOW)
    assert standing_of(proposal.verdicts) is Standing.MALFORMED and "boom" in words(proposal)


# fuzz


KEYS = [
    "action",
    "target",
    "content",
    "old_text",
    "operations",
    "name",
    "file_path",
    "file_content",
    "old_string",
    "new_string",
    "matched_entry",
    "provider",
    "replace_all",
]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.sampled_from(["add", "batch", "memory", "user", "\ud800", "x", "patch", "create"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=5,
        )
    ),
    max_leaves=12,
)


@given(
    payload=JSON,
    envelope=st.dictionaries(
        st.sampled_from(["id", "origin", "summary", "created_at", "provider", "subsystem", "z"]),
        JSON,
        max_size=4,
    ),
    subsystem=st.sampled_from(Subsystem),
)
def test_any_json_becomes_a_proposal(payload: Any, envelope: Any, subsystem: Subsystem) -> None:
    """T06: a plan, a named refusal, or a wait; and everything kept can be written as UTF-8."""
    raw = json.dumps({**envelope, "payload": payload}).encode()
    proposal = parse.understand(Record(Home(Path("/h")), subsystem, "a.json", "a", raw, "", 0), NOW)
    assert bool(proposal.operations) is not any(
        v.code in (Code.MALFORMED, Code.FOREIGN_PROVIDER) for v in proposal.verdicts
    )
    _storable(proposal)


def _storable(proposal: Proposal) -> None:
    texts = [proposal.origin, proposal.summary, str(proposal.target or "")]
    texts += [verdict.message for verdict in proposal.verdicts]
    for operation in proposal.operations:
        texts += [operation.content or "", operation.old or "", operation.matched or ""]
        texts += [operation.path, operation.category, operation.target]
        texts.append(operation.absorbed_into or "")
    for text in texts:
        text.encode("utf-8")
    assert all(isinstance(verdict, Verdict) for verdict in proposal.verdicts)


@given(st.binary(max_size=100))
def test_any_bytes_become_a_proposal(raw: bytes) -> None:
    """T06: what is no JSON object is malformed, in words, and its bytes are kept."""
    proposal = parse.understand(record(raw, time.time()), NOW)
    _storable(proposal)
    assert proposal.raw == raw
    assert not _is_object(raw)
    assert standing_of(proposal.verdicts) is Standing.MALFORMED and words(proposal)


def _is_object(raw: bytes) -> bool:
    """Whether random bytes happen to be an object that could hold a payload."""
    try:
        return isinstance(json.loads(raw), dict) and b"payload" in raw
    except (ValueError, RecursionError):
        return False
