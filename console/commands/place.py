"""Verbs about the homes themselves: status, memory, locate."""

from __future__ import annotations

import os
import time

import click

from placet.console import memory_files
from placet.console.commands import shapes, words
from placet.console.commands.options import json_option
from placet.console.commands.run import Run
from placet.console.memory_files import TARGETS, MemoryFile
from placet.console.phrases.events import held
from placet.console.phrases.homes import ABSENT, doubt, write_approval
from placet.console.phrases.memory import filled
from placet.console.phrases.standings import waits
from placet.store.errors import LedgerError, NotFound
from placet.store.homes import config, places
from placet.store.homes.find import read_only_reason
from placet.store.inbox import HomeView
from placet.store.ledger import anchor, database
from placet.store.model import Home


@click.command()
@json_option
@click.pass_obj
def status(run: Run) -> int:
    """Homes, write approval, what waits, what is wrong."""
    views = run.views()
    level, refusal, terminal = _level()
    if run.as_json:
        homes = [_status_shape(view) for view in views]
        decides = {"may_decide": not refusal, "reason": refusal, "terminal": terminal or None}
        run.emit({"level": level, **decides, "homes": homes})
    else:
        page = run.page()
        page.say(f"level {level}")
        page.say(
            f"this process may not decide: {refusal}" if refusal else "this process may decide"
        )
        if terminal:
            page.say(terminal)
        for view in views:
            _status_words(page, view)
        run.print(page)
    return run.outcome()


def _level() -> tuple[str, str, str]:
    """The level in words; why this process may not decide, or empty; and who holds its terminal."""
    from placet.store.decide.approver import LEVEL_MEANING, Approver
    from placet.store.errors import NotAllowed

    try:
        who = Approver.here()
    except NotAllowed as error:
        return LEVEL_MEANING, str(error), ""
    return LEVEL_MEANING, "", held({"evidence": who.evidence()})


def _status_shape(view: HomeView) -> shapes.Shape:
    return {
        "path": str(view.home.path),
        "profile": view.home.label,
        "exists": view.exists,
        "write_approval": shapes.gate(view.config.gate),
        "waiting": view.waiting,
        "oldest_seconds": view.oldest_seconds(time.time()),
        "ungated": len(view.ungated),
        "taken": len(view.taken),
        "read_only": read_only_reason(view.home) or None,
        "alarm": view.alarm or None,
        "problems": [*view.config.problems, *view.problems],
    }


def _status_words(page: words.Page, view: HomeView) -> None:
    page.say()
    page.say(f"home {view.home.label}: {view.home.path}")
    if not view.exists:
        page.say(f"  {ABSENT}")
        return
    for approval in write_approval(view.config):
        page.say(f"  {approval.words}")
    page.say(f"  {waits(view.waiting, view.oldest_seconds(time.time()))}")
    if not (view.home.path / "pending").is_dir():
        page.say("  nothing was ever staged here: there is no pending/ folder yet")
    if view.ungated:
        page.say(f"  {len(view.ungated)} ungated: see `placet pending`")
    if view.taken:
        page.say(f"  {len(view.taken)} taken by the refusal rule: see `placet refusals`")
    if reason := read_only_reason(view.home):
        page.say(f"  ! {reason}")
    if view.alarm:
        page.say(f"  ! ledger: {doubt(view.alarm)}")
    for problem in (*view.config.problems, *view.problems):
        page.say(f"  ! {problem}")


@click.command()
@click.argument("target", required=False)
@json_option
@click.pass_obj
def memory(run: Run, target: str | None) -> int:
    """The entries of memory, user and soul.

    As they are in the files; with [HOME:]TARGET of that one alone.
    """
    label, _, name = (target or "").rpartition(":")
    if name and name not in TARGETS:
        raise NotFound(f"There is no target {name}; there are: {', '.join(TARGETS)}.")
    homes = (run.home(label),) if label else run.homes
    wanted = [TARGETS[name]] if name else list(TARGETS.values())
    page = run.page()
    found = [
        memory_files.read(home, one, settings.limit(one))
        for home in homes
        for settings in (config.read(home),)
        for one in wanted
    ]
    if run.as_json:
        run.emit({"targets": [_file_shape(file) for file in found]})
    else:
        for file in found:
            _file_words(page, file)
        run.print(page)
    return run.outcome()


def _file_shape(file: MemoryFile) -> shapes.Shape:
    return {
        "home": file.home.label,
        "target": str(file.target),
        "path": str(file.state.path),
        "kind": file.state.kind.value,
        "file": shapes.side(file.state.data),
        "entries": list(file.entries),
        "size": file.size,
        "limit": file.limit,
        "problem": file.drift or file.problem or None,
    }


def _file_words(page: words.Page, file: MemoryFile) -> None:
    page.say(f"{file.home.label}:{file.target} ({file.state.path}): {filled(file)}")
    if not file.exists:
        page.say("  (does not exist yet)")
    for problem in (file.problem, file.drift):
        if problem:
            page.say(f"  ! {problem}")
    for number, entry in enumerate(file.entries, 1):
        page.say(f"entry {number}")
        page.block(entry)


@click.command()
@json_option
@click.pass_obj
def locate(run: Run) -> int:
    """Where homes, database, anchor and configuration lie."""
    found = [
        {
            "home": home.label,
            "path": str(home.path),
            "pending": str(home.path / "pending"),
            "config": str(home.config),
            "database": str(database.location(home)),
            "blobs": str(home.private / "blobs"),
            "anchor": _anchor(home),
            "published": str(home.path / "placet-public" / "refusals.jsonl"),
        }
        for home in run.homes
    ]
    config_folder = places.config(run.environment, places.home(run.environment))
    own = None if config_folder is None else str(config_folder)
    if run.as_json:
        run.emit({"homes": found, "preferences": own})
        return run.outcome()
    page = run.page()
    for place in found:
        for name, path in place.items():
            page.say(f"{name:<10} {_place(run, name, path)}")
        page.say()
    page.say(f"{'preferences':<10} {_place(run, 'preferences', own)}")
    run.print(page)
    return run.outcome()


def _anchor(home: Home) -> str | None:
    """Path of the home's anchor, or None where there is no place for it."""
    try:
        return str(anchor.location(home.path))
    except LedgerError:
        return None


def _place(run: Run, name: str, path: str | None) -> str:
    """A path as it is printed, and whether anything is there."""
    if path is None:
        return f"no place for it: {places.no_home(run.environment)}"
    there = name in ("home", "preferences") or os.path.exists(path)  # noqa: PTH110 - never raises
    return path if there else f"{path}  (not there yet)"
