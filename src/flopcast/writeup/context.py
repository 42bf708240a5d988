"""Everything that a brief says, as tables of words: gathered once, written in several formats."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date
from typing import Any

from flopcast import __version__, ask, charts, facts
from flopcast.describe import Question, Range
from flopcast.errors import BadInput, Problem
from flopcast.evidence import Estimate, Reconciliation, estimate, reconcile
from flopcast.evidence.reconcile import check_stated
from flopcast.units import (
    parse_bytes,
    parse_fraction,
    parse_money,
    show_bytes,
    show_count,
    show_duration,
    show_energy,
    show_fraction,
    show_hours,
    show_money,
    show_money_short,
    show_number,
    show_price,
)
from flopcast.writeup.services import example_services, example_storage, partner_programmes

MAX_PROGRAMMES = 6
ASSUMED = "assumed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """The contents of the brief. Tables are (header, rows) of text."""

    title: str
    organisation: str
    summary: str
    contact: str
    date: str
    version: str
    ask: tuple[str, ...]
    runs: tuple[tuple[str, ...], ...]
    storage: tuple[tuple[str, ...], ...]
    storage_note: str
    kinds: tuple[tuple[str, ...], ...]
    combinations: tuple[tuple[str, ...], ...]
    cheapest: str
    partner_gets: tuple[str, ...]
    programmes: tuple[tuple[str, ...], ...]
    estimates: tuple[tuple[str, ...], ...]
    reconciled: str
    factors: tuple[tuple[str, ...], ...]
    slips: tuple[str, ...]
    assumptions: tuple[tuple[str, ...], ...]
    sources: tuple[str, ...]
    chart: dict[str, Any] | None


def gather(scenario: ask.Scenario, *, today: date) -> Brief:
    """Makes every estimate of a scenario and says what follows; raises BadInput with what is wrong in it."""
    estimates = {name: _estimate(name, question) for name, question in scenario.estimates}
    main_name = scenario.main or scenario.estimates[-1][0]
    main = estimates[main_name]
    others = _combinations(scenario, main)
    storage_rows, storage_bytes = _storage(scenario, main)
    reconciliation = _two_to_reconcile(estimates)
    sources = _sources(main, others)
    cheapest = min((e for e in others if e.chosen.cost_usd), key=_expected_cost, default=main)
    return Brief(
        title=scenario.title,
        organisation=scenario.organisation,
        summary=" ".join(scenario.summary.split()),
        contact=scenario.contact,
        date=today.isoformat(),
        version=__version__,
        ask=_ask(scenario, main, storage_bytes),
        runs=_runs(scenario, main),
        storage=storage_rows,
        storage_note=_storage_note(main),
        kinds=_kinds(main, others, storage_bytes),
        combinations=tuple(_combination_row(e) for e in others),
        cheapest=_cheapest(cheapest),
        partner_gets=scenario.partner_gets,
        programmes=partner_programmes(main.job.cluster.accelerator, limit=MAX_PROGRAMMES),
        estimates=tuple(_estimate_row(name, e) for name, e in estimates.items()),
        reconciled=_reconciled(reconciliation),
        factors=_factors(reconciliation),
        slips=_slips(scenario, estimates),
        assumptions=_assumptions(main, sources),
        sources=sources,
        chart=_chart(estimates),
    )


def _estimate(name: str, question: Question) -> Estimate:
    """The estimate of one question; its problems are said to be in it."""
    try:
        return estimate(ask.resolve(question))
    except BadInput as error:
        raise BadInput(*(replace(problem, where=f"{name}.{problem.where}") for problem in error.problems)) from None


def _combinations(scenario: ask.Scenario, main: Estimate) -> list[Estimate]:
    """The main job on each accelerator asked for, at list price and the precision usual there."""
    asked = scenario.combinations or (main.job.question.on or "",)
    question = replace(main.job.question, price=None, offer=None, bill=None, layout=None, stack=None)
    return [_estimate(f"combinations {on}", replace(question, on=on)) for on in asked]


def _expected_cost(estimate_: Estimate) -> float:
    return estimate_.chosen.cost_usd.expected if estimate_.chosen.cost_usd else float("inf")


def _development(scenario: ask.Scenario) -> Range | None:
    if not scenario.development_fraction:
        return None
    return Range.exact(parse_fraction(scenario.development_fraction, where="development_fraction", maximum=20))


def _runs(scenario: ask.Scenario, main: Estimate) -> tuple[tuple[str, ...], ...]:
    """Stage, accelerator hours low, expected, high, and why; the last row is the sum."""
    if main.budget is None:
        lines = [("main run", main.chosen.accelerator_hours, main.chosen.why)]
    else:
        lines = [(line.name, line.accelerator_hours, line.how) for line in main.budget.lines if line.accelerator_hours]
    share = _development(scenario)
    kept = []
    for name, hours, how in lines:
        if share is not None and name.startswith("development"):
            planned = main.chosen.accelerator_hours.times(share)
            kept.append((name, planned, f"{show_fraction(share.expected)} of the main run, as planned"))
        else:
            kept.append((name, hours, how))
    total = Range(
        low=sum(h.low for _, h, _ in kept),
        expected=sum(h.expected for _, h, _ in kept),
        high=sum(h.high for _, h, _ in kept),
    )
    kept.append(
        ("all", total, f"{show_duration(total.expected * 3600 / main.job.cluster.count)} on {main.job.cluster.count:,}")
    )
    return tuple((name, *(show_hours(v) for v in (h.low, h.expected, h.high)), how) for name, h, how in kept)


def _storage(scenario: ask.Scenario, main: Estimate) -> tuple[tuple[tuple[str, ...], ...], float]:
    """Item, TB, TiB and why; the last row is the sum."""
    stored = main.storage
    raw = (
        parse_bytes(scenario.dataset_bytes, where="dataset_bytes") if scenario.dataset_bytes else stored.raw_text_bytes
    )
    how_raw = "as stated" if scenario.dataset_bytes else "4 bytes a token"
    full, kept = scenario.checkpoints_kept or stored.checkpoints_kept, stored.weights_kept
    items = [
        ("raw data", raw, how_raw),
        ("tokenised data", stored.dataset_bytes, "as the loader reads it"),
        (
            f"{full} full checkpoints",
            full * stored.checkpoint_bytes,
            f"{show_bytes(stored.checkpoint_bytes)} each, 14 bytes a parameter",
        ),
        (
            f"{kept} sets of weights",
            kept * stored.weights_bytes,
            f"{show_bytes(stored.weights_bytes)} each, kept for good",
        ),
    ]
    total = sum(size for _, size, _ in items)
    items.append(("all", total, f"buy {show_bytes(total / 0.8)}: shared file systems slow down beyond 80 %"))
    rows = tuple((n, show_number(s / 1e12), show_number(s / 2**40), why) for n, s, why in items)
    return rows, total


def _storage_note(main: Estimate) -> str:
    """What checkpoints ask of the storage: written within a minute, as often as failures make it pay."""
    size = main.storage.checkpoint_bytes
    every = show_duration(main.goodput.checkpoint_interval_s)
    return f"A full checkpoint pays every {every}; to write its {show_bytes(size)} in a minute takes {show_bytes(size / 60)}/s."


def _ask(scenario: ask.Scenario, main: Estimate, storage_bytes: float) -> tuple[str, ...]:
    """The request in three sentences."""
    runs = _runs(scenario, main)[-1]
    chip = main.job.cluster.accelerator
    calendar = show_duration(main.calendar_time_s.expected)
    used = show_fraction(main.chosen.mfu_fraction.expected)
    hours = f"{runs[2]} {chip.name} hours (80 % interval {runs[1]} to {runs[3]}), development and restarts included"
    money = ""
    if main.budget is not None and main.price_usd_per_accelerator_h:
        total = main.budget.total_usd
        span = f"{show_money_short(total.low)} to {show_money_short(total.high)}"
        money = f"At list price that is {show_money_short(total.expected)} ({span}); "
        money += f"the main run alone {show_money_short(_expected_cost(main))}."
    return tuple(
        filter(
            None,
            (
                f"We ask for {hours}, and {show_bytes(storage_bytes)} of storage.",
                f"The main run takes {calendar} on {main.job.cluster.count:,} of them ({used} of peak).",
                money,
            ),
        )
    )


def _kinds(main: Estimate, others: list[Estimate], storage_bytes: float) -> tuple[tuple[str, ...], ...]:
    """Need, what it must be, and services that are examples of it."""
    names = [e.job.cluster.accelerator for e in others]
    services = "; ".join(f"{chip.name}: {text}" for chip in names if (text := example_services(chip.key, limit=3)))
    state = main.storage.checkpoint_bytes
    rows = [
        (
            "accelerators",
            f"16-bit matrix units; 80 GB each holds all {show_bytes(state)} of weights and optimizer",
            services,
        ),
        (
            "object storage",
            f"{show_bytes(storage_bytes)}, read once into fast storage",
            example_storage("object", limit=4),
        ),
        (
            "fast storage",
            f"{show_bytes(main.storage.dataset_bytes)} tokenised data and checkpoints, near the nodes",
            example_storage("parallel_fs", limit=3),
        ),
    ]
    return tuple(rows)


def _combination_row(e: Estimate) -> tuple[str, ...]:
    """Cluster, days, hours, price, cost, energy, providers."""
    chip, cost = e.job.cluster.accelerator, e.chosen.cost_usd
    price = f"{show_price(e.price_usd_per_accelerator_h)}" if e.price_usd_per_accelerator_h else "no list price"
    money = (
        f"{show_money_short(cost.expected)} ({show_money_short(cost.low)}–{show_money_short(cost.high)})"
        if cost
        else "-"
    )
    energy = show_energy(e.energy.energy_j.expected) if e.energy else "-"
    return (
        f"{e.job.cluster.count:,} x {chip.name}",
        show_fraction(e.chosen.mfu_fraction.expected, 2),
        show_duration(e.calendar_time_s.expected),
        show_hours(e.chosen.accelerator_hours.expected),
        price,
        money,
        energy,
        example_services(chip.key, limit=2, prices=True),
    )


def _cheapest(e: Estimate) -> str:
    if not e.chosen.cost_usd:
        return ""
    what = f"{e.job.cluster.count:,} x {e.job.cluster.accelerator.name}"
    return f"Cheapest at list price: {what}, {show_money_short(e.chosen.cost_usd.expected)} for the main run."


def _estimate_row(name: str, e: Estimate) -> tuple[str, ...]:
    """Name, job, how known, hours, utilisation, cost."""
    cost = e.chosen.cost_usd
    job = e.job
    size, tokens = show_count(job.network.parameters_total), show_count(job.workload.tokens)
    what = f"{size}, {tokens} tokens, {job.cluster.count:,} x {job.cluster.accelerator.name}"
    return (
        name.replace("-", " "),
        what,
        _how(e),
        show_hours(e.chosen.accelerator_hours.expected),
        show_fraction(e.chosen.mfu_fraction.expected),
        (show_money(cost.expected) if cost.is_exact else show_money_short(cost.expected)) if cost else "-",
    )


def _how(e: Estimate) -> str:
    question = e.job.question
    if question.like:
        return "own run, scaled"
    return {"measured": "measured", "rule": "rule", "published": "published runs", "simulation": "simulation"}[
        e.chosen.method
    ]


def _two_to_reconcile(estimates: dict[str, Estimate]) -> tuple[Reconciliation, str, str] | None:
    """The measured estimate against the rule, where both are there; else none."""
    measured = next(((n, e) for n, e in estimates.items() if e.job.measured and e.chosen.cost_usd), None)
    rule = next(((n, e) for n, e in estimates.items() if e.job.mfu_fraction and e.chosen.cost_usd), None)
    if measured is None or rule is None:
        return None
    return reconcile(measured[1], rule[1]), measured[0], rule[0]


def _reconciled(found: tuple[Reconciliation, str, str] | None) -> str:
    if found is None:
        return ""
    result, a, b = found
    return (
        f"“{a}” costs {show_money(result.a)} and “{b}” {show_money(result.b)}: {show_number(result.ratio, 4)} times. "
        "The ratio is the product of these factors:"
    )


def _factors(found: tuple[Reconciliation, str, str] | None) -> tuple[tuple[str, ...], ...]:
    if found is None:
        return ()
    result, a, b = found
    words = [(f.name, show_number(f.ratio, 5), _named(f.why, a, b)) for f in result.factors]
    return (*words, ("product", show_number(result.ratio, 4), ""))


def _named(why: str, a: str, b: str) -> str:
    """`A` and `B` in a factor's sentence replaced by the names of the estimates."""
    return re.sub(r"\b[AB]\b", lambda match: f"“{a if match[0] == 'A' else b}”", why)


