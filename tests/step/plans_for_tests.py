"""Plans that the tests of this room share."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any

import numpy as np

from flopcast.describe import Cluster, Layout, Shape, Workload
from flopcast.facts import find_accelerator
from flopcast.step import forecast, memory, plans, stacks, update

LLAMA_8B = Shape(
    layers=32, hidden=4096, heads=32, kv_heads=8, head_dim=128, ffn=14336, gated_mlp=True, vocab=128256
)  # fmt: skip
MIXTURE = replace(LLAMA_8B, ffn=0, experts=64, experts_per_token=8, expert_ffn=1408)


def cluster(count: int, chip: str = "h100-sxm") -> Cluster:
    return Cluster(accelerator=find_accelerator(chip)[0], count=count)


def plan(shape: Shape = LLAMA_8B, *, chip: str = "h100-sxm", stack: str = "nemo", seq: int = 4096, batch: int = 256,
         precision: str = "bf16", method: str = "pretrain", **layout: Any) -> forecast.Plan:  # fmt: skip
    """A plan on as many accelerators as its layout needs."""
    given = Layout(**layout)
    count = given.tp * given.pp * given.cp * given.dp
    work = Workload(tokens=1e9, seq_len=seq, batch_seqs=batch, precision=precision, method=method)
    return forecast.make_plan(shape, work, cluster(count, chip), given, stack, [], [])[0]


def parts(one: forecast.Plan) -> update.Parts:
    return update.update_parts(*forecast.records_of(one))


def seconds(one: forecast.Plan) -> float:
    return float(parts(one).total[0])


def held(one: forecast.Plan) -> memory.Components:
    net, work, degrees, _, constants = forecast.records_of(one)
    return memory.components(net, work, degrees, constants)


def device_bytes(one: forecast.Plan) -> float:
    return float(held(one).device[0])


def batch_of(many: list[forecast.Plan]) -> tuple[plans.Net, plans.Work, plans.Degrees, plans.Chip, stacks.Stack]:
    return (plans.gather(plans.Net, [p.net for p in many]), plans.gather(plans.Work, [p.work for p in many]),
            plans.gather(plans.Degrees, [p.degrees for p in many]), plans.gather(plans.Chip, [p.chip for p in many]),
            plans.gather(stacks.Stack, [p.constants for p in many]))  # fmt: skip


def with_chip(one: forecast.Plan, **changes: float) -> forecast.Plan:
    return replace(one, chip={**one.chip, **changes})


def summed(components: Any) -> float:
    return float(sum(np.ravel(getattr(components, f.name))[0] for f in fields(components)))
