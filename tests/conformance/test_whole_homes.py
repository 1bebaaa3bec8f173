"""Q01, Q02: every record of the two whole homes gets its class, and what applies gives its bytes.

The bytes are predicted by `Model`, a second and much plainer reading of the observed semantics that
shares no code with the product.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from conformance.excepted import HOME_RECORDS
from homes.build import DELIMITER, HomeBuilder
from planning.plans import after, planned

from placet.store.model import Code, Plan, Standing

HELD = {"over-limit", "threat"}


class Model:
    """What Hermes does to a memory file, written down a second time."""

    def __init__(self, text: str) -> None:
        pieces = [piece.strip() for piece in text.split(DELIMITER)]
        self.entries = list(dict.fromkeys(piece for piece in pieces if piece))

    def do(self, operation: dict[str, Any]) -> None:
        """Carry out one operation that is known to apply."""
        new: str = operation.get("content") or ""
        old: str = operation.get("old_text") or ""
        if operation["action"] == "add":
            if new.strip() not in self.entries:
                self.entries.append(new.strip())
            return
        place = next(n for n, entry in enumerate(self.entries) if old.strip() in entry)
        if operation["action"] == "remove":
            del self.entries[place]
        else:
            self.entries[place] = new.strip()

    def bytes(self) -> bytes:
        """The file afterwards."""
        return DELIMITER.join(self.entries).encode()


def _payload(home: HomeBuilder, subsystem: str, record_id: str) -> dict[str, Any]:
    return json.loads(home.record_path(record_id, subsystem).read_bytes())["payload"]


def _check_class(made: Plan, expected: str | None, record_id: str) -> None:
    found = {verdict.code for verdict in made.blockers}
    differs = HOME_RECORDS.get(record_id)
    if differs is not None:
        assert expected is None, "the table is for records that Hermes accepts"
        assert found == {differs.code}
    elif expected is None:
        assert made.digest is not None, made.blockers
        assert made.standing in (Standing.READY, Standing.WARNING)
    else:
        assert found == {Code(expected)}
        assert made.digest is None
        held = expected in HELD
        wanted = Standing.HELD if held else Standing.DEAD
        assert made.standing is (Standing.MALFORMED if expected == "malformed" else wanted)


def _check_all(home: HomeBuilder, expected: dict[str, dict[str, Any]]) -> None:
    for subsystem, records in expected.items():
        for record_id, record in records.items():
            made = planned(home, record_id, subsystem)
            _check_class(made, record["class"], record_id)


def test_home_small(home_small: HomeBuilder, expected_small: dict[str, dict[str, Any]]) -> None:
    """Q01: nine proposals, one stale batch, marked before any key is pressed."""
    _check_all(home_small, expected_small)
    assert sum(map(len, expected_small.values())) == 9


def test_home_busy(home_busy: HomeBuilder, expected_busy: dict[str, dict[str, Any]]) -> None:
    """Q02: 77 and 164 proposals, each with its own verdict (field report 20, D8)."""
    _check_all(home_busy, expected_busy)
    assert [len(records) for records in expected_busy.values()] == [77, 164]
    assert set(HOME_RECORDS) <= set(expected_busy["memory"])


def test_the_profile_is_a_home_of_its_own(home_busy: HomeBuilder) -> None:
    """Q02: the five of `lab` are planned against the files of `lab`."""
    lab = home_busy.profile("lab")
    names = sorted(path.stem for path in (lab.path / "pending" / "memory").glob("*.json"))
    plans = [planned(lab, name) for name in names]
    assert len(plans) == 5
    for made in plans:
        assert all(change.path.is_relative_to(lab.home.path) for change in made.changes)


@pytest.mark.parametrize("name", ["small", "busy"])
def test_what_applies_alone_gives_the_predicted_bytes(
    name: str, request: pytest.FixtureRequest
) -> None:
    """K01, promise 1: the after side is what the observed semantics predict, byte for byte."""
    home: HomeBuilder = request.getfixturevalue(f"home_{name}")
    expected = request.getfixturevalue(f"expected_{name}")
    checked = 0
    for record_id, record in expected["memory"].items():
        if not record["applies_alone"] or record_id in HOME_RECORDS:
            continue
        payload = _payload(home, "memory", record_id)
        file = f"memories/{'USER' if payload['target'] == 'user' else 'MEMORY'}.md"
        model = Model((home.read(file) or b"").decode())
        for operation in payload.get("operations", [payload]):
            model.do(operation)
        assert after(planned(home, record_id), file) == model.bytes(), record_id
        checked += 1
    assert checked == sum(
        record["applies_alone"] and record_id not in HOME_RECORDS
        for record_id, record in expected["memory"].items()
    )


def _predicted(home: HomeBuilder, payload: dict[str, Any], made: Plan) -> bytes | None:
    match payload["action"]:
        case "create" | "edit":
            return payload["content"].encode()
        case "write_file":
            return payload["file_content"].encode()
        case "patch":
            text = made.changes[0].path.read_bytes().decode().replace("\r\n", "\n")
            times = -1 if payload["replace_all"] else 1
            return text.replace(payload["old_string"], payload["new_string"], times).encode()
        case _:
            return None


def test_skill_proposals_give_the_predicted_bytes(
    home_busy: HomeBuilder, expected_busy: dict[str, dict[str, Any]]
) -> None:
    """K01: skills too; a delete shows every file of the folder as removed."""
    seen: set[str] = set()
    for record_id, record in expected_busy["skills"].items():
        if not record["applies_alone"]:
            continue
        payload = _payload(home_busy, "skills", record_id)
        made = planned(home_busy, record_id, "skills")
        wanted = _predicted(home_busy, payload, made)
        assert {change.after for change in made.changes} == {wanted}, record_id
        if payload["action"] == "delete":
            assert made.removes is not None
            files = {path for path in made.removes.rglob("*") if path.is_file()}
            assert {change.path for change in made.changes} == files
        seen.add(payload["action"])
    assert seen == {"create", "edit", "patch", "write_file", "remove_file", "delete"}
