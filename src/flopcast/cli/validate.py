"""`flopcast validate`: reads a table of runs, predicts it, scores it, writes predictions and a plot."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

from flopcast import charts, facts
from flopcast.ask.files import is_folder, read_text
from flopcast.cli.output import Output
from flopcast.evidence import validate as validation
from flopcast.evidence.validate_rows import measured_step_s
from flopcast.units.numbers import fail

MAX_BYTES = 64 * 2**20
MAX_ROWS = 200_000
BY = ("group", "framework", "accelerator", "precision", "task", "model")
PICTURES = (".svg", ".png")
Row = Mapping[str, str]


def run_validate(runs: str, *, out: str | None, plot: str | None, by: str, output: Output) -> None:
    """Scores the runs of a file, or the shipped ones."""
    if by not in BY:
        raise fail("by", by, f"one of {', '.join(BY)}")
    for where, path in (("out", out), ("plot", plot)):
        if path is not None and not is_folder(Path(path).parent):
            raise fail(where, path, "a file in a folder that exists")
    if out is not None and runs and Path(out).resolve() == Path(runs).resolve():
        raise fail("out", out, "another file than the runs that are read")
    if plot is not None and Path(plot).suffix.lower() not in PICTURES:
        raise fail("plot", plot, f"a file that ends in {', '.join(PICTURES)}")
    rows = _read(runs) if runs else _shipped()
    result = validation.validate(rows, by=by)
    if out is not None:
        validation.write_predictions(result.predictions, Path(out))
    if plot is not None:
        _plot(rows, result, Path(plot), by)
    if output.as_json:
        output.document("validate", result.as_json())
        return
    from flopcast.cli.screens.validate import show_validation

    show_validation(result, output.console(), fitted=not runs)


def _read(path: str) -> list[Row]:
    """The rows of a CSV; raises BadInput for what is no table of runs."""
    text = read_text(path, where="runs", what="a CSV of runs", most_bytes=MAX_BYTES)
    try:
        reader = csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""))
        rows: list[Row] = [
            {key: value or "" for key, value in row.items() if isinstance(key, str) and not isinstance(value, list)}
            for row in reader
        ]
    except csv.Error as error:
        raise fail("runs", path, "a CSV of runs", str(error)) from None
    names = set(reader.fieldnames or ())
    missing = {"accelerator", "n_accel", "seq_len"} - names
    if missing:
        raise fail(
            "runs", path, f"a CSV with the columns {', '.join(sorted(missing))}", "see docs/reference/runs-csv.md"
        )
    if not rows:
        raise fail("runs", path, "a table with rows", "it holds a header alone")
    if len(rows) > MAX_ROWS:
        raise fail("runs", path, f"at most {MAX_ROWS:,} rows")
    return rows


def _shipped() -> list[Row]:
    """The shipped steps, with the columns that a user's file has."""
    return [{**row, "id": row["key"], "group": row["source"].removeprefix("steps-"), "peak_mem_gb": _gib(row["peak_mem_bytes"])}
            for row in facts.table("steps")]  # fmt: skip


def _gib(text: str) -> str:
    return f"{float(text) / 2**30:.6g}" if text else ""


def _measured_and_predicted(rows: list[Row], result: validation.Validation, by: str) -> list[tuple[str, float, float]]:
    """Group, measured and predicted step time of each run that has both."""
    found = []
    for row, guess in zip(rows, result.predictions, strict=True):
        truth = measured_step_s(row, guess.plan) if guess.plan is not None else 0.0
        if truth > 0 and guess.step_time_s > 0:
            found.append((row.get(by) or "all", truth, guess.step_time_s))
    return found


def _plot(rows: list[Row], result: validation.Validation, path: Path, by: str) -> None:
    """Writes the scatter; needs the writeup extra."""
    from flopcast.ask.files import write_whole
    from flopcast.writeup.write import extra

    vl_convert = extra("vl_convert", where="plot")
    measured = _measured_and_predicted(rows, result, by)
    if not measured:
        raise fail("plot", str(path), "runs with a measured step time")
    spec = charts.measured_against_predicted(
        measured, title=f"Step time of {len(measured):,} runs, with a band of 20 %"
    )
    if path.suffix.lower() == ".svg":
        write_whole(path, vl_convert.vegalite_to_svg(spec).encode(), where="plot")
    else:
        write_whole(path, vl_convert.vegalite_to_png(spec, scale=2), where="plot")
