"""Durations and measurements: `2d 7h 51m`, `5.6 s/update`, `1.9it/s`, `24000 tokens/s per GPU`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from flopcast.units.numbers import COUNT_SUFFIX, NUMBER, clean, fail, plain_number

HOUR_S = 3600.0
DAY_S = 24 * HOUR_S
MONTH_S = 730 * HOUR_S  # the cloud convention: 8760 h a year over 12
_UNITS = {
    "us": 1e-6, "µs": 1e-6, "ms": 1e-3,
    "s": 1.0, "sec": 1.0, "secs": 1.0, "second": 1.0, "seconds": 1.0,
    "m": 60.0, "min": 60.0, "mins": 60.0, "minute": 60.0, "minutes": 60.0,
    "h": HOUR_S, "hr": HOUR_S, "hrs": HOUR_S, "hour": HOUR_S, "hours": HOUR_S,
    "d": DAY_S, "day": DAY_S, "days": DAY_S,
    "w": 7 * DAY_S, "week": 7 * DAY_S, "weeks": 7 * DAY_S,
    "month": MONTH_S, "months": MONTH_S, "mo": MONTH_S,
    "y": 365 * DAY_S, "year": 365 * DAY_S, "years": 365 * DAY_S,
}  # fmt: skip
_UPDATE = r"(?:update|step|it|iter|iteration|batch)s?"
_DEVICE = r"(?:gpu|chip|accelerator|device|card)s?"
_PIECE = re.compile(rf"({NUMBER})\s*([a-zA-Zµ]+)\s*,?\s*(?:and\s+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """What the asker measured: `kind` is step_time_s, tokens_per_s, tokens_per_s_per_accelerator, samples_per_s or
    duration_s (the whole run); `value` in that unit."""

    kind: str
    value: float


def parse_duration(text: str, *, where: str = "duration") -> float:
    """`2d 7h 51m`, `24.3 days`, `90 min`, `1:30:00` (h:m:s) as seconds. A bare number is refused: it has no unit."""
    given = clean(text, where)
    allowed = "a duration such as `60d`, `36 h` or `2d 7h 51m`"
    clock = re.fullmatch(r"(\d+):([0-5]?\d):([0-5]?\d(?:\.\d+)?)", given)
    if clock:
        total = int(clock[1]) * HOUR_S + int(clock[2]) * 60 + float(clock[3])
    else:
        position, total, seen = 0, 0.0, set()
        while position < len(given):
            piece = _PIECE.match(given, position)
            size = _UNITS.get(piece[2]) or _UNITS.get(piece[2].lower()) if piece else None
            if not piece or size is None or size in seen:
                hint = "add a unit: s, min, h, d, weeks" if re.fullmatch(NUMBER, given) else ""
                raise fail(where, given, allowed, hint)
            number = plain_number(piece[1], where=where, given=given, suffixed=True)
            if number < 0:
                raise fail(where, given, "above zero")
            seen.add(size)
            total += number * size
            position = piece.end()
    if not 0 < total < 1e15:
        raise fail(where, given, "above zero")
    return total


def parse_measurement(text: str, *, where: str = "measured") -> Measurement:
    """A step time (`98.97s/it`), a step rate (`1.9it/s`), a throughput (`24k tokens/s`, `.../s/GPU`) or a whole run."""
    given = clean(text, where)
    lower = re.sub(r"\s+per\s+", "/", given.lower())
    per_update = re.fullmatch(rf"(?P<time>.+?)\s*/\s*{_UPDATE}", lower)
    if per_update:
        return Measurement(kind="step_time_s", value=parse_duration(per_update["time"], where=where))
    rate = re.fullmatch(
        rf"(?P<number>{NUMBER})\s*(?P<suffix>[kmbt]?)\s*"
        rf"(?P<what>{_UPDATE}|tok(?:en)?s?|samples?|seqs?|sequences?|images?)\s*/\s*s(?:ec(?:ond)?)?(?P<each>\s*/\s*{_DEVICE})?",
        lower,
    )
    if rate:
        number = plain_number(rate["number"], where=where, given=given, suffixed=True) * COUNT_SUFFIX[rate["suffix"]]
        if number <= 0:
            raise fail(where, given, "above zero")
        return _rate(number, rate["what"], bool(rate["each"]), where, given)
    try:
        return Measurement(kind="duration_s", value=parse_duration(given, where=where))
    except Exception:
        allowed = "a measurement such as `5.6 s/update`, `1.9it/s`, `24000 tokens/s`, `24000 tokens/s/GPU` or `4 days`"
        hint = "say per update, or per second" if re.match(NUMBER, given) else ""
        raise fail(where, given, allowed, hint) from None


def _rate(number: float, what: str, each: bool, where: str, given: str) -> Measurement:
    if what.startswith("tok"):
        return Measurement(kind="tokens_per_s_per_accelerator" if each else "tokens_per_s", value=number)
    if each:
        raise fail(where, given, "tokens per second, where it is per accelerator", "give the total rate of the cluster")
    if re.fullmatch(_UPDATE, what):
        return Measurement(kind="step_time_s", value=1 / number)
    return Measurement(kind="samples_per_s", value=number)
