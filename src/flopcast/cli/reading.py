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
        "peak_bf16_flop_per_s_per_device": _share(chip.peak_flop_per_s.get("bf16"), chip.devices),
        "peak_bf16_flop_per_s_per_core": _share(chip.peak_flop_per_s.get("bf16"), chip.cores),
        "assumed": list(cluster.assumed),
        **peaks,
    }
    return {"accelerator": chip.key, "count": cluster.count, **extra, "says": f"{cluster.count:,} x {chip.name}"}


def _share(peak: float | None, parts: int) -> float | None:
    return peak / parts if peak else None


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
    kind = measured.kind.removesuffix("_per_accelerator")
    said = units.show_number(measured.value, 6)
    words = {
        "duration_s": f"a whole run of {units.show_duration(measured.value, 4)}",
        "step_time_s": f"{said} s an update",
        "epoch_time_s": f"{said} s an epoch",
        "tokens_per_s": f"{said} tokens/s",
        "samples_per_s": f"{said} samples/s",
        "machine_hours": f"{said} {measured.of} hours",
    }[kind]
    says = words + (" of one accelerator" if kind != measured.kind else "")
    return {"value": measured.value, "kind": measured.kind, "of": measured.of, "says": says}


def _achieved(text: str) -> Meaning:
    rate = units.parse_flop_rate(text)
    says = f"{units.show_flop_per_s(rate.flop_per_s)} of one {rate.per}"
    says += ", recomputation counted" if rate.is_hardware else ""
    return {"value": rate.flop_per_s, "unit": "FLOP/s", "per": rate.per, "is_hardware": rate.is_hardware, "says": says}


def _batch(text: str) -> Meaning:
    batch = units.parse_batch(text)
    if batch.tokens is not None:
        return {"value": batch.tokens, "unit": "tokens", "says": f"{batch.tokens:,} tokens an update"}
    product = " x ".join(f"{factor:,}" for factor in batch.factors)
    said = f"{product} = {batch.sequences:,}" if len(batch.factors) > 1 else f"{batch.sequences:,}"
    return {"value": batch.sequences, "unit": "sequences", "says": f"{said} sequences an update"}


def _money(text: str) -> Meaning:
    money = units.parse_money(text)
    return {"value": money.amount, "unit": money.currency, "says": f"{money.amount:,.2f} {money.currency}"}


READERS: dict[str, Callable[[str], Meaning]] = {
    "measured": _measured,
    "price": _price,
    "achieved": _achieved,
    "bandwidth": _number(units.parse_bytes_per_s, "B/s", lambda v: units.show_bytes(v) + "/s"),
    "bytes": _number(units.parse_bytes, "B", units.show_bytes),
    "duration": _number(units.parse_duration, "s", units.show_duration),
    "tokens": _number(units.parse_tokens, "tokens", lambda v: units.show_count(v, 5) + " tokens"),
    "model": _parameters,
    "on": _cluster,
    "seq-len": _number(units.parse_seq_len, "tokens", lambda v: f"{v:,.0f} tokens of context"),
    "fraction": _number(units.parse_fraction, "fraction", units.show_fraction),
    "money": _money,
    "power": _number(units.parse_power, "W", lambda v: f"{units.show_number(v, 5)} W"),
    "energy": _number(units.parse_energy, "J", units.show_energy),
    "batch": _batch,
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
