"""Tables of facts: the list of tables, or the rows of one that hold all words."""

from __future__ import annotations

from rich.table import Table
from rich.text import Text

from flopcast import facts
from flopcast.cli.output import Output
from flopcast.errors import unknown_name

ROWS_SHOWN = 30


def show_facts(table: str, words: list[str], *, sources: bool, everything: bool, output: Output) -> None:
    """Prints a table's rows; without a name, the list of tables."""
    if not table:
        _list(output)
        return
    if table not in facts.TABLES:
        raise unknown_name(
            where="table", given=table, kind="table of facts", known=list(facts.TABLES), hint="see `flopcast facts`"
        )
    rows = facts.search(table, words)
    if output.as_json:
        output.document("facts", {"table": table, "words": words, "rows": [dict(row) for row in rows]})
        return
    _rows(table, rows, output, sources=sources, everything=everything)


def _list(output: Output) -> None:
    if output.as_json:
        output.document("facts", {"tables": {name: meta.description for name, meta in facts.TABLES.items()}})
        return
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    shown.add_column("table")
    shown.add_column("rows", justify="right")
    shown.add_column("holds", overflow="fold")
    for name, meta in facts.TABLES.items():
        shown.add_row(name, f"{len(facts.table(name)):,}", meta.description)
    output.console().print(shown)


def _rows(table: str, rows: list[dict[str, str]], output: Output, *, sources: bool, everything: bool) -> None:
    console = output.console()
    if not rows:
        console.print(Text("no row holds all of these words"))
        return
    meta = facts.TABLES[table]
    columns = list(rows[0]) if everything else list(meta.columns)
    if sources:
        columns += [name for name in ("source", "as_of") if name in rows[0] and name not in columns]
    shown = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="dim")
    for name in columns:
        numeric = all(
            row[name].replace(".", "").replace("-", "").replace("e", "").isdigit() for row in rows if row[name]
        )
        shown.add_column(name, justify="right" if numeric else "left", overflow="fold")
    kept = rows if everything else rows[:ROWS_SHOWN]
    for row in kept:
        shown.add_row(*(row[name] for name in columns))
    if everything or sources:
        console.width = 200
    console.print(shown)
    if len(kept) < len(rows):
        console.print(Text(f"{len(rows) - len(kept):,} more rows: add words, or --all", style="dim"))
    if not sources:
        console.print(Text("--sources shows where each figure is from, and when", style="dim"))
