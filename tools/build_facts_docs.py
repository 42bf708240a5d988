"""Writes docs/reference/facts.md from the tables: what each holds, its columns, its sources.

Run from the repository's root: `python tools/build_facts_docs.py`; `--check` fails where the page is out of date.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from flopcast.facts import TABLES, Table, sources, table

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "facts.md"
HEAD = """# Facts

What flopcast knows, table by table. Every row has a source and a date; a blank cell is not known, never zero.
`flopcast facts TABLE [words]` lists and searches the tables. This page is written by `tools/build_facts_docs.py`.

Rates of accelerators are dense peaks with fp32 accumulation, of one part (not of a superchip, a pair of cards or a
pod). Memory is what software sees where a source says so, else the capacity as sold, counted in GiB. Links and fabrics
are one direction. Figures of vendors that could only be read through another table name that table as the source.

Grid intensity of countries: Ember, yearly electricity data, CC-BY-4.0. Measured matmul rates: Machine Learning
Engineering Open Book, CC-BY-SA-4.0, figures only.
"""
FOOT = """
## Left out on purpose

- Tensor rates of A10G, Max 1550 and Apple chips, and memory bandwidth and links of TPU v2 and v3: not published, or
  copied from another part.
- Spot prices that repeat the on-demand price, price lists that a newer list of the same provider supersedes, on-demand
  prices of shapes that are only sold as spot, slices of a GPU, hosts of a marketplace without a fixed shape.
- The carbon intensity printed for Costa Rica, which is below zero.
- Figures on whole trainings that were not read at their source: see [published runs](facts-runs.md).
"""


def page() -> str:
    """The whole page."""
    listed = ["| table | rows | what | newest |", "|---|---|---|---|"]
    listed += [f"| [{entry.name}](#{entry.name}) | {len(table(name))} | {entry.what} | {newest(entry)} |"
               for name, entry in TABLES.items()]  # fmt: skip
    parts = [HEAD, "\n".join(listed)]
    parts += [section(entry) for entry in TABLES.values() if entry.name != "sources"]
    parts += [FOOT.strip(), all_sources()]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def newest(entry: Table) -> str:
    """The newest date of the table's rows."""
    return max(row[entry.dated] for row in table(entry.name))


def section(entry: Table) -> str:
    """One table: its columns and how many rows each source gave."""
    columns = ", ".join(f"`{column}`" for column in table(entry.name)[0])
    counts = Counter(key for row in table(entry.name) for key in row["source"].split())
    cited = [f"- {sources()[key].what} ({count})" for key, count in counts.most_common(8)]
    if len(counts) > len(cited):
        cited.append(f"- and {len(counts) - len(cited)} more, listed below")
    return f"## {entry.name}\n\n{entry.what[0].upper()}{entry.what[1:]}.\n\nColumns: {columns}.\n\n" + "\n".join(cited)


def all_sources() -> str:
    """Every source."""
    lines = [f"| `{key}` | {source.what} | {source.where} | {source.read} |" for key, source in sources().items()]
    return "\n".join(["## sources", "", "| key | what | where | read |", "|---|---|---|---|", *lines])


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(0 if PAGE.read_text(encoding="utf-8") == page() else f"{PAGE.name} is out of date: run {sys.argv[0]}")
    PAGE.write_text(page(), encoding="utf-8")
