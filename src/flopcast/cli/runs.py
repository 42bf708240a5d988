"""Many like runs: what one takes, multiplied."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.text import Text

from flopcast.cli.output import range_json
from flopcast.cli.screens.parts import show_dollars, show_range
from flopcast.describe import Range
from flopcast.evidence import Estimate
from flopcast.units import parse_positive_int, show_duration, show_hours

MOST_RUNS = 1e6


def read_runs(text: str | None) -> int:
    """The number of like runs; one where none is said."""
    return 1 if text is None else parse_positive_int(text, where="runs", maximum=MOST_RUNS)


def runs_document(result: Estimate, count: int) -> dict[str, Any]:
    """All runs together, by the method that was taken."""
    hours, cost, calendar = _together(result, count)
    return {
        "count": count,
        "accelerator_hours": range_json(hours),
        "cost_usd": range_json(cost),
        "calendar_time_s": range_json(calendar),
    }


def show_runs(result: Estimate, count: int, console: Console) -> None:
    """One line on all runs together, then what one takes is shown."""
    hours, cost, calendar = _together(result, count)
    said = f"{count:,} runs: {show_range(hours, show_hours)} {result.job.cluster.accelerator.noun} hours"
    said += f", {show_dollars(cost)}" if cost else ""
    console.print(Text(said, style="bold green"))
    after = show_range(calendar, show_duration)
    console.print(Text(f"one after another {after} on the calendar; of each run:"))
    console.print()


def _together(result: Estimate, count: int) -> tuple[Range, Range | None, Range]:
    """Hours, cost and calendar of all: like runs err alike, so their spreads do not average out."""
    chosen = result.chosen
    cost = chosen.cost_usd * count if chosen.cost_usd else None
    return chosen.accelerator_hours * count, cost, result.calendar_time_s * count
