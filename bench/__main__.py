"""`python -m bench [NAME…]`: measure and print the table; nothing is asserted."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable

from bench import screen, store, verbs
from bench.figures import Row, table

Measure = Callable[[int], Iterable[Row]]

MEASURES: dict[str, Measure] = {
    "start": lambda runs: [screen.start(runs, 0), screen.start(runs, 10_000)],
    "key": lambda runs: [*screen.key(runs, 241), *screen.key(runs, 10_000)],
    "arrival": lambda runs: [screen.arrival(runs)],
    "approve": lambda runs: [store.approve(runs)],
    "verbs": verbs.verbs,
    "diff": store.differences,
    "refusals": store.refusals,
}


def main() -> None:
    """Measure what is named, or everything."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(MEASURES))
    parser.add_argument("--runs", type=int, default=9, help="runs of each side (default 9)")
    given = parser.parse_args()
    unknown = set(given.names) - set(MEASURES)
    if unknown:
        parser.error(f"no such measurement: {', '.join(sorted(unknown))}")
    rows: list[Row] = []
    for name in given.names or MEASURES:
        rows += MEASURES[name](given.runs)
    print(table(rows))
    print(f"\n{given.runs} runs each; load before and now: {os.getloadavg()[0]:.2f}")


if __name__ == "__main__":
    main()
