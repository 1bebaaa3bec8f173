"""Verbs that look and never change anything: status, count, pending, show, diff, memory, locate."""

from __future__ import annotations

import time

import click

from placet.console.commands import count as counting
from placet.console.commands import shapes, words
from placet.console.commands.choosing import planned
from placet.console.commands.early import Request
from placet.console.commands.options import choice_options, json_option
from placet.console.commands.output import OK
from placet.console.commands.run import Run
from placet.console.commands.whole import show_shape, show_words
from placet.console.phrases.amounts import proposed
from placet.console.phrases.effects import effect
from placet.console.phrases.events import ungated
from placet.console.phrases.homes import ABSENT, doubt, write_approval
from placet.console.phrases.provenance import origin_words
from placet.console.phrases.standings import GROUPS, waits
from placet.console.phrases.times import age, moment
from placet.console.phrases.unfinished import END_IT
from placet.console.phrases.verdicts import SIGNS, finding, told_once
from placet.store.inbox import Group, HomeView, Item, grouped
from placet.store.model import Ungated


@click.command()
@json_option
@click.pass_obj
def count(run: Run) -> int:
    """How much waits, fast: for prompts and cron."""
    return counting.run(Request(run.given, "count", run.as_json))


@click.command()
@json_option
@click.pass_obj
def pending(run: Run) -> int:
    """Everything that waits, with its verdicts."""
    views = run.views()
    if run.as_json:
        run.emit({"homes": [_home_shape(view) for view in views]})
    else:
        page = run.page()
        for view in views:
            _home_words(page, view, several=len(views) > 1)
        run.print(page)
    return run.outcome()


def _home_shape(view: HomeView) -> shapes.Shape:
    return {
        "path": str(view.home.path),
        "profile": view.home.label,
        "write_approval": shapes.gate(view.config.gate),
        "proposals": [
            shapes.proposal(member.plan, member.life, _others(row, member))
            for row in view.items
            for member in row.members
        ],
        "ungated": [shapes.ungated(change) for change in view.ungated],
        "alarm": view.alarm or None,
        "problems": [*view.config.problems, *view.problems],
    }


def _others(row: Item, member: Item) -> list[str]:
    return [str(other.ref) for other in row.members if other.ref != member.ref]


def _home_words(page: words.Page, view: HomeView, *, several: bool) -> None:
    if several:
        page.say(f"home {view.home.label} ({view.home.path})")
    for approval in write_approval(view.config) if view.exists else ():
        if not approval.on:
            page.say(f"! {approval.words}")
    for change in view.ungated:
        page.say(f"{_number(change)} {ungated(change.path)} · noticed {moment(change.since)}")
        for name in change.names:
            page.say(f"      * {name}")
    if view.waiting:
        page.say(waits(view.waiting, view.oldest_seconds(time.time())))
    for group, rows in grouped(view.items).items():
        if rows:
            meaning = f" ({GROUPS[group]})" if group in GROUPS else ""
            page.say(f"{group.value}{meaning}: {sum(row.times for row in rows)}")
            if group is Group.UNFINISHED:
                page.say(f"  {END_IT}")
            for row in rows:
                _row_words(page, row)
    if not view.items and not view.ungated:
        page.say("Nothing waits." if view.exists else f"This home {ABSENT}.")
    if view.alarm:
        page.say(f"! ledger: {doubt(view.alarm)}")
    for problem in (*view.config.problems, *view.problems):
        page.say(f"! {problem}")


def _row_words(page: words.Page, row: Item) -> None:
    asked = row.proposal
    parts = [
        str(asked.ref),
        origin_words(asked.origin),
        effect(row.plan),
        f"{age(time.time() - row.staged)} old" if row.staged else "age unknown",
        proposed(row.times),
    ]
    page.say("  " + " · ".join(part for part in parts if part))
    for found, times in told_once((*row.plan.blockers, *row.plan.warnings)):
        page.say(f"      {SIGNS[found.level]} {finding(found, times)}")
    for twin in row.twins:
        page.say(f"      same as {twin.ref}")


def _number(change: Ungated) -> str:
    return (
        f"ungated #{change.event}:"
        if change.event
        else "ungated, not recorded yet (`placet keep` records it and names its number):"
    )


@click.command()
@click.argument("ref")
@choice_options
@json_option
@click.pass_obj
def show(run: Run, ref: str, drop: tuple[int, ...], keep: tuple[int, ...]) -> int:
    """Everything about one proposal.

    The complete change, verdicts, side effects, provenance, and the digest to approve it by.
    """
    item = run.item(ref)
    plan = planned(run, item, drop, keep)
    if run.as_json:
        run.emit(show_shape(run, item, plan))
    else:
        page = run.page()
        show_words(page, run, item, plan)
        run.print(page)
    return OK


@click.command()
@click.argument("ref")
@choice_options
@json_option
@click.pass_obj
def diff(run: Run, ref: str, drop: tuple[int, ...], keep: tuple[int, ...]) -> int:
    """The change alone: every row of every file."""
    item = run.item(ref)
    plan = planned(run, item, drop, keep)
    page = run.page()
    words.change_only(page, plan)
    if run.as_json:
        run.emit(
            {
                "ref": str(item.ref),
                "digest": plan.digest,
                "changes": [shapes.change(change) for change in plan.changes],
                "text": page.text(),
            }
        )
    else:
        run.print(page)
    return OK
