"""The asker's own measurement: a step time, a throughput or a whole run, taken as the truth about this job."""

from __future__ import annotations

from flopcast.describe import Job, MethodAnswer, Range
from flopcast.evidence.flop import JobFlop
from flopcast.evidence.rule import answer
from flopcast.evidence.sanity import check_utilisation
from flopcast.run.scale import SCALE_SOURCE, utilisation_kept
from flopcast.units import show_count, show_duration, show_number


def by_measurement(job: Job, flop: JobFlop) -> tuple[MethodAnswer, tuple[str, ...]] | None:
    """The answer and its warnings; None where nothing was measured. Raises BadInput above the peak."""
    if job.measured is None:
        return None
    measured = job.measured
    time = Range.exact(measured.compute_time_s)
    mfu = flop.model / (measured.compute_time_s * job.peak_flop_per_s * job.cluster.count)
    warnings = check_utilisation(job, mfu, where="measured", given=measured.as_typed)
    said = f"{measured.as_typed}, as measured: {show_count(measured.tokens_per_s / job.cluster.count)} tokens/s an accelerator"
    if measured.step_time_s is not None and job.workload.updates:
        said += f", {show_count(job.workload.updates)} updates of {show_duration(measured.step_time_s)}"
    return answer(job, flop, method="measured", time=time, why=said), warnings


def by_likeness(job: Job, flop: JobFlop, like: Job, like_flop: JobFlop) -> MethodAnswer | None:
    """Another job that the asker measured, scaled to this one: by FLOP, by peak, by accelerators less what scale costs.

    Attention is in the ratio of FLOP where both networks are counted; a bare parameter count knows only 6 N.
    """
    if like.measured is None:
        return None
    both = "causal" in flop.by_convention and "causal" in like_flop.by_convention
    work = flop.work / like_flop.work if both else flop.by_convention["6n"] / like_flop.by_convention["6n"]
    peaks = job.peak_flop_per_s / like.peak_flop_per_s
    counts = job.cluster.count / like.cluster.count
    kept = utilisation_kept(counts)
    ideal = like.measured.compute_time_s * work / peaks / counts
    time = kept.inverse(ideal)
    parts = [f"{show_number(work)} times the FLOP"]
    if peaks != 1:
        parts.append(f"{show_number(peaks)} times the peak")
    if counts != 1:
        parts.append(f"{show_number(counts)} times the accelerators")
    if counts > 1:
        parts.append(
            f"{show_number(100 * kept.low)} to {show_number(100 * kept.high)} % of the utilisation kept ({SCALE_SOURCE})"
        )
    why = f"{like.measured.as_typed} of {like.network.name} on {like.cluster.asked_as}, scaled: {', '.join(parts)}"
    return answer(job, flop, method="measured", time=time, why=why)
