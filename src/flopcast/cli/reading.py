"""How a text is read: the meanings it can have, each in SI units and in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flopcast import units
from flopcast.ask import read_cluster, read_network
from flopcast.errors import BadInput, unknown_name
from flopcast.units.numbers import fail

Meaning = dict[str, Any]


def _parameters(text: str) -> Meaning:
    network, _ = read_network(text)
    total, active = network.parameters_total, network.parameters_active
    said = units.show_count(total, 5) + (f", {units.show_count(active, 5)} active" if active != total else "")
    return {"total": total, "active": active, "says": f"{said} parameters"}


def _cluster(text: str) -> Meaning:
    cluster = read_cluster(text)
    chip = cluster.accelerator
    peaks = {f"peak_{name}_flop_per_s": value for name, value in chip.peak_flop_per_s.items()}
    extra = {
        "cores": cluster.count * chip.cores,
        "devices": cluster.count * chip.devices,
        "memory_bytes": chip.memory_bytes,
        "memory_bytes_total": chip.memory_bytes_as_sold and chip.memory_bytes_as_sold * cluster.count,
        "power_w": chip.power_w,
        "assumed": list(cluster.assumed),
        **peaks,
    }
    return {"accelerator": chip.key, "count": cluster.count, **extra, "says": f"{cluster.count:,} x {chip.name}"}


def _number(parse: Callable[[str], float], unit: str, show: Callable[[float], str]) -> Callable[[str], Meaning]:
    def read(text: str) -> Meaning:
        value = parse(text)
        return {"value": value, "unit": unit, "says": show(value)}

    return read


def _price(text: str) -> Meaning:
    price = units.parse_price(text)
    return {
        "value": price.amount_per_h,
        "unit": f"{price.currency}/h",
        "per": price.per,
        "says": f"{price.amount_per_h:,.4g} {price.currency} an hour of one {price.per}",
    }


def _measured(text: str) -> Meaning:
    measured = units.parse_measurement(text)
    return {
        "value": measured.value,
        "kind": measured.kind,
        "says": f"{measured.kind} {units.show_number(measured.value, 6)}",
    }


def _money(text: str) -> Meaning:
    money = units.parse_money(text)
    return {"value": money.amount, "unit": money.currency, "says": f"{money.amount:,.2f} {money.currency}"}


READERS: dict[str, Callable[[str], Meaning]] = {
    "measured": _measured,
    "price": _price,
    "flop/s": _number(units.parse_flop_per_s, "FLOP/s", units.show_flop_per_s),
    "bandwidth": _number(units.parse_bytes_per_s, "B/s", lambda v: units.show_bytes(v) + "/s"),
    "bytes": _number(units.parse_bytes, "B", units.show_bytes),
    "duration": _number(units.parse_duration, "s", units.show_duration),
    "tokens": _number(units.parse_tokens, "tokens", lambda v: units.show_count(v, 5) + " tokens"),
    "model": _parameters,
    "on": _cluster,
    "seq-len": _number(units.parse_seq_len, "tokens", lambda v: f"{v:,.0f} tokens of context"),
    "fraction": _number(units.parse_fraction, "fraction", units.show_fraction),
    "money": _money,
}


def read_as(text: str, field: str | None) -> list[Meaning]:
    """Every meaning of a text, or the one asked for; raises BadInput where it has none."""
    if field is not None:
        if field not in READERS:
            raise unknown_name(
                where="as", given=field, kind="kind of text", known=list(READERS), hint=", ".join(READERS)
            )
        return [{"as": field, **READERS[field](text)}]
    found: list[Meaning] = []
    for name, read in READERS.items():
        try:
            found.append({"as": name, **read(text)})
        except BadInput:
            continue
    if not found:
        raise fail("text", text, "a text that reads as something", "--as tokens, on, price... says why not")
    return found
