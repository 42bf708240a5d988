"""`hours` and `storage` on one screen."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from flopcast.cli.screens.parts import facts_table, heading, show_dollars, show_notes, show_range, show_trace
from flopcast.decide.hours import Hours
from flopcast.decide.storing import Checkpoints, TokenFiles
from flopcast.describe import Assumption, Cluster, Price, TraceStep
from flopcast.units import (
    show_bytes,
    show_count,
    show_duration,
    show_energy,
    show_fraction,
    show_hours,
    show_number,
    show_price,
)


def show_hours_screen(
    text: str,
    result: Hours,
    cluster: Cluster | None,
    price: Price | None,
    arithmetic: tuple[TraceStep, ...],
    console: Console,
) -> None:
    """Prints the time and hours first, then what they cost, use and risk."""
    noun = cluster.accelerator.noun if cluster else ""
    used = f", {show_hours(result.accelerator_hours)} {noun} hours" if result.accelerator_hours else ""
    cost = f", {show_dollars(result.cost_usd)}" if result.cost_usd else ""
    clock = f"{show_duration(result.wall_time_s, 4)} ({show_number(result.wall_time_s / 3600, 5)} h)"
    console.print(Text(f"{clock}{used}{cost}", style="bold green"))
    where = (
        f" on {cluster.count:,} x {cluster.accelerator.name}" if cluster else ": --on gives GPU hours, money, energy"
    )
    console.print(Text(text + where))
    console.print()
    _figures(result, noun, f", {price.source} {price.as_of}".rstrip() if price else ", from the bill", console)
    show_trace(console, (*arithmetic, *result.trace))
    _rests_on(result.assumptions, console)


def _figures(result: Hours, noun: str, price_source: str, console: Console) -> None:
    """What the hours cost, use and risk; nothing where no cluster is known."""
    table = facts_table()
    if result.tokens_per_s:
        each = result.tokens_per_s_per_accelerator
        said = f"{show_count(result.tokens_per_s)} tokens/s" + (f", {show_count(each)} a {noun}" if each else "")
        table.add_row("rate", said)
    if result.price_usd_per_accelerator_h and result.cost_usd_per_h:
        said = f"{show_price(result.price_usd_per_accelerator_h)} a {noun}, ${result.cost_usd_per_h:,.2f}/h in all"
        table.add_row("price", said + price_source)
    if result.energy_j:
        carbon = f", {show_range(result.co2e_kg / 1000, show_number)} t CO2e" if result.co2e_kg else ""
        power = f" at {show_range(result.power_w, show_number)} W a {noun}" if result.power_w else ""
        table.add_row("energy", f"{show_range(result.energy_j, show_energy)}{power}{carbon}")
    if result.failures and result.accelerator_hours_per_failure:
        said = show_range(result.failures, lambda v: show_number(v, 2))
        table.add_row("failures", f"{said}; one in {show_hours(result.accelerator_hours_per_failure)} {noun} hours")
    if table.row_count:
        console.print(table)
        console.print()


def show_storage_screen(
    kept: Checkpoints, files: TokenFiles | None, assumptions: tuple[Assumption, ...], console: Console
) -> None:
    """Prints sizes in decimal and binary units, and what the saves cost in time."""
    table = facts_table()
    if kept.size_bytes:
        table.add_row("checkpoint", f"{show_bytes(kept.size_bytes)} ({show_bytes(kept.size_bytes, binary=True)})")
    if kept.save_s:
        rate = f", {show_bytes(kept.write_bytes_per_s)}/s" if kept.write_bytes_per_s else ""
        table.add_row("one save", f"{show_duration(kept.save_s)}{rate}")
    if kept.interval_s:
        best = f"; Young's best is {show_duration(kept.best_interval_s)}" if kept.best_interval_s else ""
        table.add_row("interval", f"{show_duration(kept.interval_s)}{best}")
    if kept.saves is not None:
        lost = f", {show_duration(kept.overhead_s)} in all" if kept.overhead_s else ""
        share = f", {show_fraction(kept.overhead_fraction, 2)} of the run" if kept.overhead_fraction else ""
        table.add_row("saves", f"{kept.saves:,}{lost}{share}")
    if files:
        size = f"{show_bytes(files.size_bytes)} ({show_bytes(files.size_bytes, binary=True)})"
        table.add_row("tokens", f"{size}, {files.bytes_per_token} bytes each")
        table.add_row("raw text", f"{show_bytes(files.raw_text_bytes)} of English")
        table.add_row(
            "to buy", f"{show_bytes(files.to_buy_bytes)} for the tokens: shared file systems slow down over 80 % full"
        )
    console.print(table)
    show_notes(console, kept.warnings)
    _rests_on(assumptions, console)


def _rests_on(assumptions: tuple[Assumption, ...], console: Console) -> None:
    if not assumptions:
        return
    console.print()
    heading(console, "Rests on")
    for number, assumption in enumerate(assumptions, 1):
        value = show_number(assumption.value, 4) if isinstance(assumption.value, int | float) else assumption.value
        unit = f" {assumption.unit}" if assumption.unit else ""
        console.print(
            Text.assemble((f"{number} ", "bold"), f"{assumption.name} {value}{unit}", (f": {assumption.effect}", "dim"))
        )
        console.print(Text(f"    {assumption.source}", style="dim italic"))
