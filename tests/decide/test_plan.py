"""Plans: sorted, fitting, the same as trying each layout alone; why not another; exit codes."""

from __future__ import annotations

import pytest

from flopcast import ask
from flopcast.cli.app import run
from flopcast.decide.plan import best_plans
from flopcast.describe import Question
from flopcast.step import simulate

JOB = ask.resolve(Question(model="llama-3.1-8b", tokens="1T", on="64xH100", seq_len="8k", batch="512"))


def test_fastest_first_and_all_fit() -> None:
    answer = best_plans(JOB, stack="torchtitan", keep=10)
    times = [plan.step_time_s for plan in answer.plans]
    assert times == sorted(times) and len(times) > 1
    assert all(plan.memory.fits for plan in answer.plans)
    assert answer.fitting <= answer.evaluated


def test_each_plan_is_what_its_layout_gives_alone() -> None:
    for plan in best_plans(JOB, stack="megatron-core", keep=3).plans:
        alone = simulate(JOB.network, JOB.workload, JOB.cluster, plan.layout, "megatron-core")
        assert alone.step_time_s.expected == pytest.approx(plan.step_time_s, rel=1e-6)


def test_the_estimate_takes_the_best_plan() -> None:
    best = best_plans(JOB, stack=None).plans[0]
    assert simulate(JOB.network, JOB.workload, JOB.cluster).step_time_s.expected == pytest.approx(best.step_time_s)


def test_pinned_parts_are_kept(ask_json) -> None:
    got = ask_json("plan", "llama-3.1-70b", "--on", "64xH100", "--layout", "tp=8,recompute=full")
    assert {plan["layout"]["tp"] for plan in got["plans"]} == {8}
    assert {plan["layout"]["recompute"] for plan in got["plans"]} == {"full"}


def test_why_not_another(ask_json) -> None:
    got = ask_json("plan", "llama-3.1-70b", "--on", "64xH100", "--why-not", "tp=2,pp=2")
    assert "does not fit" in got["why_not"]
    slower = ask_json("plan", "llama-3.1-8b", "--on", "64xH100", "--why-not", "tp=8,pp=4,shard=zero1,recompute=full")
    assert "slower" in slower["why_not"]


def test_nothing_fits_is_exit_1_with_the_nearest(ask_json) -> None:
    got = ask_json("plan", "405B", "--on", "8xA100", code=1)
    assert got["plans"] == [] and got["nearest"]["memory"]["fits"] is False


@pytest.mark.parametrize(
    "words",
    [["plan", "7B"], ["plan", "mamba-2.8b", "--on", "8xH100"], ["plan", "7B", "--on", "8xH100", "--why-not", "tp=3"]],
)
def test_bad_words(words: list[str]) -> None:
    assert run(words) == 2
