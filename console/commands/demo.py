"""`placet demo`: the whole job on a throw-away home."""

from __future__ import annotations

import click

from placet.console.commands.run import Run


@click.command()
@click.option("--plain", is_flag=True, help="In plain text, without a terminal.")
@click.pass_obj
def demo(run: Run, plain: bool) -> int:
    """Try everything on a throw-away home."""
    if plain:
        from placet.console import demo_walk

        return demo_walk.run()
    from placet.console import demo as console_demo

    return console_demo.run()
