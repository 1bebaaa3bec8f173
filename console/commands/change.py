"""A person's own text: edit a proposal, edit memory in place, normalise a file."""

from __future__ import annotations

import click

from placet.console import external_editor, memory_files
from placet.console.commands import deciding
from placet.console.commands.options import json_option
from placet.console.commands.output import OK
from placet.console.commands.run import Run
from placet.console.memory_files import TARGETS
from placet.store.decide import Desk
from placet.store.errors import Blocked, NotFound
from placet.store.inbox import Item
from placet.store.model import Home, Plan, Proposal, Target, TargetKind
from placet.store.plan import inverse


@click.command()
@click.argument("ref")
@click.option(
    "--operation",
    type=click.IntRange(min=1),
    metavar="N",
    help="Which operation to edit; needed where several have a text.",
)
@json_option
@click.pass_obj
def edit(run: Run, ref: str, operation: int | None) -> int:
    """Rewrite an operation in your editor, then approve."""
    who = deciding.approver()
    item = run.item(ref)
    number = _operation(item, operation)
    text = item.proposal.operations[number - 1].content or ""
    with external_editor.draft(text, _file_name(item.proposal)) as draft:
        _say_escaped(run, draft)
        new = external_editor.typed(draft, external_editor.editor(run.environment))
        if new == text:
            run.note("The text is as it was. Nothing was decided.")
            return OK
        with deciding.desk(run, item.proposal.home, who) as desk:
            plan = run.inbox.plan(item, item.plan.choice.with_edit(number, new))
            done_edit(run, desk, plan)
    return OK


def done_edit(run: Run, desk: Desk, plan: Plan) -> None:
    """Show a person's change, ask for it, and carry it out."""
    eyes = deciding.Eyes()
    deciding.show_plan(run, plan, "", eyes)
    deciding.refuse_blocked(plan)
    deciding.confirm(run, plan, "approve")
    deciding.answer(run, deciding.approve_person(run, desk, plan, plan.proposal, eyes))


def _operation(item: Item, asked: int | None) -> int:
    """The operation to edit.

    Raises:
        click.UsageError: It has to be named, or names none.
        Blocked: It has no text.
    """
    operations = item.proposal.operations
    texts = [n for n, o in enumerate(operations, 1) if o.content is not None]
    if asked is None:
        if len(texts) > 1:
            raise click.UsageError(f"Say which with --operation: {', '.join(map(str, texts))}.")
        if not texts:
            raise Blocked(f"{item.ref} holds no text to edit; it can be approved or refused.")
        return texts[0]
    if asked > len(operations):
        raise click.UsageError(f"There is no operation {asked}; there are {len(operations)}.")
    if asked not in texts:
        raise Blocked(f"Operation {asked} removes something and has no text to edit.")
    return asked


def _file_name(proposal: Proposal) -> str:
    """A name by which an editor knows the kind of text; no part of it comes from the record."""
    return "skill.md" if proposal.target and proposal.target.skill else "entry.md"


def _say_escaped(run: Run, draft: external_editor.Draft) -> None:
    if draft.escaped:
        run.note(
            "Something is hidden in this text, so the file holds it in escaped form:"
            " \\u{202E}, \\t, and \\\\ for a backslash."
        )


@click.command(name="edit-memory")
@click.argument("target")
@click.argument("entry", required=False, type=click.IntRange(min=1))
@json_option
@click.pass_obj
def edit_memory(run: Run, target: str, entry: int | None) -> int:
    """Edit an entry of memory, user or soul.

    Opens your editor on entry ENTRY of [HOME:]TARGET; without ENTRY a new one. `placet memory`
    prints the numbers. An emptied entry is removed. `soul` is edited as a whole.
    """
    who = deciding.approver()
    home, wanted = _target(run, target)
    old = _old_text(home, wanted, entry)
    with external_editor.draft(
        old or "", "soul.md" if wanted.kind is TargetKind.SOUL else "entry.md"
    ) as draft:
        _say_escaped(run, draft)
        new = external_editor.typed(draft, external_editor.editor(run.environment))
        if new == (old or ""):
            run.note("The text is as it was. Nothing was decided.")
            return OK
        emptied = not new.strip() and wanted.kind is not TargetKind.SOUL
        proposal = inverse.edit_entry(home, wanted, old, None if emptied else new)
        with deciding.desk(run, home, who) as desk:
            done_edit(run, desk, desk.plan(proposal, None))
    return OK


def _target(run: Run, text: str) -> tuple[Home, Target]:
    label, _, name = text.rpartition(":")
    if name not in TARGETS:
        raise NotFound(f"There is no target {name}; there are: {', '.join(TARGETS)}.")
    return run.home(label), TARGETS[name]


def _old_text(home: Home, target: Target, entry: int | None) -> str | None:
    """The text to begin with, or None for a new entry.

    Raises:
        NotFound: There is no such entry.
        Blocked: The file cannot be read as text.
    """
    file = memory_files.read(home, target, None)
    if not file.readable:
        raise Blocked(f"{file.state.path} cannot be edited: {file.problem}.")
    entries = file.entries
    if target.kind is TargetKind.SOUL:
        return entries[0] if entries else ""
    if entry is None:
        return None
    if entry > len(entries):
        raise NotFound(f"There is no entry {entry}; {target} has {len(entries)}.")
    return entries[entry - 1]


@click.command()
@click.argument("target")
@json_option
@click.pass_obj
def normalise(run: Run, target: str) -> int:
    """Join the entries of a drifted file again.

    As Hermes writes them; shows the whole change and asks first.
    """
    who = deciding.approver()
    home, wanted = _target(run, target)
    with deciding.desk(run, home, who) as desk:
        done_edit(run, desk, desk.plan(inverse.normalise(home, wanted), None))
    return OK
