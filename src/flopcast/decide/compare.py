"""One job on several clusters: which is cheapest, which is fastest, which is neither."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flopcast.evidence import Estimate


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Estimates in the order asked; indexes of the cheapest and the fastest of those that fit; None where none
    does, or no price is known.

    `dominated` are those that another beats in both expected cost and expected calendar time.
    """

    options: tuple[Estimate, ...]
    cheapest: int | None
    fastest: int | None
    dominated: tuple[int, ...]


def compare(options: Sequence[Estimate]) -> Comparison:
    """Compares by expected cost and calendar time; at least one option."""
    fitting = [index for index, option in enumerate(options) if option.fits]
    costs = [option.chosen.cost_usd.expected if option.chosen.cost_usd and option.fits else None for option in options]
    times = [option.calendar_time_s.expected for option in options]
    priced = [index for index, cost in enumerate(costs) if cost is not None]
    dominated = [
        index
        for index in priced
        if any(_beats(costs[other], times[other], costs[index], times[index]) for other in priced if other != index)
    ]
    return Comparison(
        options=tuple(options),
        cheapest=min(priced, key=lambda index: costs[index] or 0.0) if priced else None,
        fastest=min(fitting, key=lambda index: times[index]) if fitting else None,
        dominated=tuple(dominated),
    )


def _beats(cost: float | None, time: float, other_cost: float | None, other_time: float) -> bool:
    if cost is None or other_cost is None:
        return False
    return cost <= other_cost and time <= other_time and (cost < other_cost or time < other_time)
