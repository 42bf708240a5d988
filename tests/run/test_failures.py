"""Failures, checkpoints, goodput: hand-worked numbers, limits, properties, an independent simulation."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flopcast.describe import Range
from flopcast.run import (
    best_checkpoint_interval_s,
    expected_failures,
    goodput,
    goodput_fraction,
    mean_time_between_failures_s,
)

HOUR = 3600.0


def test_published_case_of_failures_in_a_month() -> None:
    """512 GPUs, 30 days, one failure in 50,000 GPU hours."""
    assert expected_failures(rate_per_accelerator_h=1 / 50_000, accelerator_hours=512 * 30 * 24) == pytest.approx(
        7.4, rel=0.05
    )


def test_one_failure_a_week_on_384() -> None:
    mtbf = mean_time_between_failures_s(rate_per_accelerator_h=1 / 64_512, count=384)
    assert mtbf == pytest.approx(7 * 24 * HOUR, rel=1e-3)


def test_young_interval_by_hand() -> None:
    assert best_checkpoint_interval_s(save_time_s=40, mtbf_s=168 * HOUR) == pytest.approx(sqrt(2 * 40 * 168 * HOUR))
    assert best_checkpoint_interval_s(save_time_s=40, mtbf_s=168 * HOUR) / HOUR == pytest.approx(1.93, rel=0.05)


def test_no_failures_cost_only_the_saves() -> None:
    kept = goodput_fraction(save_time_s=10, interval_s=990, mtbf_s=1e15, restart_s=600)
    assert kept == pytest.approx(0.99)


@given(
    save=st.floats(1, 300),
    restart=st.floats(0, 3600),
    mtbf=st.floats(24 * HOUR, 1000 * HOUR),
    worse=st.floats(1.1, 5),
)
def test_more_failures_longer_saves_and_restarts_never_help(
    save: float, restart: float, mtbf: float, worse: float
) -> None:
    interval = best_checkpoint_interval_s(save_time_s=save, mtbf_s=mtbf)
    base = goodput_fraction(save_time_s=save, interval_s=interval, mtbf_s=mtbf, restart_s=restart)
    assert 0 <= base <= 1
    assert goodput_fraction(save_time_s=save, interval_s=interval, mtbf_s=mtbf / worse, restart_s=restart) <= base
    assert goodput_fraction(save_time_s=save * worse, interval_s=interval, mtbf_s=mtbf, restart_s=restart) <= base
    assert goodput_fraction(save_time_s=save, interval_s=interval, mtbf_s=mtbf, restart_s=restart * worse) <= base


@given(save=st.floats(5, 120), mtbf=st.floats(20 * HOUR, 300 * HOUR), off=st.sampled_from([0.4, 0.6, 1.6, 2.5]))
def test_the_interval_is_the_best_one(save: float, mtbf: float, off: float) -> None:
    interval = best_checkpoint_interval_s(save_time_s=save, mtbf_s=mtbf)
    best = goodput_fraction(save_time_s=save, interval_s=interval, mtbf_s=mtbf, restart_s=300)
    other = goodput_fraction(save_time_s=save, interval_s=interval * off, mtbf_s=mtbf, restart_s=300)
    assert best >= other - 1e-4


def simulated_goodput(save: float, interval: float, mtbf: float, restart: float, work: float, seed: int) -> float:
    """Useful over wall time of one job, event by event: an oracle that shares no formula with the product."""
    rng = np.random.default_rng(seed)
    wall = done = 0.0
    while done < work:
        failure, since = rng.exponential(mtbf), 0.0
        while done < work:
            step = min(interval, work - done)
            if since + step + save > failure:
                wall += failure + restart
                break
            since += step + save
            done += step
        else:
            wall += since
    return done / wall


def test_agrees_with_an_event_simulation() -> None:
    save, mtbf, restart = 30.0, 40 * HOUR, 900.0
    interval = best_checkpoint_interval_s(save_time_s=save, mtbf_s=mtbf)
    runs = [simulated_goodput(save, interval, mtbf, restart, 4000 * HOUR, seed) for seed in range(20)]
    said = goodput_fraction(save_time_s=save, interval_s=interval, mtbf_s=mtbf, restart_s=restart)
    assert said == pytest.approx(float(np.mean(runs)), rel=0.01)


def test_llama_3_goodput_is_above_what_its_paper_says() -> None:
    """Over 90 % effective time on 16,384 H100 (arXiv 2407.21783): the 80 % interval holds it."""
    good = goodput(count=16384, nodes=2048, checkpoint_bytes=14 * 405e9, accelerator_hours=Range.exact(16384 * 54 * 24))
    assert good.fraction.low < 0.90 < good.fraction.high
    assert good.failures.low < 419 < good.failures.high
    assert good.mtbf_s.expected == pytest.approx(3.1 * HOUR, rel=0.05)
