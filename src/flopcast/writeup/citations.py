"""Where figures come from: sources are numbered in the order in which something cites them; assumptions as a table."""

from __future__ import annotations

import re

from flopcast.describe import Assumption
from flopcast.units import show_fraction, show_number, show_price
from flopcast.writeup.memory import layout_words
from flopcast.writeup.plan import Plan

ASSUMED = "assumed"
STEP_MODEL = "flopcast step model"
NOT_PRINTED = {
    "": ASSUMED,
    "assumed": ASSUMED,
    "usual for training": ASSUMED,
    "usual node": ASSUMED,
    "loader convention": ASSUMED,
    "step model": STEP_MODEL,
    "given": "as given",
    "as planned": "as planned",
}
OPTION = re.compile(r";? *--[a-z-]+ (?:sets|names) it")
SHORTER = {"power of an accelerator in its node": "power, node included"}
PERCENT = ("fraction of peak", "of the main run")


class Citations:
    """Gives each printed source its number when it is first cited."""

    def __init__(self) -> None:
        self.sources: list[str] = []

    def cite(self, source: str) -> str:
        """`[3]`, or in words where nothing printed stands behind the figure."""
        if source in NOT_PRINTED:
            return NOT_PRINTED[source]
        if source.endswith("family default"):
            return ASSUMED
        if source not in self.sources:
            self.sources.append(source)
        return f"[{self.sources.index(source) + 1}]"


def assumption_rows(planned: Plan, citations: Citations) -> tuple[tuple[str, ...], ...]:
    """Name, value, effect and source; what is assumed of one thing stands in one row."""
    rows: dict[tuple[str, str, str], list[str]] = {}
    for assumption in planned.assumptions:
        source = _source(assumption, planned, citations)
        effect = OPTION.sub("", assumption.effect)
        name = SHORTER.get(assumption.name, assumption.name)
        rows.setdefault((name, _value(assumption, planned), source), []).append(effect)
    return tuple((name, value, "; ".join(effects), source) for (name, value, source), effects in rows.items())


def _source(assumption: Assumption, planned: Plan, citations: Citations) -> str:
    """A utilisation rests on its method: the step model and a measurement are no printed sources."""
    if assumption.name == "utilisation":
        chosen = planned.estimate.chosen
        if chosen.method == "simulation":
            return STEP_MODEL
        if chosen.method == "measured":
            return "own measurement"
    return citations.cite(assumption.source)


def _value(assumption: Assumption, planned: Plan) -> str:
    value, unit = assumption.value, assumption.unit
    if assumption.name == "layout" and planned.estimate.forecast is not None:
        return layout_words(planned.estimate.forecast.layout)
    if isinstance(value, str):
        return f"{value} {unit}".strip()
    if unit in PERCENT:
        return f"{show_fraction(value)} {unit.removeprefix('fraction ')}"
    if unit == "USD/accelerator h":
        return show_price(value)
    whole = float(value).is_integer() and value < 1e6
    return f"{f'{value:,.0f}' if whole else show_number(float(value))} {unit}".strip()
