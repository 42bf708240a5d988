"""Power, energy and carbon: PUE, node and rack power, grids, electricity, what published trainings used."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from flopcast.errors import unknown_name
from flopcast.facts._read import compact, number, rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One sourced figure: `value` in `unit` as printed; `as_of` is the year it holds for."""

    kind: str
    key: str
    name: str
    value: float
    unit: str
    source: str
    as_of: str
    note: str = ""
    where: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """What a kWh of one country, state, province or cloud region emits; `carbon_free_fraction` where published."""

    key: str
    name: str
    scope: str
    g_co2e_per_kwh: float
    carbon_free_fraction: float | None
    source: str
    as_of: str


def figure(row: Mapping[str, str]) -> Figure:
    """The figure of a row whose columns are those of `Figure`."""
    return Figure(**{**row, "value": float(row["value"])})  # type: ignore[arg-type]


@cache
def energy(kind: str | None = None, key: str | None = None) -> tuple[Figure, ...]:
    """Figures of one kind and key, the newest last.

    Kinds: pue, power_fraction, server_multiplier, node_power, rack_power, chip_power, electricity_price,
    training_energy, training_emissions, training_gpu_hours, embodied.
    """
    found = (row for row in rows("energy") if kind in (None, row["kind"]) and key in (None, row["key"]))
    return tuple(sorted((figure(row) for row in found), key=lambda known: known.as_of))


def _newest(kind: str, key: str, where: str) -> Figure:
    by_name = {compact(known.key): known for known in energy(kind)}
    if compact(key) not in by_name:
        known = sorted({entry.key for entry in energy(kind)})
        raise unknown_name(where=where, given=key, kind=kind.replace("_", " "), known=known)
    return by_name[compact(key)]


def pue(name: str, *, where: str = "pue") -> Figure:
    """Newest power usage effectiveness [ratio] of an owner: aws, google, microsoft, meta, oracle, industry, ...

    >>> pue("Google").value
    1.1
    """
    same = {"gcp": "google", "azure": "microsoft", "oci": "oracle"}
    return _newest("pue", same.get(name.lower(), name), where)


def power_fraction(kind: str = "gpu-server", *, where: str = "power") -> Figure:
    """Share of a server's rated power that training draws: gpu-server or tpu-server."""
    return _newest("power_fraction", kind, where)


def electricity_price(country: str, *, where: str = "country") -> Figure:
    """Newest industrial electricity price of a country; the unit says which currency a kWh."""
    return _newest("electricity_price", country, where)


@cache
def grids() -> Mapping[str, Grid]:
    """Carbon intensity by key: `FR`, `US-VA`, `CN-BJ`, `WLD`, `aws/us-east-1`, `gcp/europe-west4`."""
    by_key = {row["key"]: row for row in rows("grid")}
    return MappingProxyType({key: _grid(row, by_key) for key, row in by_key.items()})


def _grid(row: Mapping[str, str], by_key: Mapping[str, Mapping[str, str]]) -> Grid:
    known = by_key[row["same_as"]] if row["same_as"] else row
    return Grid(
        key=row["key"],
        name=known["name"],
        scope=row["scope"],
        g_co2e_per_kwh=float(known["g_co2e_per_kwh"]),
        carbon_free_fraction=number(row["carbon_free_fraction"]),
        source=known["source"],
        as_of=known["as_of"],
    )


@cache
def _grid_names() -> Mapping[str, str]:
    names: dict[str, str] = {}
    for key, grid in grids().items():
        for name in (key, grid.name if grid.scope != "cloud region" else key.partition("/")[2]):
            names.setdefault(compact(name), key)
    return {"usa": "US", "uk": "GB", "world": "WLD"} | names


def grid_intensity(region: str, *, where: str = "region") -> Grid:
    """The grid of a country (`FR`, `France`), a state (`US-VA`, `Virginia`) or a cloud region (`aws:us-east-1`).

    Raises BadInput with near matches; a region that is not known is never taken for its country.

    >>> grid_intensity("aws/eu-west-3").name
    'France'
    """
    key = _grid_names().get(compact(region))
    if key is None:
        known = [name for grid in grids().values() for name in (grid.key, grid.name)]
        raise unknown_name(
            where=where, given=region, kind="country, state or cloud region", known=known, hint="`WLD` is the world"
        )
    return grids()[key]
