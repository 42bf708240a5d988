"""Bytes, bandwidth and FLOP: `80 GiB`, `400 Gb/s`, `400 TFLOP/s`, `3.8e25 FLOP`."""

from __future__ import annotations

import re

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


def parse_flop_per_s(text: str, *, where: str = "achieved") -> float:
    """`400 TFLOP/s`, `400e12 FLOP/s`, `1.2 PFLOPS` as FLOP per second."""
    return _flop(
        text,
        where,
        r"flop(?:s?/s(?:ec)?|s|ps)(?:\s*/\s*(?:gpu|chip|device|accelerator))?",
        "a rate such as `400 TFLOP/s`",
    )


def parse_flop(text: str, *, where: str = "flop") -> float:
    """`3.8e25 FLOP`, `1 ZFLOP` as an amount; `FLOPS` may be a rate and is refused."""
    return _flop(text, where, r"(?:flop)?", "an amount such as `3.8e25` or `3.8e25 FLOP`")
