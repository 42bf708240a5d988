"""Tables of facts: the list of tables, or the rows of one that hold all words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from flopcast import facts
from flopcast.cli.output import Output

ROWS_SHOWN = 25
WIDE = 220
Row = Mapping[str, str]


def show_facts(table: str, words: list[str], *, sources: bool, everything: bool, output: Output) -> None:
    """Prints a table's rows; without a name, the list of tables."""
    if not table:
        _list(output)
        return
    meta = facts.find_table(table)
    rows = facts.search(meta.name, " ".join(words))
    if output.as_json:
        cited = [{**row, "source_text": facts.cite(row["source"])} for row in rows]
        output.document("facts", {"table": meta.name, "words": words, "rows": cited})
        return
    _rows(meta, rows, output, sources=sources, everything=everything)


def _list(output: Output) -> None:
    if output.as_json:
        output.document("facts", {"tables": {name: meta.what for name, meta in facts.TABLES.items()}})
        return
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    shown.add_column("table", no_wrap=True)
    shown.add_column("rows", justify="right")
    shown.add_column("holds", overflow="fold")
    for name, meta in facts.TABLES.items():
        shown.add_row(name, f"{len(facts.table(name)):,}", meta.what)
    console = output.console()
    console.print(shown)
    console.print(Text("flopcast facts TABLE [words]", style="dim"))


def _rows(meta: facts.Table, rows: Sequence[Row], output: Output, *, sources: bool, everything: bool) -> None:
    console = output.console()
    if not rows:
        console.print(Text("no row holds all of these words"))
        return
    headers = {name: name for name in rows[0]} if everything else dict(meta.columns)
    headers.pop("source", None)
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name, header in headers.items():
        numeric = all(_is_number(row[name]) for row in rows if row[name])
        shown.add_column(
            header, justify="right" if numeric else "left", overflow="fold", no_wrap=name == next(iter(headers))
        )
    kept = rows if everything else rows[:ROWS_SHOWN]
    if sources:
        shown.add_column("source", no_wrap=True, style="dim")
    numbers: dict[str, int] = {}
    for row in kept:
        keys = row["source"].split() if sources else []
        cited = ", ".join(str(numbers.setdefault(key, len(numbers) + 1)) for key in keys)
        dated = [f"{cited} ({row.get(meta.dated, '')})"] if sources else []
        shown.add_row(*(_shown(row[name]) for name in headers), *dated)
    if everything:
        console.width = max(console.width, WIDE)
    console.print(shown)
    if len(kept) < len(rows):
        console.print(Text(f"{len(rows) - len(kept):,} more rows: add words, or --all", style="dim"))
    for key, number in numbers.items():
        console.print(Text(f"{number}  {facts.cite(key)}", style="dim"))
    if not sources:
        console.print(Text("--sources shows where each figure is from, and when", style="dim"))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _shown(text: str) -> str:
    """Large whole numbers with their thousands apart."""
    return f"{int(text):,}" if text.isdigit() and len(text) > 4 else text
