"""Everything that a brief says, as tables of words: gathered once, written in several formats."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from flopcast import __version__, ask, facts
from flopcast.ask.collect import Problems
from flopcast.ask.scenario_words import attempt_named, check_words
from flopcast.describe import Question
from flopcast.evidence import Estimate, estimate
from flopcast.units import show_bytes
from flopcast.writeup import combinations, reasons, request
from flopcast.writeup.citations import Citations, assumption_rows
from flopcast.writeup.memory import does_not_fit, room_words
from flopcast.writeup.plan import Plan, plan
from flopcast.writeup.services import (
    cheapest_offers,
    example_storage,
    offer_words,
    partner_programmes,
    usual_returns,
)

MAX_PROGRAMMES = 5
MAX_RETURNS = 6
MAX_OFFERS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """The contents of the brief. Tables are rows of text; a sum stands in a last row called `all` or `product`."""

    title: str
    byline: str
    summary: str
    date: str
    version: str
    does_not_fit: str
    ask: tuple[str, ...]
    runs: tuple[tuple[str, ...], ...]
    main_run_note: str
    storage: tuple[tuple[str, ...], ...]
    storage_note: str
    kinds: tuple[tuple[str, ...], ...]
    combinations: tuple[tuple[str, ...], ...]
    combination_note: str
    partner_gets: tuple[str, ...]
    suggestions: tuple[str, ...]
    programmes: tuple[tuple[str, ...], ...]
    estimates: tuple[tuple[str, ...], ...]
    reasons: tuple[reasons.Reason, ...]
    slips: tuple[str, ...]
    assumptions: tuple[tuple[str, ...], ...]
    sources: tuple[str, ...]
    chart: dict[str, Any] | None


def gather(scenario: ask.Scenario, *, today: date) -> Brief:
    """Makes every estimate of a scenario and says what follows; raises BadInput with all that is wrong in it."""
    estimates = _estimates(scenario)
    main = plan(estimates[scenario.main_name], scenario)
    problems = Problems()
    found = combinations.combine(scenario, main, problems)
    problems.raise_if_any()
    citations = Citations()
    return Brief(
        title=scenario.title,
        byline=", ".join(filter(None, (scenario.organisation, scenario.contact, today.isoformat()))),
        summary=" ".join(scenario.summary.split()),
        date=today.isoformat(),
        version=__version__,
        does_not_fit=does_not_fit(main),
        ask=request.ask_sentences(main),
        runs=request.run_rows(main),
        main_run_note=request.main_run_note(main),
        storage=request.storage_rows(main, stated=bool(scenario.dataset_bytes)),
        storage_note=request.storage_note(main, citations),
        kinds=_kinds(main, found.plans, citations),
        combinations=combinations.combination_rows(found),
        combination_note=combinations.combination_note(found),
        partner_gets=scenario.partner_gets,
        suggestions=() if scenario.partner_gets else usual_returns(limit=MAX_RETURNS),
        programmes=partner_programmes(main.estimate.job.cluster.accelerator, limit=MAX_PROGRAMMES),
        estimates=reasons.estimate_rows(estimates),
        reasons=reasons.reasons(estimates, scenario.main_name),
        slips=reasons.slips(scenario, estimates),
        assumptions=assumption_rows(main, citations),
        sources=tuple(citations.sources),
        chart=reasons.cost_chart(estimates),
    )


def missing(scenario: ask.Scenario) -> tuple[str, ...]:
    """What a partner would look for and the scenario does not say."""
    wanted = ("organisation", "contact", "summary", "partner_gets", "combinations")
    return tuple(name for name in wanted if not getattr(scenario, name))


def _estimates(scenario: ask.Scenario) -> dict[str, Estimate]:
    """Every estimate by name; all problems at once, those of the combinations too."""
    problems = Problems()
    made = {name: attempt_named(name, _maker(question), problems) for name, question in scenario.estimates}
    if problems.found:
        check_words((), scenario.combinations, problems)
    problems.raise_if_any()
    return {name: e for name, e in made.items() if e is not None}


def _maker(question: Question) -> Any:
    return lambda: estimate(ask.resolve(question))


def _kinds(main: Plan, plans: tuple[Plan, ...], citations: Citations) -> tuple[tuple[str, ...], ...]:
    """Need, what it must be, and services that are examples of it, cheapest first."""
    rows = {}
    for planned in plans:
        chip = planned.estimate.job.cluster.accelerator
        offers = offer_words(cheapest_offers(chip.key, limit=MAX_OFFERS)) or "none listed"
        name = f"{planned.name} {citations.cite(facts.cite(chip.source))}"
        rows[planned.name] = (name, room_words(planned.estimate), offers)
    stored = main.storage
    return (
        *rows.values(),
        (
            "object storage",
            f"{show_bytes(stored.total_bytes)}, all of it at rest",
            example_storage("object", limit=3),
        ),
        (
            "fast storage",
            f"{show_bytes(stored.dataset_bytes + stored.checkpoints_kept * stored.checkpoint_bytes)} near the nodes: "
            "tokens, checkpoints",
            example_storage("parallel_fs", limit=2),
        ),
    )
