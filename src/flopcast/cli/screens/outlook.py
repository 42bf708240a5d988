"""The outlook and a conversion, each on one screen."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from flopcast.cli.screens.parts import facts_table, heading, show_range, show_trace, span
from flopcast.decide import Conversion, Envelope, Outlook
from flopcast.describe import Accelerator, Cluster
from flopcast.units import show_bytes, show_count, show_fraction, show_hours, show_money, show_money_short, show_number


def show_outlook(result: Outlook, last: Envelope, console: Console, *, explain: bool) -> None:
    """Prints the envelope, what scale costs, the best network and data for it, and the limits."""
    first = f"{show_number(result.compute_ratio)} times the compute of the last run at most: "
    first += f"a network {show_number(result.network_ratio)} times larger"
    console.print(Text(first, style="bold green"))
    kept = show_range(result.compute_ratio_kept, lambda v: show_number(v) + " times")
    binding = result.binding
    says = f"{binding.name} binds" if binding.share > 1 else f"{binding.name} is the nearest limit"
    console.print(
        Text(f"{kept} after utilisation lost to scale; {says} ({show_fraction(binding.share, 2)} of what there is)")
    )
    console.print()
    table = facts_table()
    table.add_row(
        "from",
        f"{last.name}: {show_number(last.cards)} cards, {show_number(last.days)} days, {last.flop:.3g} FLOP".replace(
            "e+", "e"
        ),
    )
    table.add_row("to", f"{show_number(result.cards)} cards, {show_number(result.days)} days, "
                  f"{show_range(result.flop, lambda v: f'{v:.2g}'.replace('e+', 'e'))} FLOP")  # fmt: skip
    table.add_row(
        "utilisation", f"{show_range(result.utilisation_kept, lambda v: show_fraction(v, 3))} of the last run's is kept"
    )
    network = show_range(result.network_ratio_kept, lambda v: show_number(v) + " times")
    table.add_row("network", f"{network} the last one, data in proportion")
    money = f"{show_range(result.money_ratio, lambda v: show_number(v) + ' times')} the last run's money"
    if result.usd is not None:
        money += f": {span(result.usd, show_money_short)}"
    table.add_row("money", money)
    console.print(table)
    console.print()
    heading(console, "Best network and data for it", "where compute is all that counts")
    for best in result.optimal:
        size = f"{show_count(best.parameters)} parameters on {show_count(best.tokens)} tokens"
        console.print(Text.assemble(f"  {size}  ", (f"{best.law}, {best.source}", "dim")))
    console.print()
    _limits(result, console)
    console.print()
    heading(console, "Rests on")
    for number, assumption in enumerate(result.assumptions, 1):
        console.print(Text.assemble((f"{number} ", "bold"), f"{assumption.name}", (f": {assumption.effect}", "dim")))
        if explain:
            console.print(Text(f"    {assumption.source}", style="dim italic"))
    if explain:
        console.print()
        show_trace(console, result.trace)


def _limits(result: Outlook, console: Console) -> None:
    heading(console, "What can end it")
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("limit")
    for name in ("needed", "there is", "used"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("", style="dim", overflow="fold")
    for limit in result.limits:
        style = "bold" if limit is result.binding else ""
        needed, available = (_amount(value, limit.unit) for value in (limit.needed, limit.available))
        table.add_row(limit.name, needed, available, show_fraction(limit.share, 2), limit.source, style=style)
    console.print(table)


def _amount(value: float, unit: str) -> str:
    return f"{show_bytes(value)}/s" if unit == "B/s" else f"{show_count(value)} {unit}"


def show_conversion(
    result: Conversion, source: Cluster, target: Accelerator, usd: float | None, console: Console
) -> None:
    """Prints how many of the target do the same work, and in how many hours."""
    equal = show_number(result.accelerators_equivalent, 5)
    console.print(
        Text(f"{source.count:,} x {source.accelerator.name} are worth {equal} x {target.name}", style="bold green")
    )
    said = f"at equal utilisation of the dense peak: {show_number(result.peak_ratio, 4)} {target.name} each"
    if result.accelerator_hours is not None:
        said = (
            f"{show_hours(result.accelerator_hours, 5)} {target.name} hours"
            + (f", {show_money(usd)}" if usd else "")
            + f"; {said}"
        )
    console.print(Text(said))
    for text in source.assumed:
        console.print(Text(text, style="dim"))
    console.print()
    show_trace(console, result.trace)
