"""Agents stage as Hermes does, and what could never be applied is refused with words."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from homes.build import HomeBuilder
from homes.reading import only, words

from placet.store import propose
from placet.store.errors import Blocked, NotFound, NotWritten
from placet.store.model import Home, Subsystem

ADD = {"action": "add", "target": "memory", "content": "日本 § 🚀", "old_text": None}


def test_record_is_written_as_hermes_writes_it(home: HomeBuilder) -> None:
    """format.md §2.1: key order, two blanks, no ASCII escapes, no final newline, 0644."""
    made = propose.stage(home.home, Subsystem.MEMORY, ADD, origin="assistant_tool")
    assert re.fullmatch("[0-9a-f]{8}", made)
    place = home.record_path(made)
    text = place.read_bytes().decode()
    record = json.loads(text)
    assert list(record) == [
        "id",
        "subsystem",
        "action",
        "summary",
        "origin",
        "created_at",
        "payload",
    ]
    assert text == json.dumps(record, ensure_ascii=False, indent=2)
    assert record["id"] == made and record["payload"] == ADD
    assert record["summary"] == "add to memory: 日本 § 🚀"
    assert place.stat().st_mode & 0o777 == 0o644 & ~_umask()
    assert os.listdir(place.parent) == [place.name]
    assert only(home).verdicts == () and only(home).origin == "assistant_tool"


def _umask() -> int:
    old = os.umask(0o022)
    os.umask(old)
    return old


def test_same_record_as_observed(conformance: list[dict[str, Any]], home: HomeBuilder) -> None:
    """K01, category stage: apart from id, time and origin the bytes are those Hermes wrote."""
    compared = 0
    for case in conformance:
        for step in case["steps"]:
            observed = step["expect"].get("pending_record")
            if not observed or "malformed" in case["id"] or case["id"] == "stage-batch":
                continue
            made = propose.stage(
                home.home, Subsystem.MEMORY, observed["payload"], origin=observed["origin"]
            )
            record = json.loads(home.record_path(made).read_bytes())
            same = {**record, "id": "<ID>", "created_at": "<FLOAT>"}
            assert same == observed and list(same) == list(observed)
            compared += 1
    assert compared >= 8


def test_skills_have_their_own_folder(home: HomeBuilder) -> None:
    payload = {"action": "delete", "name": "tidy", "replace_all": False}
    made = propose.stage(
        home.home, Subsystem.SKILLS, payload, origin="me", summary="removes it", created_at=5.0
    )
    record = json.loads(home.record_path(made, "skills").read_bytes())
    assert (record["summary"], record["created_at"]) == ("removes it", 5.0)


@pytest.mark.parametrize(
    ("payload", "origin", "word"),
    [
        ({**ADD, "content": "\ud800"}, "me", "lone surrogate"),
        ({**ADD, "content": "x", "note\udc00": 1}, "me", "lone surrogate"),
        (ADD, "m\ud800", "lone surrogate"),
        (ADD, "person", "person"),
        ({**ADD, "target": "User"}, "me", "target"),
        ({**ADD, "content": None}, "me", "content"),
        ({"action": "frob"}, "me", "frob"),
        ({**ADD, "provider": "othermem"}, "me", "provider"),
        ({**ADD, "content": b"bytes"}, "me", "JSON"),
        ({**ADD, "content": "x" * (1 << 20)}, "me", "bytes"),
        ({}, "me", "action"),
    ],
)
def test_hopeless_records_are_refused_and_nothing_is_left(
    home: HomeBuilder, payload: dict[str, Any], origin: str, word: str
) -> None:
    """T06, field report 94: an agent is told at once, and no empty file stays."""
    before = home.tree()
    with pytest.raises(Blocked) as caught:
        propose.stage(home.home, Subsystem.MEMORY, payload, origin=origin)
    assert "Nothing was staged" in str(caught.value) and word in str(caught.value)
    assert home.tree() == before
    assert propose.stage(home.home, Subsystem.MEMORY, ADD, origin="me")  # the positive


def test_homes_are_not_made(tmp_path: Path) -> None:
    """format.md §1.1: a missing home is never created."""
    with pytest.raises(NotFound):
        propose.stage(Home(tmp_path / "none"), Subsystem.MEMORY, ADD, origin="me")
    assert list(tmp_path.iterdir()) == []


def test_file_in_place_of_the_folder_is_words(home: HomeBuilder) -> None:
    home.write("pending/memory", b"")
    with pytest.raises(NotWritten) as caught:
        propose.stage(home.home, Subsystem.MEMORY, ADD, origin="me")
    assert "Nothing was staged" in str(caught.value)


def test_ids_never_meet(home: HomeBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record waiting or claimed under the same id is never written over."""
    home.stage_add("first", record_id="00000001")
    home.stage_raw(".00000002.json.placet", b"{}")
    drawn = iter(["00000001", "00000002", "00000003"])
    monkeypatch.setattr(propose.secrets, "token_hex", lambda _: next(drawn))
    assert propose.stage(home.home, Subsystem.MEMORY, ADD, origin="me") == "00000003"


def test_failed_write_leaves_nothing(home: HomeBuilder, monkeypatch: pytest.MonkeyPatch) -> None:
    """K05."""
    folder = home.pending()

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(propose.os, "fsync", full)
        with pytest.raises(NotWritten) as caught:
            propose.stage(home.home, Subsystem.MEMORY, ADD, origin="me")
    assert "No space left" in str(caught.value) and os.listdir(folder) == []
    propose.stage(home.home, Subsystem.MEMORY, ADD, origin="me")
    assert words(only(home)) == ""


def test_importing_it_does_not_import_what_decides() -> None:
    """T04."""
    code = (
        "import sys, placet.store.propose; "
        "print([m for m in sys.modules if m.startswith(('placet.store.decide', 'textual'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
