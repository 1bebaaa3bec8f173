"""C02, field reports 66, 67: a hostile past is printed harmlessly by every verb that tells it."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from homes.build import HomeBuilder

Placet = Callable[..., Any]

ACTS = (
    "\x1b]52;c;AAAA\x07 \x1b[2J\x1b[HApproved by you \u202etxt.exe pay\u200bload \x9b31m \x85 \x7f "
    "\u2028 \U000e0041\U000e0042 [red]x[/red] [@click=app.quit]x[/]"
)
HIDING = {"Cc", "Cf", "Zl", "Zp", "Cs", "Co", "Cn"}


def harmless(text: str) -> bool:
    """Judged without the code under test; line feeds of ours are no content."""
    return not any(unicodedata.category(c) in HIDING for c in text.replace("\n", ""))


@pytest.fixture
def lived(own: HomeBuilder, placet: Placet, person: Any) -> HomeBuilder:
    """A home with a hostile past: refused, discarded, taken, approved, ungated, skills too."""
    own.memory("first", "second", "third", f"old {ACTS}")
    labels = {"origin": ACTS, "summary": ACTS}
    own.stage_add(f"no {ACTS}", record_id="no")
    assert placet(own, "reject", "no", "--reason", f"why {ACTS}").code == 0
    own.stage_add(f"no {ACTS}", record_id="again")
    own.stage_remove(f"nowhere {ACTS}", record_id="dead", **labels)
    own.stage_skill("create", ACTS, content=ACTS, category=ACTS, record_id="skill", **labels)
    own.stage_raw("x\x1b[2J\u202e.json", b'{"id": "\\u001b[2J"}')
    (listed,) = placet(own, "pending", "--json").json["homes"]
    odd = next(p["ref"] for p in listed["proposals"] if p["id"].startswith("sha256:"))
    assert placet(own, "discard", "dead", "skill", odd, "--reason", ACTS).code == 0
    own.stage_replace("old", f"new, and much longer than before {ACTS}", record_id="yes")
    shown = placet(own, "show", "yes", "--json").json
    person.says = [f"reason {ACTS}", *["vouch", f"reason {ACTS}"] * 30]
    placet(own, "approve", "yes", "--seen", shown["digest"] or shown["state"])
    own.memory("first", "second", "third", f"behind the back {ACTS}")
    own.stage_remove("nothing", record_id="other")
    assert placet(own, "discard", "other").code == 0
    return own


def test_the_past_is_printed_harmlessly(lived: HomeBuilder, placet: Placet, person: Any) -> None:
    """Field report 67: `tail` is `audit`; as text and as JSON, and every answer about the past."""
    person.says = []
    calls = [
        (verb, *more)
        for verb in ("audit", "refusals", "memory", "pending", "status")
        for more in ((), ("--json",))
    ]
    calls += [("audit", "--full"), ("audit", "--text", ACTS), ("audit", "--verify")]
    calls += [(verb, str(n)) for verb in ("undo", "keep", "revert", "lift") for n in range(1, 12)]
    calls += [("show", ref) for ref in ("no", "again", "dead", "skill", "yes", ACTS)]
    said = ""
    for words in calls:
        answer = placet(lived, *words)
        assert "Traceback" not in answer.err
        assert harmless(answer.out), words
        assert harmless(answer.err), words
        said += answer.out
    for badge in ("^[[2J", "‹U+202E", "‹U+200B", "‹TAG", "[red]x[/red]", "behind the back"):
        assert badge in said, badge


def test_the_kinds_of_the_past_are_there(lived: HomeBuilder, placet: Placet) -> None:
    """The positive side: these events are what the test above printed."""
    kinds = {one["kind"] for one in placet(lived, "audit", "--json").objects}
    wanted = {"baseline", "rejected", "taken", "discarded", "vouched", "approved", "ungated"}
    assert wanted <= kinds
    reasons = [one["body"].get("reason", "") for one in placet(lived, "audit", "--json").objects]
    assert any("Approved by you" in reason for reason in reasons)
    assert harmless("plain") and not harmless(ACTS)


def test_names_and_settings_are_printed_harmlessly(tmp_path: Path, placet: Placet) -> None:
    """Field report 66: the home's folder and values of config.yaml, by every reading verb."""
    home = HomeBuilder(tmp_path / ACTS.replace("/", "-"))
    home.config(
        'memory:\n  write_approval: true\n  provider: "oth\\e[2J\\u202Eer"\n'
        '  memory_char_limit: "1\\e[2J\\u202E"\nskills:\n  external_dirs: ["/x\\e[2J\\u202E"]\n'
    )
    home.memory("first").stage_add("second", record_id="one")
    said = ""
    for verb in ("status", "pending", "show one", "diff one", "memory", "count", "locate", "audit"):
        for more in ("", " --json"):
            answer = placet(home, *f"{verb}{more}".split())
            assert harmless(answer.out), verb
            assert harmless(answer.err), verb
            said += answer.out + answer.err
    assert "oth^[[2J‹U+202E" in said
    assert "Approved by you" in said
