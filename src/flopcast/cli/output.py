"""Where answers go: data to stdout, talk to stderr, one JSON document where asked for."""

from __future__ import annotations

import json
import math
import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from flopcast.describe.answer import Range
from flopcast.errors import BadInput

if TYPE_CHECKING:
    from rich.console import Console

WIDTH, NARROWEST, WIDEST = 80, 40, 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """How this command answers."""

    as_json: bool = False

    def document(self, command: str, body: dict[str, Any]) -> None:
        """Prints the JSON document of a command."""
        print(json.dumps({"schema": f"flopcast.{command}/1", **body}, ensure_ascii=False, indent=2, default=_plain))

    def console(self) -> Console:
        """The terminal: as wide as it is (COLUMNS where it is none, else 80), up to 100 columns."""
        from flopcast.cli.terminal import Terminal

        console = Terminal(file=sys.stdout, highlight=False, soft_wrap=False)
        wide = console.width if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit() else WIDTH
        console.width = max(NARROWEST, min(wide, WIDEST))
        return console


def _plain(value: object) -> object:
    if isinstance(value, Range):
        return range_json(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return str(value)


def range_json(value: Range | None) -> dict[str, float] | None:
    """`{"low": .., "expected": .., "high": ..}`."""
    return None if value is None else {"low": value.low, "expected": value.expected, "high": value.high}


def show_bad_input(error: BadInput, *, as_json: bool) -> None:
    """All problems: on stderr in words, or as the JSON document on stdout."""
    if as_json:
        problems = [{"where": p.where, "given": p.given, "allowed": p.allowed, "hint": p.hint} for p in error.problems]
        print(json.dumps({"schema": "flopcast.error/1", "problems": problems}, ensure_ascii=False, indent=2))
        return
    from rich.console import Console
    from rich.text import Text

    console = Console(stderr=True, highlight=False)
    for problem in error.problems:
        line = Text("error", style="bold red")
        line.append(f" {problem.where}: ", style="bold")
        line.append(f"cannot take `{problem.given}`" if problem.given else "it is missing")
        line.append(f"; expected {problem.allowed}")
        console.print(line)
        if problem.hint:
            console.print(Text.assemble(("hint ", "bold cyan"), problem.hint))
