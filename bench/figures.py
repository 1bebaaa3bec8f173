"""Medians, percentiles and the table."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """One measured thing beside its bare reference, taken in the same run.

    Attributes:
        name: What was measured.
        ours: Each run.
        bare: Each run of the reference.
        reference: What the reference is.
        budget: What design asks for, in words.
        unit: Unit of the runs, shown behind every figure.
    """

    name: str
    ours: Sequence[float]
    bare: Sequence[float]
    reference: str
    budget: str
    unit: str = "ms"


def median(runs: Sequence[float]) -> float:
    """The middle run."""
    return statistics.median(runs)


def p95(runs: Sequence[float]) -> float:
    """The run that 95 % of the runs stay below."""
    ordered = sorted(runs)
    return ordered[min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))]


def table(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table; ratios are of medians."""
    lines = [
        "| what | median | p95 | bare reference | its median | ratio | budget |",
        "|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        ours, bare = median(row.ours), median(row.bare)
        ratio = f"{ours / bare:.2f}×" if bare else "–"
        lines.append(
            f"| {row.name} | {ours:.2f} {row.unit} | {p95(row.ours):.2f} {row.unit} "
            f"| {row.reference} | {bare:.2f} {row.unit} | {ratio} | {row.budget} |"
        )
    return "\n".join(lines)
