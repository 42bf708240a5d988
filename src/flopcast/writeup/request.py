"""What is asked for: the sentences at the top, the table of hours and money, the table of storage."""

from __future__ import annotations

from flopcast.describe import Range
from flopcast.evidence import Estimate
from flopcast.units import show_bytes, show_duration, show_fraction, show_money_short, show_price
from flopcast.writeup.citations import Citations
from flopcast.writeup.memory import layout_words
from flopcast.writeup.plan import Plan, closing, closing_whole

NONE = "–"


def ask_sentences(planned: Plan) -> tuple[str, ...]:
    """The request: hours and storage, the main run, the money."""
    estimate, all_of_it = planned.estimate, run_rows(planned)[-1]
    chip = estimate.job.cluster.accelerator
    span = "" if all_of_it[1] == all_of_it[3] else f" (80 % interval {all_of_it[1]} to {all_of_it[3]})"
    found = [
        f"We ask for {all_of_it[2]} {chip.name} hours{span}, development and restarts included, "
        f"and {show_bytes(planned.storage.total_bytes)} of storage.",
        f"The main run takes {show_duration(estimate.calendar_time_s.expected)} on {planned.name} "
        f"({show_fraction(estimate.chosen.mfu_fraction.expected, 2)} of peak).",
    ]
    total, main = planned.total_usd, estimate.chosen.cost_usd
    if total is not None and main is not None:
        found.append(
            f"{price_words(estimate)} that is {show_money_short(total.expected)} "
            f"({show_money_short(total.low)} to {show_money_short(total.high)}) with storage; "
            f"the main run alone {show_money_short(main.expected)}."
        )
    else:
        found.append(f"No list price of {chip.name} is known.")
    return tuple(found)


def price_words(estimate: Estimate) -> str:
    """`At list prices ($2.70/h)`: the price, and whose it is."""
    shown = show_price(estimate.price_usd_per_accelerator_h or 0.0)
    price = estimate.job.price
    if price is None or price.kind == "bill":
        return f"At the price paid, {shown} an accelerator,"
    if price.kind == "given":
        return f"At the given price of {shown} an accelerator"
    if price.kind == "offer":
        return f"At the price of {price.source} ({price.as_of}), {shown} an accelerator,"
    return f"At the middle of list prices on demand, {shown} an accelerator ({price.as_of}),"


def whole(hours: float) -> str:
    """Hours to five figures and no fractions: `11,291`, `7,676,100`."""
    return closing_whole([hours])[0]


def run_rows(planned: Plan) -> tuple[tuple[str, ...], ...]:
    """Stage, accelerator hours low, expected and high, dollars, and how; the last row is the sum."""
    lines = planned.bill.lines
    hours = [line.accelerator_hours or Range.exact(0) for line in lines]
    likeness = planned.bill.total_accelerator_hours.expected
    columns = [
        closing_whole([getattr(h, bound) for h in hours], like=likeness) for bound in ("low", "expected", "high")
    ]
    usd = closing_whole([line.usd.expected for line in lines]) if planned.is_priced else [""] * (len(lines) + 1)
    rows = []
    for place, line in enumerate(lines):
        if not planned.is_priced and line.accelerator_hours is None:
            continue
        cells = [column[place] if line.accelerator_hours else NONE for column in columns]
        dollars = f"${usd[place]}" if planned.is_priced else NONE
        rows.append((line.name, *cells, dollars, _how(line.name, line.how, planned)))
    job, total = planned.estimate.job, planned.bill.total_accelerator_hours
    calendar = f"{show_duration(total.expected * 3600 / job.cluster.count)} on all {job.cluster.count:,}"
    rows.append(("all", *(column[-1] for column in columns), f"${usd[-1]}" if planned.is_priced else NONE, calendar))
    return tuple(rows)


