"""Owning and failing: purchase prices, lifetimes, colocation; interruptions, repair and checkpoint times."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from flopcast.describe import Range
from flopcast.facts._read import number, rows
from flopcast.facts.energy import Figure, figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One figure on interruptions of a run or cluster.

    `failures_per_accelerator_h` is set where the figure is a rate of failures that stop a job.
    """

    key: str
    what: str
    metric: str
    value: float
    unit: str
    accelerators: str
    period: str
    failures_per_accelerator_h: float | None
    source: str
    as_of: str
    note: str


@cache
def ownership(kind: str | None = None, key: str | None = None) -> tuple[Figure, ...]:
    """Figures on owning hardware, the newest last; accelerator keys for prices.

    Kinds: purchase_price, purchase_price_estimate, cluster_share, server_overhead, lifetime, useful_life,
    price_performance, mfu, colocation, breakeven.
    """
    found = (row for row in rows("ownership") if kind in (None, row["kind"]) and key in (None, row["key"]))
    return tuple(sorted((figure(row) for row in found), key=lambda known: known.as_of))


@cache
def failures() -> tuple[Failure, ...]:
    """Everything known on interruptions."""
    return tuple(
        Failure(
            **{
                **row,
                "value": float(row["value"]),
                "failures_per_accelerator_h": number(row["failures_per_accelerator_h"]),
            }  # type: ignore[arg-type]
        )
        for row in rows("failures")
    )


def failure_rate_per_accelerator_h() -> tuple[Range, tuple[Failure, ...]]:
    """Failures that stop a job, per accelerator hour: lowest, median and highest of the published rates, and these rows.

    They are rates of hardware and infrastructure; failures of the user's own code come on top.

    >>> rate, published = failure_rate_per_accelerator_h()
    >>> f"{1 / rate.expected / 16384:.1f} h between failures of 16,384 accelerators"
    '3.1 h between failures of 16,384 accelerators'
    """
    found = tuple(row for row in failures() if row.failures_per_accelerator_h)
    rates = sorted(row.failures_per_accelerator_h or 0.0 for row in found)
    return Range(low=rates[0], expected=rates[len(rates) // 2], high=rates[-1]), found
