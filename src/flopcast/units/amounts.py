"""Bytes, bandwidth, FLOP, power and energy: `80 GiB`, `400 Gb/s`, `400 TFLOP/s`, `3.8e25 FLOP`, `700 W`, `146 MWh`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from flopcast.units.numbers import NUMBER, clean, fail, plain_number

_SI = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12, "p": 1e15, "e": 1e18, "z": 1e21, "y": 1e24}
_BINARY = {"": 1.0, "k": 2.0**10, "m": 2.0**20, "g": 2.0**30, "t": 2.0**40, "p": 2.0**50, "e": 2.0**60}


def _size(text: str, where: str, tail: str, allowed: str) -> tuple[float, str]:
    """Value in bits or bytes and the letter that says which, for a text that ends in `tail`."""
    given = clean(text, where)
    match = re.fullmatch(rf"({NUMBER})\s*([kKmMgGtTpPeE]?)(i?)([bB]|bytes?|bits?|Bytes?){tail}", given)
    if not match:
        raise fail(where, given, allowed)
    number = plain_number(match[1], where=where, given=given, suffixed=True)
    prefix = match[2].lower()
    unit = match[4]
    letter = "b" if unit == "b" or unit.lower().startswith("bit") else "B"
    if number < 0:
        raise fail(where, given, "zero or more")
    return number * (_BINARY if match[3] else _SI)[prefix], letter


def parse_bytes(text: str, *, where: str = "size") -> float:
    """`80 GiB` (2^30), `500GB` (10^9), `3 TB` as bytes; a lower-case b means bits and is refused."""
    value, letter = _size(text, where, "", "a size such as `80 GiB` or `3 TB`")
    if letter == "b":
        raise fail(where, text, "a number of bytes", "a lower-case b means bits: write `GB` or `GiB`")
    return value


def parse_bytes_per_s(text: str, *, where: str = "bandwidth") -> float:
    """`400 Gb/s`, `400 Gbit/s`, `50 GB/s` as bytes per second; b is bits, B is bytes."""
    given = clean(text, where)
    match = re.fullmatch(rf"({NUMBER}\s*[kKmMgGtTpP]?)bps", given)
    if match:
        given = f"{match[1]}b/s"
    value, letter = _size(given, where, r"\s*(?:/\s*s(?:ec(?:ond)?)?|ps|per second)", "a bandwidth such as `400 Gb/s`")
    return value / 8 if letter == "b" else value


def _flop(text: str, where: str, tail: str, allowed: str) -> float:
    given = clean(text, where)
    match = re.fullmatch(rf"({NUMBER})\s*([kKmMgGtTpPeEzZyY]?)\s*{tail}", given, flags=re.IGNORECASE)
    if not match:
        raise fail(where, given, allowed)
    value = plain_number(match[1], where=where, given=given, suffixed=True) * _SI[match[2].lower()]
    if value <= 0:
        raise fail(where, given, "above zero")
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class FlopRateWords:
    """A rate of FLOP: `per` is accelerator, core or device; `is_hardware` counts what recomputation adds."""

    flop_per_s: float
    per: str = "accelerator"
    is_hardware: bool = False


def parse_flop_rate(text: str, *, where: str = "achieved") -> FlopRateWords:
    """`400 TFLOP/s each`, `36.7 TFLOP/s per core`, `140 hardware TFLOP/s` (recomputation counted, as HFU does)."""
    given = clean(text, where)
    words = r"\bhardware\b|\bHFU\b"
    plain = re.sub(words, "", re.sub(r"\s+(?:each|apiece)$", "", given, flags=re.IGNORECASE), flags=re.IGNORECASE)
    match = re.fullmatch(r"(.*?)\s*(?:/|\bper\b)\s*(core|gcd|device)s?\s*", plain, flags=re.IGNORECASE)
    per = {"core": "core", "gcd": "device", "device": "device"}[match[2].lower()] if match else "accelerator"
    rate = parse_flop_per_s(re.sub(r"\s+", " ", match[1] if match else plain), where=where)
    return FlopRateWords(flop_per_s=rate, per=per, is_hardware=bool(re.search(words, given, re.IGNORECASE)))


def parse_flop_per_s(text: str, *, where: str = "achieved") -> float:
    """`400 TFLOP/s`, `400e12 FLOP/s`, `1.2 PFLOPS` as FLOP per second."""
    return _flop(
        text,
        where,
        r"flop(?:s?\s*(?:/|per)\s*s(?:ec(?:ond)?)?|s|ps)(?:\s*(?:/|per|on each|on every)\s*(?:gpu|chip|accelerator|card|tpu))?",
        "a rate such as `400 TFLOP/s`",
    )


def parse_flop(text: str, *, where: str = "flop") -> float:
    """`3.8e25 FLOP`, `1 ZFLOP` as an amount; `FLOPS` may be a rate and is refused."""
    return _flop(text, where, r"(?:flop)?", "an amount such as `3.8e25` or `3.8e25 FLOP`")


def _scaled(text: str, where: str, unit: str, to_si: float, allowed: str) -> float:
    """A number with one of the SI prefixes that power and energy are written with."""
    given = clean(text, where)
    match = re.fullmatch(rf"({NUMBER})\s*([kKMGT]?){unit}", given)
    if not match:
        raise fail(where, given, allowed)
    value = plain_number(match[1], where=where, given=given, suffixed=True) * _SI[match[2].lower()] * to_si
    if value <= 0:
        raise fail(where, given, "above zero")
    return value


def parse_power(text: str, *, where: str = "power") -> float:
    """`700 W`, `10.2 kW` as watts. A bare number is refused: trackers have printed kW as W."""
    return _scaled(text, where, r"(?:W|watts?)", 1.0, "a power such as `700 W` or `10.2 kW`")


def parse_energy(text: str, *, where: str = "energy") -> float:
    """`302.4 kWh`, `146 MWh` as joules."""
    return _scaled(text, where, r"Wh", 3600.0, "an energy such as `302.4 kWh` or `146 MWh`")


def parse_carbon_intensity(text: str, *, where: str = "carbon") -> float:
    """`0.4137 kg/kWh`, `413.7 g/kWh` as kilograms of CO2e a kWh."""
    given = clean(text, where)
    match = re.fullmatch(rf"({NUMBER})\s*(kg|g)\s*(?:CO2e?q?)?\s*(?:/|per)\s*kWh", given, flags=re.IGNORECASE)
    if not match:
        raise fail(where, given, "an intensity such as `0.41 kg/kWh` or `410 g/kWh`")
    value = plain_number(match[1], where=where, given=given, suffixed=True) / (1 if match[2].lower() == "kg" else 1000)
    if not 0 <= value < 10:
        raise fail(where, given, "from 0 to 10 kg a kWh", "grids emit 0.01 to 1 kg a kWh: is it in grams?")
    return value
