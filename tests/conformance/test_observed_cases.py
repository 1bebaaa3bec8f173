"""K01: what Hermes was seen to do, done again by the planner: bytes and outcome."""

from __future__ import annotations

import base64
import hashlib
import json
import os
from pathlib import Path
from typing import Any

import pytest
from conformance.excepted import CASES
from homes.build import HERMES, HomeBuilder
from planning.plans import planned, write_out

from placet.store.homes import config
from placet.store.model import Code, Plan
from placet.store.text import scan

STORE_CALLS = {"add", "replace", "remove", "apply_batch", "apply_memory_pending"}

CATEGORIES = {"add", "replace", "remove", "batch", "drift", "cap", "fs", "apply", "threat"}

MEANS: dict[str, set[Code]] = {
    "empty_content": {Code.EMPTY_CONTENT, Code.MALFORMED},
    "empty_new_content": {Code.EMPTY_CONTENT, Code.MALFORMED},
    "empty_old_text": {Code.ANCHOR_MISSING, Code.MALFORMED},
    "no_match": {Code.ANCHOR_MISSING},
    "batch_no_match": {Code.ANCHOR_MISSING},
    "ambiguous": {Code.ANCHOR_AMBIGUOUS},
    "batch_ambiguous": {Code.ANCHOR_AMBIGUOUS},
    "over_limit_add": {Code.OVER_LIMIT},
    "over_limit_replace": {Code.OVER_LIMIT},
    "batch_over_limit": {Code.OVER_LIMIT},
    "drift": {Code.DRIFT},
    "threat": {Code.THREAT},
    "threat_invisible": {Code.THREAT},
    "batch_missing_content": {Code.EMPTY_CONTENT, Code.MALFORMED},
    "batch_missing_old_text": {Code.ANCHOR_MISSING, Code.MALFORMED},
    "batch_unknown_action": {Code.MALFORMED},
    "batch_empty": {Code.MALFORMED},
    "unknown_staged_action": {Code.MALFORMED, Code.FOREIGN_PROVIDER},
    "exception:AttributeError": {Code.MALFORMED},
    "exception:TypeError": {Code.MALFORMED},
    "exception:UnicodeEncodeError": {Code.MALFORMED},
}
"""Which blockers answer a class of refusal."""


def _cases() -> list[dict[str, Any]]:
    if not HERMES.is_dir():
        return []
    return json.loads((HERMES / "conformance.json").read_bytes())["cases"]


def _of(categories: set[str]) -> list[Any]:
    found = [case for case in _cases() if case["category"] in categories]
    return [pytest.param(case, id=case["id"] if case else "absent") for case in found or [None]]


def _payload(call: str, args: dict[str, Any]) -> Any:
    if call == "apply_memory_pending":
        return args["payload"]
    if call == "apply_batch":
        return {"action": "batch", "target": args["target"], "operations": args["operations"]}
    content = args.get("new_content", args.get("content"))
    return {
        "action": call,
        "target": args["target"],
        "content": content,
        "old_text": args.get("old_text"),
    }


def _set_up(home: HomeBuilder, case: dict[str, Any]) -> None:
    home.limits(case["limits"]["memory"], case["limits"]["user"])
    (home.path / "memories").mkdir(exist_ok=True)
    for name, held in case["initial"].items():
        if held is not None:
            home.write(f"memories/{name}", base64.b64decode(held["b64"]))
    memory = home.path / "memories" / "MEMORY.md"
    match case["id"]:
        case "fs-symlink":
            home.write("real/notes.md", b"one", 0o644)
            memory.symlink_to("../real/notes.md")
        case "fs-symlink-dangling":
            (home.path / "real").mkdir()
            memory.symlink_to("../real/none.md")
        case "fs-symlink-dangling-noparent":
            memory.symlink_to("../gone/none.md")
        case "fs-mode-not-preserved":
            memory.chmod(0o644)
        case "fs-is-directory":
            memory.mkdir()
        case _:
            pass


def _files(home: HomeBuilder) -> dict[str, bytes | None]:
    found: dict[str, bytes | None] = {}
    for name in ("MEMORY.md", "USER.md"):
        place = home.path / "memories" / name
        found[name] = place.read_bytes() if place.is_file() else None
    return found


