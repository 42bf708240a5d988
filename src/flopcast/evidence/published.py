"""The published method: the nearest measured runs, scaled to the job by FLOP, peak, accelerators and context."""

from __future__ import annotations

from math import exp, log

from flopcast.describe import Job, MethodAnswer, Range
from flopcast.evidence.flop import JobFlop
from flopcast.evidence.rule import answer, compute_time_s
from flopcast.evidence.similar import Similar, around, describe, short, target_of
from flopcast.run.scale import utilisation_kept
from flopcast.units import show_fraction


def scaled_mfu(job_count: int, run_count: int, mfu: float) -> float:
    """A run's utilisation on another number of accelerators: scale loses, and going back does not win it back whole."""
    if job_count >= run_count:
        return mfu * utilisation_kept(job_count / run_count).expected
    return mfu / utilisation_kept(run_count / job_count).expected


def published_mfu(similar: Similar, *, count: int, in_work: bool) -> Range:
    """Weighted geometric mean of the nearest runs, scaled to `count` accelerators; ends as far as the backtest says."""
    scaled = [
        (min(0.95, scaled_mfu(count, point.count, point.mfu_work if in_work else point.mfu_6n)), weight)
        for point, _, weight in similar.nearest
    ]
    total = sum(weight for _, weight in scaled)
    middle = exp(sum(weight * log(mfu) for mfu, weight in scaled) / total)
    return around(middle, similar.nearest[0][1])


def by_published(job: Job, flop: JobFlop, similar: Similar) -> MethodAnswer:
    """The answer of the nearest published runs."""
    in_work = target_of(job).in_work
    mfu = published_mfu(similar, count=job.cluster.count, in_work=in_work)
    amount = flop.work if in_work else flop.by_convention["6n"]
    time = mfu.inverse(
        compute_time_s(flop=amount, peak_flop_per_s=job.peak_flop_per_s, mfu_fraction=1.0, count=job.cluster.count)
    )
    first, _, _ = similar.nearest[0]
    used = first.mfu_work if in_work else first.mfu_6n
    others = len(similar.nearest) - 1
    why = f"nearest is {describe(first)}: {show_fraction(used)} of peak"
    why += f"; with {others} more, scaled to {job.cluster.count:,}" if others else ""
    evidence = tuple({**short(point), "distance": gap, "weight": weight} for point, gap, weight in similar.nearest)
    return answer(job, flop, method="published", time=time, why=why, evidence=evidence)
