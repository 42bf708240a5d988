"""Rows of text under headers on a terminal of any width: columns that do not fit are left out, and that is said."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from textwrap import wrap

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from flopcast.units import show_count, show_number

GAP = 2
WORDY = (26, 20, 16)  # columns of longer cells may wrap, wide ones first
NARROWEST_WRAPPED = 14
MOST_LINES = 3
Row = Mapping[str, str]
_FIGURE = re.compile(r"[-+]?[\d,]*\.?\d+(e[-+]?\d+)?[kMBT]?")


def show_columns(
    rows: Sequence[Row], headers: Mapping[str, str], console: Console, *, cited: Sequence[str] = ()
) -> None:
    """Prints rows; `cited` is a last column, always shown. Rightmost columns go first where space is short."""
    rows = [{name: cell(row[name]) for name in headers} for row in rows]
    right = {name for name in headers if all(_is_figure(row[name]) for row in rows)}
    room = console.width - (max(map(len, cited), default=0) + GAP if cited else 0)
    widths, left_out = _widths(rows, headers, room)
    shown = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="dim")
    for name, width in widths.items():
        justify = "right" if name in right else "left"
        shown.add_column(Text(_stacked(headers[name])), justify=justify, width=width, overflow="fold", vertical="top")  # type: ignore[arg-type]
    if cited:
        shown.add_column("source", no_wrap=True, style="dim")
    for number, row in enumerate(rows):
        cells = [Text(_cut(row[name], width)) for name, width in widths.items()]
        shown.add_row(*cells, *([Text(cited[number])] if cited else []))
    console.print(shown)
    if left_out:
        console.print(Text(f"columns left out: {', '.join(left_out)} (--all)", style="dim"))


def show_list(rows: Sequence[Row], headers: Mapping[str, str], console: Console, *, cited: Sequence[str] = ()) -> None:
    """Prints each row as a name with its fields below, for rows of sentences."""
    first, *others = headers
    for number, row in enumerate(rows):
        title = Text(row[first], style="bold")
        console.print(title.append(f"  {cited[number]}", style="dim") if cited else title)
        for name in others:
            if row[name]:
                console.print(Padding(Text.assemble((f"{headers[name]}: ", "dim"), row[name]), (0, 0, 0, 2)))


def cell(text: str) -> str:
    """A figure as people read it: `13.0B` for 1.3016e10, thousands apart, four figures of a fraction."""
    try:
        value = float(text)
    except ValueError:
        return text
    if not text[-1:].isdigit() or abs(value) == float("inf"):
        return text
    if abs(value) >= 1e6:
        return show_count(value)
    if text.isdigit():
        return f"{value:,.0f}" if len(text) > 4 else text
    return show_number(value, 4)


def _is_figure(text: str) -> bool:
    """Whether a shown cell is a number, or blank."""
    return not text or bool(_FIGURE.fullmatch(text))


def _widths(rows: Sequence[Row], headers: Mapping[str, str], room: int) -> tuple[dict[str, int], list[str]]:
    """Width of each column that is shown, and headers of those that are not."""
    natural = {name: max(_header_width(headers[name]), *(len(row[name]) for row in rows)) for name in headers}
    kept = list(headers)
    left_out: list[str] = []
    while True:
        tried = [{name: _least(name, natural, headers, wordy) for name in kept} for wordy in WORDY]
        fitting = [least for least in tried if sum(least.values()) + GAP * (len(kept) - 1) <= room]
        if fitting or len(kept) == 1:
            break
        left_out.insert(0, headers[kept.pop()])
    widths = fitting[0] if fitting else {kept[0]: max(1, room)}
    free = room - sum(widths.values()) - GAP * (len(kept) - 1)
    while free > 0 and any(widths[name] < natural[name] for name in kept):
        for name in kept:
            if widths[name] < natural[name] and free > 0:
                widths[name], free = widths[name] + 1, free - 1
    return widths, left_out


def _least(name: str, natural: Mapping[str, int], headers: Mapping[str, str], wordy: int) -> int:
    """The narrowest that a column reads well at, where those wider than `wordy` may wrap."""
    return natural[name] if natural[name] <= wordy else max(NARROWEST_WRAPPED, _header_width(headers[name]))


def _stacked(header: str) -> str:
    """A header with its unit below it."""
    return header.replace(" [", "\n[")


def _header_width(header: str) -> int:
    return max(len(line) for line in _stacked(header).splitlines())


def _cut(text: str, width: int) -> str:
    """A cell of at most a few lines."""
    lines = wrap(text, width, break_on_hyphens=False) or [""]
    if len(lines) <= MOST_LINES:
        return "\n".join(lines)
    return "\n".join([*lines[: MOST_LINES - 1], lines[MOST_LINES - 1][: width - 3] + "..."])
