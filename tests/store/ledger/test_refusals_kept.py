"""A no is kept: refusals in the ledger (Q05, Q06, Q07, field reports 70, 73, 77)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from placet.store.errors import NotFound
from placet.store.ledger import audit, blobs, decisions, proposals, publish, refusals
from placet.store.ledger.database import Ledger
from placet.store.model import Home, Kind, Life, Past, Proposal, Subsystem, sha256
from placet.store.text.fingerprint import batch_print, operation_print

TEXT = "The staging server is rebuilt every Monday at 06:00 UTC."
NOW = 1_800_000_000.0


@dataclass(frozen=True)
class Prints:
    """Fingerprints as the plan makes them."""

    operations: dict[int, tuple[str, str, str, str]]
    batch: str | None = None


@dataclass
class Case:
    """A ledger and short ways to refuse and to ask."""

    ledger: Ledger
    home: Home
    refused: list[str] = field(default_factory=list[str])

    def refuse(self, text: str = TEXT, target: str = "memory", **more: Any) -> int:
        """Refuse one text by a decision of its own; returns its number."""
        if not more.get("secret"):
            blobs.put(self.home, text.encode())
        with self.ledger.immediate():
            seq = audit.append(self.ledger, Kind.REJECTED, {"actor": "somebody"}).seq
            given = {
                "fp": operation_print(target, "put", text),
                "kind": "put",
                "at": NOW - 10,
                **more,
            }
            stored = refusals.add(self.ledger, target=target, decision=seq, text=text, **given)
            decision = decisions.Decision(seq, Kind.REJECTED, NOW - 10, "somebody", target)
            decisions.add(self.ledger, decision)
        self.refused.append(stored)
        return seq

    def ask(self, text: str = TEXT, target: str = "memory", now: float = NOW) -> Past:
        """What the ledger knows about a proposal that puts this text."""
        return refusals.past(self.ledger, self.proposal(), self.prints((target, text)), now=now)

    def proposal(self) -> Proposal:
        """Some proposal."""
        return Proposal(
            self.home, Subsystem.MEMORY, "a1", "a1.json", b"{}", "agent", None, "", None, ()
        )

    def prints(self, *pairs: tuple[str, str]) -> Prints:
        """Fingerprints of puts."""
        made = {
            n: ("put", target, operation_print(target, "put", text), text)
            for n, (target, text) in enumerate(pairs, 1)
        }
        return Prints(made, batch_print(p[2] for p in made.values()) if len(made) > 1 else None)


@pytest.fixture
def case(tmp_path: Path) -> Iterator[Case]:
    """An empty ledger."""
    (tmp_path / "home").mkdir()
    home = Home(tmp_path / "home")
    with Ledger.open(home, create=True) as ledger:
        yield Case(ledger, home)


def test_a_refused_value_is_recognised(case: Case) -> None:
    """Q05: other case, spacing, trailing dot, other target, other text."""
    assert case.ask() == Past()
    seq = case.refuse(reason="wrong day")
    hit = case.ask("the staging  server is rebuilt every monday at 06:00 UTC").refused[1]
    assert (hit.event, hit.reason, hit.text, hit.target) == (seq, "wrong day", TEXT, "memory")
    other = case.ask(target="user")
    assert not other.refused and other.elsewhere[1].event == seq
    changed = case.ask(TEXT.replace("06:00", "07:00"))
    assert not changed.refused and not changed.elsewhere
    assert changed.similar[1][0].text == TEXT
    unlike = case.ask("Tests run with pytest.")
    assert unlike == Past()


def test_it_survives_everything_but_lifting(case: Case) -> None:
    """Q06: superseded, restarted, erased, a year later; lifting lets it through."""
    case.refuse()
    case.refuse(TEXT.replace("Monday", "Tuesday"))
    year = NOW + 366 * 86400
    assert case.ask(now=year).refused[1].event == 1
    with case.ledger.immediate():
        assert blobs.erase(case.ledger, sha256(TEXT.encode()))
    with Ledger.open(case.home) as again:
        prints = case.prints(("memory", TEXT))
        past = refusals.past(again, case.proposal(), prints, now=year)
        assert past.refused[1].event == 1 and past.refused[1].text == ""
        with again.immediate():
            assert refusals.lift(again, case.refused[0], 99) == 1
            assert refusals.lift(again, case.refused[0], 99) == 0
        assert not refusals.past(again, case.proposal(), prints, now=year).refused
        with again.immediate():
            assert refusals.restore(again, 99) == 1
        assert refusals.past(again, case.proposal(), prints, now=year).refused


def test_it_expires_when_the_person_said_so(case: Case) -> None:
    """Field report 77: until a date, then ordinary."""
    case.refuse(until=NOW + 5)
    assert case.ask(now=NOW).refused
    later = case.ask(now=NOW + 6)
    assert not later.refused and not later.similar and not later.elsewhere


def test_undoing_a_decision_lifts_what_it_refused(case: Case) -> None:
    """Q10: its own refusals alone."""
    first, second = case.refuse(), case.refuse("Tests run with pytest.")
    with case.ledger.immediate():
        assert refusals.lift_decision(case.ledger, first, 50) == (case.refused[0],)
    assert not case.ask().refused
    assert case.ask("Tests run with pytest.").refused[1].event == second
    assert [r.lifted for r in refusals.of_decision(case.ledger, first)] == [50]


def test_a_refused_batch_refuses_the_whole_only(case: Case) -> None:
    """Design §7: reordered it is still refused; its operations become notes."""
    pair = (("memory", TEXT), ("memory", "Tests run with pytest."))
    made = case.prints(*pair)
    assert made.batch is not None
    with case.ledger.immediate():
        seq = audit.append(case.ledger, Kind.REJECTED, {}).seq
        refusals.add(
            case.ledger, fp=made.batch, kind="batch", target="memory", decision=seq, scope="batch"
        )
        for kind, target, fp, text in made.operations.values():
            refusals.add(
                case.ledger,
                fp=fp,
                kind=kind,
                target=target,
                decision=seq,
                scope="part",
                text=text,
                at=NOW,
            )
    turned = case.prints(*reversed(pair))
    assert refusals.past(case.ledger, case.proposal(), turned, now=NOW).batch is not None
    alone = case.ask()
    assert not alone.refused and not alone.batch and alone.similar[1][0].event == seq
    assert [r.scope for r in refusals.list_refusals(case.ledger)] == ["batch"]
    assert len(refusals.list_refusals(case.ledger, parts=True)) == 3


def test_a_drop_is_not_a_put(case: Case) -> None:
    """Refusing that an entry be removed says nothing about its being added."""
    case.refuse(kind="drop", fp=operation_print("memory", "drop", TEXT))
    assert case.ask() == Past()
    fp = operation_print("memory", "drop", TEXT)
    past = refusals.past(
        case.ledger, case.proposal(), Prints({3: ("drop", "memory", fp, TEXT)}), now=NOW
    )
    assert past.refused[3].kind == "drop"


def test_a_secret_leaves_no_trace_that_could_be_guessed_at(case: Case) -> None:
    """Field report 70: salted digest and mask; grep finds neither text nor plain digests."""
    secret = "the vault pin is demo-PASS-0000"
    plain = operation_print("memory", "put", secret)
    seq = case.refuse(secret, secret=True, mask="the vault pin is ****")
    hit = case.ask(secret).refused[1]
    assert (hit.event, hit.text) == (seq, "the vault pin is ****")
    assert case.ask(secret, target="user").elsewhere[1].event == seq
    case.ledger.checkpoint()
    publish.publish(case.ledger, now=NOW)
    stored = b"".join(p.read_bytes() for p in case.home.path.rglob("*") if p.is_file())
    assert b"demo-PASS" not in stored and plain.encode() not in stored
    assert sha256(secret.encode()).encode() not in stored
    assert case.refused[0].encode() in stored, "the positive: the salted one is there"
    (row,) = refusals.list_refusals(case.ledger)
    assert row.secret and refusals.text_of(case.ledger, row) == "the vault pin is ****"
    with case.ledger.immediate():
        assert refusals.lift(case.ledger, plain, 9) == 1


def test_erasing_leaves_no_text_behind(case: Case) -> None:
    """Design §8: a person may erase a text; the chain still verifies, the refusal still holds."""
    case.refuse()
    assert case.ask(TEXT + " Really.").similar
    with case.ledger.immediate():
        assert blobs.erase(case.ledger, sha256(TEXT.encode()))
        audit.append(case.ledger, Kind.ERASED, {"sha256": sha256(TEXT.encode())})
    case.ledger.checkpoint()
    stored = b"".join(p.read_bytes() for p in case.home.path.rglob("*") if p.is_file())
    assert b"staging" not in stored.lower()
    assert audit.verify(case.ledger) == [] and case.ask().refused
    assert not case.ask(TEXT + " Really.").similar
    with case.ledger.immediate():
        assert not blobs.erase(case.ledger, sha256(TEXT.encode()))


def test_hits_count_once_for_each_record(case: Case) -> None:
    """Design §7: once per (home, id, SHA-256); plain or salted."""
    case.refuse()
    case.refuse("pin 0000", secret=True)
    for fp in (case.refused[0], operation_print("memory", "put", "pin 0000")):
        with case.ledger.immediate():
            first = refusals.hit(case.ledger, fp, Subsystem.MEMORY, "a", "1" * 64)
            again = refusals.hit(case.ledger, fp, Subsystem.MEMORY, "a", "1" * 64)
            other = refusals.hit(case.ledger, fp, Subsystem.MEMORY, "a", "2" * 64)
        assert (first, again, other) == (True, False, True)
    assert [r.hits for r in refusals.list_refusals(case.ledger)] == [2, 2]


def test_an_edited_text_is_remembered(case: Case) -> None:
    """Q07: the original proposed again is marked; not after the edit was undone."""
    fp = operation_print("memory", "put", TEXT)
    with case.ledger.immediate():
        seq = audit.append(case.ledger, Kind.EDITED, {}).seq
        decision = decisions.Decision(seq, Kind.EDITED, NOW, "somebody", "memory")
        operation = decisions.Operation(1, "add", "memory", proposed="0" * 64, edited_fp=fp)
        decisions.add(case.ledger, decision, [operation])
    assert case.ask().edited == {1: NOW}
    with case.ledger.immediate():
        decisions.end(case.ledger, seq, seq + 1)
    assert case.ask().edited == {}


def test_put_back_and_vouched_are_told(case: Case) -> None:
    """Design §7 and §10: never taken again; this exact text alone."""
    proposal = case.proposal()
    known = proposals.Known(
        Subsystem.MEMORY, "a1", proposal.sha256, "a1.json", "agent", NOW, Life.TAKEN, 1
    )
    with case.ledger.immediate():
        proposals.put(case.ledger, known)
    assert not case.ask().put_back
    assert proposals.living(case.ledger, Life.TAKEN) == (known,)
    with case.ledger.immediate():
        proposals.put_back(case.ledger, known, 7)
        decisions.vouch(case.ledger, sha256(TEXT.encode()), "rule", "because", 8)
    past = case.ask()
    assert past.put_back and past.vouched == {sha256(TEXT.encode())}
    with case.ledger.immediate(), pytest.raises(NotFound):
        proposals.put_back(case.ledger, known, 9)
    with case.ledger.immediate():
        assert decisions.end_vouches(case.ledger, 8, 10) == 1
    assert case.ask().vouched == frozenset()
    with case.ledger.immediate():
        proposals.put(case.ledger, known)
    found = proposals.get(case.ledger, Subsystem.MEMORY, "a1", proposal.sha256)
    assert found is not None and found.put_back == 7, "it is never forgotten"


def test_the_list_pages_and_finds(case: Case) -> None:
    """Newest first; by the beginning of a fingerprint."""
    for number in range(5):
        case.refuse(f"fact number {number}")
    page = refusals.list_refusals(case.ledger, limit=2)
    assert [r.decision for r in page] == [5, 4]
    rest = refusals.list_refusals(case.ledger, before=page[-1].n)
    assert [r.decision for r in rest] == [3, 2, 1]
    assert refusals.text_of(case.ledger, rest[-1]) == "fact number 0"
    assert refusals.find(case.ledger, case.refused[2][:20]).decision == 3
    for prefix in ("", "zz"):
        with pytest.raises(NotFound):
            refusals.find(case.ledger, prefix)


def lines(case: Case) -> list[dict[str, Any]]:
    data = publish.location(case.home).read_bytes()
    return [json.loads(line) for line in data.split(b"\n")[:-1]]


def test_what_guards_may_read(case: Case) -> None:
    """Design §3: 0644, fixed fields, no text unless the person allows it."""
    seq = case.refuse(reason="x" * 100, until=NOW + 60)
    path = publish.publish(case.ledger, now=NOW)
    assert path.stat().st_mode & 0o777 == 0o644
    assert path.parent.stat().st_mode & 0o777 == 0o755
    (line,) = lines(case)
    assert line == {
        "v": 1,
        "n": 1,
        "fingerprint": case.refused[0],
        "kind": "put",
        "target": "memory",
        "date": "2027-01-15T07:59:50Z",
        "until": "2027-01-15T08:01:00Z",
        "id": f"#{seq}",
        "reason": "x" * 80,
    }


def test_publishing_adds_lines_and_takes_lifted_ones_out(case: Case) -> None:
    """New ones are appended; a lift, an expiry or a torn file writes it anew."""
    case.refuse()
    path = publish.publish(case.ledger, now=NOW)
    inode = path.stat().st_ino
    case.refuse("second")
    case.refuse("pin", secret=True)
    publish.publish(case.ledger, now=NOW, changed=False)
    assert path.stat().st_ino == inode and [x["n"] for x in lines(case)] == [1, 2]
    publish.publish(case.ledger, now=NOW, changed=False)
    assert len(lines(case)) == 2
    with case.ledger.immediate():
        refusals.lift(case.ledger, case.refused[0], 9)
    publish.publish(case.ledger, now=NOW)
    assert [x["n"] for x in lines(case)] == [2]
    with path.open("ab") as file:
        file.write(b'{"torn')
    publish.publish(case.ledger, now=NOW, changed=False)
    assert [x["n"] for x in lines(case)] == [2]
