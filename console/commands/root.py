"""The command `placet` itself: options before any verb, and where each verb lives."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from placet.console.commands import failures
from placet.console.commands.output import OK, REFUSED, USAGE
from placet.console.commands.run import Run, complain
from placet.store.errors import PlacetError

VERBS = {
    "demo": "demo",
    "status": "place",
    "count": "look",
    "pending": "look",
    "show": "look",
    "diff": "look",
    "memory": "place",
    "locate": "place",
    "approve": "judge",
    "reject": "judge",
    "discard": "judge",
    "edit": "change",
    "edit-memory": "change",
    "normalise": "change",
    "unfinished": "unfinished",
    "undo": "history",
    "keep": "history",
    "revert": "history",
    "audit": "audit",
    "refusals": "refused",
    "lift": "refused",
}
"""Module of `console/commands` that each verb lives in, in the order help lists them."""


class Verbs(click.Group):
    """Loads a verb's module only when that verb is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names in the order of the table."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The verb, or None where there is no such one."""
        module = VERBS.get(cmd_name)
        if module is None:
            return None
        loaded = importlib.import_module(f"placet.console.commands.{module}")
        command = getattr(loaded, cmd_name.replace("-", "_"))
        return command if isinstance(command, click.Command) else None


@click.command(
    cls=Verbs,
    invoke_without_command=True,
    context_settings={"help_option_names": ["--help", "-h"], "max_content_width": 100},
)
@click.option(
    "-H",
    "--home",
    "homes",
    multiple=True,
    metavar="PATH",
    type=click.Path(path_type=Path),
    help="Home to look at; may be given several times. Default: $HERMES_HOME, else ~/.hermes.",
)
@click.option("--poll", is_flag=True, help="Watch by listing alone (file systems without events).")
@click.option("--mouse/--no-mouse", default=None, help="Mouse in the console; off over SSH.")
@click.version_option(package_name="placet", message="placet %(version)s")
@click.pass_obj
@click.pass_context
def placet(
    ctx: click.Context, run: Run, homes: tuple[Path, ...], poll: bool, mouse: bool | None
) -> int:
    """See what an agent wants to remember, say yes, no, or fix it.

    Without a verb the console opens. Every verb answers --help.
    """
    run.given = homes
    if ctx.invoked_subcommand is not None:
        return OK
    from placet.console.commands.screen import open_console

    return open_console(homes, poll=poll, mouse=mouse)


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return the exit code (docs/json.md, "Exit codes")."""
    this = Run(os.environ)
    try:
        result = placet.main(list(arguments), prog_name="placet", standalone_mode=False, obj=this)
        sys.stdout.flush()
        return result if isinstance(result, int) else OK
    except click.UsageError as error:
        return usage(error)
    except click.ClickException as error:
        return complain(error.format_message(), REFUSED)
    except PlacetError as error:
        return this.refuse(error)
    except (click.Abort, KeyboardInterrupt):
        return failures.told(KeyboardInterrupt())
    except Exception as error:
        return failures.told(error)


def usage(error: click.UsageError) -> int:
    """Say how the command is called, with hostile arguments made visible."""
    if error.ctx is not None:
        for line in error.ctx.get_usage().split("\n"):
            complain(line, USAGE)
    message = error.format_message()
    if "Missing argument" in message and "SEQ" in message:
        message += " In most shells a word that begins with # is a comment: write 12, or '#12'."
    return complain(message, USAGE)