def _how(name: str, how: str, planned: Plan) -> str:
    """How a line came about, in plain words."""
    estimate = planned.estimate
    if name == "main run":
        price = estimate.price_usd_per_accelerator_h
        paid = f" at {show_price(price)}" if price else ""
        return f"{known_by(estimate)}, {show_fraction(estimate.chosen.mfu_fraction.expected, 2)} of peak{paid}"
    if name.startswith("restarts"):
        lost = 1 / estimate.goodput.fraction.expected - 1
        return f"{show_fraction(lost, 2)} of the main run: failures, restarts, saving, stalls"
    if name.startswith("development"):
        share = planned.bill.assumptions[0]
        stated = "as planned" if share.source == "as planned" else "the usual share; 25 to 100 % in the interval"
        return f"{show_fraction(float(share.value))} of the main run, {stated}"
    return how


def known_by(estimate: Estimate) -> str:
    """The method of an estimate, in a word or two."""
    if estimate.job.like is not None and estimate.chosen.method == "measured":
        return "own run, scaled"
    if estimate.chosen.method == "rule" and (estimate.job.mfu_fraction or estimate.job.achieved_flop_per_s):
        return "rule, given rate"
    words = {"measured": "measured", "rule": "rule", "published": "published runs", "simulation": "step model"}
    return words[estimate.chosen.method]


def storage_rows(planned: Plan, *, stated: bool) -> tuple[tuple[str, ...], ...]:
    """Item, TB, TiB and why; the last row is the sum."""
    s = planned.storage
    items = [
        ("raw data", s.raw_text_bytes, "as stated" if stated else "4 bytes a token of text"),
        ("tokenised data", s.dataset_bytes, "as the loader reads it"),
        (f"{s.checkpoints_kept} full checkpoints", s.checkpoints_kept * s.checkpoint_bytes,
         f"{show_bytes(s.checkpoint_bytes)} each: weights and optimizer, 14 bytes a parameter"),
        (f"{s.weights_kept} sets of weights", s.weights_kept * s.weights_bytes,
         f"{show_bytes(s.weights_bytes)} each, kept for good"),
    ]  # fmt: skip
    tb = closing([size / 1e12 for _, size, _ in items])
    tib = closing([size / 2**40 for _, size, _ in items])
    rows = [(name, tb[i], tib[i], why) for i, (name, _, why) in enumerate(items)]
    spare = f"provision {show_bytes(s.to_buy_bytes)}: shared file systems slow down beyond 80 % full"
    return (*rows, ("all", tb[-1], tib[-1], spare))


def storage_note(planned: Plan, citations: Citations) -> str:
    """How often to save, and how fast the storage must take it."""
    size = planned.storage.checkpoint_bytes
    every = show_duration(planned.estimate.goodput.checkpoint_interval_s, 2)
    source = next((step.source for step in planned.estimate.goodput.trace if "Young" in step.source), "")
    cited = f" {citations.cite(source)}" if source else ""
    return (
        f"Save a full checkpoint about every {every} to lose least to failures{cited}; "
        f"its {show_bytes(size)} in a minute is {show_bytes(size / 60)}/s of writing."
    )


def main_run_note(planned: Plan) -> str:
    """The layout of the main run and the memory of its fullest accelerator, where simulated."""
    forecast = planned.estimate.forecast
    if forecast is None or not planned.fits or not forecast.memory.fits:
        return ""
    held, capacity = (
        show_bytes(size, binary=True) for size in (forecast.memory.device_bytes, forecast.memory.capacity_bytes)
    )
    words = f"{layout_words(forecast.layout)}: {held} of {capacity} on the fullest accelerator"
    if planned.estimate.chosen.method != "simulation":
        return f"The step model lays it out as {words}."
    updates = planned.estimate.job.workload.tokens / forecast.tokens_per_update
    step = show_duration(planned.estimate.chosen.compute_time_s.expected / updates)
    return f"Laid out as {words}, {step} an update (step model)."
