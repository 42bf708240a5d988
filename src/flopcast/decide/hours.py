"""What a time, a rate or accelerator hours come to, with no network behind them: days, hours, money, energy, failures."""

from __future__ import annotations

from dataclasses import dataclass

from flopcast import facts
from flopcast.describe import Assumption, Cluster, Price, Range, TraceStep
from flopcast.run.energy import JOULE_PER_KWH, energy_j, node_power_per_accelerator_w, usual_pue

HOUR_S = 3600.0
WORLD = "WLD"


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """What the asker knows of power and carbon; None is filled from the facts and said so.

    power_w: of one accelerator with its share of the node; energy_j: metered, of all machines together.
    """

    power_w: float | None = None
    energy_j: float | None = None
    pue: float | None = None
    region: str | None = None
    carbon_kg_per_kwh: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hours:
    """The sums. What needs the number of accelerators is None where no cluster is given."""

    wall_time_s: float
    accelerator_hours: float | None
    cost_usd: Range | None
    price_usd_per_accelerator_h: float | None
    cost_usd_per_h: float | None
    usd_per_peak_pflop_h: float | None
    tokens_per_s: float | None
    tokens_per_s_per_accelerator: float | None
    power_w: Range | None
    energy_j: Range | None
    co2e_kg: Range | None
    failures: Range | None
    accelerator_hours_per_failure: float | None
    assumptions: tuple[Assumption, ...]
    trace: tuple[TraceStep, ...]


def hours(
    *, wall_time_s: float, cluster: Cluster | None, tokens: float | None, price: Price | None, bill_usd: float | None,
    site: Site, failures: float | None, hours_per_failure: float | None,
) -> Hours:  # fmt: skip
    """Multiplies out.

    wall_time_s: from start to end [s]; tokens: seen in it; bill_usd: paid for it [USD]; failures: counted in it;
    hours_per_failure: accelerator hours between failures [h], the published median where neither is given.
    """
    count = cluster.count if cluster else None
    used = wall_time_s * count / HOUR_S if count else None
    paid = bill_usd / used if bill_usd and used else None
    cost = Range.exact(bill_usd) if bill_usd else (_price_range(price) * used if price and used else None)
    per_h = paid or (price.usd_per_accelerator_h if price else None)
    power, energy, carbon, said = _energy(cluster, used, site)
    rate = tokens / wall_time_s if tokens else None
    lost, between = _failures(used, failures, hours_per_failure)
    return Hours(
        wall_time_s=wall_time_s,
        accelerator_hours=used,
        cost_usd=cost,
        price_usd_per_accelerator_h=per_h,
        cost_usd_per_h=per_h * count if per_h and count else None,
        usd_per_peak_pflop_h=_per_peak(per_h, cluster),
        tokens_per_s=rate,
        tokens_per_s_per_accelerator=rate / count if rate and count else None,
        power_w=power,
        energy_j=energy,
        co2e_kg=carbon,
        failures=lost,
        accelerator_hours_per_failure=between,
        assumptions=said,
        trace=_trace(wall_time_s, count, used, per_h, cost),
    )


def _per_peak(price: float | None, cluster: Cluster | None) -> float | None:
    """Price of an hour of 1e15 FLOP/s at the dense 16-bit peak [USD]: cheap cards by this need not be by the run."""
    if price is None or cluster is None:
        return None
    peaks = cluster.accelerator.peak_flop_per_s
    peak = peaks.get("bf16") or peaks.get("fp16")
    return price / (peak / 1e15) if peak else None


def _price_range(price: Price) -> Range:
    return Range(
        low=price.low_usd_per_accelerator_h, expected=price.usd_per_accelerator_h, high=price.high_usd_per_accelerator_h
    )


def _energy(
    cluster: Cluster | None, used: float | None, site: Site
) -> tuple[Range | None, Range | None, Range | None, tuple[Assumption, ...]]:
    """Power of an accelerator, energy and carbon; metered energy is that of the machines, and no rank multiplies it."""
    if site.energy_j is not None:
        power = Range.exact(site.energy_j / used / HOUR_S) if used else None
        energy, said = Range.exact(site.energy_j) * (site.pue or 1.0), _metered(site)
    elif cluster is None or used is None or (found := _power(cluster, site)) is None:
        return None, None, None, ()
    else:
        power, said = found
        pue = Range.exact(site.pue) if site.pue else usual_pue()
        energy = power.times(pue) * energy_j(accelerator_hours=used, power_w=1.0, pue=1.0)
        if not site.pue:
            effect = f"{pue.low} to {pue.high}; --pue sets it"
            source = facts.cite(facts.pue("industry").source)
            said += (Assumption(name="PUE", value=pue.expected, unit="", source=source, effect=effect),)
    intensity = site.carbon_kg_per_kwh
    if intensity is None:
        grid = facts.grid_intensity(site.region or WORLD)
        intensity = grid.g_co2e_per_kwh / 1000
        if not site.region:
            effect = f"{grid.g_co2e_per_kwh:.0f} g CO2e a kWh, location-based; --region or --carbon sets it"
            source = f"{facts.cite(grid.source)}, {grid.as_of}"
            said += (Assumption(name="grid", value=grid.name, unit="", source=source, effect=effect),)
    return power, energy, energy * (intensity / JOULE_PER_KWH), said


def _metered(site: Site) -> tuple[Assumption, ...]:
    if site.pue:
        return ()
    effect = "the metered energy is taken as that of the site; --pue adds cooling and losses"
    return (Assumption(name="PUE", value=1.0, unit="", source="metered", effect=effect),)


def _power(cluster: Cluster, site: Site) -> tuple[Range, tuple[Assumption, ...]] | None:
    if site.power_w is not None:
        return Range.exact(site.power_w), ()
    found = node_power_per_accelerator_w(cluster.accelerator)
    if found is None:
        return None
    effect = f"{found[0].low:.0f} to {found[0].high:.0f} W with its share of the node; --power sets it"
    return found[0], (
        Assumption(name="power of an accelerator", value=found[0].expected, unit="W", source=found[1], effect=effect),
    )


def _failures(
    used: float | None, counted: float | None, hours_per_failure: float | None
) -> tuple[Range | None, float | None]:
    """Failures expected or counted, and accelerator hours to one."""
    if used is None:
        return None, hours_per_failure
    if counted is not None:
        return Range.exact(counted), used / counted
    if hours_per_failure is not None:
        return Range.exact(used / hours_per_failure), hours_per_failure
    rate, _ = facts.failure_rate_per_accelerator_h()
    return rate * used, 1 / rate.expected


def _trace(
    wall_time_s: float, count: int | None, used: float | None, price: float | None, cost: Range | None
) -> tuple[TraceStep, ...]:
    lines: list[TraceStep] = []
    if count and used:
        inputs: dict[str, float | str] = {"hours": wall_time_s / HOUR_S, "accelerators": count}
        lines.append(
            TraceStep(quantity="accelerator hours", formula="hours x accelerators", inputs=inputs, value=used, unit="h")
        )
    if used and price and cost:
        inputs = {"accelerator hours": used, "USD/h": price}
        lines.append(
            TraceStep(
                quantity="cost", formula="accelerator hours x price", inputs=inputs, value=cost.expected, unit="USD"
            )
        )
    return tuple(lines)