def _slips(scenario: ask.Scenario, estimates: dict[str, Estimate]) -> tuple[str, ...]:
    """Stated totals that their parts do not give."""
    found = []
    for name, text in scenario.stated:
        if name not in estimates:
            raise BadInput(Problem(where=f"stated.{name}", given=text, allowed="the total of an estimate by its name"))
        cost = estimates[name].chosen.cost_usd
        slip = (
            check_stated(f"“{name}”", parse_money(text, where=f"stated.{name}").amount, cost.expected) if cost else None
        )
        found += [slip] if slip else []
    return tuple(found)


def _sources(main: Estimate, others: list[Estimate]) -> tuple[str, ...]:
    """Where the figures come from, each once; assumptions cite them by number."""
    found = [assumption.source for assumption in main.assumptions]
    found += [step.source for step in main.trace]
    found += [facts.cite(e.job.cluster.accelerator.source) for e in others]
    return tuple(dict.fromkeys(text for text in found if text and text != ASSUMED))


def _assumptions(main: Estimate, sources: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    """Name, value, effect and the number of the source; what is assumed of one thing stands in one row."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for assumption in main.assumptions:
        number = f"[{sources.index(assumption.source) + 1}]" if assumption.source in sources else ASSUMED
        value = f"{_value(assumption.value)} {assumption.unit}".strip()
        rows.setdefault((assumption.name, value, number), []).append(assumption.effect)
    return tuple((name, value, "; ".join(effects), number) for (name, value, number), effects in rows.items())


def _chart(estimates: dict[str, Estimate]) -> dict[str, Any] | None:
    rows = [(name.replace("-", " "), e.chosen.cost_usd) for name, e in estimates.items() if e.chosen.cost_usd]
    if len(rows) < 2:
        return None
    return charts.estimates_side_by_side(
        [(name, cost) for name, cost in rows if cost],
        title="What each estimate costs, with its 80 % interval",
        unit="US dollars",
    )


def _value(value: float | str) -> str:
    return value if isinstance(value, str) else show_number(float(value))
