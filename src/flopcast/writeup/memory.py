"""Does the job fit, in words: the layout and its fullest accelerator, and what would make a job fit that does not."""

from __future__ import annotations

from dataclasses import replace

from flopcast.describe import Layout
from flopcast.evidence import Estimate
from flopcast.step import simulate
from flopcast.units import show_bytes
from flopcast.writeup.plan import Plan

MOST_ACCELERATORS = 65_536
DEGREES = (
    ("tp", "tensor parallel {}"),
    ("pp", "pipeline of {}"),
    ("cp", "context parallel {}"),
    ("ep", "expert parallel {}"),
    ("dp", "data parallel {}"),
)
SHARDS = {"zero1": "ZeRO-1", "zero2": "ZeRO-2", "zero3": "ZeRO-3", "fsdp": "FSDP", "hsdp": "HSDP"}


def layout_words(layout: Layout) -> str:
    """`data parallel 64, ZeRO-1, micro-batch 8`; what is not used is left out.

    >>> layout_words(Layout(tp=8, dp=4, shard="zero1", recompute="full"))
    'tensor parallel 8, data parallel 4, ZeRO-1, micro-batch 1, full recomputation'
    """
    parts = [words.format(getattr(layout, name)) for name, words in DEGREES if getattr(layout, name) > 1]
    parts += [SHARDS[layout.shard]] if layout.shard in SHARDS else []
    parts.append(f"micro-batch {layout.micro}")
    if layout.recompute != "none":
        parts.append(f"{layout.recompute} recomputation")
    if layout.offload != "none":
        parts.append("optimizer in host memory")
    return ", ".join(parts)


def room_words(estimate: Estimate) -> str:
    """What the fullest accelerator holds of its memory, in which layout; nothing where nothing was simulated."""
    forecast = estimate.forecast
    if forecast is None:
        sold = estimate.job.cluster.accelerator.memory_bytes
        return f"{show_bytes(sold, binary=True)} each; use of it not forecast" if sold else "memory not known"
    held = show_bytes(forecast.memory.device_bytes, binary=True)
    capacity = show_bytes(forecast.memory.capacity_bytes, binary=True)
    if forecast.memory.fits:
        return f"fits: {held} of {capacity} on the fullest"
    measured = " by the step model, though it was run" if estimate.job.measured is not None else ""
    return f"does not fit{measured}: the fullest would hold {held} of its {capacity}"


def does_not_fit(planned: Plan) -> str:
    """The warning at the top of a brief whose request does not fit, with what would make it; else nothing."""
    forecast = planned.estimate.forecast
    if planned.fits or forecast is None:
        return ""
    held = show_bytes(forecast.memory.device_bytes, binary=True)
    capacity = show_bytes(forecast.memory.capacity_bytes, binary=True)
    ways = [change.what for change in forecast.memory.changes]
    count = least_count(planned.estimate)
    if count is not None:
        ways.append(f"{count:,} x {planned.estimate.job.cluster.accelerator.name}")
    remedy = (
        f"It would fit with {' or '.join(ways)}." if ways else "No number of these accelerators was found to hold it."
    )
    return (
        f"This plan does not fit: on {planned.name} the fullest accelerator would hold {held} of its {capacity}. "
        f"{remedy} Hours and money below hold only once it is made to fit."
    )


def least_count(estimate: Estimate) -> int | None:
    """The fewest accelerators, by doubling, on which a layout fits; None where none does."""
    job, forecast = estimate.job, estimate.forecast
    count = job.cluster.count * 2
    while forecast is not None and count <= MOST_ACCELERATORS:
        cluster = replace(job.cluster, count=count)
        if simulate(job.network, job.workload, cluster, stack=forecast.stack).memory.fits:
            return count
        count *= 2
    return None
