"""What `compare`, `size` and `budget` do: read, solve, show."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from flopcast import ask, facts
from flopcast.ask.collect import Problems
from flopcast.ask.elapsed import same_part
from flopcast.cli.output import Output, range_json
from flopcast.cli.screens.decide import show_budget, show_comparison, show_sizing
from flopcast.decide import BudgetAnswer, Comparison, Sizing, affordable, compare, size_for
from flopcast.describe import Question, Range
from flopcast.errors import BadInput, Problem
from flopcast.evidence import Estimate, estimate
from flopcast.money.budget import DEVELOPMENT_FRACTION
from flopcast.units import parse_count, parse_duration, parse_fraction, parse_measurement, parse_money
from flopcast.units.numbers import NUMBER, fail

USUAL_KINDS = ("H100", "A100", "H200", "B200")
USUAL_COUNT = 64
Words = dict[str, str | None]


def _question(words: Words) -> Question:
    return Question(**{name: value for name, value in words.items() if value})


def run_compare(words: Words, on: list[str], *, output: Output) -> int:
    """Estimates on each cluster, all mistakes at once; 1 where the job fits none."""
    if len(on) < 2:
        hint = "--on 64xA100 --on 32xH100 --on 'TPU v5p-128'"
        raise BadInput(Problem(where="on", given=" ".join(on), allowed="two clusters or more", hint=hint))
    problems = Problems()
    question = _question(words)
    options = [problems.attempt(lambda o=cluster: estimate(ask.resolve(replace(question, on=o)))) for cluster in on]  # type: ignore[misc]
    problems.raise_if_any()
    result = compare([option for option in options if option is not None])
    if output.as_json:
        output.document("compare", _comparison_document(result))
    else:
        show_comparison(result, output.console())
    return 0 if result.fastest is not None else 1


def _comparison_document(result: Comparison) -> dict[str, Any]:
    return {
        "options": [
            {**_short(option), "fits": option.fits, "dominated": index in result.dominated}
            for index, option in enumerate(result.options)
        ],
        "cheapest": result.cheapest,
        "fastest": result.fastest,
    }


def _short(option: Estimate) -> dict[str, Any]:
    chosen, cluster = option.chosen, option.job.cluster
    return {
        "accelerator": cluster.accelerator.key,
        "count": cluster.count,
        "method": chosen.method,
        "mfu_fraction": range_json(chosen.mfu_fraction),
        "calendar_time_s": range_json(option.calendar_time_s),
        "accelerator_hours": range_json(chosen.accelerator_hours),
        "price_usd_per_accelerator_h": option.price_usd_per_accelerator_h,
        "cost_usd": range_json(chosen.cost_usd),
        "energy_j": range_json(option.energy.energy_j) if option.energy else None,
    }


def run_size(words: Words, *, within: str, kinds: list[str], output: Output) -> int:
    """Counts for a deadline, for each kind; 1 where none meets it."""
    deadline = parse_duration(within, where="within")
    question = _question(words)
    problems = Problems()
    found: list[tuple[str, Sizing]] = []
    for kind in kinds or USUAL_KINDS:
        sized = problems.attempt(lambda k=kind: _size_of(question, k, deadline))  # type: ignore[misc]
        if sized is not None:
            found.append((kind, sized))
    problems.raise_if_any()
    if output.as_json:
        output.document(
            "size", {"deadline_s": deadline, "options": [_sizing_document(kind, sized) for kind, sized in found]}
        )
    else:
        show_sizing(found, deadline, output.console())
    return 0 if any(sized.count for _, sized in found) else 1


def _size_of(question: Question, kind: str, deadline: float) -> Sizing:
    accelerator = ask.read_cluster(kind).accelerator
    return size_for(
        lambda count: estimate(ask.resolve(replace(question, on=f"{count}x{accelerator.name}"))), deadline_s=deadline
    )


def _sizing_document(kind: str, sized: Sizing) -> dict[str, Any]:
    return {
        "accelerator": sized.tried_most.job.cluster.accelerator.key,
        "asked_as": kind,
        "count": sized.count,
        "count_90_percent": sized.sure_count,
        "spares": sized.spares,
        "probability_fraction": sized.probability,
        "estimate": _short(sized.estimate) if sized.estimate else None,
        "failures": range_json(sized.estimate.goodput.failures) if sized.estimate else None,
    }


def run_budget(
    words: Words, *, money: str | None, hours: str | None, model: str | None, main_share: str | None, output: Output
) -> None:
    """Network and tokens for money or hours."""
    if bool(money) == bool(hours):
        raise BadInput(
            Problem(where="budget", given="", allowed="--money or --hours, one of them", hint="--money 200k")
        )
    problems = Problems()
    cluster_words = words["on"] or ""
    share = problems.attempt(lambda: parse_fraction(main_share, where="main-share")) if main_share else _usual_share()
    on = problems.attempt(lambda: _with_count(cluster_words))
    base = (
        problems.attempt(lambda: ask.resolve(_question({**words, "model": model or "7B", "tokens": "1B", "on": on})))
        if on
        else None
    )
    spend = problems.attempt(lambda: _dollars(money)) if money else None
    amount = problems.attempt(lambda: _accelerator_hours(hours, cluster_words)) if hours and on else None
    problems.raise_if_any()
    assert base is not None and share is not None
    if spend is not None:
        if base.price is None:
            raise fail(
                "price", "", "a price", f"no list price of {base.cluster.accelerator.name} is known: give --price"
            )
        amount = spend / base.price.usd_per_accelerator_h
    assert amount is not None
    question = _question({**words, "on": on, "price": None})

    def mfu_of(parameters: float, tokens: float) -> Range:
        name = model or f"{parameters:.6g}"
        found = estimate(ask.resolve(replace(question, model=name, tokens=f"{max(tokens, 1e6):.6g}")))
        return found.chosen.mfu_fraction

    given = base.network.parameters_active if model else None
    result = affordable(
        accelerator_hours=amount,
        main_run_share=share,
        peak_flop_per_s=base.peak_flop_per_s,
        mfu_of=mfu_of,
        parameters=given,
    )
    if output.as_json:
        output.document("budget", _budget_document(result, base.price.usd_per_accelerator_h if base.price else None))
    else:
        show_budget(result, base, spend, output.console())


def _usual_share() -> float:
    """What is left for the final run where development takes its usual part."""
    return 1 / (1 + DEVELOPMENT_FRACTION.expected)


def _with_count(text: str) -> str:
    """`H100` becomes the usual cluster of it; a count given is kept."""
    cluster = ask.read_cluster(text)
    return text if cluster.count > 1 else f"{USUAL_COUNT}x{cluster.accelerator.name}"


def _dollars(text: str | None) -> float:
    money = parse_money(text or "", where="money")
    if money.currency != "USD":
        raise fail("money", text or "", "US dollars", "no exchange rate is shipped: convert first")
    return money.amount


def _accelerator_hours(text: str | None, on: str) -> float:
    """`100k`, `100000 A100` or `2.79M GPU hours`; the accelerator, where named, must be the one of --on."""
    given = (text or "").strip()
    if re.fullmatch(rf"{NUMBER}\s*[a-zA-Z]?|", given):
        return parse_count(given, where="hours", example="100k")
    spelled = given if re.search(r"(?:hours?|hrs?|\bh)$", given, re.IGNORECASE) else f"{given} hours"
    said = parse_measurement(spelled, where="hours")
    allowed = "accelerator hours such as `100k`, `100000 A100` or `2.79M GPU hours`"
    if said.kind == "duration_s":
        return parse_count(given.split()[0], where="hours", example="100k")
    if said.kind != "machine_hours" or said.of in ("node", "core"):
        raise fail("hours", given, allowed)
    chip = ask.read_cluster(on).accelerator
    if said.of == "accelerator":
        return said.value
    found = facts.find_accelerator(said.of, where="hours")[0]
    if not same_part(found.key, chip.key, named=said.of):
        hint = f"flopcast convert '1x{found.name}' --hours {said.value:.6g} --to '{chip.name}' converts"
        raise fail("hours", given, f"hours of {chip.name}, which --on names", hint)
    return said.value


def _budget_document(result: BudgetAnswer, price: float | None) -> dict[str, Any]:
    return {
        "accelerator_hours": result.accelerator_hours,
        "main_run_hours": result.main_run_hours,
        "main_run_share_fraction": result.main_run_share,
        "price_usd_per_accelerator_h": price,
        "options": [
            {
                "name": option.name,
                "parameters": option.parameters,
                "tokens": range_json(option.tokens),
                "tokens_per_parameter": option.tokens_per_parameter,
                "mfu_fraction": range_json(option.mfu_fraction),
                "loss_nats": option.loss,
            }
            for option in result.options
        ],
    }
