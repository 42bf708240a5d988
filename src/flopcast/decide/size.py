"""How many accelerators finish a job by a deadline, and how likely they do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, erf, log, sqrt

from flopcast.describe import Range
from flopcast.evidence import Estimate

NODE = 8
MOST = 131_072
# spare nodes that large runs kept: 12 of 128 (OPT-175B log), 4 of 52 (BLOOM log)
SPARE_FRACTION = (12 / 128 + 4 / 52) / 2
SPARE_SOURCE = "12 of 128 nodes (OPT-175B log) and 4 of 52 (BLOOM log)"
TENTH = 1.2815515655446004  # standard deviations to the 10th and 90th percentile


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizing:
    """Accelerators for a deadline: `count` for even odds, `sure_count` for nine in ten; None where even MOST do not do.

    `estimate` is that of `count`; probability is that it meets the deadline.
    """

    count: int | None
    sure_count: int | None
    spares: int
    estimate: Estimate | None
    probability: float
    tried_most: Estimate


def probability_within(time_s: Range, deadline_s: float) -> float:
    """Probability that a time is within the deadline, log-normal through the range's ends.

    >>> round(probability_within(Range(low=1.0, expected=2.0, high=4.0), 4.0), 2)
    0.9
    """
    if time_s.is_exact:
        return float(time_s.expected <= deadline_s)
    end = time_s.high if deadline_s >= time_s.expected else time_s.low
    spread = abs(log(end / time_s.expected)) / TENTH
    if spread == 0:
        return float(time_s.expected <= deadline_s)
    return 0.5 * (1 + erf(log(deadline_s / time_s.expected) / spread / sqrt(2)))


def size_for(estimate_of: Callable[[int], Estimate], *, deadline_s: float, start: int = NODE) -> Sizing:
    """The smallest counts, in whole nodes, whose expected and whose 90 % calendar time meet the deadline.

    estimate_of: count -> estimate; called about thirty times; its calendar time falls with the count.
    """
    cache: dict[int, Estimate] = {}

    def of(count: int) -> Estimate:
        if count not in cache:
            cache[count] = estimate_of(count)
        return cache[count]

    count = _smallest(lambda n: of(n).calendar_time_s.expected <= deadline_s, start)
    sure = _smallest(lambda n: of(n).calendar_time_s.high <= deadline_s, count) if count else None
    return Sizing(
        count=count,
        sure_count=sure,
        spares=ceil((count or 0) * SPARE_FRACTION / NODE) * NODE if (count or 0) >= NODE else 0,
        estimate=of(count) if count else None,
        probability=probability_within(of(count).calendar_time_s, deadline_s) if count else 0.0,
        tried_most=of(MOST) if count is None else of(count),
    )


def _smallest(meets: Callable[[int], bool], start: int) -> int | None:
    """The smallest count that meets, by doubling and then halving the gap; whole nodes above one node."""
    high = start
    while not meets(high):
        high *= 2
        if high > MOST:
            return None
    low = high // 2
    step = NODE if high > NODE else 1
    while high - low > step:
        middle = low + max(step, (high - low) // 2 // step * step)
        if middle >= high:
            break
        if meets(middle):
            high = middle
        else:
            low = middle
    return high
