"""The estimate on one screen."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from flopcast.cli.screens.parts import (
    facts_table,
    hanging,
    heading,
    show_dollars,
    show_notes,
    show_range,
    show_rows,
    show_trace,
    show_value,
    span,
)
from flopcast.describe import Job, MethodAnswer
from flopcast.evidence import Estimate
from flopcast.step import StepForecast
from flopcast.units import (
    show_bytes,
    show_count,
    show_duration,
    show_energy,
    show_flop,
    show_fraction,
    show_hours,
    show_money_short,
    show_number,
    show_price,
)

ASSUMPTIONS_SHOWN = 3


def show_estimate(result: Estimate, console: Console, *, explain: bool) -> None:
    """Prints the answer; with `explain` also the working, all assumptions and their sources."""
    _headline(result, console)
    console.print()
    _methods(result, console)
    console.print()
    _figures(result, console)
    console.print()
    _rests_on(result, console, everything=explain)
    show_notes(console, result.warnings)
    if explain:
        console.print()
        heading(console, "Working")
        show_trace(console, result.trace)
        _ledger(result, console)
        _bill(result, console)
    else:
        console.print(Text("--explain shows formulas and sources, --json everything", style="dim"))


def describe_job(job: Job) -> str:
    """`405B on 15.6T tokens, 16,000 x H100 SXM5 80GB, bf16`."""
    network, work = job.network, job.workload
    size = show_count(network.parameters_total)
    active = (
        f", {show_count(network.parameters_active)} active"
        if network.parameters_active != network.parameters_total
        else ""
    )
    name = f"{network.name} ({size}{active})" if network.is_counted else f"{size}{active} parameters"
    method = "" if work.method == "pretrain" else f", {work.method}"
    return f"{name} on {show_count(work.tokens)} tokens, {job.cluster.count:,} x {job.cluster.accelerator.name}, {work.precision}{method}"


def _headline(result: Estimate, console: Console) -> None:
    chosen = result.chosen
    cost = f", {show_dollars(chosen.cost_usd)}" if chosen.cost_usd else ""
    first = f"{show_range(chosen.compute_time_s, show_duration)} of compute, {show_hours(chosen.accelerator_hours.expected)} "
    first += f"{result.job.cluster.accelerator.noun} hours{cost}"
    if not result.fits:
        console.print(Text("does not fit: the figures hold only if it is made to (see memory)", style="bold red"))
    console.print(Text(first, style="bold green" if result.fits else "bold"))
    console.print(Text(describe_job(result.job)))


def _methods(result: Estimate, console: Console) -> None:
    rows = [_method_row(method, method is result.chosen) for method in result.methods]
    styles = ["" if method is result.chosen else "dim" for method in result.methods]
    show_rows(console, ("", "utilisation", "compute time", "cost"), rows, styles=styles, left=4)
    for method in result.methods:
        hanging(console, f"  {method.method}", method.why, width=13, style="dim")


def _method_row(method: MethodAnswer, chosen: bool) -> tuple[str, ...]:
    mark = "*" if chosen else " "
    cost = show_dollars(method.cost_usd) if method.cost_usd else "no price known"
    used = show_range(method.mfu_fraction, lambda v: show_fraction(v, 2 if not method.mfu_fraction.is_exact else 3))
    return f"{mark} {method.method}", used, show_range(method.compute_time_s, show_duration), cost


def _figures(result: Estimate, console: Console) -> None:
    table = facts_table()
    good, stored = result.goodput, result.storage
    stops = f"goodput {show_range(good.fraction, lambda v: show_fraction(v, 2))}, about {show_number(good.failures.expected, 2)} failures"
    table.add_row("calendar", f"{show_range(result.calendar_time_s, show_duration)}; {stops}")
    if result.forecast is not None:
        table.add_row("memory", _memory(result.forecast))
    table.add_row("work", f"{show_flop(result.flop.model)} ({_label(result)}: {_convention(result)})")
    if result.job.measured is not None and len(result.utilisation) > 2:
        table.add_row("utilisation", ", ".join(f"{name} {show_fraction(v)}" for name, v in result.utilisation.items()))
    if result.budget is not None:
        total = result.budget.total_usd
        table.add_row("whole budget", f"{show_dollars(total)} with restarts, development and storage")
    if result.price_usd_per_accelerator_h is not None:
        table.add_row(
            "price", f"{show_price(result.price_usd_per_accelerator_h)} an accelerator, {_price_source(result.job)}"
        )
    checkpoint = show_bytes(stored.checkpoint_bytes)
    table.add_row("storage", f"{show_bytes(stored.total_bytes)} ({show_bytes(stored.total_bytes, binary=True)}): {checkpoint} a "
                  f"checkpoint, {show_bytes(stored.dataset_bytes)} tokenised, {show_bytes(stored.raw_text_bytes)} raw")  # fmt: skip
    if result.energy is not None:
        table.add_row("energy", f"{show_range(result.energy.energy_j, show_energy)}{_carbon(result)}")
    if limits := _thresholds(result):
        table.add_row("regulation", limits)
    console.print(table)


def _thresholds(result: Estimate) -> str:
    """The highest threshold of a law that the run is above, and the next one where it is near."""
    above = [limit for limit in result.thresholds if limit.is_above][-1:]
    near = [limit for limit in result.thresholds if limit.is_near and not limit.is_above][:1]
    said = [f"above {limit.flop:.2g} FLOP, {limit.name}" for limit in above]
    said += [f"{show_fraction(limit.ratio, 2)} of {limit.flop:.2g} FLOP, {limit.name}" for limit in near]
    return "; ".join(said).replace("e+", "e")


def _label(result: Estimate) -> str:
    """The convention's name; adapters over frozen weights cost 4 N, not 6 N."""
    frozen = result.job.workload.method in ("lora", "qlora")
    return "4n, weights frozen" if frozen and result.flop.convention == "6n" else result.flop.convention


