"""The main job on other accelerators: each by its own best method, what it costs, and which is cheapest.

A rate of one chip is not the rate of another: what the asker knows of speed and price stays with the accelerator it
was said of.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable
from dataclasses import dataclass, replace

from flopcast import ask
from flopcast.ask.collect import Problems
from flopcast.ask.scenario_words import attempt_named
from flopcast.describe import Question, Range
from flopcast.errors import BadInput, Problem
from flopcast.evidence import Estimate, estimate
from flopcast.units import show_duration, show_energy, show_fraction, show_money_short, show_price
from flopcast.writeup.plan import Plan, plan
from flopcast.writeup.request import NONE, known_by, whole

NOT_QUOTED = ("model", "tokens", "like", "name")


@dataclass(frozen=True, slots=True, kw_only=True)
class Combinations:
    """The plans that could be made, the main one among them; notes on the others and on what was changed."""

    plans: tuple[Plan, ...]
    notes: tuple[str, ...]


def combine(scenario: ask.Scenario, main: Plan, problems: Problems) -> Combinations:
    """Plans the main job on each accelerator asked for, once each; mistakes are added to `problems`."""
    found, notes = {_identity(main.estimate): main}, []
    order = []
    for on in dict.fromkeys(scenario.combinations):
        result = attempt_named("combinations", lambda on=on: _estimate(main.estimate, on), problems)  # type: ignore[misc]
        if result is None:
            continue
        made, note = result
        if note:
            notes.append(note)
        if made is not None:
            order.append(_identity(made))
            found.setdefault(order[-1], plan(made, scenario))
    kept = dict.fromkeys(order if _identity(main.estimate) in order else [_identity(main.estimate), *order])
    return Combinations(plans=tuple(found[key] for key in kept), notes=tuple(dict.fromkeys(notes)))


def _identity(made: Estimate) -> tuple[str, int]:
    return made.job.cluster.accelerator.key, made.job.cluster.count


def _estimate(main: Estimate, on: str) -> tuple[Estimate | None, str]:
    """The main job on `on`, and a note: on another precision, or why there is none."""
    question = question_on(main, on)
    try:
        return estimate(ask.resolve(question)), ""
    except BadInput as error:
        if _nothing_to_go_by(error.problems):
            return None, f"{on}: no method knows this accelerator for this job, so it is left out."
        if not question.precision or any(problem.where != "precision" for problem in error.problems):
            raise
    made = estimate(ask.resolve(replace(question, precision=None)))
    chip = made.job.cluster.accelerator.name
    return made, f"{chip} does not compute in {question.precision}: its row is at {made.job.workload.precision}."


def _nothing_to_go_by(problems: Iterable[Problem]) -> bool:
    return all(problem.where == "mfu" and not problem.given for problem in problems)


def question_on(main: Estimate, on: str) -> Question:
    """The main question on other accelerators, without what is known of the first ones alone."""
    question, chip = main.job.question, ask.read_cluster(on).accelerator.key
    moved = replace(question, on=on, layout=None, bill=None)
    if chip != main.job.cluster.accelerator.key:
        moved = replace(moved, stack=None, price=None, offer=None, measured=None, mfu=None, achieved=None)
        same_as_like = main.job.like is not None and main.job.like.cluster.accelerator.key == chip
        return moved if same_as_like else replace(moved, like=None)
    if question.measured:
        moved = replace(moved, measured=None, like=_quoted(question))
    elif question.bill:
        moved = replace(moved, price=f"${main.price_usd_per_accelerator_h or 0:.8g}/h")
    return moved


def _quoted(question: Question) -> str:
    """The question as arguments of `flopcast estimate`."""
    words = [question.model, *([question.tokens] if question.tokens else [])]
    for name, value in question.given().items():
        if name not in NOT_QUOTED:
            words += [f"--{name.replace('_', '-')}", value]
    return shlex.join(words)


def combination_rows(found: Combinations) -> tuple[tuple[str, ...], ...]:
    """Cluster, method, share of peak, calendar, hours, price, main run, whole request, energy of the main run."""
    best = cheapest(found)
    return tuple(_row(planned, best) for planned in found.plans)


def _row(planned: Plan, best: Plan | None) -> tuple[str, ...]:
    e = planned.estimate
    cost, total = e.chosen.cost_usd, planned.total_usd
    money = _spread(cost) if cost else NONE
    return (
        planned.name,
        known_by(e) if planned.fits else "does not fit",
        show_fraction(e.chosen.mfu_fraction.expected, 2),
        show_duration(e.calendar_time_s.expected, 2),
        whole(e.chosen.accelerator_hours.expected),
        _price(e),
        money,
        show_money_short(total.expected) if total else _even(planned, best),
        show_energy(e.energy.energy_j.expected) if e.energy else NONE,
    )


def _spread(cost: Range) -> str:
    """`$20.1k ($10.1k–$37.6k)`; the interval only where there is one."""
    interval = "" if cost.is_exact else f" ({show_money_short(cost.low)}–{show_money_short(cost.high)})"
    return show_money_short(cost.expected) + interval


def _price(e: Estimate) -> str:
    """The price of an accelerator hour, and whose where it is no list price."""
    if not e.price_usd_per_accelerator_h:
        return "no list price"
    kind = e.job.price.kind if e.job.price else "bill"
    words = {"given": " given", "bill": " paid", "offer": " offered"}.get(kind, "")
    return f"{show_price(e.price_usd_per_accelerator_h)}{words}"


def _even(planned: Plan, best: Plan | None) -> str:
    """The price at which a cluster without one would cost as much as the cheapest."""
    if best is None or best.total_usd is None:
        return NONE
    hours = planned.bill.total_accelerator_hours.expected
    stored = sum(line.usd.expected for line in planned.bill.lines if line.accelerator_hours is None)
    price = (best.total_usd.expected - stored) / hours
    return f"as the cheapest at {show_price(price)}" if price > 0 else NONE


def cheapest(found: Combinations) -> Plan | None:
    """The plan that fits and costs least in all; None where none has a price."""
    priced = [planned for planned in found.plans if planned.fits and planned.total_usd is not None]
    return min(priced, key=lambda p: p.total_usd.expected if p.total_usd else float("inf"), default=None)


def combination_note(found: Combinations) -> str:
    """Whose prices these are, the cheapest, and what else must be said."""
    best, words = cheapest(found), []
    kinds = {p.estimate.job.price.kind if p.estimate.job.price else "" for p in found.plans if p.is_priced}
    if "range" in kinds:
        words.append("Prices not marked are the middle of on-demand list prices.")
    if best is not None and len(found.plans) > 1 and best.total_usd and best.estimate.chosen.cost_usd:
        words.append(
            f"Cheapest at these prices: {best.name}, {show_money_short(best.total_usd.expected)} in all, "
            f"{show_money_short(best.estimate.chosen.cost_usd.expected)} for the main run."
        )
    return " ".join((*words, *found.notes))
