"""What was decided and is not yet written: listed, tried again, or given up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import click

from placet.console.commands import deciding, shapes
from placet.console.commands.options import json_option
from placet.console.commands.output import OK
from placet.console.commands.run import Run, forms
from placet.console.phrases.unfinished import CLAIMED, about
from placet.console.phrases.unfinished import unfinished as words_of
from placet.store import decide
from placet.store.decide import Desk, Unfinished
from placet.store.errors import Ambiguous, NotFound
from placet.store.ledger.intents import Intent
from placet.store.model import Done, Home, Ref, Subsystem
from placet.store.staged import scan
from placet.store.text import times

REF = click.argument("ref", metavar="REF")


class Found(NamedTuple):
    """One unfinished decision and its home."""

    home: Home
    one: Unfinished

    @property
    def name(self) -> str:
        """How it is called: its record, or the token of a change of one's own."""
        return f"{self.home.label}:{self.one.ref or self.one.intent.token}"


@click.group(invoke_without_command=True)
@json_option
@click.pass_obj
@click.pass_context
def unfinished(ctx: click.Context, run: Run) -> int:
    """What was decided and is not yet written.

    Lists it. `retry REF` tries again, `cancel REF` gives it up; REF is the record, or the token
    that stands behind it.
    """
    if ctx.invoked_subcommand is not None:
        return OK
    page = run.page()
    for home in run.homes:
        found = _found(run, home)
        claims = _claimed(home, found)
        if run.as_json:
            for one in found:
                run.emit(_shape(one))
            for ref in claims:
                run.emit(_claim_shape(ref))
            continue
        for one in found:
            page.say(f"{one.name} ({one.one.intent.token})")
            page.say(f"{about(one.one)}: {words_of(one.one)}", 2)
            if one.one.elsewhere:
                page.say(one.one.elsewhere, 2)
        for ref in claims:
            page.say(str(ref))
            page.say(CLAIMED, 2)
    if not run.as_json:
        if not page.lines:
            page.say("Nothing is unfinished.")
        run.print(page)
    return run.outcome()


@unfinished.command()
@REF
@json_option
@click.pass_obj
def retry(run: Run, ref: str) -> int:
    """Try again to write it."""
    return _end(run, ref, decide.retry)


@unfinished.command()
@REF
@json_option
@click.pass_obj
def cancel(run: Run, ref: str) -> int:
    """Give it up; its record goes back to the queue."""
    return _end(run, ref, decide.cancel)


def _end(run: Run, ref: str, act: Callable[[Desk, Intent], Done]) -> int:
    """End one of them; nothing else that is unfinished is touched on the way."""
    who = deciding.approver()
    home, one = _named(run, ref)
    with Desk.open(home, who, recovering=False) as desk:
        for report in desk.reports:
            run.note(report)
        deciding.answer(run, deciding.decided(run, lambda _: act(desk, one.intent)))
    return OK


def _found(run: Run, home: Home) -> tuple[Found, ...]:
    none: tuple[Unfinished, ...] = ()
    read = run.look(home, decide.unfinished_in, none)
    return tuple(Found(home, one) for one in read)


def _claimed(home: Home, found: Sequence[Found]) -> list[Ref]:
    """Records that are claimed, and that no decision on record is about."""
    known = {(one.one.intent.subsystem, one.one.intent.name) for one in found}
    return [
        Ref(home.label, subsystem, scan.safe_id(name))
        for subsystem in Subsystem
        for name in scan.names(home, subsystem).names
        if scan.is_claim(name) and (subsystem, scan.record_name(name)) not in known
    ]


def _named(run: Run, text: str) -> Found:
    """The one unfinished decision that a reference or a token names.

    Raises:
        NotFound: There is none.
        Ambiguous: Several are meant; names all of them by their tokens.
    """
    everything = [one for home in run.homes for one in _found(run, home)]
    fitting = [one for one in everything if text in _names(one)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        choices = tuple(f"{one.home.label}:{one.one.intent.token}" for one in fitting)
        raise Ambiguous(f"{text} fits several unfinished decisions.", choices)
    claims = (ref for home in run.homes for ref in _claimed(home, everything))
    if any(text in forms(ref) for ref in claims):
        raise NotFound(f"{text} is {CLAIMED}. There is nothing to retry or to cancel.")
    raise NotFound(f"No unfinished decision {text}; `placet unfinished` lists them.")


def _names(found: Found) -> tuple[str, ...]:
    label, intent = found.home.label, found.one.intent
    tokens = (intent.token, f"{label}:{intent.token}")
    return (*tokens, *forms(Ref(label, intent.subsystem, intent.id))) if found.one.ref else tokens


def _shape(found: Found) -> shapes.Shape:
    one = found.one
    return {
        "token": one.intent.token,
        "ref": f"{found.home.label}:{one.ref}" if one.ref else None,
        "home": found.home.label,
        "decision": one.kind.value,
        "target": one.target or None,
        "at": times.stamp(one.intent.at),
        "files": list(one.files),
        "event": None if one.event is None else f"{found.home.label}:#{one.event}",
        "elsewhere": one.elsewhere or None,
    }


def _claim_shape(ref: Ref) -> shapes.Shape:
    return {
        "token": None,
        "ref": str(ref),
        "home": ref.home,
        "decision": None,
        "target": None,
        "at": None,
        "files": [],
        "event": None,
        "elsewhere": None,
    }
