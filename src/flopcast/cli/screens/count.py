"""Parameters and FLOP of a network on one screen."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from flopcast import count
from flopcast.cli.screens.parts import heading, show_notes
from flopcast.describe import Assumption, Network
from flopcast.units import show_count, show_number

CONVENTION_WORDS = {
    "6n": "6 x active parameters",
    "causal_attention": "6N + causal attention",
    "full_attention": "6N + full attention",
}


def show_count_screen(
    network: Network, seq_len: int, assumptions: tuple[Assumption, ...], console: Console, *, explain: bool
) -> None:
    """Prints totals, FLOP of a token in each convention, and the parts."""
    parameters = count.parameters(network)
    active = "" if parameters.active == parameters.total else f", {parameters.active:,.0f} active"
    console.print(Text(f"{parameters.total:,.0f} parameters{active}", style="bold green"))
    flop = count.flop_per_token(network, seq_len)
    shown = flop.training["causal_attention"] or flop.training["6n"] or 0.0
    console.print(
        Text(
            f"{network.name}: {shown:.4g} FLOP to train on a token at {seq_len:,} tokens of context".replace("e+", "e")
        )
    )
    console.print()
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("FLOP of a token")
    table.add_column("training", justify="right")
    table.add_column("of 6N", justify="right", style="dim")
    base = flop.training["6n"] or 1.0
    for name, words in CONVENTION_WORDS.items():
        value = flop.training.get(name)
        if value is not None:
            table.add_row(words, f"{value:.6g}".replace("e+", "e"), f"{100 * value / base:.1f} %")
    table.add_row("forward, all that is multiplied", f"{flop.forward:.6g}".replace("e+", "e"), "")
    console.print(table)
    if network.parts:
        console.print()
        _parts(network, console)
    console.print()
    notes = [text for text in (assumption.effect or str(assumption.value) for assumption in assumptions) if text]
    for text in notes if explain else notes[:4]:
        console.print(Text(f"assumed: {text}", style="dim"))
    if not explain and len(notes) > 4:
        console.print(Text(f"and {len(notes) - 4} more: --explain", style="dim"))
    show_notes(console, flop.notes)


def _parts(network: Network, console: Console) -> None:
    heading(console, "Parts")
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    table.add_column("part")
    for name in ("copies", "parameters", "share", "active"):
        table.add_column(name, justify="right")
    total = network.parameters_total
    for part in network.parts:
        active = "" if part.active == part.total else show_count(part.active)
        share = f"{show_number(100 * part.total / total, 2)} %"
        table.add_row(part.name, f"{part.copies:,}", f"{part.total:,}", share, active)
    console.print(table)
