"""Why estimates differ: side by side, the farthest from the request taken apart factor by factor, slips in stated totals."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import log
from typing import Any

from flopcast import ask, charts
from flopcast.evidence import Estimate, reconcile
from flopcast.evidence.reconcile import check_stated
from flopcast.units import (
    parse_money,
    show_count,
    show_duration,
    show_fraction,
    show_money,
    show_money_short,
    show_number,
)
from flopcast.writeup.request import NONE, known_by, whole

FARTHEST = 2
ONE = "1"
SAME = 0.005


@dataclass(frozen=True, slots=True, kw_only=True)
class Reason:
    """One pair of estimates: a sentence, and the factors whose product is their ratio."""

    sentence: str
    factors: tuple[tuple[str, ...], ...]


def estimate_rows(estimates: Mapping[str, Estimate]) -> tuple[tuple[str, ...], ...]:
    """Name, job, how known, hours, utilisation and cost of each; nothing where there is but one."""
    return tuple(_row(name, e) for name, e in estimates.items()) if len(estimates) > 1 else ()


def _row(name: str, e: Estimate) -> tuple[str, ...]:
    cost, job = e.chosen.cost_usd, e.job
    size, tokens = show_count(job.network.parameters_total), show_count(job.workload.tokens)
    return (
        spaced(name),
        f"{size}, {tokens} tokens, {job.cluster.count:,} x {job.cluster.accelerator.name}",
        known_by(e),
        whole(e.chosen.accelerator_hours.expected),
        show_fraction(e.chosen.mfu_fraction.expected),
        (show_money(cost.expected) if cost.is_exact else show_money_short(cost.expected)) if cost else NONE,
    )


def spaced(name: str) -> str:
    """The name of an estimate as a reader sees it."""
    return name.replace("-", " ").replace("_", " ")


def reasons(estimates: Mapping[str, Estimate], main_name: str) -> tuple[Reason, ...]:
    """The request against the estimates farthest from it, and the measured run against the rule, where they differ."""
    found = [_reason(a, b, estimates) for a, b in _pairs(estimates, main_name)]
    return tuple(reason for reason in found if reason is not None)


def _pairs(estimates: Mapping[str, Estimate], main_name: str) -> list[tuple[str, str]]:
    main = estimates[main_name]
    away = {name: _distance(e, main) for name, e in estimates.items() if name != main_name}
    far = sorted(away, key=lambda name: -away[name])[:FARTHEST]
    pairs = [(main_name, name) for name in far if away[name] > SAME]
    measured = next((n for n, e in estimates.items() if e.job.measured and e.chosen.cost_usd), None)
    rule = next((n for n, e in estimates.items() if e.job.mfu_fraction and e.chosen.cost_usd), None)
    if measured and rule and {measured, rule} not in [set(pair) for pair in pairs]:
        pairs.append((measured, rule))
    return pairs


def _distance(a: Estimate, b: Estimate) -> float:
    """How far two estimates are apart: the logarithm of the ratio of their costs, or of their times."""
    return abs(log(reconcile(a, b).ratio))


def _reason(a: str, b: str, estimates: Mapping[str, Estimate]) -> Reason | None:
    result = reconcile(estimates[a], estimates[b])
    rows = [(f.name.replace("_", " "), show_number(f.ratio, 5), _named(f.why, a, b)) for f in result.factors]
    rows = [row for row in rows if row[1] != ONE]
    if not rows:
        return None
    shown, verb = (show_money, "costs") if result.of == "cost_usd" else (show_duration, "computes for")
    ratio = show_number(result.ratio, 4)
    sentence = (
        f"“{spaced(a)}” {verb} {shown(result.a)} and “{spaced(b)}” {shown(result.b)}: {ratio} times, the product of:"
    )
    return Reason(sentence=sentence, factors=(*rows, ("product", ratio, "")))


def _named(why: str, a: str, b: str) -> str:
    """`A` and `B` in a factor's sentence replaced by the names of the estimates."""
    return re.sub(
        r"\b[AB]\b", lambda match: f"“{spaced(a if match[0] == 'A' else b)}”", why.replace(" used ", " uses ")
    )


def slips(scenario: ask.Scenario, estimates: Mapping[str, Estimate]) -> tuple[str, ...]:
    """Stated totals that their parts do not give."""
    found = []
    for name, text in scenario.stated:
        cost = estimates[name].chosen.cost_usd
        stated = parse_money(text, where=f"stated.{name}").amount
        slip = check_stated(f"“{spaced(name)}”", stated, cost.expected) if cost else None
        found += [slip] if slip else []
    return tuple(found)


def cost_chart(estimates: Mapping[str, Estimate]) -> dict[str, Any] | None:
    """The costs of the main runs side by side; None for fewer than two."""
    rows = [(spaced(name), e.chosen.cost_usd) for name, e in estimates.items() if e.chosen.cost_usd]
    if len(rows) < 2:
        return None
    return charts.estimates_side_by_side(
        [(name, cost) for name, cost in rows if cost],
        title="What the main run costs by each estimate, with its 80 % interval",
        unit="US dollars",
    )
