"""Software stacks as data: what a framework does, in a few constants.

Belongs here: the constants of a stack, the reader of data/stacks.csv and the rules that find a stack for a
framework's name.
Does not: formulas. The constants are fitted by tools/fit_stacks.py, never by hand and never per run.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from flopcast.step import _read
from flopcast.step.plans import Array


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """Constants of a software stack, one entry a plan.

    gemm, grouped, attention: share of the chip's table that the products, the grouped products of experts (on top of
    `gemm`) and fused attention reach; low: the same of
    eight- and four-bit products, on top of `gemm`; attention_new: that of attention on Hopper and later, whose
    tables are of newer kernels. attention_backward: rate of fused attention backward over forward. fused: 1 when
    attention is fused. score_bytes: bytes a score moves forward when it is not. elementwise: memory-bound bytes
    over the
    plain count; backward_bytes: backward over forward. cast: bytes of casts over the plain count. head_bytes:
    bytes that the
    loss moves for each logit. grad_bytes: bytes a micro-batch moves for each parameter's gradient. host_layer_s:
    host time of
    the forward pass of a layer and micro-batch; host_backward: of the backward pass over that; host_tp: its
    growth from TP 1
    to TP 8 (collectives wait for the slowest of the hosts); host_expert_s: more of it for a layer with experts;
    host_softmax_s: more of it where the fused softmax of unfused attention does not apply; host_update_s: host
    time of an
    update. pp_wait_s: synchronisation of a pipeline transfer. *_exposed: share of a
    communication that never hides. grad_wire: bytes of gradients on the wire over two a parameter. link_share,
    net_share: share of the links' rate. optimizer_bytes: bytes the optimizer
    moves a parameter. spread: node-to-node spread. dedupe: 1 when a token is sent once to each node of its
    experts. recompute_share: forward share repeated by selective recomputation.

    Memory: bytes a parameter of weights when sharded (else two), of gradients (fp16, bf16), of optimizer states
    with the
    master weight; bytes a logit kept; reserved over allocated, less 1; share of a fused layer's activations that
    selective recomputation keeps.
    """

    gemm: Array
    grouped: Array
    low: Array
    attention: Array
    attention_new: Array
    attention_backward: Array
    fused: Array
    score_bytes: Array
    elementwise: Array
    backward_bytes: Array
    cast: Array
    head_bytes: Array
    grad_bytes: Array
    host_layer_s: Array
    host_update_s: Array
    host_backward: Array
    host_tp: Array
    host_softmax_s: Array
    host_expert_s: Array
    pp_wait_s: Array
    tp_exposed: Array
    pp_exposed: Array
    dp_exposed: Array
    ep_exposed: Array
    cp_exposed: Array
    link_share: Array
    net_share: Array
    grad_wire: Array
    optimizer_bytes: Array
    spread: Array
    recompute_share: Array
    dedupe: Array
    weight_bytes: Array
    gradient_bytes: Array
    state_bytes: Array
    gradient_bytes_bf16: Array
    logit_bytes: Array
    selective_kept: Array
    fragmentation: Array


@cache
def stacks() -> dict[str, dict[str, float]]:
    """Constants of every stack by its key, from data/stacks.csv (a constant a line: stack, name, value)."""
    table: dict[str, dict[str, float]] = {}
    for row in _read.rows("stacks"):
        table.setdefault(row["stack"], {})[row["name"]] = float(row["value"])
    return table


# words of a framework's name -> stack; the first that fits
RULES: tuple[tuple[str, str], ...] = (
    ("maxtext", "maxtext"),
    ("paxml", "paxml"),
    ("praxis", "paxml"),
    ("levanter", "maxtext"),
    ("jax", "maxtext"),
    ("t5x", "maxtext"),
    ("flax", "maxtext"),
    ("easylm", "maxtext"),
    ("alpa", "maxtext"),
    ("neox", "megatron-deepspeed-zero"),
    ("litgpt", "fsdp-composer"),
    ("lit-gpt", "fsdp-composer"),
    ("olmo", "fsdp-composer"),
    ("llama-factory", "deepspeed-zero"),
    ("axolotl", "deepspeed-zero"),
    ("unsloth", "fsdp-composer"),
    ("primus", "megatron-core"),
    ("torchtitan", "torchtitan"),
    ("examples composer", "fsdp-composer-2023"),
    ("composer", "fsdp-composer"),
    ("foundry", "fsdp-composer"),
    ("automodel", "nemo-automodel"),
    ("megatron-bridge", "megatron-bridge"),
    ("nemo", "nemo"),
    ("megatron-deepspeed", "megatron-deepspeed"),
    ("zero-3", "deepspeed-zero3-2021"),
    ("megatron + deepspeed", "megatron-deepspeed"),
    ("deepspeed", "deepspeed-zero"),
    ("flagscale", "megatron-core"),
    ("megatron-core", "megatron-core"),
    ("megatron core", "megatron-core"),
    ("pai-megatron", "megatron-core"),
    ("megatron", "megatron-core"),
    ("meta internal", "megatron-core-2024"),
    ("apex", "pytorch-examples"),
    ("oneflow", "oneflow"),
    ("paddlenlp", "paddle-llm"),
    ("paddle", "paddle"),
    ("tensorflow", "tensorflow"),
    ("mxnet", "mxnet"),
    ("deeplearningexamples", "pytorch-examples"),
    ("transformers", "hf-trainer"),
    ("peft", "hf-trainer"),
    ("trl", "hf-trainer"),
    ("fsdp", "torchtitan"),
    ("pytorch", "pytorch-ddp"),
    ("torch", "pytorch-ddp"),
)
NEMO_FUSED = "2024-01"  # containers of 2024 overlap tensor-parallel communication and fuse attention by default
BRIDGE_TUNED = "26.04"  # first container with full-iteration graphs and hybrid expert dispatch
UNFUSED_UNTIL = "2022-10"  # Megatron-LM before flash attention was merged


def version_of(name: str, date: str) -> str:
    """Release of a container, YY.MM, from its name, else from the date: "26.04"; the newest when neither says."""
    found = re.search(r"(\d\d\.\d\d)", name)
    return found[1] if found else date[2:].replace("-", ".") or "99.99"


def stack_for(framework: str, date: str = "", sharding: str = "") -> str:
    """Key of the stack that a framework's name, date (YYYY-MM) and sharding point to; "generic" when nothing fits.

    Megatron-Core releases from 0.8 on overlap communication as NeMo does. Megatron-DeepSpeed runs
    DeepSpeed's engine and pipeline, except where sharding is said to be none: then Megatron-LM's.

    >>> stack_for("Megatron-LM", "2021-04"), stack_for("NeMo 25.09"), stack_for("something else")
    ('megatron-2021', 'nemo', 'generic')
    """
    name = framework.lower()
    for words, key in RULES:
        if words in name:
            if key == "megatron-deepspeed" and sharding != "none":
                return "megatron-deepspeed-zero"
            if key == "deepspeed-zero" and date and date < UNFUSED_UNTIL:
                return "deepspeed-zero3-2021"
            if key == "megatron-bridge" and version_of(name, date) < BRIDGE_TUNED:
                return "megatron-bridge-2025"
            if key == "megatron-core" and re.search(r"core r?0\.(?:[89]|\d\d)", name):
                return "megatron-core-2024"
            if key == "nemo" and date and date < NEMO_FUSED:
                return "nemo-2023"
            old = key == "megatron-core" and "core" not in name and date and date < UNFUSED_UNTIL
            return "megatron-2021" if old or "2.4" in name else key
    return "generic-2021" if date and date < UNFUSED_UNTIL else "generic"


# What a run of a stack does when its source does not say: (sharding 0-3, recomputation 0-2, sequence parallelism beside TP,
# micro-batch (0: the whole batch of the rank), 1 when the stack is usually run model-parallel).
USUAL: dict[str, tuple[float, float, float, float, float]] = {
    "megatron-2021": (0, 2, 0, 1, 1),
    "megatron-deepspeed": (0, 2, 0, 1, 1),
    "megatron-deepspeed-zero": (1, 2, 0, 1, 1),
    "megatron-core": (1, 0, 0, 1, 1),
    "nemo": (1, 0, 1, 1, 1),
    "megatron-core-2024": (1, 0, 1, 1, 1),
    "nemo-2023": (1, 1, 1, 1, 1),
    "megatron-bridge": (1, 0, 1, 1, 1),
    "megatron-bridge-2025": (1, 0, 1, 1, 1),
    "nemo-automodel": (3, 0, 0, 1, 0),
    "torchtitan": (3, 1, 1, 1, 0),
    "fsdp-composer": (3, 0, 0, 0, 0),
    "fsdp-composer-2023": (3, 0, 0, 0, 0),
    "maxtext": (3, 1, 0, 0, 0),
    "paxml": (3, 1, 0, 0, 0),
    "deepspeed-zero": (3, 0, 0, 1, 0),
    "deepspeed-zero3-2021": (3, 2, 0, 1, 0),
    "hf-trainer": (3, 0, 0, 1, 0),
    "paddle-llm": (1, 0, 0, 1, 1),
    "generic": (1, 0, 1, 1, 1),
    "generic-2021": (0, 2, 0, 1, 1),
}
# Stacks whose published runs interleave the pipeline even where the table does not print it.
INTERLEAVED = frozenset({"nemo", "megatron-core-2024", "nemo-2023", "megatron-2021", "megatron-core"})
# Stacks whose tables print the batch of all accelerators where they say batch.
TOTAL_BATCH = frozenset({"pytorch-examples"})
# Stacks that drop padding in masked-language pre-training.
UNPADDED = frozenset({"pytorch-ddp", "paddle"})
PLAIN_DATA_PARALLEL = (0.0, 0.0, 0.0, 0.0, 0.0)


def defaults(stack: str) -> dict[str, float]:
    """What a stack does unless told: keys shard, recompute, sp, micro, model_parallel (see `USUAL`)."""
    names = ("shard", "recompute", "sp", "micro", "model_parallel")
    usual = dict(zip(names, USUAL.get(stack, PLAIN_DATA_PARALLEL), strict=True))
    return usual | {"interleaved": float(stack in INTERLEAVED), "unpadded": float(stack in UNPADDED)}
