#!/usr/bin/env python3
"""Fit the constants of the software stacks and the sustained clocks of chips to measured runs.

    python tools/fit_stacks.py RUNS.csv [MORE.csv ...]         writes src/flopcast/step/data/{stacks,clocks}.csv

Needs scipy (development only). A stack has some thirty constants, a chip two; every one is drawn towards a physical prior, or to
the stack it grew out of, with the width given below, so that a stack with few rows stays near it. Loss: Cauchy of the log
error, so that a few runs that went wrong do not set a constant. Nothing is fitted by run, model or row.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from flopcast.evidence import validate_rows
from flopcast.step import chips as chips_module
from flopcast.step import plans, stacks, update

DATA = Path(__file__).parents[1] / "src/flopcast/step/data"
LOSS_SCALE, KNEE = 0.08, 1.5  # log error of weight one; where outliers begin, in units of it
# constant: (prior, width of the prior in ln, lowest, highest)
PRIORS: dict[str, tuple[float, float, float, float]] = {
    "gemm": (0.90, 0.08, 0.5, 1.15),
    "low": (1.0, 0.15, 0.7, 1.5),
    "grouped": (0.75, 0.25, 0.3, 1.1),
    "attention": (0.85, 0.25, 0.3, 1.3),
    "attention_new": (0.85, 0.25, 0.3, 1.3),
    "attention_backward": (0.75, 0.10, 0.5, 1.0),
    "score_bytes": (13.0, 0.35, 4.0, 40.0),
    "elementwise": (1.0, 0.35, 0.3, 4.0),
    "backward_bytes": (1.6, 0.10, 1.0, 2.5),
    "cast": (1.0, 0.4, 0.2, 4.0),
    "head_bytes": (16.0, 0.4, 4.0, 60.0),
    "grad_bytes": (8.0, 0.4, 2.0, 30.0),
    "host_layer_s": (4e-4, 0.35, 5e-5, 3e-3),
    "host_backward": (0.9, 0.3, 0.2, 2.0),
    "host_softmax_s": (4e-4, 0.4, 5e-5, 2e-3),
    "host_tp": (0.3, 0.6, 0.05, 2.0),
    "host_expert_s": (1e-3, 0.8, 1e-4, 1e-2),
    "pp_wait_s": (1e-4, 0.8, 1e-5, 1e-2),
    "host_update_s": (0.02, 0.8, 1e-3, 0.5),
    "tp_exposed": (0.8, 0.4, 0.1, 1.5),
    "pp_exposed": (0.6, 0.5, 0.05, 3.0),
    "dp_exposed": (0.2, 0.7, 0.02, 1.2),
    "ep_exposed": (0.8, 0.5, 0.1, 3.0),
    "cp_exposed": (0.15, 0.7, 0.01, 1.5),
    "link_share": (0.9, 0.15, 0.5, 1.2),
    "net_share": (0.75, 0.25, 0.2, 1.0),
    "grad_wire": (1.0, 0.3, 0.5, 2.0),
    "optimizer_bytes": (36.0, 0.3, 15.0, 120.0),
    "spread": (0.008, 0.5, 0.0005, 0.03),
    "recompute_share": (0.1, 0.7, 0.01, 0.9),
}
NAMES = tuple(PRIORS)
BORROWED_WIDER = 4.0  # the prior is so much wider for chips without tables of their own
CLOCK_WIDTH, MEMORY_WIDTH = 0.08, 0.12  # width of the priors of a chip's sustained clock and memory share
UNFUSED = {
    "megatron-2021",
    "megatron-deepspeed",
    "megatron-deepspeed-zero",
    "deepspeed-zero3-2021",
    "oneflow",
    "paddle",
    "generic-2021",
    "tensorflow",
    "mxnet",
    "pytorch-ddp",
    "pytorch-examples",
}
# Expert dispatch that sends a token once to each node (DeepEP, HybridEP).
DEDUPED = {"megatron-bridge", "megatron-bridge-2025", "nemo-automodel", "megatron-core"}
# A stack that grew out of another is drawn to that one's fitted constants.
KIN = {
    "megatron-core-2024": "nemo", "nemo-2023": "nemo", "megatron-bridge": "nemo", "megatron-bridge-2025": "megatron-bridge",
    "fsdp-composer-2023": "fsdp-composer", "deepspeed-zero3-2021": "megatron-2021", "megatron-deepspeed-zero": "megatron-2021",
    "pytorch-examples": "pytorch-ddp", "paxml": "maxtext", "nemo-automodel": "torchtitan",
}  # fmt: skip
FEW_STACKS = 6
# Priors of single stacks that differ for a stated, physical reason.
OWN: dict[str, dict[str, float]] = {
    **{key: {"tp_exposed": 1.0, "dp_exposed": 0.6, "host_layer_s": 1e-3, "pp_exposed": 1.0, "pp_wait_s": 3e-4} for key in UNFUSED},
    "maxtext": {"host_layer_s": 1e-4, "host_expert_s": 1e-4}, "paxml": {"host_layer_s": 1e-4, "host_expert_s": 1e-4},
}  # fmt: skip


@dataclass(frozen=True)
class Data:
    rows: list[dict[str, str]]
    plan: list[validate_rows.PlanRow]
    truth: np.ndarray
    net: plans.Net
    work: plans.Work
    degrees: plans.Degrees
    chip: plans.Chip
    stack: np.ndarray
    chip_key: np.ndarray
    source: np.ndarray

    def pick(self, index: np.ndarray) -> Data:
        part = {n: plans.take(getattr(self, n), index) for n in ("net", "work", "degrees", "chip")}
        plain = {n: getattr(self, n)[index] for n in ("truth", "stack", "chip_key", "source")}
        return Data(rows=[self.rows[i] for i in index], plan=[self.plan[i] for i in index], **part, **plain)


def read(paths: Iterable[str]) -> Data:
    rows, plan, truth = [], [], []
    for path in paths:
        with Path(path).open(newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                try:
                    one = validate_rows.plan_row(row)
                except validate_rows.Unreadable:
                    continue
                measured = validate_rows.measured_step_s(row, one)
                if not math.isnan(measured):
                    rows.append(row)
                    plan.append(one)
                    truth.append(measured)
    raw = [{"clock": 1.0, "memory_bytes_per_s": chips_module.raw_memory(p.accelerator)} for p in plan]
    chip_rows = [p.chip | own for p, own in zip(plan, raw, strict=True)]
    return Data(
        rows=rows, plan=plan, truth=np.array(truth), net=plans.gather(plans.Net, [p.net for p in plan]),
        work=plans.gather(plans.Work, [p.work for p in plan]), degrees=plans.gather(plans.Degrees, [p.degrees for p in plan]),
        chip=plans.gather(plans.Chip, chip_rows),
        stack=np.array([p.stack for p in plan]),
        chip_key=np.array([chips_module.part_of(p.accelerator.key) for p in plan]), source=np.array([r.get("group", "") for r in rows]),
    )  # fmt: skip


# Memory, set by what the framework does, not fitted.
MEMORY_DEFAULT = {
    "weight_bytes": 2.0, "gradient_bytes": 4.0, "gradient_bytes_bf16": 4.0, "state_bytes": 12.0, "logit_bytes": 8.0,
    "selective_kept": 0.9, "fragmentation": 0.045,
}  # fmt: skip
# Sharded weights are fp32, gathered ones bf16.
FSDP = {"weight_bytes": 4.0, "state_bytes": 8.0, "logit_bytes": 14.0, "selective_kept": 0.6, "fragmentation": 0.12}
# Gradients in the training dtype; the partition keeps an fp32 copy of them, and of bf16 ones the whole rank does.
DEEPSPEED = {"gradient_bytes": 2.0, "gradient_bytes_bf16": 2.0, "state_bytes": 18.0, "fragmentation": 0.22}
MEMORY: dict[str, dict[str, float]] = {
    **dict.fromkeys(("torchtitan", "fsdp-composer", "fsdp-composer-2023", "nemo-automodel", "hf-trainer"), FSDP),
    **dict.fromkeys(("deepspeed-zero", "deepspeed-zero3-2021"), DEEPSPEED | {"fragmentation": 0.45}),  # gathered layers come and go
    "megatron-deepspeed-zero": DEEPSPEED | {"gradient_bytes_bf16": 6.0}, "paddle-llm": {"fragmentation": 0.12},
    "megatron-deepspeed": {"gradient_bytes": 2.0}, "megatron-2021": {"gradient_bytes": 2.0},
}  # fmt: skip


def prior(stack: str) -> dict[str, float]:
    own = (
        {"fused": float(stack not in UNFUSED), "dedupe": float(stack in DEDUPED)}
        | MEMORY_DEFAULT
        | MEMORY.get(stack, {})
    )
    return {name: PRIORS[name][0] for name in NAMES} | own | OWN.get(stack, {})


Constants = dict[str, dict[str, float]]
Chips = dict[str, tuple[float, ...]]  # chip -> (clock, memory share)


def clocked(data: Data, chips: Chips) -> plans.Chip:
    pair = np.array([chips.get(key, (1.0, 1.0)) for key in data.chip_key])
    return replace(data.chip, clock=pair[:, 0], memory_bytes_per_s=data.chip.memory_bytes_per_s * pair[:, 1])


def predict(data: Data, constants: Constants, chips: Chips) -> np.ndarray:
    table = {key: constants.get(key) or prior(key) for key in set(data.stack)}
    stack = plans.gather(stacks.Stack, [table[key] for key in data.stack])
    chip = clocked(data, chips)
    return update.update_parts(data.net, data.work, data.degrees, chip, stack).total


def balance(data: Data) -> np.ndarray:
    """Weight of a row: sources count by the square root of their rows, so that none drowns the others of its stack."""
    size = {s: float(np.sum(data.source == s)) for s in set(data.source)}
    return np.array([size[s] ** -0.25 for s in data.source]) * 2


def fit_one(data: Data, key: str, start: dict[str, float], chips: Chips, centre: dict[str, float]) -> dict[str, float]:
    lo = np.log([PRIORS[n][2] for n in NAMES])
    hi = np.log([PRIORS[n][3] for n in NAMES])
    middle = np.clip(np.log([centre[n] for n in NAMES]), lo + 1e-6, hi - 1e-6)
    width = np.array([PRIORS[n][1] for n in NAMES])
    weight = balance(data)
    chip = clocked(data, chips)
    count = len(data.truth)

    def residual(x: np.ndarray) -> np.ndarray:
        record = stacks.Stack(**{n: np.full(count, v) for n, v in zip(NAMES, np.exp(x), strict=True)},
                              **{n: np.full(count, v) for n, v in centre.items() if n not in PRIORS})  # fmt: skip
        total = update.update_parts(data.net, data.work, data.degrees, chip, record).total
        error = np.log(total / data.truth) / LOSS_SCALE
        return np.concatenate(
            [weight * np.sign(error) * KNEE * np.sqrt(np.log1p((error / KNEE) ** 2)), (x - middle) / width]
        )

    first = np.clip(np.log([start[n] for n in NAMES]), lo + 1e-6, hi - 1e-6)
    found = least_squares(residual, first, bounds=(lo, hi), max_nfev=25, diff_step=1e-3)
    return dict(zip(NAMES, np.exp(found.x).tolist(), strict=True)) | {
        n: v for n, v in centre.items() if n not in PRIORS
    }


def fit_chips(data: Data, constants: Constants, chips: Chips) -> Chips:
    """One Gauss-Newton step per chip on its clock and its memory share, each drawn towards 1."""
    error = np.log(predict(data, constants, chips) / data.truth)
    slopes = []
    for i in range(2):
        moved = {k: tuple(v * (0.98 if i == j else 1.0) for j, v in enumerate(pair)) for k, pair in chips.items()}
        slopes.append((np.log(predict(data, constants, moved) / data.truth) - error) / np.log(0.98))
    weight = balance(data) ** 2 / np.sqrt(1 + (error / LOSS_SCALE) ** 2) / LOSS_SCALE**2
    out = dict(chips)
    for key in sorted(set(data.chip_key)):
        own = data.chip_key == key
        jac = np.stack([s[own] for s in slopes], 1)
        wider = 1.0 if (key, "gemm", "bf16") in chips_module.surfaces() else BORROWED_WIDER
        ridge = np.diag([(CLOCK_WIDTH * wider) ** -2, (MEMORY_WIDTH * wider) ** -2])
        now = np.log(chips[key])
        gradient = jac.T @ (weight[own] * error[own]) + ridge @ now
        step = np.clip(-np.linalg.solve(jac.T @ (weight[own, None] * jac) + ridge, gradient), -0.1, 0.1)
        out[key] = tuple(float(v) for v in np.clip(np.exp(now + step), 0.5, 1.6))
    return out


def centre_of(key: str, constants: Constants) -> dict[str, float]:
    """Where a stack is drawn to: its kin's fitted constants where it has one, else half way from the physical prior to the
    mean of the stacks that fuse attention alike."""
    own = prior(key)
    kin = constants.get(KIN.get(key, ""))
    if kin is not None:
        return own | {n: kin[n] for n in NAMES}
    others = {k: c for k, c in constants.items() if k != key}
    if len(others) < FEW_STACKS or key in OWN:
        return own
    mean = generic(others, own["fused"])
    return own | {n: float(np.sqrt(own[n] * mean[n])) for n in NAMES}


def generic(constants: Constants, fused: float, without: str = "") -> dict[str, float]:
    """Constants of a stack never measured: the geometric mean of those that fuse attention alike."""
    kin = [
        c for key, c in constants.items() if c["fused"] == fused and key != without and not key.startswith("generic")
    ]
    base = prior("generic") | {"fused": fused}
    return base | {n: float(np.exp(np.mean([np.log(c[n]) for c in kin]))) for n in NAMES} if kin else base


def fit(
    data: Data, rounds: int = 3, only: Sequence[str] = (), start: Constants | None = None, chips: Chips | None = None
) -> tuple[Constants, Chips]:
    """Fit stacks and chips in turn; `only` some stacks, from `start`, where a part of the rows changed."""
    chips = {key: (chips or {}).get(key, (1.0, 1.0)) for key in set(data.chip_key)}
    constants: Constants = dict(start or {})
    for _ in range(rounds):
        for key in sorted(set(data.stack), key=lambda k: (k in KIN, k)):
            if only and key not in only:
                continue
            part = data.pick(np.flatnonzero(data.stack == key))
            centre = centre_of(key, constants)
            constants[key] = fit_one(part, key, constants.get(key) or centre, chips, centre)
        for _ in range(3):
            chips = fit_chips(data, constants, chips)
    constants["generic"], constants["generic-2021"] = generic(constants, 1.0), generic(constants, 0.0)
    return constants, chips


def score(data: Data, predicted: np.ndarray) -> None:
    groups = defaultdict(list)
    for s, e in zip(data.source, predicted / data.truth - 1, strict=True):
        groups[s].append(e)
    groups["ALL"] = list(predicted / data.truth - 1)
    for name, errors in sorted(groups.items(), key=lambda g: -len(g[1])):
        e = np.array(errors)
        print(f"{name:26s}{len(e):5d}  mape {100 * np.mean(abs(e)):6.1f}  median {100 * np.median(abs(e)):5.1f}  "
              f"bias {100 * np.median(e):+6.1f}  p90 {100 * np.quantile(abs(e), 0.9):6.1f}")  # fmt: skip


def write_priors() -> None:
    """Stacks as their priors say: what a first fit starts from, and what is needed after a new constant is added."""
    known = stacks.stacks() if (DATA / "stacks.csv").exists() else {}
    with (DATA / "stacks.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["stack", "name", "value", "rows", "sources"])
        for key in sorted(set(known) | set(stacks.USUAL) | UNFUSED):
            for name, value in (prior(key) | known.get(key, {})).items():
                fixed = name not in PRIORS
                writer.writerow([key, name, f"{prior(key)[name] if fixed else value:.4g}", 0, "prior"])
    stacks.stacks.cache_clear()


def write(constants: Constants, chips: Chips, data: Data) -> None:
    keys = sorted(set(constants) | set(stacks.USUAL) | UNFUSED)
    with (DATA / "stacks.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["stack", "name", "value", "rows", "sources"])
        for key in keys:
            own = data.stack == key
            used = " ".join(sorted(set(data.source[own]))) or "prior"
            for name, value in (constants.get(key) or prior(key)).items():
                writer.writerow([key, name, f"{value:.4g}", int(own.sum()), used])
    with (DATA / "clocks.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["chip", "clock", "memory", "rows"])
        for key, (clock, memory) in sorted(chips.items()):
            writer.writerow([key, f"{clock:.4g}", f"{memory:.4g}", int(np.sum(data.chip_key == key))])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--dry", action="store_true")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    write_priors()
    data = read(options.runs)
    constants, chips = fit(data, options.rounds)
    score(data, predict(data, constants, chips))
    if not options.dry:
        write(constants, chips, data)


if __name__ == "__main__":
    main()
