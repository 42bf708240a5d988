"""How many plans a second the step model ranks, as a ratio to one numpy pass over as many numbers."""

from __future__ import annotations

import time

import numpy as np

from flopcast.describe import Shape, Workload
from flopcast.describe.hardware import Cluster
from flopcast.facts import find_accelerator
from flopcast.step import forecast, layouts, plans

PLANS = 100_000
PASSES = 4000  # a plan costs about this many passes of `a * b + a` over one array at most
SHAPE = Shape(layers=80, hidden=8192, heads=64, kv_heads=8, head_dim=128, ffn=28672, gated_mlp=True, vocab=128256)


def _degrees() -> plans.Degrees:
    some = layouts.candidates(forecast.shapes.net_row(SHAPE), seq=8192, batch=1024, count=1024, domain=8, stack="nemo")
    return plans.gather(plans.Degrees, [some[i % len(some)] for i in range(PLANS)])


def test_a_hundred_thousand_layouts_in_one_call() -> None:
    cluster = Cluster(accelerator=find_accelerator("H100")[0], count=1024)
    work = Workload(tokens=1e12, seq_len=8192, batch_seqs=1024)
    plan, _ = forecast.make_plan(SHAPE, work, cluster, None, "nemo", [], [])
    net, batch, _, chip, stack = forecast.records_of(plan)
    degrees = _degrees()
    start = time.perf_counter()
    seconds, held = layouts.rank_layouts(net, batch, degrees, chip, stack)
    taken = time.perf_counter() - start
    a = np.ones(PLANS)
    start = time.perf_counter()
    for _ in range(100):
        b = a * 1.5 + a
    one = (time.perf_counter() - start) / 100
    assert len(seconds) == len(held) == PLANS == len(b)
    assert taken / one < PASSES
    print(f"{PLANS / taken:,.0f} plans a second")


if __name__ == "__main__":
    test_a_hundred_thousand_layouts_in_one_call()
