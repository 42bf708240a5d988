"""Tables of facts: the list of tables, or the rows of one that hold all words."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from flopcast import facts
from flopcast.cli.output import Output
from flopcast.cli.screens.columns import Row, show_columns, show_list
from flopcast.errors import near_matches

ROWS_SHOWN, LISTED_SHOWN = 25, 8
LISTED = ("programmes", "sources")  # rows of sentences
WIDE = 220
NEAR_COLUMNS, LONGEST_NEAR = 4, 40


def show_facts(table: str, words: list[str], *, sources: bool, everything: bool, output: Output) -> int:
    """Prints a table's rows; without a name, the list of tables. 1 where no row holds all the words."""
    if not table:
        _list(output)
        return 0
    meta = facts.find_table(table)
    rows = facts.search(meta.name, " ".join(words))
    if output.as_json:
        cited = [{**row, "source_text": facts.cite(row["source"])} for row in rows]
        output.document("facts", {"table": meta.name, "words": words, "rows": cited})
    elif rows:
        _rows(meta, rows, output, sources=sources, everything=everything)
    else:
        near = _near(meta, words)
        said = f": did you mean {' or '.join(f'`{name}`' for name in near)}?" if near else ""
        output.console().print(Text(f"no row of {meta.name} holds {' and '.join(words)}{said}"))
    return 0 if rows else 1


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
    headers = {name: name for name in rows[0]} if everything else dict(meta.columns)
    headers.pop("source", None)
    is_list = meta.name in LISTED
    kept = rows if everything else rows[: LISTED_SHOWN if is_list else ROWS_SHOWN]
    numbers: dict[str, int] = {}
    cited = [_cited(row, meta, numbers) for row in kept] if sources else []
    if everything and not is_list:
        console.width = max(console.width, WIDE)
    (show_list if is_list else show_columns)(kept, headers, console, cited=cited)
    if len(kept) < len(rows):
        console.print(Text(f"{len(rows) - len(kept):,} more rows: add words, or --all", style="dim"))
    for key, number in numbers.items():
        console.print(Text(f"{number}  {facts.cite(key)}", style="dim"))
    if not sources:
        console.print(Text("--sources shows where each figure is from, and when", style="dim"))


def _cited(row: Row, meta: facts.Table, numbers: dict[str, int]) -> str:
    """Numbers of a row's sources, as they are listed below, and its date."""
    keys = ", ".join(str(numbers.setdefault(key, len(numbers) + 1)) for key in row["source"].split())
    return f"{keys} ({row.get(meta.dated, '')})"


def _near(meta: facts.Table, words: Sequence[str]) -> list[str]:
    """Cells of the table, or words in them, that look like the words that no row holds."""
    shown = [name for name in meta.columns if name != "source"][:NEAR_COLUMNS]
    cells = dict.fromkeys(
        row[name] for row in facts.table(meta.name) for name in shown if row[name] and not _is_plain(row[name])
    )
    pieces = dict.fromkeys(piece for text in cells for piece in text.split() if not _is_plain(piece))
    missing = [word for word in words if not facts.search(meta.name, word)]
    found = [name for word in missing for name in near_matches(word, [*cells, *pieces], count=3)]
    return [name for name in dict.fromkeys(found) if len(name) <= LONGEST_NEAR]


def _is_plain(text: str) -> bool:
    return text.replace(".", "").replace(",", "").isdigit()
