"""Refuses the impossible: a utilisation above the peak, with the slips that would explain it."""

from __future__ import annotations

import re

from flopcast.describe import Job
from flopcast.errors import BadInput, Problem
from flopcast.units import show_flop_per_s, show_fraction

WARN_ABOVE = 0.75  # few of the shipped runs are above, by 6n: packed BERT and one TPU recipe
_OF_UPDATES = re.compile(r"\b(?:it|iter|iteration|step|batch|batche)s?\b|[\d.]it\b", re.IGNORECASE)


def check_utilisation(job: Job, mfu_fraction: float, *, where: str, given: str) -> tuple[str, ...]:
    """Raises BadInput where a measured utilisation is above 1; warns above 0.75 and below 1 %."""
    if mfu_fraction > 1 + 1e-9:
        raise BadInput(
            Problem(
                where=where,
                given=given,
                allowed=f"a figure that {job.cluster.accelerator.name} can reach: it would be {show_fraction(mfu_fraction)} "
                f"of the dense {job.workload.precision} peak of {job.cluster.count:,} ({show_flop_per_s(job.peak_flop_per_s)} each)",
                hint="; ".join(likely_causes(job, mfu_fraction)),
            )
        )
    if mfu_fraction > WARN_ABOVE:
        return (
            f"{show_fraction(mfu_fraction)} of peak is above nearly all runs in print; check tokens, time and chip",
        )
    if mfu_fraction < 0.01:
        return (f"{show_fraction(mfu_fraction)} of peak: is the rate that of one accelerator, taken for all?",)
    return ()


def likely_causes(job: Job, mfu_fraction: float) -> list[str]:
    """Slips that bring the utilisation below 1, most likely first."""
    chip, causes = job.cluster.accelerator, []
    count = job.cluster.count
    whole = job.measured is not None and job.measured.is_whole_run
    if job.measured is not None and _OF_UPDATES.search(job.measured.as_typed):
        causes.append("an `it` or step that is a micro-batch: progress bars count before gradient accumulation")
    if count > 1 and mfu_fraction / count <= 1 and not whole:
        share = show_fraction(mfu_fraction / count)
        causes.append(f"a total over {count:,} accelerators taken as the rate of one ({share} if so)")
    if chip.cores > 1 and mfu_fraction / chip.cores <= 1:
        causes.append(f"cores counted as chips, or the reverse: {chip.name} has {chip.cores} cores")
    if chip.devices > 1 and mfu_fraction / chip.devices <= 1:
        causes.append(f"devices counted as parts: {chip.name} shows {chip.devices} devices")
    if mfu_fraction / 3 <= 1:
        causes.append("the throughput of a forward pass (inference, evaluation), about three times that of training")
    lower = {name: peak for name, peak in chip.peak_flop_per_s.items() if peak > job.peak_flop_per_s * mfu_fraction}
    if lower:
        name = min(lower, key=lambda key: lower[key])
        causes.append(f"another precision: {name} peaks at {show_flop_per_s(lower[name])}")
    if mfu_fraction <= 2:
        causes.append("a peak with 2:4 sparsity, twice the dense one, behind the figure")
    causes.append("another chip, or tokens that include repeats or padding")
    return causes[:3]
