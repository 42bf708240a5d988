"""Money: `$2/h`, `$98.32/h per node`, `$2/GPU/h`, `€1.9/h`, `200k`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from flopcast.units.numbers import COUNT_SUFFIX, NUMBER, clean, fail, plain_number

_CURRENCY = {"$": "USD", "usd": "USD", "us$": "USD", "€": "EUR", "eur": "EUR", "£": "GBP", "gbp": "GBP"}
_MARK = r"(?P<{0}>US\$|\$|€|£|USD|EUR|GBP|usd|eur|gbp)?"
_ACCELERATOR = r"(?:gpu|chip|accelerator|acc|card|device|tpu)"
_NODE = r"(?:node|instance|vm|server|machine)"
_HOUR = r"(?:h|hr|hour)"
_MONEY = re.compile(
    _MARK.format("before")
    + rf"\s*(?P<number>{NUMBER})\s*(?P<suffix>[kKmMbB]?)\s*"
    + _MARK.format("after")
    + r"(?P<rest>.*)"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MoneyWords:
    """An amount and its currency (USD, EUR, GBP)."""

    amount: float
    currency: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceWords:
    """A price per hour; `per` is accelerator or node."""

    amount_per_h: float
    currency: str
    per: str


def _amount(text: str, where: str, allowed: str) -> tuple[MoneyWords, str]:
    given = clean(text, where)
    match = _MONEY.fullmatch(given)
    if not match:
        raise fail(where, given, allowed)
    marks = {_CURRENCY[mark.lower()] for mark in (match["before"], match["after"]) if mark}
    if len(marks) > 1:
        raise fail(where, given, "in one currency")
    number = plain_number(match["number"], where=where, given=given, suffixed=bool(match["suffix"]))
    value = number * COUNT_SUFFIX[match["suffix"].lower()]
    if value <= 0:
        raise fail(where, given, "above zero")
    return MoneyWords(amount=value, currency=marks.pop() if marks else "USD"), match["rest"].strip().lower()


def parse_money(text: str, *, where: str = "money") -> MoneyWords:
    """`200k`, `$52.65M`, `2748.67` (US dollars where no currency is named)."""
    allowed = "an amount such as `$200k` or `2748.67`"
    money, rest = _amount(text, where, allowed)
    if rest:
        raise fail(where, text, allowed)
    return money


def parse_price(text: str, *, where: str = "price") -> PriceWords:
    """`$2/h` (one accelerator), `$98.32/h per node`, `$2/GPU/h`, `$1.3 per GPU-hour`."""
    allowed = "a price such as `2/h` (one accelerator hour, US dollars) or `98.32/h per node`"
    if eaten := re.fullmatch(r"\s*([.,]\d+|/)(.*)", text, flags=re.DOTALL):
        hint = "the shell takes a `$` and what follows for a variable: write "
        hint += "`2.5/h`" if eaten[1] == "/" else f"`1{eaten[1]}{eaten[2]}` or `0{eaten[1]}{eaten[2]}`"
        raise fail(where, text, allowed, f"{hint}, without `$`")
    money, rest = _amount(text, where, allowed)
    if not rest:
        raise fail(where, text, allowed, f"write `{text.strip()}/h`")
    if "/" not in rest and not re.search(r"\b(?:per|an?)\b", rest):
        raise fail(where, text, allowed, "an amount of hours is no price: say `/h` or `per hour`")
    words = re.sub(r"\s+|-", " ", rest.replace("/", " / ").replace(" per ", " / ").replace("per ", " / "))
    words = re.sub(r"\s*/\s*|\s+an?\s+", "/", words).strip().strip("/").replace(" ", "/")
    parts = [part for part in words.split("/") if part]
    if re.fullmatch(_HOUR + "s?", parts[-1] if parts else "") or (parts and re.fullmatch(_HOUR + "s?", parts[0])):
        others = [part for part in parts if not re.fullmatch(_HOUR + "s?", part)]
        if len(parts) - len(others) == 1 and len(others) <= 1:
            per = others[0] if others else "accelerator"
            if re.fullmatch(_ACCELERATOR + "s?", per):
                return PriceWords(amount_per_h=money.amount, currency=money.currency, per="accelerator")
            if re.fullmatch(_NODE + "s?", per):
                return PriceWords(amount_per_h=money.amount, currency=money.currency, per="node")
    raise fail(where, text, allowed, "prices are per hour, of one accelerator or of one node")
