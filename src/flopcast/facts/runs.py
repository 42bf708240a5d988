"""Published runs: measured steps, and whole trainings from start to end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import Field, dataclass, fields
from functools import cache
from typing import Any

from flopcast.facts._read import number, rows


@dataclass(frozen=True, slots=True, kw_only=True)
class StepRun:
    """One measured configuration; None where the source does not print it.

    `accelerator_key` is empty where the part is not among the known accelerators. `flop_per_s_per_accelerator` and the
    fractions are as printed, in the source's own convention (`flop_convention` model or hardware); step time is what
    compares across sources. `task` is pretrain, sft, lora or qlora; batch in sequences, `micro_batch_seqs` per
    data-parallel rank.
    """

    key: str
    date: str
    task: str
    network: str
    family: str
    parameters_total: float | None
    parameters_active: float | None
    layers: int | None
    hidden: int | None
    heads: int | None
    kv_heads: int | None
    head_dim: int | None
    ffn: int | None
    gated_mlp: bool | None
    vocab: int | None
    tied_embeddings: bool | None
    experts: int | None
    experts_per_token: int | None
    expert_ffn: int | None
    attention: str
    seq_len: int | None
    batch_seqs: int | None
    micro_batch_seqs: int | None
    accumulation: int | None
    accelerator: str
    accelerator_key: str
    accelerators: int | None
    accelerators_per_node: int | None
    interconnect: str
    precision: str
    stack: str
    tp: int | None
    sp: bool | None
    pp: int | None
    vpp: int | None
    cp: int | None
    ep: int | None
    dp: int | None
    sharding: str
    recompute: str
    offload: str
    flop_per_s_per_accelerator: float | None
    flop_convention: str
    mfu_fraction: float | None
    hfu_fraction: float | None
    step_time_s: float | None
    tokens_per_s_per_accelerator: float | None
    peak_memory_bytes: float | None
    source: str
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WholeRun:
    """One published training; None where the source does not print it.

    `includes` says whether the hours cover the main run only, all stages, or that it is unknown; `ideal` marks hours that
    were computed from a throughput and so hold no downtime. `mfu_fraction` is as stated for one step.
    """

    key: str
    network: str
    developer: str
    date: str
    kind: str
    parameters_total: float | None
    parameters_active: float | None
    tokens: float | None
    seq_len: int | None
    accelerator: str
    accelerator_key: str
    accelerators: int | None
    accelerator_hours: float | None
    duration_s: float | None
    precision: str
    mfu_fraction: float | None
    cost_usd: float | None
    interruptions: int | None
    goodput_fraction: float | None
    energy_j: float | None
    emissions_g: float | None
    includes: str
    ideal: bool
    source: str
    note: str


# Field -> column, where they differ; the table has the columns that `flopcast validate` reads.
_STEP_COLUMNS = {
    "network": "model",
    "parameters_total": "n_params_total",
    "parameters_active": "n_params_active",
    "experts": "n_experts",
    "experts_per_token": "topk",
    "expert_ffn": "moe_ffn",
    "batch_seqs": "global_batch_seqs",
    "micro_batch_seqs": "micro_batch",
    "accumulation": "grad_accum",
    "accelerators": "n_accel",
    "accelerators_per_node": "accel_per_node",
    "stack": "framework",
    "flop_per_s_per_accelerator": "tflops_per_accel",
    "flop_convention": "flops_convention",
    "mfu_fraction": "mfu",
    "hfu_fraction": "hfu",
    "tokens_per_s_per_accelerator": "tokens_per_s_per_accel",
    "peak_memory_bytes": "peak_mem_bytes",
}
_WHOLE_COLUMNS = {"duration_s": "days", "energy_j": "energy_mwh", "emissions_g": "emissions_t_co2e"}
_UNITS = {"tflops_per_accel": 1e12, "days": 86400.0, "energy_mwh": 3.6e9, "emissions_t_co2e": 1e6}


@cache
def step_runs() -> tuple[StepRun, ...]:
    """Every measured configuration."""
    read = [_reader(field, _STEP_COLUMNS) for field in fields(StepRun)]
    return tuple(StepRun(**{name: value(row) for name, value in read}) for row in rows("runs_steps"))


@cache
def whole_runs() -> tuple[WholeRun, ...]:
    """Every published training whose figures were read in, or compared with, the source that first printed them."""
    read = [_reader(field, _WHOLE_COLUMNS) for field in fields(WholeRun)]
    return tuple(WholeRun(**{name: value(row) for name, value in read}) for row in rows("runs_whole"))


def _reader(field: Field[Any], columns: Mapping[str, str]) -> tuple[str, Callable[[Mapping[str, str]], Any]]:
    """Name of the field and how its value is read from a row, by the type that the field declares."""
    column = columns.get(field.name, field.name)
    unit = _UNITS.get(column, 1.0)
    by_type: dict[object, Callable[[str], Any]] = {
        "str": str,
        "int | None": lambda cell: int(float(cell)) if cell else None,
        "float | None": lambda cell: number(cell, unit),
        "bool | None": lambda cell: cell == "1" if cell else None,
        "bool": lambda cell: cell == "yes",
    }
    convert = by_type[field.type]
    return field.name, lambda row: convert(row[column])
