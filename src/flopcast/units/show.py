"""Numbers -> words, for people: three significant figures unless more are asked for."""

from __future__ import annotations

from math import floor, log10

_STEPS = ((1e15, "e15"), (1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k"), (1.0, ""))


def show_number(value: float, digits: int = 3) -> str:
    """A number to `digits` significant figures with thousands separated, no exponent below 1e15."""
    if value == 0:
        return "0"
    size = abs(value)
    if size >= 1e15 or size < 1e-4:
        return f"{value:.{digits - 1}e}".replace("e+", "e")
    decimals = max(0, digits - 1 - floor(log10(size) + 1e-12))
    rounded = round(value, digits - 1 - floor(log10(size) + 1e-12))
    text = f"{rounded:,.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def show_count(value: float, digits: int = 3) -> str:
    """`405B`, `15.6T`, `7.24B`."""
    if value >= 1e18:
        return f"{value:.{digits - 1}e}".replace("e+", "e")
    for size, suffix in _STEPS:
        if abs(value) >= size * (1 - 0.5 * 10**-digits):
            return show_number(value / size, digits) + suffix
    return show_number(value, digits)


def show_flop(value: float) -> str:
    """`3.79e25 FLOP`."""
    return f"{value:.3g} FLOP".replace("e+", "e")


def show_flop_per_s(value: float) -> str:
    """`400 TFLOP/s`."""
    for size, prefix in ((1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G")):
        if value >= size:
            return f"{show_number(value / size)} {prefix}FLOP/s"
    return f"{show_number(value)} FLOP/s"


def show_fraction(value: float, digits: int = 3) -> str:
    """`40.4 %`."""
    return f"{show_number(value * 100, digits)} %"


def show_duration(seconds: float, digits: int = 3) -> str:
    """`5.6 s`, `12.4 min`, `5.34 h`, `68.6 days`, `2.1 years`."""
    for size, name in ((365 * 86400.0 * 2, "years"), (86400.0 * 2, "days"), (3600.0 * 2, "h"), (120.0, "min")):
        if seconds >= size:
            unit = {"years": 365 * 86400.0, "days": 86400.0, "h": 3600.0, "min": 60.0}[name]
            return f"{show_number(seconds / unit, digits)} {name}"
    if seconds >= 1 or seconds == 0:
        return f"{show_number(seconds, digits)} s"
    return f"{show_number(seconds * 1e3, digits)} ms" if seconds >= 1e-3 else f"{show_number(seconds * 1e6, digits)} us"


def show_hours(hours: float, digits: int = 3) -> str:
    """Accelerator hours: `26.3M`, `6,222`."""
    return show_number(hours, max(digits, 4)) if hours < 1e6 else show_count(hours, digits)


def show_bytes(value: float, *, binary: bool = False, digits: int = 3) -> str:
    """`3.24 TB` (10^12), or `2.95 TiB` (2^40) where `binary`."""
    base, mark = (1024.0, "iB") if binary else (1000.0, "B")
    for power, prefix in ((5, "P"), (4, "T"), (3, "G"), (2, "M"), (1, "k")):
        if value >= base**power:
            return f"{show_number(value / base**power, digits)} {'K' if binary and prefix == 'k' else prefix}{mark}"
    return f"{show_number(value, digits)} B"


def show_money(usd: float, digits: int = 3) -> str:
    """`$1,389`, `$52.7M`."""
    if usd >= 1e6:
        return "$" + show_count(usd, digits)
    return f"${usd:,.0f}" if usd >= 100 else f"${usd:,.2f}"


def show_money_short(usd: float) -> str:
    """To three figures, for ranges: `$145k`, `$52.7M`, `$1,390`."""
    return "$" + show_count(usd) if usd >= 1e4 else f"${show_number(usd)}"


def show_price(usd_per_h: float) -> str:
    """`$2.50/h`; four figures below ten cents."""
    return f"${usd_per_h:,.2f}/h" if usd_per_h >= 0.1 else f"${show_number(usd_per_h, 3)}/h"


def show_energy(joule: float) -> str:
    """`12.3 MWh`."""
    hours = joule / 3.6e6
    for size, unit in ((1e6, "GWh"), (1e3, "MWh"), (1.0, "kWh")):
        if hours >= size:
            return f"{show_number(hours / size)} {unit}"
    return f"{show_number(hours * 1000)} Wh"
