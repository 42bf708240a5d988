"""Measured against predicted: every row of a table of runs, scored by source.

Belongs here: prediction of rows, scores beside the best constant, the file of predictions.
Does not: reading a row as a plan (validate_rows.py), the step model (flopcast.step).
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from flopcast.ask.files import write_whole
from flopcast.evidence import validate_rows
from flopcast.evidence.validate_rows import PlanRow, Row, Unreadable, number
from flopcast.step import chips, forecast, intervals, memory, plans, sizes, stacks, update

COLUMNS = ("id", "step_time_s", "step_time_low_s", "step_time_high_s", "peak_mem_bytes", "mfu_fraction", "status")
NEAR = 0.10  # "within 10 %"
TRAINING_WAYS = 6.0  # FLOP of a weight and token: two forward, four backward
GB, GIB = 1e9, 2.0**30
DIGITS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Prediction:
    """What is predicted of one row; `status` is ok or the reason why nothing can be."""

    id: str
    step_time_s: float = math.nan
    step_time_low_s: float = math.nan
    step_time_high_s: float = math.nan
    peak_mem_bytes: float = math.nan
    mfu_fraction: float = math.nan
    status: str = "ok"
    plan: PlanRow | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """Errors of a set of rows, predicted over measured less one, as fractions; NaN where there is none."""

    name: str
    n: int
    mape: float = math.nan
    median: float = math.nan
    bias: float = math.nan
    p90: float = math.nan
    within_10_percent: float = math.nan
    coverage_80: float = math.nan
    baseline_constant_mape: float = math.nan


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """All predictions, in the order of the rows, and their scores."""

    predictions: tuple[Prediction, ...]
    step_time: Score
    memory: dict[str, float]
    groups: tuple[Score, ...]
    refused: dict[str, int]

    def as_json(self) -> dict[str, Any]:
        """The documented summary: `{n, step_time, memory, groups, not_predicted}`; NaN becomes null."""
        return {
            "n": len(self.predictions),
            "step_time": _plain(self.step_time),
            "memory": {name: _number(value) for name, value in self.memory.items()},
            "groups": [_plain(score) for score in self.groups],
            "not_predicted": self.refused,
            "not_scored": sum(guess.plan is not None for guess in self.predictions) - self.step_time.n,
        }


def _number(value: float) -> float | None:
    return None if isinstance(value, float) and math.isnan(value) else value


def _plain(score: Score) -> dict[str, Any]:
    return {name: _number(getattr(score, name)) for name in score.__slots__}


def predict_rows(rows: Sequence[Row]) -> list[Prediction]:
    """Predict every row, all at once; a row that cannot be read keeps its place with the reason."""
    found: list[PlanRow | str] = []
    for row in rows:
        try:
            found.append(validate_rows.plan_row(row))
        except Unreadable as reason:
            found.append(str(reason))
    readable = [plan for plan in found if isinstance(plan, PlanRow)]
    answers = iter(_predict(readable)) if readable else iter(())
    names = [row.get("id") or str(i + 1) for i, row in enumerate(rows)]
    return [
        Prediction(id=name, status=one) if isinstance(one, str) else _answer(name, row, one, *next(answers))
        for name, row, one in zip(names, rows, found, strict=True)
    ]


def predict_run(row: Row) -> Prediction:
    """Predict one row."""
    return predict_rows([row])[0]


def _predict(readable: list[PlanRow]) -> Iterable[tuple[float, float, memory.Components, int]]:
    table = stacks.stacks()
    net = plans.gather(plans.Net, [plan.net for plan in readable])
    work = plans.gather(plans.Work, [plan.work for plan in readable])
    degrees = plans.gather(plans.Degrees, [plan.degrees for plan in readable])
    chip = plans.gather(plans.Chip, [plan.chip for plan in readable])
    stack = plans.gather(stacks.Stack, [table[plan.stack] for plan in readable])
    seconds = update.update_parts(net, work, degrees, chip, stack).total
    utilised = forecast.mfu(net, work, chip, seconds)
    held = memory.components(net, work, degrees, stack)
    return zip(seconds.tolist(), utilised.tolist(), [held] * len(readable), range(len(readable)), strict=True)


def _answer(
    name: str, row: Row, plan: PlanRow, seconds: float, mfu: float, held: memory.Components, i: int
) -> Prediction:
    known_chip = chips.part_of(plan.accelerator.key) in chips.clocks()
    around = intervals.time_range(
        seconds, stack=plan.stack, known_chip=known_chip, known_layout=plan.known_layout, known_shape=plan.known_shape
    )
    stated = any(row.get(name) for name in ("micro_batch", "global_batch_seqs", "grad_accum"))
    peak = {"allocated": held.allocated, "reserved": held.reserved, "device": held.device}[memory_kind(row)]
    return Prediction(
        id=name, step_time_s=seconds, step_time_low_s=around.low, step_time_high_s=around.high,
        peak_mem_bytes=float(peak[i]) if stated else math.nan, mfu_fraction=mfu, plan=plan,
    )  # fmt: skip


def memory_kind(row: Row) -> str:
    """Which memory a row states: allocated, reserved, or what the device shows; reserved unless the notes say."""
    notes = row.get("notes", "")
    if "allocated" in notes:
        return "allocated"
    return "device" if "nvidia-smi" in notes or "device memory" in notes else "reserved"


def measured_memory_bytes(row: Row) -> float:
    """The measured peak [B]: GiB as most trainers print it, GB where the notes say that it was converted to GB."""
    return number(row, "peak_mem_gb") * (GB if "converted to GB" in row.get("notes", "") else GIB)


def best_constant_mape(crude: Sequence[float], measured: Sequence[float]) -> float:
    """Error of the one factor on 6 N D / accelerators that fits these rows best, in-sample: what a model must beat."""
    if not crude:
        return math.nan
    a, b = np.array(crude), np.array(measured)
    return float(min(np.mean(np.abs(k * a / b - 1)) for k in b / a))


def _crude(row: Row, plan: PlanRow) -> float:
    active = number(row, "n_params_active")
    active = number(row, "n_params_total") if math.isnan(active) else active
    if math.isnan(active):
        active = float(sizes.active_parameters(plans.gather(plans.Net, [plan.net]))[0])
    return TRAINING_WAYS * active * plan.work["batch"] * plan.printed_seq / plan.chip["count"]


Entry = tuple[float, Prediction, float, str]  # measured, predicted, crude, chip


def score(name: str, entries: Sequence[Entry]) -> Score:
    """Scores of rows; the constant is fitted within each chip, as a careful user of rules would."""
    if not entries:
        return Score(name=name, n=0)
    errors = np.array([guess.step_time_s / truth - 1 for truth, guess, _, _ in entries])
    by_chip: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        by_chip[entry[3]].append(entry)
    constant = sum(len(e) * best_constant_mape([c for _, _, c, _ in e], [t for t, *_ in e]) for e in by_chip.values())
    size = np.abs(errors)
    return Score(
        name=name, n=len(entries), mape=float(size.mean()), median=float(np.median(size)), bias=float(np.median(errors)),
        p90=float(np.quantile(size, 0.9)), within_10_percent=float(np.mean(size < NEAR)),
        coverage_80=float(np.mean([p.step_time_low_s <= t <= p.step_time_high_s for t, p, _, _ in entries])),
        baseline_constant_mape=constant / len(entries),
    )  # fmt: skip


def _memory_score(rows: Sequence[Row], predictions: Sequence[Prediction]) -> dict[str, float]:
    pairs = [(p.peak_mem_bytes, measured_memory_bytes(r)) for r, p in zip(rows, predictions, strict=True)]
    errors = np.array([p / m - 1 for p, m in pairs if not math.isnan(p) and not math.isnan(m)])
    if not len(errors):
        return {"n": 0}
    return {
        "n": len(errors), "median": float(np.median(np.abs(errors))), "bias": float(np.median(errors)),
        "mape": float(np.mean(np.abs(errors))), "low_by_5_percent": float(np.mean(errors < -0.05)),
    }  # fmt: skip


def validate(rows: Iterable[Row], *, by: str = "group") -> Validation:
    """Predict all rows and score those that carry a measurement, as a whole and by the column `by`."""
    kept = list(rows)
    predictions = predict_rows(kept)
    groups: dict[str, list[Entry]] = defaultdict(list)
    for row, guess in zip(kept, predictions, strict=True):
        if guess.plan is None:
            continue
        truth = validate_rows.measured_step_s(row, guess.plan)
        if truth > 0:
            entry = (truth, guess, _crude(row, guess.plan), row.get("accelerator", ""))
            groups[row.get(by) or "all"].append(entry)
    ordered = sorted(groups.items(), key=lambda item: -len(item[1]))
    refused = Counter(guess.status for guess in predictions if guess.plan is None)
    return Validation(
        predictions=tuple(predictions), step_time=score("all", [e for entries in groups.values() for e in entries]),
        memory=_memory_score(kept, predictions), groups=tuple(score(name, entries) for name, entries in ordered),
        refused=dict(refused),
    )  # fmt: skip


def read_runs(path: Path) -> list[Mapping[str, str]]:
    """Rows of a CSV with the documented columns."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def write_predictions(predictions: Iterable[Prediction], path: Path) -> None:
    """Write the documented columns; the file appears whole or not at all. Raises BadInput where it cannot be written."""
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in predictions:
        writer.writerow([_cell(getattr(one, name)) for name in COLUMNS])
    write_whole(path, text.getvalue().encode())


def _cell(value: str | float) -> str:
    if isinstance(value, str):
        return value
    return "" if math.isnan(value) else f"{value:.{DIGITS}g}"
