"""What was refused, and taking a refusal back."""

from __future__ import annotations

import re
from collections.abc import Sequence

import click

from placet.console.commands import ask, deciding, shapes, words
from placet.console.commands.options import json_option
from placet.console.commands.output import OK
from placet.console.commands.run import Run, number_of
from placet.console.phrases import refusals as phrases
from placet.console.phrases.amounts import counted
from placet.store import decide
from placet.store.errors import NotFound
from placet.store.inbox import Taken
from placet.store.ledger import kept
from placet.store.ledger import refusals as ledger_refusals
from placet.store.ledger.database import Ledger
from placet.store.ledger.refusals import Refusal
from placet.store.model import Home
from placet.store.text import times

PAGE = 1000
"""Refusals read at a time."""

Shown = tuple[Refusal, str | None, str]
"""A refusal, its text or None, and why that is gone."""

_PREFIX = re.compile(r"[0-9a-f]{6,64}\Z")


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
        found = run.look(home, lambda ledger: _refusals(ledger, lifted), list[Shown]())
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
    return run.outcome()


def _refusals(ledger: Ledger, lifted: bool) -> list[Shown]:
    found: list[Shown] = []
    before: int | None = None
    while True:
        rows = ledger_refusals.list_refusals(ledger, before=before, limit=PAGE, lifted=lifted)
        found += [_shown(ledger, row) for row in rows]
        if len(rows) < PAGE:
            return found
        before = rows[-1].n


def _shown(ledger: Ledger, refusal: Refusal) -> Shown:
    text = ledger_refusals.text_of(ledger, refusal)
    if text is not None or refusal.text is None:
        return refusal, text, ""
    return refusal, None, kept.why_gone(ledger, refusal.text)


def _shape(home: Home, found: Refusal, text: str | None, why_gone: str) -> shapes.Shape:
    return {
        "home": home.label,
        "fingerprint": found.fp,
        "kind": found.kind,
        "target": found.target,
        "scope": found.scope,
        "reason": found.reason or None,
        "event": f"{home.label}:#{found.decision}",
        "at": times.stamp(found.at),
        "until": times.stamp(found.until),
        "lifted": f"{home.label}:#{found.lifted}" if found.lifted else None,
        "hits": found.hits,
        "secret": found.secret,
        "text": text,
        "text_gone": why_gone or None,
    }


def _taken_shape(found: Taken) -> shapes.Shape:
    return {
        "taken": str(found.ref),
        "event": f"{found.ref.home}:#{found.event}",
        "at": times.stamp(found.at),
        "target": found.target,
        "origin": found.origin or "unknown",
        "sha256": found.sha256,
        "record": shapes.side(found.raw),
    }


def _words(page: words.Page, home: Home, found: Sequence[Shown], taken: Sequence[Taken]) -> None:
    refused = counted(len(found), "refusal")
    page.say(f"home {home.label}: {refused}, {counted(len(taken), 'record')} taken")
    for one in found:
        _refusal_words(page, *one)
    for record in taken:
        page.say(f"{phrases.taken(record)} · put back: placet undo {home.label}:{record.event}")


def _refusal_words(page: words.Page, refusal: Refusal, text: str | None, why_gone: str) -> None:
    page.say(f"{refusal.fp[:12]} {phrases.refused(refusal)} · {phrases.came_back(refusal)}")
    if refusal.reason:
        page.say(f"  reason: {refusal.reason}")
    if text is not None:
        page.say(f"  {phrases.REFUSES[refusal.kind]}:")
        page.block(text)
    elif why_gone:
        page.say(f"  (the text {why_gone})")
    else:
        page.say(f"  ({phrases.WHOLE_BATCH})")


@click.command()
@click.argument("refusal", metavar="FINGERPRINT|SEQ")
@json_option
@click.pass_obj
def lift(run: Run, refusal: str) -> int:
    """Let a refused text through again.

    By the first 6 or more characters of its fingerprint, or by decision: '[HOME:]#12'. Shows what
    was refused, then asks.
    """
    who = deciding.approver()
    home, what, found = _named(run, refusal)
    page = run.page()
    for one in found:
        _refusal_words(page, *one)
    deciding.show(run, page)
    ask.word("lift", f"Lift {_count(found)} in home {home.label}.", ascii=run.ascii)
    with deciding.desk(run, home, who) as desk:
        deciding.answer(run, decide.lift(desk, what))
    return OK


def _count(found: Sequence[Shown]) -> str:
    targets = ", ".join(dict.fromkeys(refusal.target for refusal, _, _ in found))
    fps = {refusal.fp for refusal, _, _ in found}
    return f"{'this refusal' if len(fps) == 1 else f'these {len(fps)} refusals'} ({targets})"


def _named(run: Run, text: str) -> tuple[Home, str | int, list[Shown]]:
    """The home, the full fingerprint or the number of the decision, and what it refuses.

    Raises:
        click.UsageError: It is neither a number nor enough of a fingerprint.
        NotFound: No standing refusal is meant, or several are.
    """
    label, _, name = text.rpartition(":")
    if name.startswith("#"):
        label, number = number_of(text)
        return _of_decision(run, run.home(label), number)
    prefix = name.lower()
    if not _PREFIX.match(prefix):
        raise click.UsageError(
            f"{text or 'An empty word'} is no fingerprint: give at least its first 6 characters"
            " (0-9, a-f), or '#12'. `placet refusals` lists them."
        )
    homes = (run.home(label),) if label else run.homes
    found = [(home, shown) for home in homes for shown in _beginning(run, home, prefix)]
    names = {(home.label, shown[0].fp) for home, shown in found}
    if len(names) != 1:
        raise NotFound(
            f"{text} names {'more than one' if names else 'no'} standing refusal;"
            " `placet refusals` lists them."
        )
    return found[0][0], found[0][1][0].fp, [shown for _, shown in found]


def _of_decision(run: Run, home: Home, number: int) -> tuple[Home, int, list[Shown]]:
    found = run.look(home, lambda ledger: _standing(ledger, number), list[Shown]())
    if not found:
        raise NotFound(f"#{number} refuses nothing that still stands; nothing was lifted.")
    return home, number, found


def _standing(ledger: Ledger, number: int) -> list[Shown]:
    refused = ledger_refusals.of_decision(ledger, number)
    return [_shown(ledger, refusal) for refusal in refused if refusal.lifted is None]


def _beginning(run: Run, home: Home, prefix: str) -> list[Shown]:
    def read(ledger: Ledger) -> list[Shown]:
        found = ledger_refusals.beginning(ledger, prefix)
        return [_shown(ledger, refusal) for refusal in found]

    return run.look(home, read, list[Shown]())
