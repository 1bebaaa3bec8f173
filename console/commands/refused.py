"""What was refused, and taking a refusal back."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing

import click

from placet.console.commands import ask, deciding, shapes, words
from placet.console.commands.options import json_option
from placet.console.commands.run import OK, Run, number_of
from placet.store import decide
from placet.store.errors import NotFound
from placet.store.inbox import Taken
from placet.store.ledger import refusals as ledger_refusals
from placet.store.ledger.database import Ledger
from placet.store.ledger.refusals import Refusal
from placet.store.model import Home

PAGE = 1000
"""Refusals read at a time."""

Shown = tuple[Refusal, str | None]
"""A refusal and its text, None where that was erased."""


@click.command()
@click.option("--lifted", is_flag=True, help="Also those that were lifted.")
@json_option
@click.pass_obj
def refusals(run: Run, lifted: bool) -> int:
    """What was refused, and what came back.

    Also lists the records that were taken out of the queue for it.
    """
    page = run.page()
    for home in run.homes:
        found = _refusals(home, lifted)
        taken = run.inbox.refresh(home).taken
        if run.as_json:
            for one in found:
                run.emit(_shape(home, *one))
            for record in taken:
                run.emit(_taken_shape(record))
        else:
            _words(page, home, found, taken)
    if not run.as_json:
        run.print(page)
    run.tell_problems()
    return OK


def _refusals(home: Home, lifted: bool) -> list[Shown]:
    ledger = Ledger.open_reading(home)
    if ledger is None:
        return []
    found: list[Shown] = []
    with closing(ledger):
        before: int | None = None
        while True:
            rows = ledger_refusals.list_refusals(ledger, before=before, limit=PAGE, lifted=lifted)
            found += [(row, ledger_refusals.text_of(ledger, row)) for row in rows]
            if len(rows) < PAGE:
                return found
            before = rows[-1].n


def _shape(home: Home, found: Refusal, text: str | None) -> shapes.Shape:
    return {
        "home": home.label,
        "fingerprint": found.fp,
        "kind": found.kind,
        "target": found.target,
        "scope": found.scope,
        "reason": found.reason or None,
        "event": f"{home.label}:#{found.decision}",
        "at": shapes.time_of(found.at),
        "until": shapes.time_of(found.until),
        "lifted": f"{home.label}:#{found.lifted}" if found.lifted else None,
        "hits": found.hits,
        "secret": found.secret,
        "text": text,
    }


def _taken_shape(found: Taken) -> shapes.Shape:
    return {
        "taken": str(found.ref),
        "event": f"{found.ref.home}:#{found.event}",
        "at": shapes.time_of(found.at),
        "target": found.target,
        "origin": found.origin or "unknown",
        "sha256": found.sha256,
        "record": shapes.side(found.raw),
    }


def _words(page: words.Page, home: Home, found: Sequence[Shown], taken: Sequence[Taken]) -> None:
    page.say(f"home {home.label}: {len(found)} refusals, {len(taken)} records taken")
    for refusal, text in found:
        until = f", until {shapes.time_of(refusal.until)}" if refusal.until else ""
        lifted = f", lifted by #{refusal.lifted}" if refusal.lifted else ""
        page.say(
            f"{refusal.fp[:12]} {refusal.kind} in {refusal.target}, #{refusal.decision} of"
            f" {shapes.time_of(refusal.at)}{until}{lifted}, came back {refusal.hits} times"
        )
        if refusal.reason:
            page.say(f"  reason: {refusal.reason}")
        page.block(text if text is not None else "(the text was erased)")
    for record in taken:
        page.say(
            f"taken {record.ref} ({record.target}), {shapes.time_of(record.at)}; put back with"
            f" `placet undo {home.label}:{record.event}`"
        )


@click.command()
@click.argument("refusal", metavar="FINGERPRINT|SEQ")
@json_option
@click.pass_obj
def lift(run: Run, refusal: str) -> int:
    """Let a refused text through again.

    By fingerprint (its beginning will do), or by decision: '[HOME:]#12'.
    """
    who = deciding.approver()
    home, what = _named(run, refusal)
    ask.word("lift", f"Lift the refusal {refusal} in home {home.label}.", ascii=run.ascii)
    with deciding.desk(run, home, who) as desk:
        deciding.answer(run, decide.lift(desk, what))
    return OK


def _named(run: Run, text: str) -> tuple[Home, str | int]:
    """The home and the full fingerprint, or the number of the decision.

    Raises:
        NotFound: No standing refusal is meant, or several are.
    """
    label, _, name = text.rpartition(":")
    if name.startswith("#"):
        label, number = number_of(text)
        return run.home(label), number
    homes = (run.home(label),) if label else run.homes
    found = [(home, fp) for home in homes if (fp := _fingerprint(home, name))]
    if len(found) != 1:
        raise NotFound(
            f"{text} names {'no' if not found else 'more than one'} standing refusal;"
            " `placet refusals` lists them."
        )
    return found[0]


def _fingerprint(home: Home, prefix: str) -> str:
    ledger = Ledger.open_reading(home)
    if ledger is None:
        return ""
    with closing(ledger):
        try:
            return ledger_refusals.find(ledger, prefix).fp
        except NotFound:
            return ""
