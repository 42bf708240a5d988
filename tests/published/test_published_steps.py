"""Measured updates of public sources against the step model: the error itself is under test.

steps.csv holds facts as printed by the source that each row names; docs/accuracy.md has the figures over all rows.
"""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from flopcast.evidence import validate as validation

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def result() -> validation.Validation:
    return validation.validate(validation.read_runs(HERE / "steps.csv"))


def test_every_row_is_predicted(result: validation.Validation) -> None:
    assert result.refused == {}
    assert result.step_time.n == len(result.predictions) == 75


def test_error_of_the_time_of_an_update(result: validation.Validation) -> None:
    assert result.step_time.median < 0.07
    assert result.step_time.mape < 0.12
    assert abs(result.step_time.bias) < 0.04


def test_no_worse_than_half_the_best_constant(result: validation.Validation) -> None:
    assert result.step_time.mape < 0.5 * max(0.2, result.step_time.baseline_constant_mape)


def test_ranges_hold_most_rows(result: validation.Validation) -> None:
    assert 0.65 <= result.step_time.coverage_80 <= 0.97


def test_error_of_memory(result: validation.Validation) -> None:
    assert result.memory["n"] >= 10
    assert result.memory["median"] < 0.08


def test_b200_memory_is_tight() -> None:
    rows = [row for row in validation.read_runs(HERE / "steps.csv") if row["group"] == "simumax-b200"]
    assert validation.validate(rows).memory["mape"] < 0.05


def test_a_row_that_cannot_be_read_keeps_its_place() -> None:
    rows = validation.read_runs(HERE / "steps.csv")[:3]
    rows[1] = {**rows[1], "accelerator": "abacus"}
    statuses = [one.status for one in validation.validate(rows).predictions]
    assert statuses == ["ok", "unknown accelerator `abacus`", "ok"]


@pytest.mark.parametrize(
    "blank", ["tp", "micro_batch", "recompute", "sharding", "layers", "interconnect", "dp", "framework"]
)
def test_blank_cells_are_filled(blank: str) -> None:
    rows = [{**row, blank: ""} for row in validation.read_runs(HERE / "steps.csv")]
    predicted = [one for one in validation.validate(rows).predictions if one.status == "ok"]
    assert len(predicted) >= 0.9 * len(rows)
    assert all(0 < one.step_time_low_s <= one.step_time_s <= one.step_time_high_s < np.inf for one in predicted)


def test_predictions_are_written_whole(tmp_path: Path, result: validation.Validation) -> None:
    path = tmp_path / "predictions.csv"
    validation.write_predictions(result.predictions, path)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert tuple(rows[0]) == validation.COLUMNS
    assert len(rows) == len(result.predictions)
    assert list(tmp_path.iterdir()) == [path]


def test_summary_has_the_documented_fields(result: validation.Validation) -> None:
    document = result.as_json()
    assert {"n", "step_time", "memory", "groups"} <= set(document)
    assert {"mape", "median", "bias", "p90", "within_10_percent", "coverage_80", "baseline_constant_mape"} <= set(
        document["step_time"]
    )
