"""The log from the command line: followed, verified, accepted, filtered (Q14, Q15)."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from homes.build import HomeBuilder

Placet = Callable[..., Any]

PLACET = (sys.executable, "-m", "placet.console")


class TestAudit:
    def test_following_prints_new_events_until_interrupted(
        self, own: HomeBuilder, placet: Placet
    ) -> None:
        """Q14: `--follow --json`, one object a line."""
        first = own.stage_add("a")
        assert placet(own, "discard", first).code == 0
        kept = {k: v for k, v in os.environ.items() if k in ("PATH", "XDG_STATE_HOME")}
        program = subprocess.Popen(
            [*PLACET, "-H", str(own.path), "audit", "--follow", "--json", "--limit", "1"],
            env=kept,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
        )
        try:
            assert program.stdout is not None
            assert json.loads(program.stdout.readline())["kind"] == "discarded"
            second = own.stage_add("b")
            assert placet(own, "reject", second).code == 0
            seen = json.loads(program.stdout.readline())
            assert seen["kind"] == "rejected" and seen["body"]["ref"] == f"memory/{second}"
            program.send_signal(signal.SIGINT)
            assert program.wait(10) == 0
        finally:
            program.kill()
            program.communicate()

    def test_verify_ends_with_3_on_findings(self, own: HomeBuilder, placet: Placet) -> None:
        """Q15, T05: a changed row is named; exit code 3; accepting is asked for."""
        assert placet(own, "discard", own.stage_add("a")).code == 0
        answer = placet(own, "audit", "--verify", "--json")
        assert answer.code == 0 and answer.json["findings"] == []
        with sqlite3.connect(own.path / "placet" / "placet.db") as database:
            database.execute("DROP TRIGGER audit_no_update")
            database.execute("UPDATE audit SET body = replace(body, 'baseline', 'Baseline')")
        database.close()
        answer = placet(own, "audit", "--verify", "--json")
        assert answer.code == 3 and answer.json["findings"]
        assert placet(own, "audit", "--verify").code == 3

    def test_an_alarm_is_accepted_by_a_typed_word(
        self, own: HomeBuilder, placet: Placet, person: Any
    ) -> None:
        assert placet(own, "audit", "--accept").code == 0
        assert placet(own, "discard", own.stage_add("a")).code == 0
        for path in (own.path / "placet").glob("placet.db*"):
            path.unlink()
        ref = own.stage_add("b")
        assert placet(own, "discard", ref).code == 1
        assert placet(own, "audit", "--accept").code == 1
        person.says = ["accept"]
        answer = placet(own, "audit", "--accept")
        assert answer.code == 0, answer.err
        assert placet(own, "discard", ref).code == 0

    def test_filters_and_usage(self, own: HomeBuilder, placet: Placet) -> None:
        first, second = own.stage_add("a"), own.stage_add("b")
        placet(own, "discard", first)
        placet(own, "reject", second, "--reason", "out of date")
        found = placet(own, "audit", "--kind", "rejected", "--json").objects
        assert [one["kind"] for one in found] == ["rejected"]
        assert placet(own, "audit", "--text", "date", "--json").objects == found
        assert "reason: out of date" in placet(own, "audit").out
        assert placet(own, "audit", "--follow", "--verify").code == 2
        assert placet(own, "audit", "--kind", "nonsense").code == 2
