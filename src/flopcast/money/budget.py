"""The whole bill: the main run, its restarts, development and failed runs, storage. Lines sum to the total."""

from __future__ import annotations

from dataclasses import dataclass

from flopcast import facts
from flopcast.describe import Assumption, Job, MethodAnswer, Range
from flopcast.run import Goodput, StorageNeed

HOUR_S = 3600.0
MONTH_S = 730 * HOUR_S
# development over the final run, in accelerator hours: a published family spent half of its training compute again
DEVELOPMENT_FRACTION = Range(low=0.25, expected=0.5, high=1.0)
DEVELOPMENT_SOURCE = "expected: 0.5 of the training compute (arXiv 2503.05804, OLMo family); low and high are assumed"


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetLine:
    """One line of the bill. `accelerator_hours` is None where the line buys none."""

    name: str
    accelerator_hours: Range | None
    usd: Range
    how: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The lines and their sum (low with low, high with high)."""

    lines: tuple[BudgetLine, ...]
    total_usd: Range
    total_accelerator_hours: Range
    assumptions: tuple[Assumption, ...]


def budget(
    *,
    job: Job,
    chosen: MethodAnswer,
    goodput: Goodput,
    storage: StorageNeed,
    calendar_time_s: Range,
    development: Range | None = None,
) -> Budget | None:
    """The bill of a job; None where no price is known. Compute lines are hours x the price of the job.

    development: compute of development and failed runs over the main run, where the asker planned it; else the usual.
    """
    if chosen.cost_usd is None:
        return None
    paid = job.bill_usd is not None
    price = chosen.cost_usd.expected / chosen.accelerator_hours.expected
    source = "the bill that was paid" if paid else f"{job.price.source} {job.price.as_of}".strip() if job.price else ""
    lines = [
        BudgetLine(
            name="main run",
            accelerator_hours=chosen.accelerator_hours,
            usd=chosen.cost_usd,
            how=f"accelerator hours x ${price:.4g}",
            source=source,
        )
    ]
    stops_are_in_it = paid or (job.measured is not None and job.measured.is_whole_run)
    if not stops_are_in_it:
        lines.append(_restarts(chosen, goodput, source))
    share, share_source = (
        (DEVELOPMENT_FRACTION, DEVELOPMENT_SOURCE) if development is None else (development, "as planned")
    )
    lines.append(_development(chosen, share, f"{share_source}; {source}"))
    stored = _storage(storage, calendar_time_s)
    if stored is not None:
        lines.append(stored)
    hours = [line.accelerator_hours for line in lines if line.accelerator_hours is not None]
    return Budget(
        lines=tuple(lines),
        total_usd=_sum([line.usd for line in lines]),
        total_accelerator_hours=_sum(hours),
        assumptions=(_development_assumption(share, share_source),),
    )


def _sum(ranges: list[Range]) -> Range:
    return Range(
        low=sum(r.low for r in ranges), expected=sum(r.expected for r in ranges), high=sum(r.high for r in ranges)
    )


def _restarts(chosen: MethodAnswer, goodput: Goodput, source: str) -> BudgetLine:
    """Hours on the machine that do not advance the training: 1 / goodput - 1 of the compute hours."""
    lost = Range(
        low=1 / goodput.fraction.high - 1,
        expected=1 / goodput.fraction.expected - 1,
        high=1 / goodput.fraction.low - 1,
    )
    assert chosen.cost_usd is not None
    return BudgetLine(
        name="restarts, checkpoints, stalls",
        accelerator_hours=chosen.accelerator_hours.times(lost),
        usd=chosen.cost_usd.times(lost),
        how=f"(1 / goodput {goodput.fraction.expected:.3g} - 1) x main run",
        source=source,
    )


def _development(chosen: MethodAnswer, share: Range, source: str) -> BudgetLine:
    assert chosen.cost_usd is not None
    return BudgetLine(
        name="development and failed runs",
        accelerator_hours=chosen.accelerator_hours.times(share),
        usd=chosen.cost_usd.times(share),
        how=f"{share.expected:.3g} x main run",
        source=source,
    )


def _development_assumption(share: Range, source: str) -> Assumption:
    span = f"{100 * share.low:.3g}" if share.is_exact else f"{100 * share.low:.3g} to {100 * share.high:.3g}"
    return Assumption(
        name="development and failed runs",
        value=share.expected,
        unit="of the main run",
        source=source,
        effect=f"adds {span} % in the whole budget only",
        weight=0.25,
    )


def _storage(storage: StorageNeed, calendar_time_s: Range) -> BudgetLine | None:
    """Object storage for the run and a month around it, at list prices."""
    prices = facts.storage_price_range("object")
    if prices is None:
        return None
    low, middle, high, source = prices
    gigabytes = storage.total_bytes / 1e9
    months = Range(
        low=1 + calendar_time_s.low / MONTH_S,
        expected=1 + calendar_time_s.expected / MONTH_S,
        high=1 + calendar_time_s.high / MONTH_S,
    )
    return BudgetLine(
        name="storage",
        accelerator_hours=None,
        usd=months.times(Range(low=low, expected=middle, high=high)) * gigabytes,
        how=f"{gigabytes:,.0f} GB x {months.expected:,.1f} months x ${middle:.3g} a GB and month",
        source=source,
    )
