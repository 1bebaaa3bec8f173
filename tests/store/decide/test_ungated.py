"""What happens to watched files without us: recorded once, named, kept or reverted (Q13)."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from deciding.office import SIGHT, Office

from placet.store.decide import keep, notice, reject, revert_proposal
from placet.store.errors import AlreadyDecided, Conflict, NotFound
from placet.store.ledger import audit, blobs, files
from placet.store.model import Kind, Ungated, sha256


def appended(path: Path) -> None:
    with path.open("ab") as file:
        file.write("\n§\nwritten by hand".encode())


def renamed(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes("alpha\n§\nbeta\n§\nwritten by hand".encode())
    other.rename(path)


def streamed(path: Path) -> None:
    subprocess.run(["sed", "-i", "s/beta/written by hand/", str(path)], check=True)


def emptied(path: Path) -> None:
    path.write_bytes(b"")


def deleted(path: Path) -> None:
    path.unlink()


WRITERS = (appended, renamed, streamed, emptied, deleted)


@pytest.mark.parametrize("running", [True, False], ids=["running", "closed"])
@pytest.mark.parametrize("writer", WRITERS, ids=lambda w: w.__name__)
def test_a_write_around_us_is_one_item(
    office: Office, writer: Callable[[Path], None], running: bool
) -> None:
    """Q13, field reports 46, 49: one open item with a full diff; two consoles record it once."""
    office.home.memory("alpha", "beta")
    office.open()
    assert notice(office.desk) == [], "the positive: nothing happened, nothing is shown"
    if not running:
        office.desk.close()
        office.desks.clear()
    writer(office.home.path / "memories/MEMORY.md")
    first, second = office.open(), office.open()
    items = notice(first)
    assert notice(second) == items and len(items) == 1
    assert items[0].path == "memories/MEMORY.md"
    assert items[0].before == "alpha\n§\nbeta".encode()
    assert items[0].after == office.home.read("memories/MEMORY.md")
    assert len(audit.events(first.ledger, kind="ungated")) == 1
    found = audit.body(audit.events(first.ledger, kind="ungated")[0])
    assert found["actor"] == audit.UNKNOWN_ACTOR


def item(office: Office, *entries: str) -> Ungated:
    """MEMORY.md rewritten around us, as the item that this makes."""
    office.home.memory("alpha", "beta")
    office.open()
    office.home.memory(*entries)
    return notice(office.desk)[0]


def test_kept_is_closed(office: Office) -> None:
    """Design §6: `kept` names the event; the file is not touched."""
    found = item(office, "alpha", "typed")
    place = office.home.path / "memories/MEMORY.md"
    before = place.stat()
    done = keep(office.desk, found.event, reason="mine")
    assert done.kind is Kind.KEPT and notice(office.desk) == []
    assert place.stat().st_mtime_ns == before.st_mtime_ns
    with pytest.raises(AlreadyDecided, match="kept"):
        keep(office.desk, found.event)
    with pytest.raises(AlreadyDecided):
        revert_proposal(office.desk, found.event)
    with pytest.raises(NotFound):
        keep(office.desk, 1)


def test_reverted_is_a_planned_diff(office: Office) -> None:
    """Design §6: against today's bytes, with a decision of its own."""
    found = item(office, "alpha", "typed")
    mine = revert_proposal(office.desk, found.event)
    assert office.desk.plan(mine).changes[0].after == "alpha\n§\nbeta".encode()
    done = office.say_yes(mine)
    assert done.kind is Kind.REVERTED and office.memory() == "alpha\n§\nbeta"
    assert notice(office.desk) == []
    event = audit.get(office.desk.ledger, done.event)
    assert event is not None and audit.body(event)["concerns"] == found.event


def test_later_decisions_do_not_close_it(office: Office) -> None:
    """Design §6: only `kept` or `reverted` does; the revert leaves later decisions alone."""
    found = item(office, "alpha", "beta", "typed")
    office.approve(office.home.stage_add("approved later"))
    assert [one.event for one in notice(office.desk)] == [found.event]
    office.say_yes(revert_proposal(office.desk, found.event))
    assert office.memory() == "alpha\n§\nbeta\n§\napproved later"
    assert notice(office.desk) == []


def test_a_revert_that_meets_changed_text(office: Office) -> None:
    """Q10: never guessed."""
    found = item(office, "alpha", "beta", "typed")
    office.home.memory("alpha", "beta", "typed and changed")
    notice(office.desk)
    with pytest.raises(Conflict):
        revert_proposal(office.desk, found.event)


def test_a_refused_text_written_by_someone_else_is_named(office: Office) -> None:
    """Promise 3: "refused on DATE", by number; no memory text in the event."""
    office.home.memory("alpha")
    no = reject(office.desk, office.proposal(office.home.stage_add("gamma")), sight=SIGHT)
    yes = office.approve(office.home.stage_add("delta"))
    office.home.memory("alpha", "Gamma")
    names = notice(office.desk)[0].names
    assert any(f"#{no.event}" in words and "refused on" in words for words in names)
    event = audit.events(office.desk.ledger, kind="ungated")[0]
    assert "amma" not in event.body
    office.home.memory("alpha", "Gamma", "delta")
    assert any(f"#{yes.event}" in words for words in notice(office.desk)[1].names)


def test_the_baseline_keeps_the_first_known_bytes(office: Office) -> None:
    """Design §6: every watched text file, and what was absent."""
    office.home.memory("alpha").soul("be kind")
    desk = office.open()
    event = audit.events(desk.ledger, kind="baseline")[0]
    known = {row["path"]: row["after"] for row in audit.body(event)["files"]}
    assert known == {
        "memories/MEMORY.md": sha256(b"alpha"),
        "memories/USER.md": None,
        "SOUL.md": sha256(b"be kind"),
    }
    assert blobs.get(office.home.home, sha256(b"be kind")) == b"be kind"
    office.home.user("appeared")
    found = notice(desk)
    assert [(one.path, one.before, one.after) for one in found] == [
        ("memories/USER.md", None, b"appeared")
    ]
    office.say_yes(revert_proposal(desk, found[0].event))
    assert office.home.read("memories/USER.md") is None
    assert len(audit.events(desk.ledger, kind="baseline")) == 1


def test_soul_is_watched(office: Office) -> None:
    """Design §2: a person's file; kept or reverted like the others."""
    office.home.soul("be kind\n")
    office.open()
    office.home.soul("be rude\n")
    found = notice(office.desk)
    assert [one.path for one in found] == ["SOUL.md"]
    office.say_yes(revert_proposal(office.desk, found[0].event))
    assert office.home.read("SOUL.md") == b"be kind\n"


def test_what_cannot_be_read_is_no_change_yet(office: Office) -> None:
    """D1: unreadable is never empty; the change is recorded when it can be read again."""
    office.home.memory("alpha")
    office.open()
    place = office.home.path / "memories/MEMORY.md"
    place.rename(place.with_name("kept"))
    place.mkdir()
    assert notice(office.desk) == []
    place.rmdir()
    os.rename(place.with_name("kept"), place)
    assert notice(office.desk) == []
    office.home.memory("beta")
    assert len(notice(office.desk)) == 1


def test_our_own_writes_are_explained(office: Office) -> None:
    """Promise 5: a decision explains its change, in this process and the next."""
    office.home.memory("alpha")
    office.approve(office.home.stage_add("gamma"))
    assert notice(office.desk) == [] and notice(office.open()) == []
    assert files.known(office.desk.ledger, "memories/MEMORY.md") == (
        sha256(office.memory().encode()),
        2,
    )
