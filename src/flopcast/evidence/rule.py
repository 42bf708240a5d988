"""The rule: FLOP / (peak x utilisation x accelerators), the utilisation given or taken from runs in print."""

from __future__ import annotations

from flopcast.describe import Job, MethodAnswer, Range
from flopcast.evidence.flop import JobFlop
from flopcast.evidence.similar import Prior
from flopcast.units import show_flop_per_s, show_fraction, show_number

HOUR_S = 3600.0


def compute_time_s(*, flop: float, peak_flop_per_s: float, mfu_fraction: float, count: int) -> float:
    """Time to do `flop` on `count` accelerators at a utilisation of their peak [s].

    flop: model FLOP [FLOP]; peak_flop_per_s: of one accelerator [FLOP/s]; mfu_fraction: above 0, at most 1 [unitless].

    >>> round(compute_time_s(flop=6 * 1e9 * 1e9, peak_flop_per_s=312e12, mfu_fraction=1, count=1), 1)
    19230.8
    """
    return flop / (peak_flop_per_s * mfu_fraction * count)


def by_rule(job: Job, flop: JobFlop, prior: Prior | None) -> MethodAnswer | None:
    """The rule's answer; None where no utilisation is given and no run in print is like the job."""
    given = job.mfu_fraction
    if given is None and job.achieved_flop_per_s is not None:
        share = flop.model / flop.hardware if job.achieved_is_hardware else 1.0
        given = job.achieved_flop_per_s / job.peak_flop_per_s * share
    if given is not None:
        used, amount = Range.exact(given), flop.model
        said = f"{show_flop_per_s(job.achieved_flop_per_s or given * job.peak_flop_per_s)} an accelerator, as given"
        if job.achieved_is_hardware:
            said += f" with recomputation ({show_number(flop.hardware / flop.model)} times the model FLOP)"
        why = f"{show_fraction(given)} of {show_flop_per_s(job.peak_flop_per_s)} ({flop.convention}), {said}"
    elif prior is not None:
        used, amount = prior.mfu, flop.work
        why = f"{show_fraction(used.expected, 2)} of peak, as {prior.why}"
    else:
        return None
    time = Range(
        low=compute_time_s(
            flop=amount, peak_flop_per_s=job.peak_flop_per_s, mfu_fraction=used.high, count=job.cluster.count
        ),
        expected=compute_time_s(
            flop=amount, peak_flop_per_s=job.peak_flop_per_s, mfu_fraction=used.expected, count=job.cluster.count
        ),
        high=compute_time_s(
            flop=amount, peak_flop_per_s=job.peak_flop_per_s, mfu_fraction=used.low, count=job.cluster.count
        ),
    )
    return answer(job, flop, method="rule", time=time, why=why)


def answer(
    job: Job, flop: JobFlop, *, method: str, time: Range, why: str, evidence: tuple[dict[str, float | str], ...] = ()
) -> MethodAnswer:
    """A method's answer from its compute time: utilisation in the job's convention, accelerator hours, cost."""
    mfu = time.inverse(flop.model / (job.peak_flop_per_s * job.cluster.count))
    hours = time * (job.cluster.count / HOUR_S)
    return MethodAnswer(
        method=method,
        mfu_fraction=mfu,
        compute_time_s=time,
        accelerator_hours=hours,
        cost_usd=_cost(job, hours),
        why=why,
        evidence=evidence,
    )


def _cost(job: Job, hours: Range) -> Range | None:
    """What the hours cost: hours x price; a bill is a price once the hours it paid for are known."""
    if job.bill_usd is not None:
        paid_hours = job.measured.compute_time_s * job.cluster.count / HOUR_S if job.measured else hours.expected
        return hours * (job.bill_usd / paid_hours)
    if job.price is None:
        return None
    price = Range(
        low=job.price.low_usd_per_accelerator_h,
        expected=job.price.usd_per_accelerator_h,
        high=job.price.high_usd_per_accelerator_h,
    )
    return hours.times(price)
