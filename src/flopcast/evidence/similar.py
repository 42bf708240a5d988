"""Measured runs in print that are like a job: how near, and what utilisation they reached.

The best layout of each published sweep stands for it: a forecast is for a tuned run. Distances and their weights are
few and physical; `tools/backtest_published.py` scores them with whole sources left out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import exp, log, sqrt

from flopcast import facts
from flopcast.ask.cluster import PEAK_KEY
from flopcast.describe import Accelerator, Job, Range

# a distance of one: four times the parameters, eight times the accelerators, eight times the context
PARAMETERS_UNIT, COUNT_UNIT, CONTEXT_UNIT = log(4.0), log(8.0), log(8.0)
OTHER_CHIP, OTHER_ARCHITECTURE, OTHER_VENDOR = 0.5, 1.5, 3.0
OTHER_PRECISION, OTHER_KIND, OTHER_TASK, OTHER_STACK = 2.0, 2.0, 1.5, 1.0
FAR = 3.0
NEAREST = 5
OF_ONE_SOURCE = 2
# the half-width of the 80 % interval [log], from the distance to the nearest run: residuals of the backtest with whole
# sources left out (tools/backtest_published.py), 1.6 times either way at 0.25, 2.2 at 0.75, 2.9 from 1.1 on
SPREAD_AT_ZERO, SPREAD_PER_DISTANCE, SPREAD_AT_MOST = 0.32, 0.65, 1.05
MOST_MFU = 0.8
LEAST_MFU, MOST_MFU_IN_PRINT = 0.005, 0.95  # a row beyond is a slip of its source


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One published run: what it trained on what, and the utilisation of the dense peak that it reached.

    mfu_6n counts 6 x active parameters; mfu_work adds causal attention (or full, where the network is bidirectional).
    """

    key: str
    group: str
    model: str
    source: str
    parameters: float
    experts: bool
    count: int
    seq_len: int | None
    accelerator: Accelerator
    precision: str
    task: str
    framework: str
    mfu_6n: float
    mfu_work: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Prior:
    """A range of utilisation from like runs, and why these."""

    mfu: Range
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Similar:
    """Like runs: a broad prior, and the nearest few with their distances and weights."""

    prior: Prior
    nearest: tuple[tuple[Point, float, float], ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What likeness is measured to."""

    parameters: float
    experts: bool
    count: int
    seq_len: int | None
    accelerator: Accelerator
    precision: str
    task: str
    stack: str | None
    in_work: bool


def target_of(job: Job) -> Target:
    """The features of a job that likeness goes by."""
    network = job.network
    return Target(
        parameters=network.parameters_active,
        experts=network.parameters_total > 1.3 * network.parameters_active,
        count=job.cluster.count,
        seq_len=job.workload.seq_len,
        accelerator=job.cluster.accelerator,
        precision=PEAK_KEY[job.workload.precision],
        task="lora" if job.workload.method in ("lora", "qlora") else "pretrain",
        stack=job.stack,
        in_work=network.is_counted and (job.workload.seq_len is not None or bool(network.inputs_per_sample)),
    )


def find_similar(job: Job) -> Similar | None:
    """Runs in print that are like the job; None where even the vendor has none."""
    return similar_among(published_points(), target_of(job))


def similar_among(points: tuple[Point, ...], target: Target) -> Similar | None:
    """As `find_similar`, among given points (for backtests)."""
    scored = sorted(((distance(point, target), point) for point in points), key=lambda pair: pair[0])
    scored = [pair for pair in scored if pair[0] < 2 * FAR]
    if not scored:
        return None
    nearest: list[tuple[Point, float, float]] = []
    taken: dict[str, int] = defaultdict(int)
    for far, point in scored:
        if taken[point.group] < OF_ONE_SOURCE and len(nearest) < NEAREST:
            taken[point.group] += 1
            nearest.append((point, far, exp(-(far**2) / 2) + 1e-6))
    broad = _weighted(scored)
    middle = _median([(point.mfu_work if target.in_work else point.mfu_6n, weight) for point, weight in broad])
    mfu = around(middle, nearest[0][1])
    near = sum(1 for far, _ in scored if far < FAR)
    sources = len({point.group for point, _ in broad})
    why = f"{near} published runs like it did ({sources} sources)" if near else "far runs only: no like run is in print"
    warnings: tuple[str, ...] = ()
    if nearest[0][1] > FAR:
        warnings = (f"no published run is near: the nearest is {describe(nearest[0][0])}",)
    return Similar(prior=Prior(mfu=mfu, why=why), nearest=tuple(nearest), warnings=warnings)


def distance(point: Point, target: Target) -> float:
    """How unlike a run is to the target; 0 is the same network on the same cluster, 3 is far."""
    parts = [
        log(point.parameters / target.parameters) / PARAMETERS_UNIT,
        log(point.count / target.count) / COUNT_UNIT,
        log(point.seq_len / target.seq_len) / CONTEXT_UNIT if point.seq_len and target.seq_len else 0.3,
        _chip_distance(point.accelerator, target.accelerator),
        OTHER_PRECISION if _width(point.precision) != _width(target.precision) else 0.0,
        OTHER_KIND if point.experts != target.experts else 0.0,
        OTHER_TASK if (point.task == "lora") != (target.task == "lora") else 0.0,
        OTHER_STACK if target.stack and target.stack.lower() not in point.framework.lower() else 0.0,
    ]
    return sqrt(sum(part * part for part in parts))


def around(expected: float, nearest: float) -> Range:
    """The 80 % interval of a utilisation whose nearest published run is that far."""
    spread = exp(min(SPREAD_AT_MOST, SPREAD_AT_ZERO + SPREAD_PER_DISTANCE * nearest))
    return Range(low=expected / spread, expected=expected, high=min(max(MOST_MFU, expected), expected * spread))


def describe(point: Point) -> str:
    """`Llama 3 70B on 512 x H100 (dgxc-benchmarking)`."""
    return f"{point.model} on {point.count:,} x {point.accelerator.name}, {point.precision} ({point.group})"


def _width(precision: str) -> int:
    """Bits of the matrix inputs."""
    return {"fp64": 64, "fp32": 32, "tf32": 19, "fp8": 8, "int8": 8, "fp4": 4}.get(
        PEAK_KEY.get(precision, precision), 16
    )


def _chip_distance(a: Accelerator, b: Accelerator) -> float:
    if a.key == b.key:
        return 0.0
    if a.architecture == b.architecture:
        return OTHER_CHIP
    return OTHER_ARCHITECTURE if a.vendor == b.vendor else OTHER_VENDOR


def _weighted(scored: list[tuple[float, Point]]) -> list[tuple[Point, float]]:
    """Weights that fall with distance; a source with many rows counts as the square root of their number."""
    by_group: dict[str, list[tuple[float, Point]]] = defaultdict(list)
    nearest = scored[0][0]
    for far, point in scored:
        if far < max(FAR, nearest + 1):
            by_group[point.group].append((exp(-(far**2 - nearest**2) / 2), point))
    return [(point, weight / sqrt(len(rows))) for rows in by_group.values() for weight, point in rows]


def _median(values: list[tuple[float, float]]) -> float:
    """Median of weighted values."""
    values = sorted(values)
    half, passed = sum(weight for _, weight in values) / 2, 0.0
    for value, weight in values:
        passed += weight
        if passed >= half:
            return value
    return values[-1][0]


@cache
def published_points() -> tuple[Point, ...]:
    """The best run of each published sweep, by network, cluster, precision and context."""
    best: dict[tuple[object, ...], Point] = {}
    for row in facts.table("steps"):
        point = _point(row)
        if point is None:
            continue
        same = (
            point.group,
            point.model,
            point.parameters,
            point.accelerator.key,
            point.count,
            point.precision,
            point.seq_len,
        )
        if same not in best or point.mfu_work > best[same].mfu_work:
            best[same] = point
    return tuple(best.values())


def _figure(row: Mapping[str, str], column: str) -> float:
    """A cell as a number; blank is zero, here only tested for being known."""
    cell = row[column]
    return float(cell) if cell else 0.0


def _point(row: Mapping[str, str]) -> Point | None:
    """A row as a point; None where parameters, tokens or peak are not known or the utilisation is impossible.

    Reads the cells it needs and no more: every estimate passes over all rows.
    """
    chip = facts.accelerators().get(row["accelerator_key"])
    peak = chip.peak_flop_per_s.get(PEAK_KEY.get(row["precision"], "")) if chip else None
    count, seq_len = _figure(row, "n_accel"), _figure(row, "seq_len")
    rate = _figure(row, "tokens_per_s_per_accel")
    if not rate and (step := _figure(row, "step_time_s")) and count:
        rate = _figure(row, "global_batch_seqs") * seq_len / step / count
    parameters = _figure(row, "n_params_active") or _figure(row, "n_params_total") or _dense_parameters(row)
    if not (parameters and chip and peak and rate and count):
        return None
    mfu = (4 if row["task"] in ("lora", "qlora") else 6) * parameters * rate / peak
    work = mfu + 6.0 * _figure(row, "layers") * _figure(row, "hidden") * seq_len * rate / peak
    if not LEAST_MFU < work < MOST_MFU_IN_PRINT:
        return None
    return Point(
        key=row["key"],
        group=row["source"].removeprefix("steps-"),
        model=row["model"],
        source=row["source"],
        parameters=parameters,
        experts=bool(row["n_experts"]),
        count=int(count),
        seq_len=int(seq_len) or None,
        accelerator=chip,
        precision=row["precision"],
        task=row["task"],
        framework=row["framework"],
        mfu_6n=mfu,
        mfu_work=work,
    )


def _dense_parameters(row: Mapping[str, str]) -> float:
    """Parameters of a dense decoder from its printed sizes, where no count is printed; 0 where they are not all there."""
    layers, hidden = _figure(row, "layers"), _figure(row, "hidden")
    if not (layers and hidden) or row["n_experts"]:
        return 0.0
    ffn, heads = _figure(row, "ffn") or 4 * hidden, _figure(row, "heads") or 1.0
    shared = (_figure(row, "kv_heads") or heads) / heads
    gated = row["gated_mlp"] == "1"
    layer = hidden**2 * (2 + 2 * shared) + hidden * ffn * (3 if gated else 2)
    return layers * layer + _figure(row, "vocab") * hidden


def short(point: Point) -> dict[str, float | str]:
    """A point as evidence in an answer."""
    return {
        "run": point.key,
        "model": point.model,
        "parameters": point.parameters,
        "accelerators": point.count,
        "accelerator": point.accelerator.key,
        "precision": point.precision,
        "mfu_6n_fraction": point.mfu_6n,
        "source": facts.cite(point.source),
    }
