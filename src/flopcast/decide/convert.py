"""What a cluster is worth in accelerators of another kind, at equal utilisation."""

from __future__ import annotations

from dataclasses import dataclass

from flopcast import facts
from flopcast.describe import Accelerator, Cluster, TraceStep


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversion:
    """`accelerators_equivalent` of the target do the work of the cluster at equal utilisation."""

    accelerators: int
    accelerators_equivalent: float
    accelerator_hours: float | None
    peak_ratio: float
    trace: tuple[TraceStep, ...]


def convert(
    *, cluster: Cluster, peak: float, target: Accelerator, target_peak: float, hours: float | None
) -> Conversion:
    """Converts by dense peak; raises nothing.

    peak, target_peak: of one part, same precision or the 16-bit matrix rate of each [FLOP/s]; hours: of use [h].
    equivalent = count x peak / target peak; hours of the target = equivalent x hours.
    """
    equivalent = cluster.count * peak / target_peak
    inputs: dict[str, float | str] = {"count": cluster.count, "peak FLOP/s": peak, "target peak FLOP/s": target_peak}
    source = facts.cite(" ".join(dict.fromkeys(f"{cluster.accelerator.source} {target.source}".split())))
    lines = [
        TraceStep(
            quantity=f"{target.name} equivalents",
            formula="count x peak / target peak",
            inputs=inputs,
            value=equivalent,
            unit="accelerators",
            source=source,
        )
    ]
    if hours is not None:
        lines.append(
            TraceStep(
                quantity=f"{target.name} hours",
                formula="equivalents x hours",
                inputs={"equivalents": equivalent, "hours": hours},
                value=equivalent * hours,
                unit="h",
            )
        )
    return Conversion(
        accelerators=cluster.count,
        accelerators_equivalent=equivalent,
        accelerator_hours=None if hours is None else equivalent * hours,
        peak_ratio=peak / target_peak,
        trace=tuple(lines),
    )
