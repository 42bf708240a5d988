"""Comparison, sizing and budget, each on one screen."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from flopcast.cli.screens.parts import facts_table, hanging, show_dollars, show_range, show_rows
from flopcast.decide import BudgetAnswer, Comparison, Sizing
from flopcast.decide.size import SPARE_SOURCE
from flopcast.describe import Job
from flopcast.units import (
    show_bytes,
    show_count,
    show_duration,
    show_energy,
    show_fraction,
    show_hours,
    show_money,
    show_money_short,
    show_number,
    show_price,
)

LARGEST_BATCH_TOKENS = 16.8e6  # 16M in powers of two


def show_comparison(result: Comparison, console: Console) -> None:
    """The cheapest and the fastest in words, then every option."""
    if result.fastest is None:
        console.print(
            Text("none of these fits the memory: `flopcast estimate` says what would make each fit", style="bold red")
        )
    else:
        fastest = result.options[result.fastest]
        first = f"fastest: {_cluster(fastest.job)}, {show_range(fastest.calendar_time_s, show_duration)}"
    if result.cheapest is not None:
        cheapest = result.options[result.cheapest]
        cost = cheapest.chosen.cost_usd
        console.print(
            Text(f"cheapest: {_cluster(cheapest.job)}, {show_dollars(cost) if cost else ''}", style="bold green")
        )
    if result.fastest is not None:
        console.print(Text(first, style="bold green" if result.cheapest is None else ""))
    console.print()
    rows = []
    for index, option in enumerate(result.options):
        cost = option.chosen.cost_usd
        mark = "-" if index in result.dominated else "*" if index in (result.cheapest, result.fastest) else " "
        rows.append((
            f"{mark} {_cluster(option.job)}",
            show_fraction(option.chosen.mfu_fraction.expected, 2),
            show_duration(option.calendar_time_s.expected) if option.fits else "does not fit",
            show_hours(option.chosen.accelerator_hours.expected),
            show_price(option.price_usd_per_accelerator_h) if option.price_usd_per_accelerator_h else "",
            show_money_short(cost.expected) if cost else "",
            show_energy(option.energy.energy_j.expected) if option.energy else "",
        ))  # fmt: skip
    styles = ["dim" if index in result.dominated else "" for index in range(len(rows))]
    show_rows(console, ("", "of peak", "calendar", "hours", "price", "cost", "energy"), rows, styles=styles)
    if result.dominated:
        console.print(Text("-  another is both cheaper and sooner", style="dim"))
    console.print(
        Text("each by the method that knows most; `flopcast estimate` shows the range and the reasons", style="dim")
    )


def _cluster(job: Job) -> str:
    return f"{job.cluster.count:,} x {job.cluster.accelerator.name}"


def show_sizing(found: list[tuple[str, Sizing]], deadline_s: float, console: Console) -> None:
    """Counts for even odds and for nine in ten, with what the cluster needs."""
    met = [(kind, sized) for kind, sized in found if sized.count and sized.estimate]
    if not met:
        console.print(Text(f"no count up to 131,072 finishes within {show_duration(deadline_s)}", style="bold red"))
        for _, sized in found:
            nearest = sized.tried_most
            console.print(
                Text(f"nearest: {_cluster(nearest.job)} in {show_range(nearest.calendar_time_s, show_duration)}")
            )
        return
    kind, sized = met[0]
    assert sized.estimate is not None
    sure = f", {sized.sure_count:,} for nine chances in ten" if sized.sure_count else ""
    console.print(
        Text(
            f"{_cluster(sized.estimate.job)} for even odds{sure}: within {show_duration(deadline_s)}",
            style="bold green",
        )
    )
    cost = sized.estimate.chosen.cost_usd
    money = f", {show_dollars(cost)}" if cost else ""
    hours = show_hours(sized.estimate.chosen.accelerator_hours.expected)
    used, noun = show_fraction(sized.estimate.chosen.mfu_fraction.expected), sized.estimate.job.cluster.accelerator.noun
    console.print(Text(f"{hours} {noun} hours at {used} of peak{money}"))
    console.print()
    rows = []
    for _, option in met:
        estimate = option.estimate
        assert estimate is not None
        cost = estimate.chosen.cost_usd
        rows.append((
            estimate.job.cluster.accelerator.name,
            f"{option.count:,}",
            f"{option.sure_count:,}" if option.sure_count else "-",
            f"{option.spares:,}",
            show_fraction(estimate.chosen.mfu_fraction.expected, 2),
            show_duration(estimate.calendar_time_s.expected),
            show_hours(estimate.chosen.accelerator_hours.expected),
            show_money_short(cost.expected) if cost else "",
        ))  # fmt: skip
    show_rows(console, ("", "count", "9 in 10", "spares", "of peak", "calendar", "hours", "cost"), rows)
    console.print()
    _needs(sized, console)
    for kind, option in found:
        if not option.count:
            console.print(Text(f"{kind}: not even {_cluster(option.tried_most.job)} is enough", style="dim"))


def _needs(sized: Sizing, console: Console) -> None:
    """Power, failures a week, checkpoint writes of the first option."""
    estimate = sized.estimate
    assert estimate is not None
    good, energy = estimate.goodput, estimate.energy
    table = facts_table()
    weeks = estimate.calendar_time_s.expected / (7 * 86400)
    a_week = good.failures.expected / max(weeks, 1e-9)
    table.add_row(
        "failures",
        f"{show_number(a_week, 2)} a week; goodput {show_range(good.fraction, lambda v: show_fraction(v, 2))}",
    )
    rate = estimate.storage.checkpoint_bytes / 60
    every = show_duration(good.checkpoint_interval_s)
    table.add_row(
        "checkpoints",
        f"{show_bytes(estimate.storage.checkpoint_bytes)} every {every}: {show_bytes(rate)}/s writes one in a minute",
    )
    if energy is not None:
        kilowatt = energy.power_w.expected * energy.pue.expected * (sized.count or 0) / 1000
        table.add_row("power", f"{show_number(kilowatt)} kW at the meter, {show_range(energy.energy_j, show_energy)}")
    table.add_row("spares", f"{sized.spares:,} more: {SPARE_SOURCE}")
    if estimate.forecast is not None:
        tokens = estimate.forecast.tokens_per_update
        large = (
            ", more than any published run is known to have used well (16M, arXiv 2407.21783)"
            if tokens > LARGEST_BATCH_TOKENS
            else ""
        )
        table.add_row("batch", f"{show_count(tokens)} tokens an update{large}")
    console.print(table)


def show_budget(result: BudgetAnswer, job: Job, spend: float | None, console: Console) -> None:
    """What the hours train: the best network first."""
    best = result.options[0]
    size = f"{show_count(best.parameters)} parameters on {show_range(best.tokens, show_count)} tokens"
    console.print(Text(f"{size}  ({best.name})", style="bold green"))
    chip = job.cluster.accelerator
    bought = f"{show_hours(result.accelerator_hours)} {chip.name} hours"
    if spend is not None and job.price is not None:
        bought = f"{show_money(spend)} at {show_price(job.price.usd_per_accelerator_h)} buys {bought}"
    console.print(Text(f"{bought}; {show_fraction(result.main_run_share, 2)} of them for the final run"))
    console.print()
    rows = [
        (
            option.name,
            show_count(option.parameters),
            show_range(option.tokens, lambda v: show_count(v, 2)),
            show_number(option.tokens_per_parameter),
            show_fraction(option.mfu_fraction.expected, 2),
            f"{option.loss:.3f}",
        )
        for option in result.options
    ]
    show_rows(console, ("", "network", "tokens", "a parameter", "of peak", "loss"), rows)
    console.print()
    hanging(
        console,
        "",
        Text("the rest of the hours is for development and failed runs (--main-share sets it)", style="dim"),
    )
    if job.price is not None and job.price.kind != "given" and spend is not None:
        hanging(console, "", Text(f"price: {job.price.source}, {job.price.as_of}", style="dim"))
    note = "loss in nats a token under the refit of arXiv 2404.10102: compare within this table only"
    hanging(console, "", Text(note, style="dim"))
