"""Taking back, keeping, and reverting: every one is a diff first and a decision of its own."""

from __future__ import annotations

import click

from placet.console.commands import ask, deciding
from placet.console.commands.options import json_option
from placet.console.commands.output import OK
from placet.console.commands.run import Run, number_of
from placet.console.phrases.undoing import inverse_lines
from placet.store import decide
from placet.store.decide import Desk, Inverse
from placet.store.errors import NotFound
from placet.store.ledger import audit, files
from placet.store.model import Kind

SEQ = click.argument("seq", metavar="SEQ")
OPEN_SEQ = click.argument("seq", metavar="[SEQ]", required=False)


@click.command()
@SEQ
@json_option
@click.pass_obj
def undo(run: Run, seq: str) -> int:
    """Take back a decision: shows the inverse, then asks.

    SEQ is its number in `placet audit`, [HOME:]12 or '[HOME:]#12'.

    For a record that the refusal rule took out (event `taken`) this puts it back.
    """
    label, number = number_of(seq)
    who = deciding.approver()
    home = run.home(label)
    eyes = deciding.Eyes()
    with deciding.desk(run, home, who) as desk:
        taken = _taken(desk, number)
        if taken:
            deciding.answer(run, decide.put_back(desk, taken))
            return OK
        inverse = decide.inverse(desk, number)
        _announce(run, inverse)
        if inverse.plan is not None:
            deciding.show_plan(run, inverse.plan, "", eyes)
            deciding.refuse_blocked(inverse.plan)
            deciding.confirm(run, inverse.plan, "undo")
        else:
            ask.word("undo", f"Take back #{number} of home {home.label}.", ascii=run.ascii)
        seen = inverse.plan.digest if inverse.plan is not None else ""
        deciding.answer(run, decide.undo(desk, inverse, seen or "", eyes.sight()))
    return OK


def _taken(desk: Desk, number: int) -> str:
    """SHA-256 of the record that this event took out, or empty where it is another event."""
    event = audit.get(desk.ledger, number)
    body = audit.body(event) if event else {}
    return str(body.get("sha256", "")) if body.get("kind") == Kind.TAKEN.value else ""


def _announce(run: Run, inverse: Inverse) -> None:
    """Say what taking back does besides the files."""
    for words in inverse_lines(inverse):
        run.note(words)


@click.command()
@OPEN_SEQ
@json_option
@click.pass_obj
def keep(run: Run, seq: str | None) -> int:
    """Accept an ungated change as it is.

    SEQ is its number in `placet pending`; without one, what is not recorded yet is recorded, and
    every number is named.
    """
    if seq is None:
        return _record(run)
    label, number = number_of(seq)
    who = deciding.approver()
    with deciding.desk(run, run.home(label), who) as desk:
        _require_known(run, number)
        deciding.answer(run, decide.keep(desk, number))
    return OK


def _record(run: Run) -> int:
    """Record every ungated change and name its number; nothing is kept."""
    who = deciding.approver()
    for home in run.homes:
        with deciding.desk(run, home, who) as desk:
            for event in files.open_ungated(desk.ledger):
                path = audit.body(event).get("path", "")
                run.note(f"home {home.label}: ungated #{event.seq}: {path}")
    run.note("`placet pending` shows each with its diff; nothing was kept.")
    return OK


def _require_known(run: Run, number: int) -> None:
    """Refuse a number that this very command gave out: nobody can have seen what it is about.

    Raises:
        NotFound: It is one.
    """
    if number > run.known_until:
        raise NotFound(
            f"There was no #{number} before this command; nothing was done. `placet pending` shows"
            " what is ungated, with its number."
        )


@click.command()
@OPEN_SEQ
@json_option
@click.pass_obj
def revert(run: Run, seq: str | None) -> int:
    """Take an ungated change out again: shows it, then asks.

    SEQ is its number in `placet pending`; without one, what is not recorded yet is recorded, and
    every number is named.
    """
    if seq is None:
        return _record(run)
    label, number = number_of(seq)
    who = deciding.approver()
    eyes = deciding.Eyes()
    with deciding.desk(run, run.home(label), who) as desk:
        proposal = decide.revert_proposal(desk, number)
        plan = desk.plan(proposal, None)
        deciding.show_plan(run, plan, "", eyes)
        deciding.refuse_blocked(plan)
        deciding.confirm(run, plan, "revert")
        done = deciding.approve_person(run, desk, plan, proposal, eyes)
        deciding.answer(run, done)
    return OK
