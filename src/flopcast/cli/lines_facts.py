"""Commands about what is known, and papers: facts, validate, writeup, parse."""

from typing import Annotated

import typer

from flopcast.cli.options import Json, app
from flopcast.cli.output import Output


@app.command()
def facts(
    table: Annotated[
        str, typer.Argument(help="accelerators, nodes, offers, models, runs, storage... (none: the list)")
    ] = "",
    words: Annotated[list[str] | None, typer.Argument(help="Words that a row must hold.")] = None,
    sources: Annotated[bool, typer.Option("--sources", help="Show each row's source and date.")] = False,
    everything: Annotated[bool, typer.Option("--all", help="All columns and rows.")] = False,
    as_json: Json = False,
) -> int:
    """The shipped facts: accelerators, nodes, prices, runs... each figure with its source and date."""
    from flopcast.cli.commands import run_facts

    return run_facts(table, words or [], sources=sources, everything=everything, output=Output(as_json=as_json))


@app.command()
def validate(
    runs: Annotated[
        str,
        typer.Argument(help="A CSV of measured runs (columns: docs/reference/runs-csv.md); none: the shipped runs."),
    ] = "",
    out: Annotated[str | None, typer.Option("--out", help="Write each run's prediction to this CSV.")] = None,
    plot: Annotated[str | None, typer.Option(help="Write measured against predicted as .svg or .png.")] = None,
    by: Annotated[str, typer.Option(help="Column to group by: group, framework, accelerator, precision.")] = "group",
    as_json: Json = False,
) -> None:
    """Measured against predicted, for the shipped runs or your own."""
    from flopcast.cli.validate import run_validate

    run_validate(runs, out=out, plot=plot, by=by, output=Output(as_json=as_json))


@app.command()
def writeup(
    scenario: Annotated[str, typer.Argument(help="A scenario file, such as examples/gato-like.toml.")],
    out: Annotated[str, typer.Option("-o", "--out", help="Where to write: brief.pdf or brief.md.")],
    as_json: Json = False,
) -> None:
    """The brief that goes to a compute partner."""
    from flopcast.cli.commands import run_writeup

    run_writeup(scenario, out=out, output=Output(as_json=as_json))


@app.command()
def parse(
    text: Annotated[str, typer.Argument(help="Anything with a number: 8x7b, '98.97s/it', '98.32/h per node', v3-512.")],
    field: Annotated[
        str | None, typer.Option("--as", help="What it should be: tokens, on, price, seq-len, measured...")
    ] = None,
    as_json: Json = False,
) -> None:
    """How flopcast reads a text: as tokens, a cluster, a price, a duration..."""
    from flopcast.cli.commands import run_parse

    run_parse(text, field=field, output=Output(as_json=as_json))
