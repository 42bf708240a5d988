"""Measured against predicted, group by group."""

from __future__ import annotations

from math import isnan

from rich.console import Console
from rich.text import Text

from flopcast.cli.screens.parts import heading, show_rows
from flopcast.evidence.validate import Score, Validation

NAME_LENGTH = 24


def show_validation(result: Validation, console: Console, *, fitted: bool) -> None:
    """Prints the error as a whole, then by group beside the best constant, memory, and what could not be predicted."""
    whole = result.step_time
    console.print(
        Text(
            f"{_percent(whole.mape)} mean error of step time over {whole.n:,} runs, {_percent(whole.median)} median",
            style="bold green",
        )
    )
    constant, covered = _percent(whole.baseline_constant_mape), _percent(whole.coverage_80, 0)
    console.print(
        Text(
            f"the best constant of each source and chip, in-sample: {constant}; the 80 % intervals hold {covered} of runs"
        )
    )
    console.print()
    header = ("group, all in %", "n", "mean", "median", "bias", "p90", "within 10", "cover", "constant")
    show_rows(console, header, [_row(score) for score in result.groups], padding=1)
    if fitted:
        console.print(
            Text(
                "the constants were fitted on these runs: with rows and sources held out, see docs/accuracy.md",
                style="dim",
            )
        )
    if result.memory.get("n"):
        console.print()
        memory = result.memory
        line = (
            f"median error {_percent(memory['median'])}, bias {_percent(memory['bias'])}, over {memory['n']:,.0f} runs"
        )
        heading(console, "Memory", f"{line}; more than 5 % low in {_percent(memory['low_by_5_percent'], 0)}")
    unscored = sum(guess.plan is not None for guess in result.predictions) - whole.n
    if unscored:
        console.print(Text(f"{unscored} predicted but not scored: no step time or rate above zero", style="dim"))
    for reason, number in result.refused.items():
        console.print(Text(f"{number} not predicted: {reason}", style="dim"))


def _row(score: Score) -> tuple[str, ...]:
    errors = (score.mape, score.median, score.bias, score.p90)
    shares = (score.within_10_percent, score.coverage_80)
    return (
        score.name if len(score.name) <= NAME_LENGTH else score.name[: NAME_LENGTH - 1] + "…",
        f"{score.n:,}",
        *(_bare(value) for value in errors),
        *(_bare(value, 0) for value in shares),
        _bare(score.baseline_constant_mape),
    )


def _bare(value: float, digits: int = 1) -> str:
    """Per cent without the sign, for a column."""
    return "-" if isnan(value) else f"{100 * value:.{digits}f}"


def _percent(value: float, digits: int = 1) -> str:
    return "-" if isnan(value) else f"{100 * value:.{digits}f} %"