def _memory(forecast: StepForecast) -> Text:
    """What the fullest rank holds against what there is, its largest parts, and what would make it fit."""
    memory = forecast.memory
    room = f"{show_bytes(memory.device_bytes, binary=True)} of {show_bytes(memory.capacity_bytes, binary=True)}"
    parts = sorted(((size, name) for name, size in memory.components.items() if size > 0), reverse=True)[:3]
    words = ", ".join(f"{name.replace('_', ' ')} {show_bytes(size, binary=True)}" for size, name in parts)
    if memory.fits:
        return Text(f"fits: {room} on the fullest rank ({words})")
    ways = "; ".join(change.what for change in memory.changes) or "more accelerators"
    return Text.assemble(("does not fit: ", "bold red"), f"{room} on the fullest rank ({words}). To fit: {ways}")


def _convention(result: Estimate) -> str:
    others = {
        name: value
        for name, value in result.flop.by_convention.items()
        if name not in (result.flop.convention, "exact")
    }
    said = f"{show_number(result.flop.model / result.job.workload.tokens / result.job.network.parameters_active)} a parameter and token"
    if not others:
        return said
    return said + "; " + ", ".join(f"{name} {show_flop(value)}" for name, value in others.items())


def _price_source(job: Job) -> str:
    if job.bill_usd is not None:
        return "from the bill"
    if job.price is None:
        return ""
    return " ".join(filter(None, (job.price.source, job.price.as_of)))


def _carbon(result: Estimate) -> str:
    energy = result.energy
    if energy is None or energy.co2e_kg is None:
        return ""
    return f", {span(energy.co2e_kg / 1000, lambda v: show_number(v) + ' t')} CO2e ({energy.region})"


def _rests_on(result: Estimate, console: Console, *, everything: bool) -> None:
    shown = result.assumptions if everything else result.assumptions[:ASSUMPTIONS_SHOWN]
    heading(
        console,
        "Rests on",
        "" if everything else f"the {len(shown)} assumptions that matter most, of {len(result.assumptions)}",
    )
    for number, assumption in enumerate(shown, 1):
        value = f" {show_value(assumption.value)} {assumption.unit}".rstrip() if assumption.value != "" else ""
        if isinstance(assumption.value, float) and assumption.unit.startswith("fraction"):
            value = f" {show_fraction(assumption.value)} {assumption.unit.removeprefix('fraction').strip()}".rstrip()
        effect = f": {assumption.effect}" if assumption.effect else ""
        hanging(
            console,
            Text(str(number), style="bold"),
            Text.assemble(f"{assumption.name}{value}", (effect, "dim")),
            width=3,
        )
        if everything and assumption.source:
            hanging(console, "", Text(assumption.source, style="dim italic"), width=5)


def _ledger(result: Estimate, console: Console) -> None:
    """The run's FLOP over every threshold, above it or not."""
    console.print()
    heading(console, "Regulation", "laws add earlier training of the same model, which is not counted here")
    for limit in result.thresholds:
        side = "above" if limit.is_above else "below"
        sum_ = f"{show_flop(result.flop.model)} / {limit.flop:.3g} = {show_number(limit.ratio)}".replace("e+", "e")
        console.print(Text(f"{limit.name}: {side}, {sum_}: {limit.meaning}"))
        console.print(Text(f"    {limit.source}", style="dim italic"))


def _bill(result: Estimate, console: Console) -> None:
    if result.budget is None:
        return
    console.print()
    heading(console, "Whole budget", "lines sum to the total")
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("line")
    table.add_column("expected", justify="right", no_wrap=True)
    table.add_column("low to high", justify="right", no_wrap=True)
    table.add_column("how", overflow="fold", style="dim")
    for line in result.budget.lines:
        table.add_row(line.name, f"${line.usd.expected:,.2f}", span(line.usd, show_money_short), line.how)
    total = result.budget.total_usd
    table.add_row("total", f"${total.expected:,.2f}", span(total, show_money_short), "", style="bold")
    console.print(table)
