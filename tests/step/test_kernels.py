"""Times of kernels, collectives and schedules against figures worked by hand."""

import numpy as np
import pytest
from tests.step import plans_for_tests as given

from flopcast.step import collectives, kernels, pipeline


def test_product_without_overheads_is_flop_over_rate() -> None:
    time = kernels.gemm_time_s(m=1024.0, n=2048.0, k=4096.0, rate=1e12, m0=0.0, n0=0.0, k0=0.0, launch_s=0.0)
    assert time == pytest.approx(2 * 1024 * 2048 * 4096 / 1e12)


def test_product_at_its_half_sizes_takes_four_times_as_long() -> None:
    time = kernels.gemm_time_s(m=64.0, n=128.0, k=256.0, rate=1e12, m0=64.0, n0=128.0, k0=256.0, launch_s=1e-6)
    assert time == pytest.approx(1e-6 + 4 * 2 * 64 * 128 * 256 / 1e12)


@pytest.mark.parametrize(
    ("window", "causal", "keys"), [(0, 0, 4096), (0, 1, 2048), (1024, 0, 1024), (1024, 1, 896), (9999, 1, 2048)]
)
def test_keys_that_a_query_sees(window: float, causal: float, keys: float) -> None:
    seen = kernels.keys_per_query(seq=np.float64(4096), window=np.float64(window), causal=np.float64(causal))
    assert seen == keys


def test_windowed_causal_keys_by_counting() -> None:
    seq, window = 64, 16
    counted = np.mean([min(i + 1, window) for i in range(seq)])
    seen = kernels.keys_per_query(seq=np.float64(seq), window=np.float64(window), causal=np.float64(1))
    assert seen == pytest.approx(counted, rel=0.04)


def test_smooth_maximum_lies_between_maximum_and_sum() -> None:
    a, b = np.array([1.0, 5.0, 0.0]), np.array([1.0, 1.0, 3.0])
    both = kernels.soft_max(a, b)
    assert (both >= np.maximum(a, b) - 1e-12).all()
    assert (both <= a + b).all()


def test_gather_of_one_rank_is_free() -> None:
    time = collectives.gather_time_s(full_bytes=1e9, group=np.float64(1), bytes_per_s=1e9, latency_s=1.0)
    assert time == 0


def test_all_reduce_moves_twice_the_bytes() -> None:
    args = {"group": np.float64(4), "bytes_per_s": 1e9, "latency_s": 0.0}
    once, twice = (f(full_bytes=1e9, **args) for f in (collectives.gather_time_s, collectives.all_reduce_time_s))
    assert (once, twice) == (pytest.approx(0.75), pytest.approx(1.5))


def test_network_cards_of_a_node_work_together() -> None:
    chip = given.batch_of([given.plan(dp=64)])[3]
    alone, eight = (
        collectives.bus_bytes_per_s(chip, group=np.float64(g), span=np.float64(64), link=1.0, net=1.0)[0]
        for g in (8, 64)
    )
    assert alone == pytest.approx(50e9)
    assert eight == pytest.approx(min(8 * 50e9, chip.link_bytes_per_s[0]))


def test_a_token_is_sent_once_to_each_node() -> None:
    assert collectives.sent_share(copies=np.float64(8), domains=np.float64(1)) == pytest.approx(1 / 8)
    assert collectives.sent_share(copies=np.float64(2), domains=np.float64(1e6)) == pytest.approx(1.0, rel=1e-5)


def test_bubble_of_1f1b_and_interleaved() -> None:
    plain, chunked = (given.batch_of([given.plan(pp=4, vpp=v)])[2] for v in (1, 4))
    assert pipeline.fill_stages(plain)[0] == 3
    assert pipeline.fill_stages(chunked)[0] == pytest.approx(3 / 4)


def test_interleaving_holds_more_micro_batches() -> None:
    degrees = given.batch_of([given.plan(pp=8, vpp=2)])[2]
    assert pipeline.held_micro_batches(degrees, np.array([64.0]))[0] == pytest.approx(8 * (1 + 7 / 16))


def test_gpipe_holds_all_micro_batches() -> None:
    degrees = given.batch_of([given.plan(pp=8, schedule="gpipe")])[2]
    assert pipeline.held_micro_batches(degrees, np.array([64.0]))[0] == 64


@pytest.mark.parametrize("better", ["zero-bubble", "dualpipe"])
def test_better_schedules_shrink_the_bubble(better: str) -> None:
    usual, shrunk = (given.seconds(given.plan(pp=8, schedule=s)) for s in ("1f1b", better))
    assert shrunk < usual
