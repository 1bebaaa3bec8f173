"""What is asked most often, recognised before the command line's library is imported.

The console and `placet count` have a budget of milliseconds (design §15); everything else, and
every other option, is left to `root`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple


class Request(NamedTuple):
    """What was asked.

    Attributes:
        homes: Homes named with `-H`.
        verb: "count", or empty for the console.
        as_json: Whether JSON was asked for.
    """

    homes: tuple[Path, ...] = ()
    verb: str = ""
    as_json: bool = False


def request(arguments: Sequence[str]) -> Request | None:
    """Recognise `[-H PATH]… [count [--json]]`; None for anything else."""
    homes: list[Path] = []
    rest = list(arguments)
    while rest and rest[0] != "count":
        head = rest.pop(0)
        if head in ("-H", "--home") and rest:
            homes.append(Path(rest.pop(0)))
        elif head.startswith("--home="):
            homes.append(Path(head.removeprefix("--home=")))
        elif head.startswith("-H") and len(head) > 2:
            homes.append(Path(head[2:]))
        else:
            return None
    if any(word != "--json" for word in rest[1:]):
        return None
    return Request(tuple(homes), "".join(rest[:1]), len(rest) > 1)
