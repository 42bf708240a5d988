"""Why two estimates differ, on one screen."""

from __future__ import annotations

from math import log10

from rich.console import Console
from rich.table import Table
from rich.text import Text

from flopcast.cli.screens.estimate import describe_job
from flopcast.cli.screens.parts import hanging, show_notes
from flopcast.evidence import Estimate, Reconciliation
from flopcast.units import show_duration, show_money, show_number

BAR_WIDTH = 14


def show_reconciliation(result: Reconciliation, a: Estimate, b: Estimate, console: Console) -> None:
    """Prints the ratio, its factors largest first, and each factor in words."""
    show = show_money if result.of == "cost_usd" else show_duration
    what = "cost" if result.of == "cost_usd" else "time"
    console.print(
        Text(
            f"A's {what} is {show_number(result.ratio, 4)} times B's: {show(result.a)} against {show(result.b)}",
            style="bold green",
        )
    )
    console.print(Text(f"{result.summary.partition('. ')[2] or 'The two agree'}."))
    console.print()
    for name, estimate in (("A", a), ("B", b)):
        job = Text(f"{describe_job(estimate.job)} ({estimate.chosen.method})", style="dim")
        hanging(console, Text(name, style="bold"), job, width=3)
    console.print()
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("factor")
    table.add_column("times", justify="right", no_wrap=True)
    table.add_column("B dearer  |  A dearer" if what == "cost" else "B longer  |  A longer", no_wrap=True)
    table.add_column("A", justify="right", no_wrap=True)
    table.add_column("B", justify="right", no_wrap=True)
    widest = max([abs(log10(factor.ratio)) for factor in result.factors], default=1.0) or 1.0
    for factor in result.factors:
        a_value, b_value = (f"{value:.4g}".replace("e+", "e") for value in (factor.a, factor.b))
        table.add_row(
            factor.name.replace("_", " "), show_number(factor.ratio, 5), _bar(factor.ratio, widest), a_value, b_value
        )
    table.add_row("product", show_number(result.ratio, 5), "", "", "", style="bold")
    console.print(table)
    console.print()
    for factor in result.factors:
        hanging(console, "-", factor.why)
    show_notes(console, result.warnings)


def _bar(ratio: float, widest: float) -> Text:
    """A bar to the right where A is dearer, to the left where B is."""
    half = BAR_WIDTH // 2 + 2
    length = round(abs(log10(ratio)) / widest * half)
    bar = "#" * length
    return Text(f"{bar:>{half}}|{'':<{half}}" if ratio < 1 else f"{'':>{half}}|{bar:<{half}}", style="cyan")
