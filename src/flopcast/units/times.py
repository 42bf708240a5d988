"""Durations and measurements: `2d 7h 51m`, `5.6 s/update`, `1.9it/s`, `24000 tokens/s per GPU`, `2.79M GPU hours`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from flopcast.errors import BadInput
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
_UPDATE = r"(?:update|step|it|iter|iteration|batch)(?:e?s)?"
_DEVICE = r"(?:gpu|chip|accelerator|device|card|tpu)s?"
_PIECE = re.compile(rf"({NUMBER})\s*([a-zA-Zµ]+)\s*,?\s*(?:and\s+)?")
_PER_S = {
    "s": 1.0, "sec": 1.0, "second": 1.0, "min": 60.0, "minute": 60.0, "h": HOUR_S, "hr": HOUR_S, "hour": HOUR_S,
    "d": DAY_S, "day": DAY_S,
}  # fmt: skip
_TIME_OF = re.compile(rf"(?P<time>.+?)\s*/\s*(?P<every>\d[\d,]*\s*)?(?P<what>{_UPDATE}|epochs?)")
_RATE = re.compile(
    rf"(?P<number>{NUMBER})\s*(?P<suffix>[kmbt]?)\s*"
    rf"(?P<what>{_UPDATE}|tok(?:en)?s?|samples?|seqs?|sequences?|images?)"
    rf"\s*/\s*(?:(?P<before>{_DEVICE})\s*/\s*)?(?P<per>{'|'.join(_PER_S)})(?:\s*/\s*(?P<after>{_DEVICE}))?"
)
_MACHINE_HOURS = re.compile(
    rf"(?P<number>{NUMBER})\s*(?P<suffix>[kKmMbB](?=[\s-])|thousand|million|billion)?[\s-]*"
    r"(?P<of>[A-Za-z][\w .-]*?\w)[\s-]*(?:hours?|hrs?|h)",
)
_SUFFIX_WORDS = {"thousand": 1e3, "million": 1e6, "billion": 1e9}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """What the asker measured: `value` in the unit of `kind`.

    kind: duration_s (the whole run); step_time_s, epoch_time_s; tokens_per_s, samples_per_s, and these
    per_accelerator; machine_hours, whose machine is `of`: accelerator, node, core, or a chip's name as typed.
    """

    kind: str
    value: float
    of: str = ""


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
            size = _unit_s(piece[2]) if piece else None
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


def _unit_s(word: str) -> float | None:
    """Seconds of a unit of time; a capital M may be minutes, months or millions, a capital W is watts: neither is one."""
    return None if word in ("M", "W") else _UNITS.get(word) or _UNITS.get(word.lower())


def parse_measurement(text: str, *, where: str = "measured") -> Measurement:
    """A step time (`98.97s/it`), a rate (`1.9it/s`, `24k tokens/s/GPU`), a whole run (`4 days`, `2.79M GPU hours`)."""
    given = clean(text, where)
    lower = re.sub(r"\s+per\s+", "/", given.lower())
    if rate := _RATE.fullmatch(lower):
        return _rate(rate, where, given)
    if per := _TIME_OF.fullmatch(lower):
        seconds = parse_duration(per["time"], where=where)
        every = int(per["every"].replace(",", "")) if per["every"] else 1
        if every < 1:
            raise fail(where, given, "a time of at least one update")
        return Measurement(
            kind="epoch_time_s" if per["what"].startswith("epoch") else "step_time_s", value=seconds / every
        )
    try:
        return Measurement(kind="duration_s", value=parse_duration(given, where=where))
    except BadInput:
        if machine := _MACHINE_HOURS.fullmatch(given):
            return _machine_hours(machine, where, given)
        allowed = "a measurement such as `5.6 s/update`, `1.9it/s`, `24000 tokens/s/GPU`, `4 days` or `2.79M GPU hours`"
        hint = "say per update, or per second" if re.match(NUMBER, given) else ""
        if "%" in given:
            hint = "a share of time that kernels ran (nvidia-smi) is no utilisation: give tokens/s, or --mfu for one of the peak"
        raise fail(where, given, allowed, hint) from None


def _machine_hours(match: re.Match[str], where: str, given: str) -> Measurement:
    suffix = (match["suffix"] or "").lower()
    number = plain_number(match["number"], where=where, given=given, suffixed=bool(suffix))
    value = number * (_SUFFIX_WORDS.get(suffix) or COUNT_SUFFIX[suffix])
    if value <= 0:
        raise fail(where, given, "above zero")
    of = match["of"].strip().lower().removesuffix("s")
    if re.fullmatch(_DEVICE, of):
        return Measurement(kind="machine_hours", value=value, of="accelerator")
    named = of if of in ("node", "core") else match["of"].strip()
    return Measurement(kind="machine_hours", value=value, of=named)


def _rate(match: re.Match[str], where: str, given: str) -> Measurement:
    suffixed = bool(match["suffix"])
    number = plain_number(match["number"], where=where, given=given, suffixed=suffixed) * COUNT_SUFFIX[match["suffix"]]
    if number <= 0:
        raise fail(where, given, "above zero")
    per_s, what = number / _PER_S[match["per"]], match["what"]
    each = "_per_accelerator" if match["before"] or match["after"] else ""
    if re.fullmatch(_UPDATE, what):
        if each:
            raise fail(
                where, given, "tokens or samples, where it is per accelerator", "all accelerators share an update"
            )
        return Measurement(kind="step_time_s", value=1 / per_s)
    return Measurement(kind=("tokens_per_s" if what.startswith("tok") else "samples_per_s") + each, value=per_s)
