"""The whole forecast: layouts chosen, assumptions named, ranges, timeline."""

from itertools import pairwise

import pytest
from tests.step import plans_for_tests as given

from flopcast.count import bare_network, network_from_config
from flopcast.describe import Layout, Shape, Workload
from flopcast.facts import networks
from flopcast.step import chrome_trace, shape_for_parameters, simulate, sizes, stack_for, time_range
from flopcast.step.layouts import chunks_of
from flopcast.step.plans import Net, gather
from flopcast.step.shapes import net_row, shape_of

LLAMA_405B = network_from_config(networks()["llama-3.1-405b"].config, name="llama-3.1-405b")


def test_llama_3_405b_as_published() -> None:
    """400 TFLOP/s on 16,384 H100 at TP 8, PP 16, DP 128, 8k tokens (2407.21783, table 4)."""
    work = Workload(tokens=15.6e12, seq_len=8192, batch_seqs=2048)
    layout = Layout(tp=8, sp=True, pp=16, vpp=8, dp=128, micro=1, shard="zero1")
    forecast = simulate(LLAMA_405B, work, given.cluster(16384), layout, "megatron-core-2024")
    assert forecast.step_time_s.expected == pytest.approx(6.46, rel=0.15)
    assert forecast.step_time_s.low < forecast.step_time_s.expected < forecast.step_time_s.high
    assert forecast.layout == layout
    assert forecast.layout_given


def test_a_layout_is_chosen_and_said() -> None:
    forecast = simulate(LLAMA_405B, Workload(tokens=15.6e12, seq_len=8192, batch_seqs=2048), given.cluster(16384))
    assert not forecast.layout_given
    assert forecast.memory.fits
    assert 0.3 < forecast.mfu_fraction < 0.55
    assert {"layout", "software stack"} <= {assumption.name for assumption in forecast.assumptions}


def test_a_bare_size_is_enough() -> None:
    known = simulate(LLAMA_405B, Workload(tokens=1e12, seq_len=8192, batch_seqs=2048), given.cluster(2048))
    bare = simulate(
        bare_network(405e9, name="405B"), Workload(tokens=1e12, seq_len=8192, batch_seqs=2048), given.cluster(2048)
    )
    assert bare.step_time_s.expected == pytest.approx(known.step_time_s.expected, rel=0.15)
    assert "architecture" in {assumption.name for assumption in bare.assumptions}


@pytest.mark.parametrize("total", [1.25e8, 1.3e9, 7e9, 13e9, 70e9, 175e9, 405e9, 1e12])
@pytest.mark.parametrize("classic", [False, True])
def test_shapes_have_the_parameters_asked_for(total, classic) -> None:
    net = gather(Net, [net_row(shape_for_parameters(total, classic=classic))])
    assert sizes.total_parameters(net)[0] == pytest.approx(total, rel=0.12)


def test_sparse_shapes_have_total_and_active_parameters() -> None:
    net = gather(Net, [net_row(shape_for_parameters(235e9, 22e9))])
    assert sizes.total_parameters(net)[0] == pytest.approx(235e9, rel=0.1)
    assert sizes.active_parameters(net)[0] == pytest.approx(22e9, rel=0.25)


@pytest.mark.parametrize("name", ["llama-3.1-8b", "deepseek-v3", "qwen3-30b-a3b", "mixtral-8x7b", "gpt-oss-120b"])
def test_sizes_agree_with_the_exact_count(name) -> None:
    entry = networks()[name]
    shape = shape_of(network_from_config(entry.config, name=name))
    assert shape is not None
    assert sizes.total_parameters(gather(Net, [net_row(shape)]))[0] == pytest.approx(entry.parameters_total, rel=0.01)


@pytest.mark.parametrize(
    ("framework", "date", "key"),
    [("NeMo", "2024-05", "nemo"), ("NeMo 23.07", "2023-07", "nemo-2023"), ("Megatron-LM", "2021-04", "megatron-2021"),
     ("Megatron-LM", "2024-04", "megatron-core"), ("torchtitan v0.2", "2025-01", "torchtitan"), ("MaxText", "", "maxtext"),
     ("Megatron-Bridge (NeMo 25.11)", "", "megatron-bridge-2025"), ("Megatron-Bridge (NeMo 26.06)", "", "megatron-bridge"),
     ("home-made", "", "generic"), ("home-made", "2020-01", "generic-2021")],
)  # fmt: skip
def test_frameworks_find_their_stack(framework, date, key) -> None:
    assert stack_for(framework, date) == key


def test_what_is_not_known_widens_the_range() -> None:
    known = time_range(1.0, stack="nemo")
    for missing in ("known_chip", "known_layout", "known_shape"):
        wider = time_range(1.0, stack="nemo", **{missing: False})
        assert wider.low <= known.low
        assert wider.high >= known.high
    unseen = time_range(1.0, stack="never heard of")
    assert unseen.high - unseen.low > known.high - known.low


def test_timeline_plays_the_pipeline() -> None:
    plan = given.plan(pp=4, dp=2, batch=16)
    trace = chrome_trace(plan)
    work = [event for event in trace["traceEvents"] if event["name"] in {"forward", "backward"}]
    assert len(work) == 2 * 4 * 8
    for stage in range(4):
        own = sorted((e for e in work if e["tid"] == stage), key=lambda e: e["ts"])
        assert all(a["ts"] + a["dur"] <= b["ts"] + 1e-6 for a, b in pairwise(own))


def test_chunks_divide_the_layers_of_a_rank() -> None:
    assert [chunks_of(n) for n in (1.0, 5.0, 12.0, 13.0, 31.5)] == [1, 5, 12, 1, 1]


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("count", [1, 3, 1000])
def test_degenerate_shapes_give_finite_times(count: int) -> None:
    for size in (0, 1):
        shape = Shape(
            layers=size, hidden=size, heads=size, kv_heads=size, head_dim=size, ffn=size, gated_mlp=False, vocab=size
        )
        forecast = simulate(shape, Workload(tokens=1, seq_len=1, batch_seqs=1), given.cluster(count))
        assert 0 < forecast.step_time_s.expected < 3600
