"""Options that several verbs share."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import click

from placet.console.commands.run import Run

Decorator = Callable[[Any], Any]


def _remember_json(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value and isinstance(ctx.obj, Run):
        ctx.obj.as_json = True


json_option: Decorator = click.option(
    "--json",
    is_flag=True,
    expose_value=False,
    is_eager=True,
    callback=_remember_json,
    help="Answer in JSON on standard output (docs/json.md).",
)


def choice_options(command: Any) -> Any:
    """Add --drop and --keep."""
    drop = click.option(
        "--drop",
        multiple=True,
        type=click.IntRange(min=1),
        metavar="N",
        help="Leave operation N out; may be given several times.",
    )
    keep = click.option(
        "--keep",
        multiple=True,
        type=click.IntRange(min=1),
        metavar="N",
        help="Put operation N in, though it was refused before.",
    )
    return drop(keep(command))


reason_option: Decorator = click.option(
    "--reason", default="", metavar="TEXT", help="Why, in your words; kept in the log."
)

_DIGEST = re.compile(r"[0-9a-f]{64}\Z")


def _whole(_ctx: click.Context, _parameter: click.Parameter, value: str) -> str:
    """A digest as typed; a part of one is refused, because other bytes can be made to begin so."""
    typed = value.strip().lower()
    if typed and not _DIGEST.match(typed):
        raise click.UsageError(
            f"--seen {value} is not a whole digest, so it says of nothing that you saw it: give"
            " all of its 64 characters (0-9, a-f), as `placet show REF` prints them. Nothing was"
            " decided."
        )
    return typed


seen_option: Decorator = click.option(
    "--seen",
    default="",
    callback=_whole,
    metavar="DIGEST",
    help="The digest that `placet show REF` printed: what you saw is what is decided.",
)
