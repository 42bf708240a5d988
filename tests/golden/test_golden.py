"""The questions that the product exists for, as commands, with the right values."""

from __future__ import annotations

import csv
import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
ROWS = list(csv.DictReader((HERE / "golden.csv").read_text().splitlines()))


def pick(document: object, path: str) -> float:
    """The number at a dotted path."""
    for key in path.split("."):
        document = document[int(key)] if isinstance(document, list) else document[key]  # type: ignore[index]
    return float(document)  # type: ignore[arg-type]


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_golden(row: dict[str, str], ask_json) -> None:
    document = ask_json(*shlex.split(row["command"])[1:])
    assert pick(document, row["json_path"]) == pytest.approx(float(row["value"]), rel=float(row["relative_tolerance"]))


def test_as_a_process() -> None:
    words = shlex.split(ROWS[0]["command"])[1:]
    done = subprocess.run(
        [sys.executable, "-c", "from flopcast.cli import main; main()", *words, "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["schema"] == "flopcast.estimate/1"
    assert done.stderr == ""
