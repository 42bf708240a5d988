"""What several screens share: ranges in words, notes, the trace."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rich.console import Console
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from flopcast.describe import Range, TraceStep
from flopcast.units import show_money, show_money_short, show_number


def show_range(value: Range, show: Callable[[float], str]) -> str:
    """`68.6 days`, or `77 days (68–89)`: the unit once, where it is shared; no span where it does not show."""
    middle = show(value.expected)
    if show(value.low) == middle == show(value.high):
        return middle
    ends = span(value, show)
    unit = middle.rpartition(" ")[2] if " " in middle else ""
    return f"{middle} ({ends.removesuffix(' ' + unit) if unit else ends})"


def show_dollars(value: Range) -> str:
    """To the dollar where exact, to three figures where a range."""
    return show_range(value, show_money if value.is_exact else show_money_short)


def span(value: Range, show: Callable[[float], str]) -> str:
    """`68–89 days`: the unit once where the ends share it."""
    low, high = show(value.low), show(value.high)
    unit_low, unit_high = low.rpartition(" ")[2], high.rpartition(" ")[2]
    if " " in low and unit_low == unit_high:
        low = low.rpartition(" ")[0]
    return f"{low}–{high}"


def heading(console: Console, title: str, detail: str = "") -> None:
    """A section's name; the rest of the line says what it shows."""
    console.print(Text.assemble((title, "bold"), (f"  {detail}" if detail else "", "dim")))


def facts_table() -> Table:
    """Two columns: a dim name, its value."""
    table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    return table


def show_rows(
    console: Console,
    header: Sequence[str],
    rows: Sequence[Sequence[str]],
    *,
    styles: Sequence[str] = (),
    left: int = 1,
    padding: int = 2,
) -> None:
    """A table, the first `left` columns flush left; where the terminal is too narrow, a line of named figures a row."""
    styles = styles or [""] * len(rows)
    table = Table(box=None, pad_edge=False, padding=(0, padding, 0, 0), header_style="dim")
    for index, name in enumerate(header):
        table.add_column(name, justify="left" if index < left else "right", no_wrap=True)
    for row, style in zip(rows, styles, strict=True):
        table.add_row(*row, style=style)
    if Measurement.get(console, console.options.update(max_width=1000), table).maximum <= console.width:
        console.print(table)
        return
    for row, style in zip(rows, styles, strict=True):
        named = [f"{name}: {cell}".removeprefix(": ") for name, cell in zip(header[1:], row[1:], strict=True) if cell]
        console.print(Text(row[0].strip(), style=style or "bold"))
        hanging(console, "", ", ".join(named), style=style)


def hanging(console: Console, mark: str | Text, text: Text | str, *, width: int = 2, style: str = "") -> None:
    """A line whose continuation is indented to where its text begins."""
    grid = Table.grid(padding=0)
    grid.add_column(width=width, no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(mark, text, style=style)
    console.print(grid)


def show_notes(console: Console, warnings: Iterable[str]) -> None:
    """Warnings, each after its mark."""
    for warning in warnings:
        hanging(console, Text("!", style="bold yellow"), warning)


def show_trace(console: Console, trace: Iterable[TraceStep]) -> None:
    """Each figure: formula, the numbers in it, value and source."""
    for step in trace:
        value = show_value(step.value)
        console.print(Text.assemble((step.quantity, "bold"), " = ", step.formula))
        inputs = ", ".join(f"{name} {show_value(given)}" for name, given in step.inputs.items())
        if inputs:
            console.print(Padding(Text(inputs, style="dim"), (0, 0, 0, 4)))
        console.print(Padding(Text(f"= {value} {step.unit}".rstrip()), (0, 0, 0, 4)))
        if step.source:
            console.print(Padding(Text(step.source, style="dim italic"), (0, 0, 0, 4)))


def show_value(value: float | str) -> str:
    """Numbers to six figures, words as they are."""
    if isinstance(value, str):
        return value
    return (
        f"{value:.4g}".replace("e-0", "e-")
        if 0 < abs(value) < 1e-3
        else show_number(float(value), 4 if value != int(value) else 6)
    )
