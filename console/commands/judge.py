"""Deciding about what is staged: approve, reject, discard."""

from __future__ import annotations

import time
from dataclasses import replace

import click

from placet.console.commands import ask, deciding, shapes, whole
from placet.console.commands.choosing import planned
from placet.console.commands.options import (
    choice_options,
    json_option,
    reason_option,
    seen_option,
)
from placet.console.commands.output import OK, REFUSED
from placet.console.commands.run import Run, total
from placet.console.commands.spans import until_of
from placet.console.phrases.unfinished import END_IT
from placet.console.phrases.verdicts import VOUCHING, codes_of
from placet.store import decide
from placet.store.decide import Approver, Desk
from placet.store.errors import Blocked, NotAllowed, PlacetError, StalePlan
from placet.store.inbox import Item
from placet.store.model import Code, Done, Effort, Life, Plan, Sight, effort_of


@click.command()
@click.argument("ref")
@seen_option
@choice_options
@json_option
@click.pass_obj
def approve(run: Run, ref: str, seen: str, drop: tuple[int, ...], keep: tuple[int, ...]) -> int:
    """Write what a proposal asks for, as it was shown.

    What `placet show REF` printed is what is written; if anything moved since, nothing is.
    """
    who = deciding.approver() if seen else None
    item = run.item(ref)
    plan = planned(run, item, drop, keep)
    if who is None:
        return _without_seen(run, item, plan)
    eyes = deciding.Eyes()
    with deciding.desk(run, item.proposal.home, who) as desk:
        plan = planned(run, item, drop, keep)
        try:
            deciding.require_seen(plan, seen)
            done = _approve(run, desk, item, plan, eyes)
        except StalePlan as error:
            now = error.plan or planned(run, item, drop, keep)
            deciding.show_plan(run, now, whole.command(item, now))
            raise StalePlan(str(error), now) from error
        deciding.answer_alike(run, done)
    return OK


def _without_seen(run: Run, item: Item, plan: Plan) -> int:
    """Show what would be approved, and refuse: consent names a digest.

    Raises:
        Blocked: It cannot be approved, whatever is named.
    """
    if item.life is Life.UNFINISHED:
        raise Blocked(f"Nothing was written: {item.ref} is unfinished. {END_IT}.", plan)
    if effort_of(plan) is Effort.NONE:
        if not run.as_json:
            deciding.show_plan(run, plan, whole.command(item, plan))
        deciding.refuse_blocked(plan)
    if run.as_json:
        run.emit(
            {
                "error": "seen-missing",
                "message": "Nothing was written: --seen DIGEST is missing.",
                "proposal": shapes.proposal(plan, item.life, item.same),
            }
        )
    else:
        deciding.show_plan(run, plan, whole.command(item, plan))
    run.note(
        "Nothing was written: read the change, then repeat the command with --seen and the"
        f" {'state' if effort_of(plan) is Effort.VOUCH else 'digest'} of what you read."
    )
    return REFUSED


def _approve(run: Run, desk: Desk, item: Item, plan: Plan, eyes: deciding.Eyes) -> list[Done]:
    if effort_of(plan) is Effort.VOUCH:
        plan = _vouch(run, desk, item, plan, eyes)
    else:
        deciding.consent(run, plan)
    digest = plan.digest
    if digest is None:
        raise StalePlan("Nothing was written: the plan has changed.", plan)
    return deciding.decided(
        run,
        lambda state: decide.approve_alike(
            desk,
            plan.proposal,
            [twin.proposal for twin in item.twins],
            plan.choice,
            digest,
            eyes.sight(),
            waiting=state.told,
            cancelled=state.asked,
        ),
    )


def _vouch(run: Run, desk: Desk, item: Item, plan: Plan, eyes: deciding.Eyes) -> Plan:
    """Ask for reason and word, vouch for each text that a scanner rule hits, and plan again."""
    deciding.show_plan(run, plan, "", eyes)
    run.note(f"Hermes' own scanner refuses this text. {VOUCHING}")
    reason = ask.reason("Why is this text fine?", ascii=run.ascii)
    ask.word("vouch", "This is kept in the log.", ascii=run.ascii)
    operations = sorted({v.operation or 1 for v in plan.blockers if v.code is Code.THREAT})
    state = plan.state
    for number in operations:
        done = decide.vouch(desk, plan.proposal, plan.choice, number, reason, state)
        run.note(f"{done.words} (#{done.event})")
        state = run.inbox.plan(item, plan.choice).state
    now = run.inbox.plan(item, plan.choice)
    if now.changes != plan.changes and plan.changes:
        raise StalePlan("Nothing was written: the file moved while you vouched.", now)
    if effort_of(now) is Effort.TYPED_TARGET:
        deciding.consent(run, now)
    return now


@click.command()
@click.argument("ref")
@seen_option
@reason_option
@click.option("--each", is_flag=True, help="Refuse every operation of a batch by itself as well.")
@click.option(
    "--until", default="", metavar="WHEN", help="Let the refusal end: 30d, 12h, 2w, 2027-01-31."
)
@json_option
@click.pass_obj
def reject(run: Run, ref: str, seen: str, reason: str, each: bool, until: str) -> int:
    """Refuse what a proposal asks for.

    The refused text is recognised when it comes back.
    """
    ends = until_of(until, time.time())
    who = deciding.approver()
    item = run.item(ref)
    if seen and seen not in (item.plan.digest, item.plan.state, item.proposal.sha256):
        deciding.show_plan(run, item.plan, whole.command(item, item.plan))
        raise StalePlan("Nothing was rejected: this is not what you saw.", item.plan)
    with deciding.desk(run, item.proposal.home, who) as desk:
        alike = [member.proposal for member in item.members]
        done = decide.reject_alike(desk, alike, reason=reason, each=each, until=ends, sight=Sight())
        deciding.answer_alike(run, done)
    return OK


@click.command()
@click.argument("refs", nargs=-1, required=True, metavar="REF...")
@reason_option
@json_option
@click.pass_obj
def discard(run: Run, refs: tuple[str, ...], reason: str) -> int:
    """Take proposals out without refusing their text.

    Each keeps its bytes and can be put back with `placet undo`.
    """
    who = deciding.approver()
    results = [_discard_one(run, who, ref, reason) for ref in dict.fromkeys(refs)]
    run.note(total([state for state, _ in results]))
    return OK if all(state == "discarded" for state, _ in results) else REFUSED


def _discard_one(run: Run, who: Approver, ref: str, reason: str) -> tuple[str, str]:
    """Discard one and print its line; one that fails does not keep the others from it."""
    try:
        item = run.item(ref)
        why = reason or codes_of(item.plan)
        with deciding.desk(run, item.proposal.home, who) as desk:
            (done,) = decide.discard(desk, [item.proposal], reason=why, sight=Sight())
    except NotAllowed:
        raise
    except PlacetError as error:
        run.refuse(error) if run.as_json else run.note(f"{ref}: not discarded: {error}")
        return "not discarded", ref
    deciding.answer(run, replace(done, words=done.words or f"discarded {ref}"))
    return "discarded", ref
