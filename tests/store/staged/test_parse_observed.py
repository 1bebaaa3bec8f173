"""Everything that Hermes was seen to write becomes a proposal with its true verdict (Q12)."""

from __future__ import annotations

import base64
import json
from typing import Any

from homes.build import HomeBuilder
from homes.reading import codes, read_all, words

from placet.store.model import (
    Code,
    Proposal,
    Standing,
    Subsystem,
    TargetKind,
    standing_of,
)

# Q12: everything in pending-records.json


EXPECTED: dict[str, dict[str, tuple[str, str | None]]] = {
    # case: {file: (standing, code)}
    "bad-json": {"bad.json": ("malformed", "malformed")},
    "empty-file": {"z.json": ("malformed", "malformed")},
    "invalid-utf8": {"z.json": ("malformed", "malformed")},
    "json-list": {"z.json": ("malformed", "malformed")},
    "json-list-alone": {"z.json": ("malformed", "malformed")},
    "json-null": {"z.json": ("malformed", "malformed")},
    "json-string": {"z.json": ("malformed", "malformed")},
    "created-string": {"z.json": ("warning", "bad-field")},
    "created-null": {"z.json": ("warning", "bad-field")},
    "created-nan": {"z.json": ("warning", "bad-field")},
    "created-missing": {"z.json": ("ready", "bad-field")},
    "id-missing": {"z.json": ("warning", "id-differs")},
    "id-mismatch": {"z.json": ("warning", "id-differs")},
    "payload-null": {"z.json": ("malformed", "malformed")},
    "payload-action-differs": {"z.json": ("warning", "summary-differs")},
    "subsystem-differs": {"z.json": ("warning", "summary-differs")},
    "summary-newlines": {"z.json": ("ready", None)},
}


def test_every_record_of_the_queue_cases_is_a_row(
    pending_records: dict[str, Any], tmp_path: Any
) -> None:
    """Q12: each with its verdict; what is not listed below is simply ready or mislabelled."""
    assert len(pending_records["queue"]) == 39
    for case in pending_records["queue"]:
        if not isinstance(case["files"], dict):
            continue
        home = HomeBuilder(tmp_path / case["id"])
        for name, data in (case["files_b64"] or {}).items():
            home.stage_raw(name, base64.b64decode(data))
        for name, proposal in read_all(home).items():
            _judge(case["id"], name, proposal)


def _judge(case: str, name: str, proposal: Proposal) -> None:
    standing = standing_of(proposal.verdicts).value
    expected = EXPECTED.get(case, {}).get(name)
    if expected is None:
        assert standing in ("ready", "warning"), (case, name, words(proposal))
        assert set(codes(proposal)) <= {Code.SUMMARY_DIFFERS}, (case, name)
        assert proposal.operations
        return
    assert standing == expected[0], (case, name, words(proposal))
    assert expected[1] is None or expected[1] in codes(proposal), (case, name)
    if standing == "malformed":
        assert not proposal.operations and words(proposal)


def test_hermes_names_are_listed_as_hermes_does(
    pending_records: dict[str, Any], tmp_path: Any
) -> None:
    """Cases tmp-left, dotfile, upper-ext."""
    listed = {}
    for case in pending_records["queue"]:
        if case["id"] in ("tmp-left", "dotfile", "upper-ext"):
            home = HomeBuilder(tmp_path / case["id"])
            for name, data in case["files_b64"].items():
                home.stage_raw(name, base64.b64decode(data))
            listed[case["id"]] = list(read_all(home))
    assert listed["dotfile"] == [".x.json"]
    assert all(not name.endswith(("tmp", "JSON")) for names in listed.values() for name in names)


def test_every_skill_record_observed_is_understood(
    pending_records: dict[str, Any], home: HomeBuilder
) -> None:
    """pending-records `skills`: those that lack a field are malformed, the rest are not."""
    staged = {}
    for case in pending_records["skills"]:
        for step in case["steps"]:
            if "record" in step:
                text = json.dumps(step["record"], ensure_ascii=False)
                filled = text.replace('"<FLOAT>"', "5.0").replace('"<ID>"', f'"{case["id"]}"')
                home.stage_raw(f"{case['id']}.json", filled, "skills")
                staged[case["id"]] = step["record"]["payload"]["action"]
    found = read_all(home, Subsystem.SKILLS)
    assert len(found) == len(staged) >= 20
    for case_id, action in staged.items():
        proposal = found[f"{case_id}.json"]
        lacking = case_id in ("write-file-wrong-field", "create-empty")
        assert (standing_of(proposal.verdicts) is Standing.MALFORMED) is lacking, case_id
        assert lacking or (not proposal.verdicts and proposal.operations[0].action == action)
        assert lacking or proposal.target.kind is TargetKind.SKILL  # type: ignore[union-attr]
