"""Counts, fractions and lengths: `405B`, `7,241,732,096`, `30B-A3B`, `40%`, `128k` tokens of context."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from flopcast.errors import BadInput, Problem

COUNT_SUFFIX = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9, "t": 1e12, "q": 1e15}
COUNT_WORDS = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "bn": 1e9, "trillion": 1e12, "tn": 1e12, "mln": 1e6}
NUMBER = r"[+-]?(?:\d[\d,_]*\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
# bytes of English text that one token stands for, from word-piece vocabularies of 32k to 200k: see facts, datasets
TEXT_BYTES_PER_TOKEN = (3.5, 5.0)
MAX_TEXT = 400
_COUNT = re.compile(rf"\s*(?P<number>{NUMBER})\s*(?P<suffix>[a-zA-Z]*)\s*(?P<rest>.*)$", re.DOTALL)
_BYTES = re.compile(rf"\s*(?P<number>{NUMBER})\s*(?P<prefix>[kmgtp])(?P<binary>i?)b(?:ytes?)?\b", re.IGNORECASE)
_BYTE_POWER = {"k": 1, "m": 2, "g": 3, "t": 4, "p": 5}


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterWords:
    """Parameters as typed: total, active where said; `experts_of` holds (8, 7e9) for `8x7b`, which says no total."""

    total: float
    active: float | None = None
    experts_of: tuple[int, float] | None = None


def fail(where: str, given: str, allowed: str, hint: str = "") -> BadInput:
    """One problem as an exception; the text is cut to a length that fits a line."""
    shown = given if len(given) <= 80 else given[:77] + "..."
    return BadInput(Problem(where=where, given=shown, allowed=allowed, hint=hint))


def clean(text: object, where: str) -> str:
    """The text itself, refused when it is not text, empty or longer than anyone types."""
    if not isinstance(text, str):
        raise fail(where, str(text), "text")
    if len(text) > MAX_TEXT:
        raise fail(where, text, f"at most {MAX_TEXT} characters long")
    stripped = text.replace("\u00a0", " ").replace("\u202f", " ").replace("\u00d7", "x").strip()
    if not stripped:
        raise fail(where, text, "a value", "it is empty")
    return stripped


def plain_number(digits: str, *, where: str, given: str, suffixed: bool = False) -> float:
    """`7,241,732,096` and `405e9` as a number; a comma that may be a decimal mark is refused.

    `suffixed` says that a unit or suffix follows, where even `1,500B` may mean 1.5 B or 1500 B.
    """
    if "," in digits:
        grouped = re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?", digits)
        if not grouped or (suffixed and digits.count(",") == 1 and "." not in digits):
            as_point, as_group = given.replace(",", "."), given.replace(",", "")
            hint = f"write `{as_point}` or `{as_group}`" if digits.count(",") == 1 else "write it without commas"
            raise fail(
                where, given, "a number that reads one way only (the comma may mean a decimal or thousands)", hint
            )
    try:
        value = float(digits.replace(",", "").replace("_", ""))
    except ValueError:
        raise fail(where, given, "a number") from None
    if not math.isfinite(value):
        raise fail(where, given, "a finite number")
    return value


def parse_number(text: str, *, where: str = "number") -> float:
    """A plain number without unit."""
    given = clean(text, where)
    if not re.fullmatch(NUMBER, given):
        raise fail(where, given, "a number")
    return plain_number(given, where=where, given=given)


def parse_count(text: str, *, where: str = "count", unit: str = "", example: str = "405B") -> float:
    """A positive count: `405B`, `7b`, `405e9`, `7,241,732,096`, `1.5 trillion`; a trailing `unit` word is allowed."""
    given = clean(text, where)
    allowed = f"a count such as `{example}`"
    match = _COUNT.match(given)
    if not match:
        raise fail(where, given, allowed)
    suffix, rest = match["suffix"].lower(), match["rest"].strip().lower()
    units = {unit, unit.rstrip("s"), unit[:3]} - {""} if unit else set()
    if suffix in units and not rest:
        suffix = ""
    factor = COUNT_SUFFIX.get(suffix) or COUNT_WORDS.get(suffix)
    if factor is None or (rest and rest not in units):
        hint = "suffixes: k, M, B, T (10^3, 10^6, 10^9, 10^12)"
        raise fail(where, given, allowed, hint)
    value = plain_number(match["number"], where=where, given=given, suffixed=bool(suffix)) * factor
    if not 0 < value < 1e30:
        raise fail(where, given, "a count above zero" if value <= 0 else "below 1e30")
    return value


def parse_tokens(text: str, *, where: str = "tokens") -> float:
    """Training tokens: `15.6T`, `200B tokens`. Bytes are refused, with the number of tokens they may hold."""
    given = clean(text, where)
    size = _BYTES.match(given)
    if size:
        base = 1024.0 if size["binary"] else 1000.0
        number = plain_number(size["number"], where=where, given=given, suffixed=True)
        size_bytes = number * base ** _BYTE_POWER[size["prefix"].lower()]
        few, many = (size_bytes / per_token for per_token in reversed(TEXT_BYTES_PER_TOKEN))
        hint = f"{given} of English text is about {few:.2g} to {many:.2g} tokens (3.5 to 5 bytes a token)"
        raise fail(where, given, "a number of tokens, not of bytes", hint)
    return parse_count(given, where=where, unit="tokens", example="15.6T")


def parse_parameters(text: str, *, where: str = "parameters") -> ParameterWords:
    """`405B`, `30B-A3B`, `671B (37B active)`, `8x7b`."""
    given = clean(text, where)
    experts = re.fullmatch(rf"(\d{{1,4}})\s*x\s*({NUMBER}\s*[kmbtKMBT])", given)
    if experts:
        size = parse_count(experts[2], where=where)
        return ParameterWords(total=int(experts[1]) * size, experts_of=(int(experts[1]), size))
    forms = (
        rf"(?P<total>{NUMBER}\s*[a-zA-Z]*)\s*-\s*[aA](?P<active>\d[\d.]*\s*[a-zA-Z]+)",
        rf"(?P<total>{NUMBER}\s*[a-zA-Z]*)\s*[(,/]\s*(?P<active>{NUMBER}\s*[a-zA-Z]*?)\s*(?:active|activated)\s*\)?",
    )
    for form in forms:
        match = re.fullmatch(form, given)
        if match:
            total = parse_count(match["total"], where=where, unit="parameters")
            active = parse_count(match["active"], where=where, unit="parameters")
            if active > total:
                raise fail(where, given, "fewer active parameters than there are in total", "the total comes first")
            return ParameterWords(total=total, active=active)
    return ParameterWords(total=parse_count(given, where=where, unit="parameters"))


def parse_seq_len(text: str, *, where: str = "seq-len") -> int:
    """Tokens of context: `2048`, `4k` = 4096, `128k` = 131072, `1M` = 1048576 (here k is 1024)."""
    given = clean(text, where)
    match = re.fullmatch(r"(\d[\d,]*(?:\.\d+)?)\s*([kKmM]?)(?:\s*tokens?)?", given)
    if not match:
        raise fail(where, given, "a sequence length such as `4096` or `128k`")
    power = {"": 1, "k": 1024, "m": 1024**2}[match[2].lower()]
    value = plain_number(match[1], where=where, given=given, suffixed=power > 1) * power
    if value != int(value) or not 1 <= value <= 2**40:
        raise fail(where, given, "a whole number of tokens from 1 to 2^40")
    return int(value)


def parse_positive_int(text: str, *, where: str, maximum: float = 1e15) -> int:
    """A whole number above zero, suffixes allowed (`1M` updates)."""
    value = parse_count(text, where=where, example="512")
    if value != int(value) or value > maximum:
        raise fail(where, text, f"a whole number from 1 to {maximum:.0e}")
    return int(value)


def parse_fraction(text: str, *, where: str = "fraction", maximum: float = 1.0) -> float:
    """`40%`, `0.4`, `1`, `100%` as a fraction above zero and at most `maximum`."""
    given = clean(text, where)
    match = re.fullmatch(rf"({NUMBER})\s*(%|percent|per cent)?", given)
    if not match:
        raise fail(where, given, "a fraction such as `40%` or `0.4`")
    value = plain_number(match[1], where=where, given=given, suffixed=bool(match[2]))
    value = value / 100 if match[2] else value
    if not 0 < value <= maximum:
        hint = f"did you mean `{match[1]}%`?" if not match[2] and 1 < value <= 100 else ""
        raise fail(where, given, f"above 0 and at most {maximum * 100:.4g} %", hint)
    return value
