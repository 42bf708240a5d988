"""The estimate of one job: every method that applies side by side, the one taken, and all that follows from it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from flopcast import facts
from flopcast.describe import Assumption, Job, Layout, MethodAnswer, Range, TraceStep
from flopcast.errors import BadInput, Problem
from flopcast.evidence.cautions import cautions
from flopcast.evidence.flop import JobFlop, job_flop
from flopcast.evidence.measured import by_likeness, by_measurement
from flopcast.evidence.published import by_published
from flopcast.evidence.rule import by_rule
from flopcast.evidence.sanity import WARN_ABOVE, check_utilisation
from flopcast.evidence.similar import find_similar
from flopcast.evidence.simulation import by_simulation, simulated_assumptions
from flopcast.evidence.thresholds import Threshold, thresholds
from flopcast.money import Budget, budget
from flopcast.run import EnergyUse, Goodput, StorageNeed, energy_use, goodput, storage_need
from flopcast.run.failures import LEAST_GOODPUT
from flopcast.step import StepForecast
from flopcast.units import show_fraction

HOUR_S = 3600.0
PREFERENCE = ("measured", "simulation", "published", "rule")


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """What a job takes. `chosen` is one of `methods`; ranges are 80 % intervals.

    `forecast` is the simulation of one update, with its memory; None where the step model does not know the network.
    """

    job: Job
    flop: JobFlop
    methods: tuple[MethodAnswer, ...]
    chosen: MethodAnswer
    goodput: Goodput
    calendar_time_s: Range
    price_usd_per_accelerator_h: float | None
    energy: EnergyUse | None
    storage: StorageNeed
    budget: Budget | None
    layout: Layout | None
    assumptions: tuple[Assumption, ...]
    warnings: tuple[str, ...]
    trace: tuple[TraceStep, ...]
    thresholds: tuple[Threshold, ...] = ()
    forecast: StepForecast | None = None

    @property
    def fits(self) -> bool:
        """False where the answer rests on a layout, asked for or the best one found, that does not fit the memory."""
        return self.forecast is None or self.forecast.memory.fits or self.chosen.method != "simulation"

    @property
    def utilisation(self) -> dict[str, float]:
        """Share of the peak by each convention, and `hardware` with recomputation (HFU), at the expected time."""
        done = self.chosen.compute_time_s.expected * self.job.peak_flop_per_s * self.job.cluster.count
        return {
            name: value / done for name, value in {**self.flop.by_convention, "hardware": self.flop.hardware}.items()
        }


def estimate(job: Job) -> Estimate:
    """Estimates a job; raises BadInput for a measurement above the peak, or where no method applies."""
    flop = job_flop(job)
    if job.like is not None and job.like.bill_usd is not None:
        job = _with_price_of(job, job.like)
    methods, warnings, forecast = _methods(job, flop)
    chosen = _choose(job, methods)
    price = _price(job, chosen)
    vocab = job.network.shape.vocab if job.network.shape else None
    stored = storage_need(parameters=job.network.parameters_total, tokens=job.workload.tokens, vocab=vocab)
    good = goodput(
        count=job.cluster.count,
        nodes=max(1, job.cluster.count // job.cluster.accelerators_per_node),
        checkpoint_bytes=stored.checkpoint_bytes,
        accelerator_hours=chosen.accelerator_hours,
    )
    calendar = _calendar(job, chosen, good)
    energy = energy_use(job, chosen.accelerator_hours)
    money = budget(job=job, chosen=chosen, goodput=good, storage=stored, calendar_time_s=calendar)
    parts = [job.assumptions, good.assumptions, stored.assumptions]
    parts += [part.assumptions for part in (energy, money) if part is not None]
    if forecast is not None:
        parts.append(simulated_assumptions(job, forecast))
    return Estimate(
        job=job,
        flop=flop,
        methods=methods,
        chosen=chosen,
        goodput=good,
        calendar_time_s=calendar,
        price_usd_per_accelerator_h=price,
        energy=energy,
        storage=stored,
        budget=money,
        layout=forecast.layout if forecast else job.layout,
        assumptions=_ranked(chosen, parts),
        warnings=(*job.warnings, *warnings, *_disagreement(chosen, methods), *cautions(job), *_hopeless(good)),
        trace=(*job.arithmetic, *flop.trace, _time_step(job, flop, chosen), *good.trace, *_cost_trace(chosen, price)),
        thresholds=thresholds(job, flop),
        forecast=forecast,
    )


def _methods(job: Job, flop: JobFlop) -> tuple[tuple[MethodAnswer, ...], tuple[str, ...], StepForecast | None]:
    """Every method that applies, in a fixed order, and the warnings on the way."""
    warnings: tuple[str, ...] = ()
    found: list[MethodAnswer] = []
    similar = find_similar(job)
    rule = by_rule(job, flop, similar.prior if similar else None)
    if rule is not None:
        found.append(rule)
    if similar is not None:
        found.append(by_published(job, flop, similar))
        warnings += similar.warnings
    forecast = None
    if simulated := by_simulation(job, flop):
        found.append(simulated[0])
        forecast = simulated[1]
    if measured := by_measurement(job, flop):
        found.append(measured[0])
        warnings += measured[1]
    elif job.like is not None and (scaled := by_likeness(job, flop, job.like, job_flop(job.like))):
        by_measurement(job.like, job_flop(job.like))
        found.append(scaled)
    if job.mfu_fraction is not None and job.mfu_fraction > WARN_ABOVE:
        warnings += (
            f"{show_fraction(job.mfu_fraction)} of peak is above nearly all runs in print: a bound, not a forecast",
        )
    elif job.achieved_flop_per_s is not None:
        warnings += check_utilisation(
            job, job.achieved_flop_per_s / job.peak_flop_per_s, where="achieved", given=str(job.question.achieved)
        )
    return tuple(found), warnings, forecast


def _choose(job: Job, methods: tuple[MethodAnswer, ...]) -> MethodAnswer:
    """What the asker knows decides; else the method that was nearest the truth in cross-validation."""
    by_name = {method.method: method for method in methods}
    if job.mfu_fraction is not None or job.achieved_flop_per_s is not None:
        return by_name["rule"]
    for name in PREFERENCE:
        if name in by_name:
            return by_name[name]
    chip = job.cluster.accelerator.name
    hint = "give --mfu, --achieved or --measured"
    allowed = f"something to go by: no published run is like this job on {chip}"
    raise BadInput(Problem(where="mfu", given="", allowed=allowed, hint=hint))


def _with_price_of(job: Job, like: Job) -> Job:
    """A price paid for a measured run on the same chip is a better price than a list."""
    if job.question.price or job.question.offer or like.measured is None or like.bill_usd is None:
        return job
    if job.cluster.accelerator.key != like.cluster.accelerator.key:
        return job
    from flopcast.ask.price import exact_price

    hours = like.measured.compute_time_s * like.cluster.count / HOUR_S
    kept = tuple(assumption for assumption in job.assumptions if assumption.name != "price")
    price = exact_price(like.bill_usd / hours, kind="bill", source="the bill of the measured run over its hours")
    return replace(job, price=price, assumptions=kept)


def _price(job: Job, chosen: MethodAnswer) -> float | None:
    if job.bill_usd is not None:
        return job.bill_usd / chosen.accelerator_hours.expected
    return job.price.usd_per_accelerator_h if job.price else None


def _calendar(job: Job, chosen: MethodAnswer, good: Goodput) -> Range:
    """Wall time: compute time over goodput; a measured whole run has its stops in it already."""
    if job.measured is not None and job.measured.is_whole_run:
        return chosen.compute_time_s
    time, fraction = chosen.compute_time_s, good.fraction
    return Range(
        low=time.low / fraction.high,
        expected=time.expected / fraction.expected,
        high=time.high / fraction.low,
    )


def _ranked(chosen: MethodAnswer, parts: list[tuple[Assumption, ...]]) -> tuple[Assumption, ...]:
    """All assumptions, those that move the answer most first."""
    every = [assumption for part in parts for assumption in part]
    mfu = chosen.mfu_fraction
    if not mfu.is_exact:
        effect = f"{show_fraction(mfu.low)} to {show_fraction(mfu.high)}: time and cost follow it inversely"
        every.append(
            Assumption(name="utilisation", value=mfu.expected, unit="fraction of peak", source=chosen.why, effect=effect,
                       weight=mfu.high / mfu.low - 1)
        )  # fmt: skip
    return tuple(sorted(every, key=lambda assumption: -assumption.weight))


def _hopeless(good: Goodput) -> tuple[str, ...]:
    """Says so where failures come faster than checkpoints."""
    if good.fraction.expected > LEAST_GOODPUT:
        return ()
    return ("failures come faster than checkpoints can be written: next to no time trains, the calendar is a floor",)


def _disagreement(chosen: MethodAnswer, methods: tuple[MethodAnswer, ...]) -> tuple[str, ...]:
    """Says so where another method is outside twice the chosen one."""
    far = []
    for method in methods:
        ratio = method.compute_time_s.expected / chosen.compute_time_s.expected
        if method is not chosen and not 0.5 < ratio < 2:
            far.append(
                f"{method.method} expects {ratio:.2g} times the time of {chosen.method}: see `flopcast reconcile`"
            )
    return tuple(far)


def _time_step(job: Job, flop: JobFlop, chosen: MethodAnswer) -> TraceStep:
    return TraceStep(
        quantity="compute time",
        formula="model FLOP / (peak x utilisation x accelerators)",
        inputs={
            "model FLOP": flop.model,
            "peak FLOP/s": job.peak_flop_per_s,
            "utilisation": chosen.mfu_fraction.expected,
            "accelerators": job.cluster.count,
        },
        value=chosen.compute_time_s.expected,
        unit="s",
        source=f"{chosen.method}: {chosen.why}; peak: {facts.cite(job.cluster.accelerator.source)}",
    )


def _cost_trace(chosen: MethodAnswer, price: float | None) -> tuple[TraceStep, ...]:
    if price is None or chosen.cost_usd is None:
        return ()
    inputs: dict[str, float | str] = {"accelerator hours": chosen.accelerator_hours.expected, "USD/h": price}
    return (
        TraceStep(
            quantity="cost",
            formula="accelerator hours x price",
            inputs=inputs,
            value=chosen.cost_usd.expected,
            unit="USD",
        ),
    )
