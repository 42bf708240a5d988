"""Failures, checkpoints and goodput: what part of the time on the machine moves the training forward."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot, sqrt

from flopcast import facts
from flopcast.describe import Assumption, Range, TraceStep

HOUR_S = 3600.0
LEAST_GOODPUT = 0.01  # below, failures come faster than checkpoints: no calendar is worth printing
# lost per interruption beyond half a checkpoint interval: detection, replacement, start, load
RESTART_S = Range(low=300.0, expected=0.1 * 54 * 86400 / 466, high=HOUR_S)
RESTART_SOURCE = (
    "expected: at most 10 % of 54 days over 466 interruptions (arXiv 2407.21783); low and high are assumed: "
    "automatic restart, and a hang that a person must notice"
)
# calendar over compute beyond failures: start-up, evaluation, data stalls, slow nodes, pauses
STALLS = Range(low=1.0, expected=1.1, high=1.16)
STALLS_SOURCE = (
    "low: Llama 3 405B, over 90 % effective with its failures (arXiv 2407.21783); expected: days over ideal days of BLOOM-176B, "
    "1.13, less its failures (bigscience tr11 log); high: SmolLM3, nearly 30 days for 23.7, less its restart (training report)"
)
# bytes per second that one node writes: 2.3 TB in 40 s from 48 nodes, and 207 GB in 84 s from 2 nodes, both 1.2 GB/s
WRITE_BYTES_PER_S_PER_NODE = 2.3e12 / 40 / 48
WRITE_SOURCE = "BLOOM-176B: 2.3 TB in 40 s from 48 nodes (bigscience tr11 log)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Goodput:
    """Share of wall time that advances the training, and what makes it: all ranges are 80 % intervals."""

    fraction: Range
    failures: Range
    mtbf_s: Range
    checkpoint_save_s: float
    checkpoint_interval_s: float
    trace: tuple[TraceStep, ...]
    assumptions: tuple[Assumption, ...]


def mean_time_between_failures_s(*, rate_per_accelerator_h: float, count: int) -> float:
    """Mean time between interruptions of a job [s], interruptions being independent between accelerators.

    rate_per_accelerator_h: interruptions of one accelerator in an hour [1/h]; count: accelerators of the job.
    MTBF = 1 / (rate x count). Large jobs fail more often than this where one fault stops many nodes.

    >>> round(mean_time_between_failures_s(rate_per_accelerator_h=1 / 50_000, count=512) / 3600, 2)
    97.66
    """
    return HOUR_S / (rate_per_accelerator_h * count)


def expected_failures(*, rate_per_accelerator_h: float, accelerator_hours: float) -> float:
    """Expected number of interruptions in so many accelerator hours.

    >>> round(expected_failures(rate_per_accelerator_h=1 / 50_000, accelerator_hours=512 * 30 * 24), 2)
    7.37
    """
    return rate_per_accelerator_h * accelerator_hours


def best_checkpoint_interval_s(*, save_time_s: float, mtbf_s: float) -> float:
    """Checkpoint interval that loses least time [s]: Young's first-order sqrt(2 x save x MTBF).

    save_time_s: time that training stands still for one save [s]; mtbf_s: mean time between failures [s].
    Valid while the save is much shorter than the MTBF (Young 1974; Daly 2006 gives the higher orders).

    >>> round(best_checkpoint_interval_s(save_time_s=40, mtbf_s=168 * 3600) / 3600, 2)
    1.93
    """
    return sqrt(2 * save_time_s * mtbf_s)


def goodput_fraction(*, save_time_s: float, interval_s: float, mtbf_s: float, restart_s: float) -> float:
    """Expected share of wall time that advances the training, from 0 to 1.

    (1 - (restart + interval / 2) / MTBF) / (1 + save / interval): each failure costs the restart and, on average, half an
    interval of lost work; each interval pays one save. First order in interval / MTBF (arXiv 2410.21680, section on the
    effective training time ratio); never below zero.
    """
    lost_to_failures = (restart_s + interval_s / 2) / mtbf_s
    return max(0.0, 1 - lost_to_failures) / (1 + save_time_s / interval_s)


def goodput(*, count: int, nodes: int, checkpoint_bytes: float, accelerator_hours: Range) -> Goodput:
    """Goodput of a job on `count` accelerators in `nodes` nodes, checkpointed at the best interval for expected rates.

    checkpoint_bytes: size of one full checkpoint [B]; accelerator_hours: compute only [h].
    """
    rate, published = facts.failure_rate_per_accelerator_h()
    source = facts.cite(" ".join(dict.fromkeys(row.source for row in published)))
    save = checkpoint_bytes / (WRITE_BYTES_PER_S_PER_NODE * max(1, nodes))
    mtbf = rate.inverse(HOUR_S / count)
    longest = accelerator_hours.expected / count * HOUR_S
    interval = max(save, min(best_checkpoint_interval_s(save_time_s=save, mtbf_s=mtbf.expected), longest))
    fraction = _goodput_range(save, interval, mtbf)
    return Goodput(
        fraction=fraction,
        failures=rate.times(accelerator_hours),
        mtbf_s=mtbf,
        checkpoint_save_s=save,
        checkpoint_interval_s=interval,
        trace=_trace(count, save, interval, mtbf.expected, fraction.expected, rate.expected, source),
        assumptions=_assumptions(fraction, rate.expected, source),
    )


def _goodput_range(save: float, interval: float, mtbf: Range) -> Range:
    """Goodput over the ranges of failure rate, restart time and stalls, whose spreads add in squares."""

    def lost(mtbf_s: float, restart_s: float) -> float:
        kept = goodput_fraction(save_time_s=save, interval_s=interval, mtbf_s=mtbf_s, restart_s=restart_s)
        return 1 - kept

    middle = lost(mtbf.expected, RESTART_S.expected)
    worse = hypot(lost(mtbf.low, RESTART_S.expected) - middle, lost(mtbf.expected, RESTART_S.high) - middle)
    better = hypot(lost(mtbf.high, RESTART_S.expected) - middle, lost(mtbf.expected, RESTART_S.low) - middle)
    expected = max(LEAST_GOODPUT, 1 - middle)
    kept = Range(
        low=max(LEAST_GOODPUT, 1 - middle - worse), expected=expected, high=max(expected, min(1.0, 1 - middle + better))
    )
    return kept.times(STALLS.inverse())


def _trace(
    count: int, save: float, interval: float, mtbf: float, fraction: float, rate: float, source: str
) -> tuple[TraceStep, ...]:
    return (
        TraceStep(
            quantity="time between failures",
            formula="1 / (rate x accelerators)",
            inputs={"rate per accelerator hour": rate, "accelerators": count},
            value=mtbf,
            unit="s",
            source=source,
        ),
        TraceStep(
            quantity="checkpoint interval",
            formula="sqrt(2 x save time x time between failures)",
            inputs={"save time s": save, "time between failures s": mtbf},
            value=interval,
            unit="s",
            source=f"Young 1974; {WRITE_SOURCE}",
        ),
        TraceStep(
            quantity="goodput",
            formula="(1 - (restart + interval / 2) / time between failures) / (1 + save time / interval) / stalls",
            inputs={
                "restart s": RESTART_S.expected,
                "interval s": interval,
                "save time s": save,
                "stalls": STALLS.expected,
            },
            value=fraction,
            unit="fraction",
            source=f"arXiv 2410.21680; stalls {STALLS_SOURCE}",
        ),
    )


def _assumptions(fraction: Range, published_rate: float, source: str) -> tuple[Assumption, ...]:
    spread = fraction.high / max(fraction.low, 1e-3) - 1
    rate = Assumption(
        name="failure rate",
        value=1 / published_rate,
        unit="accelerator hours to a failure",
        source=source,
        effect=f"goodput {100 * fraction.low:.3g} to {100 * fraction.high:.3g} %",
        weight=spread,
    )
    restart = Assumption(
        name="restart time",
        value=RESTART_S.expected,
        unit="s",
        source=RESTART_SOURCE,
        effect="lost at each interruption, with half a checkpoint interval",
        weight=spread / 4,
    )
    stalls = Assumption(
        name="stalls",
        value=STALLS.expected,
        unit="of the compute time",
        source=STALLS_SOURCE,
        effect="start-up, evaluation, data, slow nodes: the calendar and the whole budget grow by it, the first cost does not",
        weight=STALLS.high / STALLS.low - 1,
    )
    return rate, restart, stalls
