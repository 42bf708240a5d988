"""Properties of the time of an update."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from tests.step import plans_for_tests as given

from flopcast.step import chips, update

LAYOUTS = st.fixed_dictionaries(
    {
        "tp": st.sampled_from([1, 2, 4, 8]), "pp": st.sampled_from([1, 2, 4, 8]), "cp": st.sampled_from([1, 2]),
        "dp": st.sampled_from([1, 2, 8, 32]), "micro": st.sampled_from([1, 2]), "sp": st.booleans(),
        "shard": st.sampled_from(["none", "zero1", "zero3"]), "recompute": st.sampled_from(["none", "selective", "full"]),
    }
)  # fmt: skip
SHAPES = st.sampled_from([given.LLAMA_8B, given.MIXTURE])
STACKS = st.sampled_from(["nemo", "megatron-2021", "torchtitan", "generic"])
FEW = settings(max_examples=60, deadline=None)


@FEW
@drawn(layout=LAYOUTS, shape=SHAPES, stack=STACKS, factor=st.floats(1.01, 4.0))
@pytest.mark.parametrize("name", ["memory_bytes_per_s", "link_bytes_per_s", "net_bytes_per_s", "clock"])
def test_faster_parts_are_never_slower(name, layout, shape, stack, factor) -> None:
    plan = given.plan(shape, stack=stack, **layout)
    faster = given.with_chip(plan, **{name: plan.chip[name] * factor})
    assert given.seconds(faster) <= given.seconds(plan) * (1 + 1e-9)


@FEW
@drawn(layout=LAYOUTS, shape=SHAPES, factor=st.floats(1.01, 4.0))
def test_a_higher_peak_is_never_slower(layout, shape, factor) -> None:
    plan = given.plan(shape, **layout)
    faster = given.with_chip(plan, peak=plan.chip["peak"] * factor, peak16=plan.chip["peak16"] * factor)
    assert given.seconds(faster) <= given.seconds(plan) * (1 + 1e-9)


@FEW
@drawn(layout=LAYOUTS, shape=SHAPES, stack=STACKS)
def test_parts_are_not_negative_and_add_up(layout, shape, stack) -> None:
    parts = given.parts(given.plan(shape, stack=stack, **layout))
    values = [float(np.ravel(getattr(parts, f.name))[0]) for f in fields(parts)]
    assert min(values) >= 0
    assert sum(values) == pytest.approx(float(parts.total[0]))


@FEW
@drawn(layout=LAYOUTS)
def test_time_is_affine_in_the_micro_batches(layout) -> None:
    ranks = layout["dp"] * layout["micro"]
    times = [given.seconds(given.plan(batch=ranks * m, **(layout | {"shard": "none"}))) for m in (64, 128, 192)]
    assert times[2] - times[1] == pytest.approx(times[1] - times[0], rel=1e-6)


@pytest.mark.parametrize("shape", [given.LLAMA_8B, given.MIXTURE])
def test_one_accelerator_does_not_communicate(shape) -> None:
    parts = given.parts(given.plan(shape, batch=8))
    assert all(np.ravel(getattr(parts, name))[0] == 0 for name in ("tp", "ep", "cp", "pp", "dp", "bubble", "spread"))


@FEW
@drawn(layouts=st.lists(LAYOUTS, min_size=2, max_size=6), shape=SHAPES)
def test_a_batch_of_plans_is_each_plan_alone(layouts, shape) -> None:
    many = [given.plan(shape, **layout) for layout in layouts]
    together = update.update_parts(*given.batch_of(many)).total
    assert together == pytest.approx([given.seconds(one) for one in many])


def test_frozen_weights_skip_a_third_of_the_products() -> None:
    full, lora = (given.parts(given.plan(batch=8, method=m)).gemm[0] for m in ("pretrain", "lora"))
    assert lora / full == pytest.approx(2 / 3, rel=0.03)


def test_full_recomputation_costs_a_third_of_the_compute() -> None:
    without, full = (given.parts(given.plan(batch=8, recompute=r)) for r in ("none", "full"))
    assert without.recompute[0] == 0
    compute = sum(getattr(without, n)[0] for n in ("gemm", "attention", "memory"))
    assert full.recompute[0] / compute == pytest.approx(1 / 3, abs=0.05)


def test_eight_bits_are_faster_on_chips_that_have_them() -> None:
    bf16, fp8 = (given.seconds(given.plan(batch=64, precision=p)) for p in ("bf16", "fp8"))
    assert 0.5 < fp8 / bf16 < 0.9
    bf16, fp8 = (given.seconds(given.plan(batch=64, precision=p, chip="a100-sxm-80")) for p in ("bf16", "fp8"))
    assert fp8 >= bf16


def test_windows_and_mixers_spare_attention() -> None:
    whole = given.parts(given.plan(seq=65536, batch=1)).attention[0]
    windowed = replace(given.LLAMA_8B, window_layers=24, window_tokens=1024)
    mixing = replace(given.LLAMA_8B, mixer_layers=24)
    assert given.parts(given.plan(windowed, seq=65536, batch=1)).attention[0] < 0.35 * whole
    assert given.parts(given.plan(mixing, seq=65536, batch=1)).attention[0] == pytest.approx(whole / 4)


def test_small_networks_are_bound_by_the_host() -> None:
    small = replace(given.LLAMA_8B, hidden=512, heads=8, kv_heads=8, head_dim=64, ffn=2048)
    parts = given.parts(given.plan(small, stack="megatron-deepspeed", seq=512, batch=8))
    assert parts.host[0] > 0.5 * parts.total[0]


def test_unfused_attention_moves_its_scores() -> None:
    fused, unfused = (given.parts(given.plan(batch=8, stack=s)).attention[0] for s in ("nemo", "megatron-2021"))
    assert unfused > 2 * fused


@pytest.mark.parametrize("chip", ["mi300x", "tpu-v5p", "trainium2", "gaudi3", "rtx-3090", "v100-sxm2-32", "tpu-v3"])
def test_chips_without_tables_say_what_was_assumed(chip) -> None:
    misses: list[chips.Miss] = []
    row = chips.chip_row(given.cluster(8, chip).accelerator, count=8, misses=misses)
    assert misses
    assert all(np.isfinite(value) and value >= 0 for value in row.values())
    assert 0 < given.seconds(given.plan(chip=chip, dp=8)) < np.inf
