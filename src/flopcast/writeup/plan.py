"""One estimate as the scenario plans it: storage, development and money computed once, for every section to read.

Belongs here: the bill and the storage with the values of the scenario. Does not: tables and sentences.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import floor, log10

from flopcast.ask import Scenario
from flopcast.ask.scenario_words import read_share
from flopcast.describe import Assumption, Range
from flopcast.evidence import Estimate
from flopcast.money import Budget, budget
from flopcast.run import StorageNeed, storage_need
from flopcast.units import parse_bytes

DIGITS_OF_TOTAL = 4
DIGITS_OF_WHOLE = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """An estimate with the storage and the bill of the scenario. Where no price is known an hour counts as one dollar."""

    estimate: Estimate
    storage: StorageNeed
    bill: Budget
    is_priced: bool

    @property
    def total_usd(self) -> Range | None:
        """The whole request: main run, restarts, development and storage."""
        return self.bill.total_usd if self.is_priced else None

    @property
    def fits(self) -> bool:
        """False where the step model finds no room for it and nobody has run it."""
        forecast = self.estimate.forecast
        return forecast is None or forecast.memory.fits or self.estimate.job.measured is not None

    @property
    def name(self) -> str:
        """`64 x A100 SXM4 80GB`."""
        cluster = self.estimate.job.cluster
        return f"{cluster.count:,} x {cluster.accelerator.name}"

    @property
    def assumptions(self) -> tuple[Assumption, ...]:
        """Those of the estimate, with the scenario's values where it states some; the weightiest first."""
        stated = [*self.bill.assumptions, *self.storage.assumptions]
        names = {assumption.name for assumption in stated}
        every = [*(a for a in self.estimate.assumptions if a.name not in names), *stated]
        return tuple(sorted(every, key=lambda assumption: -assumption.weight))


def plan(estimate: Estimate, scenario: Scenario) -> Plan:
    """The estimate with the scenario's development, raw data and checkpoints."""
    job = estimate.job
    kept = {"checkpoints_kept": scenario.checkpoints_kept} if scenario.checkpoints_kept else {}
    stored = storage_need(
        parameters=job.network.parameters_total,
        tokens=job.workload.tokens,
        vocab=job.network.shape.vocab if job.network.shape else None,
        raw_bytes=parse_bytes(scenario.dataset_bytes, where="dataset_bytes") if scenario.dataset_bytes else None,
        **kept,
    )
    if kept:
        said = tuple(replace(a, source="as planned") if a.name == "checkpoints kept" else a for a in stored.assumptions)
        stored = replace(stored, assumptions=said)
    chosen = estimate.chosen
    priced = chosen.cost_usd is not None
    bill = budget(
        job=job,
        chosen=chosen if priced else replace(chosen, cost_usd=chosen.accelerator_hours),
        goodput=estimate.goodput,
        storage=stored,
        calendar_time_s=estimate.calendar_time_s,
        development=_development(scenario),
    )
    assert bill is not None
    return Plan(estimate=estimate, storage=stored, bill=bill, is_priced=priced)


def _development(scenario: Scenario) -> Range | None:
    if not scenario.development_fraction:
        return None
    return Range.exact(read_share(scenario.development_fraction, where="development_fraction"))


def closing(values: list[float]) -> list[str]:
    """The values and, last, their sum, rounded to the place of the sum's fourth figure, so that what is printed adds up.

    >>> closing([3.0, 2.097, 0.0504])
    ['3.000', '2.097', '0.050', '5.147']
    """
    place = DIGITS_OF_TOTAL - 1 - _magnitude(sum(values))
    return _at_place(values, place)


def closing_whole(values: list[float], *, like: float = 0.0) -> list[str]:
    """The same in whole numbers, to the place of the fifth figure of the sum, or of `like` where that is larger.

    >>> closing_whole([7520.4, 10.99, 3760.2])
    ['7,520', '11', '3,760', '11,291']
    >>> closing_whole([5_053_112, 104_200])
    ['5,053,100', '104,200', '5,157,300']
    """
    return _at_place(values, min(0, DIGITS_OF_WHOLE - 1 - _magnitude(max(like, sum(values)))))


def _magnitude(value: float) -> int:
    return floor(log10(value)) if value > 0 else 0


def _at_place(values: list[float], place: int) -> list[str]:
    rounded = [round(value, place) for value in values]
    return [f"{value:,.{max(0, place)}f}" for value in (*rounded, sum(rounded))]
