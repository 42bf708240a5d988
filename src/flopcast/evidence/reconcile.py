"""Why two estimates differ: the ratio of their costs (or times) split into factors whose product is the ratio."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

from flopcast.evidence.estimate import Estimate
from flopcast.units import show_count, show_flop_per_s, show_fraction, show_money, show_number, show_price

SAME = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True)
class Factor:
    """One cause: `ratio` of A to B in the answer; `a` and `b` are the values behind it."""

    name: str
    ratio: float
    a: float
    b: float
    unit: str
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciliation:
    """`ratio` = A / B of `of` (cost_usd or compute_time_s) = product of the factors, largest first."""

    of: str
    ratio: float
    a: float
    b: float
    factors: tuple[Factor, ...]
    summary: str
    warnings: tuple[str, ...]


def reconcile(a: Estimate, b: Estimate) -> Reconciliation:
    """Splits A / B; costs where both have one, else compute times."""
    cost_a, cost_b = a.chosen.cost_usd, b.chosen.cost_usd
    both_cost = cost_a is not None and cost_b is not None
    value_a = cost_a.expected if both_cost and cost_a else a.chosen.compute_time_s.expected
    value_b = cost_b.expected if both_cost and cost_b else b.chosen.compute_time_s.expected
    factors = [*_work_factors(a, b), *_speed_factors(a, b)]
    factors.append(_price_factor(a, b) if both_cost else _count_factor(a, b))
    kept = [factor for factor in factors if abs(factor.ratio - 1) > SAME or factor.name in ("parameters", "tokens")]
    kept.sort(key=lambda factor: -abs(log(factor.ratio)))
    of = "cost_usd" if both_cost else "compute_time_s"
    return Reconciliation(
        of=of,
        ratio=value_a / value_b,
        a=value_a,
        b=value_b,
        factors=tuple(kept),
        summary=_summary(kept, value_a / value_b, "cost" if both_cost else "time"),
        warnings=(),
    )


def _work_factors(a: Estimate, b: Estimate) -> list[Factor]:
    """Parameters, tokens, and FLOP per active parameter and token (convention, method, attention)."""
    active_a, active_b = a.job.network.parameters_active, b.job.network.parameters_active
    tokens_a, tokens_b = a.job.workload.tokens, b.job.workload.tokens
    per_a, per_b = a.flop.model / active_a / tokens_a, b.flop.model / active_b / tokens_b
    return [
        _factor("parameters", active_a, active_b, "parameters", show_count,
                "A trains {a} active parameters, B {b}"),
        _factor("tokens", tokens_a, tokens_b, "tokens", show_count, "A sees {times} the tokens of B: {a} against {b}"),
        _factor("flop_per_parameter_token", per_a, per_b, "FLOP", show_number,
                "A counts {a} FLOP a parameter and token, B {b} (method, attention or convention)"),
    ]  # fmt: skip


def _speed_factors(a: Estimate, b: Estimate) -> list[Factor]:
    """Peak and utilisation, which both divide: the factor is B over A."""
    mfu_a, mfu_b = a.chosen.mfu_fraction.expected, b.chosen.mfu_fraction.expected
    chips = f"{a.job.cluster.accelerator.name} against {b.job.cluster.accelerator.name}"
    peak = _factor("peak", b.job.peak_flop_per_s, a.job.peak_flop_per_s, "FLOP/s", show_flop_per_s,
                   "an accelerator of A peaks at {b}, of B at {a} (" + chips + ")")  # fmt: skip
    used = _factor("utilisation", mfu_b, mfu_a, "fraction", show_fraction, "A used {b} of its peak, B {a}")
    return [_swapped(peak), _swapped(used)]


def _count_factor(a: Estimate, b: Estimate) -> Factor:
    many = _factor("accelerators", b.job.cluster.count, a.job.cluster.count, "accelerators", show_number,
                   "A runs on {b} accelerators, B on {a}")  # fmt: skip
    return _swapped(many)


def _price_factor(a: Estimate, b: Estimate) -> Factor:
    price_a, price_b = a.price_usd_per_accelerator_h or 0.0, b.price_usd_per_accelerator_h or 0.0
    return _factor("price", price_a, price_b, "USD/accelerator h", show_price, "A pays {a} an accelerator, B {b}")


def _factor(name: str, a: float, b: float, unit: str, show: object, why: str) -> Factor:
    words = {"a": show(a), "b": show(b), "times": f"{show_number(a / b)} times"}  # type: ignore[operator]
    return Factor(name=name, ratio=a / b, a=a, b=b, unit=unit, why=why.format(**words))


def _swapped(factor: Factor) -> Factor:
    """The same factor with its values named after the estimates they belong to."""
    return Factor(
        name=factor.name, ratio=factor.ratio, a=factor.b, b=factor.a, unit=factor.unit, why=factor.why
    )  # fmt: skip


def _summary(factors: list[Factor], ratio: float, what: str) -> str:
    """One sentence: the ratio and its two largest causes."""
    big = [factor for factor in factors if abs(log(factor.ratio)) > 0.05][:2]
    times = f"A's {what} is {show_number(ratio)} times B's"
    if not big:
        return f"{times}: the two agree"
    return f"{times}. {'; '.join(factor.why[0].upper() + factor.why[1:] for factor in big)}"


def check_stated(name: str, stated: float, computed: float) -> str | None:
    """A warning where a stated total is not what its parts give; names the factor when it is near a power of ten."""
    ratio = stated / computed
    if 0.95 <= ratio <= 1.05:
        return None
    said = f"{name}: {show_money(stated)} is stated, its parts give {show_money(computed)}"
    power = round(log(ratio, 10))
    if power and 0.8 <= ratio / 10**power <= 1.25:
        return f"{said}: a slip of {10 ** abs(power):,} times {'too much' if power > 0 else 'too little'}"
    return f"{said}: {show_number(max(ratio, 1 / ratio))} times too {'much' if ratio > 1 else 'little'}"
