"""Reading the tables: CSV files beside this module, each read once, cells as text."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

DATA = Path(__file__).parent / "data"
GIB = 2**30


@cache
def rows(name: str) -> tuple[dict[str, str], ...]:
    """All rows of `data/NAME.csv`, in the order of the file."""
    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def number(cell: str, unit: float = 1.0) -> float | None:
    """The figure of a cell in SI units; a blank cell is not known."""
    return float(cell) * unit if cell else None


def words(cell: str) -> tuple[str, ...]:
    """The parts of a cell that lists several things, separated by semicolons."""
    return tuple(part.strip() for part in cell.split(";") if part.strip())


def compact(text: str) -> str:
    """Letters and digits only, in lower case: how names are compared."""
    return "".join(filter(str.isalnum, text.lower()))
