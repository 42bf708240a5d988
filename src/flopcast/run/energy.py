"""Energy and carbon of a run, before it starts: power of a loaded node, PUE, intensity of the grid."""

from __future__ import annotations

from dataclasses import dataclass

from flopcast import facts
from flopcast.describe import Accelerator, Assumption, Job, Range

JOULE_PER_KWH = 3.6e6
HOUR_S = 3600.0
DEFAULT_REGION = "WLD"


@dataclass(frozen=True, slots=True, kw_only=True)
class EnergyUse:
    """Energy at the meter [J] and location-based emissions [kg CO2e] of a run; power is of one accelerator in its node [W]."""

    power_w: Range
    pue: Range
    energy_j: Range
    co2e_kg: Range | None
    region: str
    assumptions: tuple[Assumption, ...]


def energy_j(*, accelerator_hours: float, power_w: float, pue: float) -> float:
    """Energy at the meter [J].

    accelerator_hours: of use [h]; power_w: of one accelerator with its share of the node [W]; pue: of the site [unitless].

    >>> round(energy_j(accelerator_hours=30.84e6, power_w=700, pue=1) / 3.6e9)
    21588
    """
    return accelerator_hours * HOUR_S * power_w * pue


def energy_use(job: Job, accelerator_hours: Range) -> EnergyUse | None:
    """Energy of the hours; None where no power of the accelerator is known."""
    found = node_power_per_accelerator_w(job.cluster.accelerator)
    if found is None:
        return None
    power, how = found
    pue = Range.exact(job.pue) if job.pue else usual_pue()
    use = accelerator_hours.times(power).times(pue) * energy_j(accelerator_hours=1.0, power_w=1.0, pue=1.0)
    grid = facts.grid_intensity(job.region or DEFAULT_REGION)
    assumptions = [
        Assumption(name="power of an accelerator in its node", value=power.expected, unit="W", source=how,
                   effect=f"{power.low:.0f} to {power.high:.0f} W under training load"),
    ]  # fmt: skip
    if not job.pue:
        source = facts.cite(facts.pue("industry").source)
        assumptions.append(
            Assumption(
                name="PUE",
                value=pue.expected,
                unit="",
                source=source,
                effect="1.1 is a large cloud, 1.58 the average site",
            )
        )
    if not job.region:
        effect = f"{grid.g_co2e_per_kwh:.0f} g CO2e a kWh; --region sets it"
        assumptions.append(
            Assumption(
                name="grid", value=grid.name, unit="", source=f"{facts.cite(grid.source)}, {grid.as_of}", effect=effect
            )
        )
    return EnergyUse(
        power_w=power,
        pue=pue,
        energy_j=use,
        co2e_kg=use * (grid.g_co2e_per_kwh / 1000 / JOULE_PER_KWH),
        region=f"{grid.name}, {grid.as_of}",
        assumptions=tuple(assumptions),
    )


def node_power_per_accelerator_w(accelerator: Accelerator) -> tuple[Range, str] | None:
    """Power of one accelerator with its share of the host under training load [W], and how it is known.

    Measured where a loaded node was (8 x H100: 8.4 kW of 10.2 kW rated); else rated power x server share x load.
    """
    if accelerator.power_w is None:
        return None
    if accelerator.key in ("h100-sxm", "h800-sxm"):
        figures = {
            figure.unit: figure for figure in facts.energy("node_power", "dgx-h100") if "rated max" not in figure.name
        }
        measured = figures["kW"].value * 1000 / 8
        lowest = figures["fraction"].value * 10200 / 8
        return Range(low=lowest, expected=(measured + lowest) / 2, high=measured), facts.cite(figures["kW"].source)
    if accelerator.key.startswith("tpu"):
        return _tpu_power_w(accelerator)
    kind = accelerator.architecture.lower()
    key = {"ampere": "a100", "hopper": "h100", "volta": "v100"}.get(kind, "gpu-other")
    share = facts.energy("server_multiplier", key)[-1]
    load = facts.power_fraction("gpu-server")
    expected = accelerator.power_w * share.value * load.value
    said = f"{accelerator.power_w:.0f} W x {share.value} for the server x {load.value} load ({facts.cite(load.source)})"
    return Range(low=expected * 0.8, expected=expected, high=accelerator.power_w * share.value), said


def _tpu_power_w(accelerator: Accelerator) -> tuple[Range, str] | None:
    assert accelerator.power_w is not None
    measured = facts.energy("chip_power", accelerator.key)
    share = (facts.energy("server_multiplier", accelerator.key) or facts.energy("server_multiplier", "tpu-other"))[-1]
    load = facts.power_fraction("tpu-server")
    rated = accelerator.power_w * share.value
    if measured:
        expected = measured[-1].value * share.value
        said = f"{measured[-1].value:.0f} W measured x {share.value} for the server ({facts.cite(measured[-1].source)})"
        return Range(low=min(expected, rated * load.value), expected=expected, high=max(expected, rated)), said
    return Range(low=rated * load.value * 0.8, expected=rated * load.value, high=rated), facts.cite(load.source)


def usual_pue() -> Range:
    """From a large cloud to the average site of a survey; the middle is what a cost model takes for other owners."""
    return Range(
        low=facts.pue("google").value,
        expected=facts.pue("other-default").value,
        high=facts.pue("industry").value,
    )
