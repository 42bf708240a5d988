"""Plans as arrays: what one batch of plans is made of, one entry a plan.

Belongs here: the records of arrays that every formula of this room takes, and how to build them from single records.
Does not: formulas.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Net:
    """A decoder-like stack of layers. Zero means absent; fractions are shares of the layers or tokens."""

    layers: Array
    hidden: Array
    heads: Array
    kv_heads: Array
    head_dim: Array
    ffn: Array
    gated: Array
    vocab: Array
    tied: Array
    experts: Array
    experts_per_token: Array
    expert_ffn: Array
    expert_hidden: Array  # width at which tokens enter the experts (latent mixtures: below `hidden`)
    shared_ffn: Array
    dense_layers: Array
    q_lora: Array
    kv_lora: Array
    rope_dim: Array
    v_dim: Array
    mixer_layers: Array
    window_layers: Array
    window: Array
    causal: Array
    head_share: Array  # share of the tokens that pass the output head (masked-language models: the masked ones)
    memory_ratio: Array  # extra keys a query sees, in sequences (Transformer-XL: 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """The batch: sequences a update of `seq` tokens; `frozen` 1 when the weights themselves are not trained."""

    seq: Array
    batch: Array
    frozen: Array
    quantised: Array  # 1: frozen weights held in four bits
    sixteen_bit: Array  # bytes of an activation element: 2, or 4 in fp32 and tf32
    bf16: Array  # 1: gradients and weights in bf16 rather than fp16
    low_precision: Array  # 0: none, 1: fp8, 2: four bits


@dataclass(frozen=True, slots=True, kw_only=True)
class Degrees:
    """The layout: degrees of parallelism, sharding (0-3), recomputation (0 none, 1 selective, 2 full), micro-batch."""

    tp: Array
    sp: Array
    pp: Array
    vpp: Array
    cp: Array
    ep: Array
    etp: Array  # tensor parallelism inside one expert
    dp: Array
    micro: Array
    shard: Array
    shard_group: Array  # ranks that share one copy of sharded weights (HSDP); 0: all data-parallel ranks
    recompute: Array
    bubble: Array  # share of the 1F1B bubble that the schedule leaves
    in_flight: Array  # micro-batches held at once, as a share of what 1F1B holds
    offload: Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """One accelerator in its node: dense peaks [FLOP/s], fitted kernel constants, memory and links [B/s]."""

    peak: Array
    gemm_fraction: Array
    gemm_m0: Array
    gemm_n0: Array
    gemm_k0: Array
    gemm_launch_s: Array
    tile: Array  # width to which the matrix units pad the sides of a weight
    peak16: Array
    gemm16_fraction: Array
    gemm16_m0: Array
    gemm16_n0: Array
    gemm16_k0: Array
    attention_fraction: Array
    attention_s0: Array
    attention_d0: Array
    memory_bytes: Array
    memory_bytes_per_s: Array
    link_bytes_per_s: Array  # what one rank gets in a collective inside the domain
    link_latency_s: Array
    net_bytes_per_s: Array  # scale-out share of one accelerator, one direction
    net_latency_s: Array
    domain: Array
    node: Array
    count: Array
    new_kernels: Array  # 1: attention measured with kernels of the Hopper generation or later
    clock: Array  # sustained share of the table's rates


Record = TypeVar("Record")


def gather(kind: type[Record], rows: Sequence[dict[str, float]]) -> Record:
    """Turn single records (one dict a plan) into a record of arrays."""
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    return kind(**{name: np.array([row[name] for row in rows], dtype=np.float64) for name in names})


def take(record: Record, index: NDArray[np.intp]) -> Record:
    """The chosen entries of every array of a record."""
    names = [field.name for field in fields(record)]  # type: ignore[arg-type]
    return type(record)(**{name: np.atleast_1d(getattr(record, name))[index] for name in names})
