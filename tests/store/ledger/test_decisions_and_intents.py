"""Decisions, their operations, intents, blobs and last known files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from placet.store.errors import AlreadyDecided, NotFound
from placet.store.ledger import audit, blobs, decisions, files, intents
from placet.store.ledger.database import Ledger
from placet.store.ledger.decisions import Decision, Operation
from placet.store.ledger.intents import MadeIn
from placet.store.model import Change, Home, Kind, Subsystem, Target, TargetKind, sha256

SHA = sha256(b"record")
MEMORY = Subsystem.MEMORY


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """An empty ledger."""
    (tmp_path / "home").mkdir()
    with Ledger.open(Home(tmp_path / "home"), create=True) as made:
        yield made


def decide(
    ledger: Ledger, kind: Kind, *operations: Operation, sha: str = SHA, concerns: int | None = None
) -> int:
    with ledger.immediate():
        seq = audit.append(ledger, kind, {"actor": "somebody"}).seq
        about = (MEMORY, "a1", "a1.json", sha) if concerns is None else (None, "", "", None)
        decisions.add(
            ledger, Decision(seq, kind, 5.0, "somebody", "memory", *about, concerns), operations
        )
    return seq


def test_one_decision_stands_for_the_same_bytes(ledger: Ledger) -> None:
    """Q11: the other hears who was first and when, and nothing of its block is kept."""
    first = decide(ledger, Kind.APPROVED)
    with pytest.raises(AlreadyDecided, match="by somebody at 1970-01-01 00:00:05 UTC: approved"):
        decide(ledger, Kind.REJECTED)
    assert audit.head(ledger) == first
    assert decide(ledger, Kind.REJECTED, sha=sha256(b"other bytes")) == 2
    found = decisions.standing(ledger, MEMORY, "a1", SHA)
    assert found is not None and found.event == first and found == decisions.get(ledger, first)


def test_undo_ends_a_decision_and_can_be_undone(ledger: Ledger) -> None:
    """Q10: the record can be decided again; no redo, but an undo is undone like any decision."""
    first = decide(ledger, Kind.REJECTED)
    undo = decide(ledger, Kind.UNDONE, concerns=first)
    with ledger.immediate():
        decisions.end(ledger, first, undo)
    assert decisions.standing(ledger, MEMORY, "a1", SHA) is None
    assert [d.event for d in decisions.answers(ledger, first)] == [undo]
    with pytest.raises(NotFound), ledger.immediate():
        decisions.end(ledger, first, undo)
    with ledger.immediate():
        assert decisions.reopen(ledger, undo) == (first,)
    found = decisions.standing(ledger, MEMORY, "a1", SHA)
    assert found is not None and found.event == first
    with ledger.immediate():
        decisions.end(ledger, first, undo)
    second = decide(ledger, Kind.APPROVED)
    with pytest.raises(AlreadyDecided), ledger.immediate():
        decisions.reopen(ledger, undo)
    assert [d.event for d in decisions.newest(ledger)] == [second, undo]
    assert len(decisions.newest(ledger, standing_only=False)) == 3


def test_operations_are_kept_and_found_by_print(ledger: Ledger) -> None:
    """Q08: three operations with the second dropped are one decision."""
    fps = [sha256(str(n).encode()) for n in range(3)]
    rows = tuple(
        Operation(n, "add", "memory", None, fps[0], None, n == 2, fps[n - 1]) for n in (1, 2, 3)
    )
    seq = decide(ledger, Kind.APPROVED, *rows)
    assert decisions.operations(ledger, seq) == rows
    ((decision, operation),) = decisions.with_print(ledger, fps[0])
    assert (decision.event, operation.n) == (seq, 1)
    assert decisions.with_print(ledger, fps[1]) == (), "left out, so nothing was written"


def test_an_intent_comes_back_with_its_bytes(ledger: Ledger) -> None:
    """Design §6 step 4: the whole decision and a list of changes, bytes in the blobs."""
    home = ledger.home
    odd = Path(os.fsdecode(b"/x/\xff.md"))
    changes = (
        Change(home.path / "MEMORY.md", "MEMORY.md", b"old \xff", b"new", 0o600),
        Change(odd, os.fsdecode(b"\xff.md"), None, b"new", destination="somewhere"),
        Change(home.path / "gone", "gone", b"old \xff", None),
    )
    blobs.put_all(home, (b"old \xff", b"new"))
    made_in = MadeIn.now(home, Target(TargetKind.MEMORY))
    wanted = {"kind": "approved", "n": [1]}
    intent = intents.make(MEMORY, "a1", SHA, "a1.json", wanted, changes, made_in)
    with ledger.immediate():
        intents.add(ledger, intent)
    assert intents.open_ones(ledger) == (intent,)
    assert intents.get(ledger, intent.token) == intent
    assert intents.get(ledger, "other") is None
    (blobs.folder(home) / sha256(b"new")).unlink()
    (found,) = intents.open_ones(ledger)
    assert found.changes == changes[2:] and found.lost == tuple(c.path for c in changes[:2])
    assert found.paths == (changes[2].path, changes[0].path, changes[1].path)
    with ledger.immediate():
        assert intents.close(ledger, intent.token)
        assert not intents.close(ledger, intent.token)
    assert intents.open_ones(ledger) == ()


def test_blobs_are_private_whole_and_found_by_digest(ledger: Ledger) -> None:
    """Design §3: 0600 below 0700; bytes that do not match their name are not bytes of it."""
    home = ledger.home
    one, two = blobs.put_all(home, (b"one", b"two"))
    assert blobs.put(home, b"one") == one == sha256(b"one")
    path = blobs.folder(home) / one
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    assert blobs.get(home, one) == b"one" and blobs.get(home, two) == b"two"
    path.write_bytes(b"changed")
    assert blobs.get(home, one) is None
    assert blobs.put(home, b"one") == one and blobs.get(home, one) == b"one", "mended"
    path.unlink()
    path.symlink_to(blobs.folder(home) / two)
    for odd in (one, "../placet.db", "", "x" * 64):
        assert blobs.get(home, odd) is None
    assert sorted(os.listdir(blobs.folder(home))) == sorted([one, two])


def test_a_failing_blob_leaves_nothing(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    """T01: the transaction that would name it never begins."""

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", fail)
        with pytest.raises(OSError, match="No space"):
            blobs.put(ledger.home, b"x")
    assert not blobs.folder(ledger.home).exists() or not os.listdir(blobs.folder(ledger.home))
    assert blobs.get(ledger.home, blobs.put(ledger.home, b"x")) == b"x"


def test_an_ungated_change_stays_open_until_it_is_answered(ledger: Ledger) -> None:
    """Q13: later decisions on the file do not close it; keep and revert do; their undo re-opens."""
    with ledger.immediate():
        seq = audit.append(ledger, Kind.UNGATED, {"path": "SOUL.md", "before": None}).seq
    decide(ledger, Kind.APPROVED)
    assert [e.seq for e in files.open_ungated(ledger)] == [seq]
    kept = decide(ledger, Kind.KEPT, concerns=seq)
    assert files.open_ungated(ledger) == ()
    with ledger.immediate():
        decisions.end(ledger, kept, 9)
    assert [e.seq for e in files.open_ungated(ledger)] == [seq]
    decide(ledger, Kind.REVERTED, concerns=seq)
    assert files.open_ungated(ledger) == ()


def test_last_known_files_move_on(ledger: Ledger) -> None:
    """One row a path; absent is a state of its own."""
    assert files.known(ledger, "SOUL.md") is None
    with ledger.immediate():
        files.remember(ledger, "SOUL.md", SHA, 1)
        files.remember(ledger, "SOUL.md", None, 2)
    assert files.known(ledger, "SOUL.md") == (None, 2)