def _same(found: bytes | None, held: dict[str, Any] | None) -> bool:
    """Whether a file is as observed; very long ones are kept as a digest."""
    if held is None or found is None:
        return held is None and found is None
    if "sha256" in held:
        return hashlib.sha256(found).hexdigest() == held["sha256"]
    return found == base64.b64decode(held["b64"])


def _agree(made: Plan, step: dict[str, Any]) -> None:
    """The outcome of one step is that of Hermes."""
    expect = step["expect"]
    found = {verdict.code for verdict in made.blockers}
    if expect["success"] and expect["changed"]:
        assert made.digest is not None, made.blockers
    elif expect["success"]:
        assert found == {Code.NO_CHANGE}, "Hermes says yes and writes nothing"
    else:
        assert found & MEANS[expect["error_class"]], (expect["error_class"], made.blockers)
    if expect.get("threat_id"):
        rules = {v.rule for v in made.verdicts if v.code is Code.THREAT}
        wanted = expect["threat_id"]
        assert {wanted, f"invisible_unicode_{wanted}"} & rules, rules


@pytest.mark.parametrize("case", _of(CATEGORIES))
def test_the_planner_does_what_hermes_was_seen_to_do(
    home: HomeBuilder, hermes: Path, case: dict[str, Any]
) -> None:
    """K01: bytes and outcome of every observed case, except the table of `excepted.py`."""
    _set_up(home, case)
    differs = CASES.get(case["id"])
    for number, step in enumerate(case["steps"]):
        if step["call"] == "write_file":
            home.write(f"memories/{step['args']['name']}", base64.b64decode(step["args"]["b64"]))
        if step["call"] not in STORE_CALLS:
            continue
        before = _files(home)
        made = planned(home, home.stage(_payload(step["call"], step["args"])))
        if differs is not None and differs.code is not None:
            assert made.digest is None
            assert differs.code in {verdict.code for verdict in made.blockers}
            return
        if differs is not None and differs.rule == "D3":
            assert [change.mode for change in made.changes] == [None], "the old mode is kept"
        if step["expect"]["error_class"] == "terminal_cap":
            assert differs is not None
            assert differs.rule == "D8"
            assert made.blockers, "the true reason, not the counter"
        else:
            _agree(made, step)
        if made.digest is not None:
            write_out(home, made)
        else:
            assert _files(home) == before
        for name, found in _files(home).items():
            assert _same(found, step["expect"]["files"][name]), f"step {number}: {name}"


@pytest.mark.parametrize("case", _of({"config"}))
def test_the_configuration_is_read_as_hermes_reads_it(
    home: HomeBuilder, hermes: Path, case: dict[str, Any]
) -> None:
    """K01, K07: limits and write approval from the observed config files."""
    if case.get("config_yaml") is None:
        os.unlink(home.path / "config.yaml")
    else:
        home.config(case["config_yaml"])
    found = config.read(home.home, {})
    for step in case["steps"]:
        outcome = step["expect"]["outcome"]
        if step["call"] == "load_on_disk_store":
            assert found.memory_limit == outcome["memory_char_limit"]
            assert found.user_limit == outcome["user_char_limit"]
        else:
            on = getattr(found.gate, step["args"]["subsystem"])
            assert on == outcome["enabled"]


@pytest.mark.parametrize("case", _of({"threat"}))
def test_our_rules_agree_with_every_observed_scan(hermes: Path, case: dict[str, Any]) -> None:
    """K01: the strict scan finds the same ids, in the first place the same one."""
    for step in case["steps"]:
        if step["call"] != "scan" or step["args"]["scope"] != "strict":
            continue
        found = [hit.rule for hit in scan.threats(step["args"]["content"])]
        assert set(step["expect"]["outcome"]["findings"]) <= set(found)
        assert bool(found) == bool(step["expect"]["outcome"]["findings"])


def test_every_exception_is_a_real_case(conformance: list[dict[str, Any]]) -> None:
    """K01: the table of exceptions names no case that does not exist."""
    assert set(CASES) <= {case["id"] for case in conformance}
    assert all(rule in {f"D{n}" for n in range(1, 10)} for rule, _, _ in CASES.values())
