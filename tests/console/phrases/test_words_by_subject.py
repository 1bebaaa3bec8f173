"""Sentences that the console and the command line share (design §2, §11)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from plan_making import entries, make_plan, outcome

from placet.console.phrases import amounts, decisions, effects, homes, refusals, standings, verdicts
from placet.console.phrases.events import happened
from placet.console.phrases.times import moment
from placet.store.inbox import FOLDED
from placet.store.ledger.decisions import Decision
from placet.store.ledger.refusals import Refusal
from placet.store.model import (
    Action,
    Code,
    Gate,
    HomeConfig,
    Kind,
    Level,
    Operation,
    Standing,
    Usage,
    Verdict,
)

AT = 1_700_000_000.0
THREAT = Verdict(Code.THREAT, Level.BLOCKER, "Hermes would refuse it.", 2, None, "prompt_x")
NOTE = Verdict(Code.DUPLICATE, Level.NOTE, "There is one like it.")


def refusal(**more: object) -> Refusal:
    """A refusal of one text."""
    values: dict[str, object] = {
        **{"n": 1, "fp": "a" * 64, "kind": "put", "target": "user", "scope": "op", "reason": ""},
        **{"decision": 7, "at": AT, "until": None, "lifted": None, "hits": 0, "normal": "x"},
        **{"text": None, "mask": "", "secret": False, **more},
    }
    return Refusal(**values)  # type: ignore[arg-type]


def test_a_finding_names_its_weight_and_its_rule_once() -> None:
    assert verdicts.finding(THREAT) == "blocked: Hermes would refuse it. [prompt_x]"
    named = Verdict(Code.THREAT, Level.BLOCKER, "prompt_x hits.", 2, None, "prompt_x")
    assert verdicts.finding(named) == "blocked: prompt_x hits."
    assert verdicts.worst_first([NOTE, THREAT]) == [THREAT, NOTE]


def test_what_a_rule_finds_in_an_operation_is_told_once() -> None:
    """One line with a count, however many places; another rule or operation is another line."""
    places = [replace(THREAT, span=(at, at + 1)) for at in range(3)]
    other = replace(THREAT, operation=1)
    told = verdicts.told_once([*places, other, NOTE])
    assert [(one.operation, times) for one, times in told] == [(2, 3), (1, 1), (None, 1)]
    assert verdicts.finding(*told[0]) == "blocked: Hermes would refuse it. [prompt_x, 3 times]"
    plan = make_plan(entries("a"), None, [outcome(1, "a", None)], verdicts=[*places, other])
    assert verdicts.reason_of(plan) == "Hermes would refuse it."


def test_a_record_without_a_change_is_called_that() -> None:
    """No "nothing known": what cannot be understood asks for nothing."""
    blank = make_plan(entries("a"), None, [], asked=(), target=None)
    assert effects.effect(blank) == "no change can be made out, home default"
    asked = make_plan(entries("a"), None, [], asked=(Operation(Action.REPLACE, "b", "c"),))
    words = "changes nothing as it is (asks to replace) in MEMORY.md of home default"
    assert effects.effect(asked) == words


def test_the_reason_for_the_log_holds_no_text() -> None:
    """Design §8: an event's body holds codes and the person's words, never memory text."""
    plan = make_plan(entries("a"), None, [outcome(1, "a", None)], verdicts=[THREAT, NOTE])
    assert verdicts.reason_of(plan) == "Hermes would refuse it."
    assert verdicts.codes_of(plan) == "held: threat"


def test_an_effect_counts_what_acts_and_says_where() -> None:
    plan = make_plan(
        entries("a", "b"),
        entries("A", "c", "d"),
        [
            *(outcome(1, "a", "A"), outcome(2, None, "c"), outcome(3, None, "d")),
            outcome(4, "b", None, dropped=True, applied=False),
        ],
    )
    assert effects.effect(plan) == "replaces 1, adds 2 in MEMORY.md of home default"


@pytest.mark.parametrize(
    ("number", "words"), [(0, "0 warnings"), (1, "1 warning"), (1200, "1,200 warnings")]
)
def test_counts_agree_with_their_noun(number: int, words: str) -> None:
    assert amounts.counted(number, "warning") == words
    assert amounts.counted(2, "entry", "entries") == "2 entries"


def test_sizes_name_one_number_where_nothing_changes() -> None:
    """Design §11: usage meters before and after, against the cap."""
    assert amounts.sizes(Usage(1364, 1562, 2200)) == "1,364 ▸ 1,562 of 2,200"
    assert amounts.shares(Usage(1364, 1562, 2200)) == "62 % ▸ 71 %"
    assert amounts.sizes(Usage(5, 5, 2200)) == "5 of 2,200"
    assert amounts.shares(Usage(0, 1, 0)) == "no room ▸ no room"


def test_every_standing_and_every_folded_group_has_a_meaning() -> None:
    assert set(standings.MEANINGS) == set(Standing)
    assert set(FOLDED) <= set(standings.GROUPS)


def test_a_refusal_says_when_until_and_whether_it_stands() -> None:
    assert refusals.refused(refusal()) == f"user · refused {moment(AT)} by #7"
    ended = refusals.refused(refusal(until=AT + 3600, lifted=9))
    assert ended.endswith(f" by #7 · until {moment(AT + 3600)} · lifted by #9")
    assert refusals.came_back(refusal(hits=1)) == "came back 1 time since"


def test_write_approval_that_is_off_names_its_command() -> None:
    """Design §11: the exact words to turn it on."""
    memory, skills = homes.write_approval(HomeConfig(gate=Gate(memory=True, skills=False)))
    assert memory.on and memory.words == "write approval for memory is on"
    assert not skills.on
    assert skills.words.endswith("Turn on: hermes config set skills.write_approval true")


def test_a_decision_in_words() -> None:
    decision = Decision(12, Kind.APPROVED, AT, "alice")
    assert decisions.decided(decision) == f"approved by alice, {moment(AT)} (#12)"
    assert decisions.seen_later(Kind.APPROVED) and not decisions.seen_later(Kind.REJECTED)


def test_an_event_without_words_is_told_from_its_facts() -> None:
    ungated = {"kind": "ungated", "path": "SOUL.md"}
    assert happened(ungated) == "SOUL.md was changed, and no decision explains it"
    assert happened({"kind": "baseline", "files": [1, 2]}) == "first known state of 2 files"
    assert happened({"words": "added 1", "ref": "memory/x"}) == "added 1 (memory/x)"
