"""Turning --drop and --keep into a choice, and refusing numbers that name no operation."""

from __future__ import annotations

from collections.abc import Sequence

import click

from placet.console.commands.run import Run
from placet.store.inbox import Item
from placet.store.model import Choice, Plan


def chosen(plan: Plan, drop: Sequence[int], keep: Sequence[int]) -> Choice | None:
    """The choice that --drop and --keep make of the plan's own, or None where they change nothing.

    Raises:
        click.UsageError: A number names no operation, or stands in both.
    """
    if not drop and not keep:
        return None
    count = len(plan.proposal.operations)
    for number in (*drop, *keep):
        if number > count:
            raise click.UsageError(f"There is no operation {number}; this proposal has {count}.")
    both = set(drop) & set(keep)
    if both:
        raise click.UsageError(f"Operation {min(both)} is both dropped and kept.")
    dropped = (plan.choice.dropped | set(drop)) - set(keep)
    return Choice(dropped, plan.choice.edited)


def planned(run: Run, item: Item, drop: Sequence[int], keep: Sequence[int]) -> Plan:
    """The plan of a row under --drop and --keep, against today's files, similar refusals named."""
    return run.inbox.plan(item, chosen(item.plan, drop, keep))
