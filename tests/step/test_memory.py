"""Memory of the fullest rank: hand-worked figures and properties."""

import pytest
from hypothesis import given as drawn
from hypothesis import settings
from hypothesis import strategies as st
from tests.step import plans_for_tests as given

from flopcast.describe import Layout, Workload
from flopcast.step import memory_report, sizes

FEW = settings(max_examples=60, deadline=None)
BASE = st.fixed_dictionaries(
    {"tp": st.sampled_from([1, 2, 4]), "pp": st.sampled_from([1, 2, 4]), "dp": st.sampled_from([1, 2, 8]),
     "shard": st.sampled_from(["none", "zero1", "zero2"]), "recompute": st.sampled_from(["none", "selective", "full"])}
)  # fmt: skip


def test_states_of_a_replicated_network_take_eighteen_bytes_a_parameter() -> None:
    plan = given.plan(batch=1)
    parts = given.held(plan)
    count = sizes.total_parameters(given.batch_of([plan])[0])[0]
    assert count == pytest.approx(8.03e9, rel=0.002)
    assert (parts.weights + parts.gradients + parts.optimizer)[0] == pytest.approx(18 * count)


def test_optimizer_states_are_shared_by_the_data_parallel_ranks() -> None:
    alone, shared = (given.held(given.plan(batch=8, dp=8, shard=s)).optimizer[0] for s in ("none", "zero1"))
    assert alone == pytest.approx(8 * shared)


@FEW
@drawn(layout=BASE, name=st.sampled_from(["tp", "dp"]), shape=st.sampled_from([given.LLAMA_8B, given.MIXTURE]))
def test_more_shards_never_take_more(layout, name, shape) -> None:
    wider = layout | {name: layout[name] * 2}
    assert given.device_bytes(given.plan(shape, **wider)) <= given.device_bytes(given.plan(shape, **layout)) * (
        1 + 1e-9
    )


@FEW
@drawn(layout=BASE)
def test_more_sharding_and_recomputation_never_take_more(layout) -> None:
    by_shard = [given.device_bytes(given.plan(**(layout | {"shard": s}))) for s in ("none", "zero1", "zero2")]
    assert by_shard == sorted(by_shard, reverse=True)
    levels = [given.device_bytes(given.plan(**(layout | {"recompute": r}))) for r in ("none", "selective")]
    assert levels == sorted(levels, reverse=True)


def test_components_and_fragments_make_the_reserved_bytes() -> None:
    parts = given.held(given.plan(tp=2, pp=2, dp=2))
    assert given.summed(parts) == pytest.approx(float(parts.reserved[0]))
    assert parts.allocated[0] < parts.reserved[0] < parts.device[0]


def test_adapters_spare_gradients_and_optimizer() -> None:
    full, lora, quantised = (given.held(given.plan(batch=1, method=m)) for m in ("pretrain", "lora", "qlora"))
    assert lora.optimizer[0] < 0.05 * full.optimizer[0]
    assert quantised.weights[0] < 0.3 * lora.weights[0]


def test_what_does_not_fit_comes_with_changes_that_do() -> None:
    work = Workload(tokens=1e9, seq_len=8192, batch_seqs=64)
    report = memory_report(given.LLAMA_8B, work, given.cluster(8), Layout(dp=8, micro=4), "nemo")
    assert not report.fits
    assert 1 <= len(report.changes) <= 3
    assert all(change.device_bytes < report.capacity_bytes for change in report.changes)
    times = [change.step_time_s for change in report.changes]
    assert times == sorted(times)


def test_what_fits_needs_no_change() -> None:
    work = Workload(tokens=1e9, seq_len=2048, batch_seqs=8)
    report = memory_report(
        given.LLAMA_8B, work, given.cluster(8), Layout(dp=8, shard="fsdp", recompute="full"), "torchtitan"
    )
    assert report.fits
    assert report.changes == ()
    assert sum(report.components.values()) == pytest.approx(report.device_bytes)
