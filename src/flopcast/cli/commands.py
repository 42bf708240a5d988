"""What each command does: read the words, call one function, hand the answer to a screen or a document."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from flopcast import ask
from flopcast.cli.output import Output
from flopcast.describe import Network, Question
from flopcast.errors import BadInput, Problem
from flopcast.units.numbers import fail


def question_from(words: dict[str, str | None], scenario: str | None) -> Question:
    """The words typed, over those of a scenario file's main estimate."""
    given = {name: value for name, value in words.items() if value}
    if scenario:
        return over(ask.load_scenario(scenario, where="from").main_question, given)
    if not given.get("model"):
        hint = "such as 405B, 30B-A3B, llama-3.1-8b or ./config.json"
        raise BadInput(Problem(where="model", given="", allowed="what is trained", hint=hint))
    return Question(**given)


# words that say the same thing in other ways: one that is typed replaces the others of its kind
SAME_KIND = (
    ("mfu", "achieved", "measured", "like"),
    ("price", "offer", "bill"),
    ("tokens", "updates", "epochs", "samples"),
)


# words that are true of one kind of accelerator only
OF_ONE_MACHINE = ("mfu", "achieved", "measured", "like", "price", "offer", "bill", "layout", "stack")


def over(base: Question, given: dict[str, str]) -> Question:
    """A question with some words replaced, and with them those that say the same in another way.

    On another kind of accelerator, rates, prices and layouts of the first are dropped, and that is said on stderr.
    """
    cleared: dict[str, Any] = {name: None for kind in SAME_KIND if set(kind) & set(given) for name in kind}
    if "on" in given and base.on and _another_kind(base.on, given["on"]):
        lost = [name for name in OF_ONE_MACHINE if getattr(base, name) and name not in given]
        cleared |= dict.fromkeys(lost)
        if lost:
            print(
                f"note: {', '.join(lost)} of the scenario are for {base.on}, not for {given['on']}: left out",
                file=sys.stderr,
            )
    return replace(base, **{**cleared, **given})


def _another_kind(one: str, other: str) -> bool:
    """True where two clusters are of different accelerators; what cannot be read is reported later."""
    try:
        return ask.read_cluster(one).accelerator.key != ask.read_cluster(other).accelerator.key
    except BadInput:
        return False


def run_estimate(
    words: dict[str, str | None],
    *,
    scenario: str | None,
    output: Output,
    explain: bool,
    timeline: str | None = None,
    runs: str | None = None,
) -> int:
    from flopcast.cli.documents import estimate_document
    from flopcast.cli.runs import read_runs, runs_document, show_runs
    from flopcast.cli.screens.estimate import show_estimate
    from flopcast.evidence import estimate

    count = read_runs(runs)
    result = estimate(ask.resolve(question_from(words, scenario)))
    if timeline is not None:
        from flopcast.cli.timeline import write_timeline

        write_timeline(result, timeline)
    if output.as_json:
        together = {"runs": runs_document(result, count)} if runs else {}
        output.document("estimate", {**estimate_document(result), **together})
    else:
        if runs:
            show_runs(result, count, output.console())
        show_estimate(result, output.console(), explain=explain)
    return 0 if result.fits else 1


def run_count(model: str, *, seq_len: str, padding: tuple[str, str] | None, output: Output, explain: bool) -> None:
    from flopcast.cli.documents import count_document
    from flopcast.cli.screens.count import show_count_screen
    from flopcast.units import parse_seq_len

    network, assumptions = ask.read_network(model)
    length = parse_seq_len(seq_len)
    padded = _padded_vocab(network, *padding) if padding else None
    if output.as_json:
        output.document(
            "count", {**count_document(network, length, assumptions), **({"padded_vocab": padded} if padded else {})}
        )
    else:
        show_count_screen(network, length, assumptions, output.console(), explain=explain)
        if padded:
            output.console().print(f"vocabulary padded to {padded:,}")


def _padded_vocab(network: Network, tp: str, multiple: str) -> int:
    from flopcast.units import parse_positive_int

    ranks = parse_positive_int(tp, where="tp", maximum=1e6)
    rows = parse_positive_int(multiple, where="vocab-multiple", maximum=1e6)
    if network.shape is None or not network.shape.vocab:
        raise fail("tp", tp, "a network whose vocabulary is known", "a catalogue name or a config.json")
    return ask.padded_vocab(network.shape.vocab, multiple=rows, tp=ranks)


def estimate_of(text: str, where: str) -> Any:
    """An estimate from a scenario file or from quoted arguments."""
    from flopcast.ask.quoted import quoted_question
    from flopcast.evidence import estimate

    if text.endswith(".toml"):
        return estimate(ask.resolve(ask.load_scenario(text, where=where).main_question))
    return estimate(ask.resolve(quoted_question(text, where=where)))


def run_reconcile(a: str, b: str, *, stated: str | None, output: Output) -> None:
    from flopcast.ask.price import read_bill_usd
    from flopcast.cli.documents import reconcile_document
    from flopcast.cli.screens.reconcile import show_reconciliation
    from flopcast.evidence.reconcile import check_stated, reconcile

    first, second = estimate_of(a, "A"), estimate_of(b, "B")
    result = reconcile(first, second)
    if stated is not None and first.chosen.cost_usd is not None:
        slip = check_stated("A", read_bill_usd(stated), first.chosen.cost_usd.expected)
        result = replace(result, warnings=(*result.warnings, *((slip,) if slip else ())))
    if output.as_json:
        output.document("reconcile", reconcile_document(result))
    else:
        show_reconciliation(result, first, second, output.console())


def run_outlook(
    ratios: dict[str, str], *, base: str | None, site_power: str, link: str, output: Output, explain: bool
) -> None:
    from flopcast.ask.collect import Problems
    from flopcast.cli.documents import outlook_document
    from flopcast.cli.screens.outlook import show_outlook
    from flopcast.decide.outlook import LAST, outlook
    from flopcast.units import parse_bytes_per_s, parse_number

    problems = Problems()
    numbers = {name: problems.attempt(lambda n=name, t=text: _ratio(t, n)) for name, text in ratios.items()}  # type: ignore[misc]
    power = problems.attempt(lambda: parse_number(site_power, where="site-power"))
    bandwidth = problems.attempt(lambda: parse_bytes_per_s(link, where="link"))
    if power is not None and not 0 < power < 1e5:
        problems.add("site-power", site_power, "megawatts above 0")
    if bandwidth is not None and bandwidth <= 0:
        problems.add("link", link, "a bandwidth above 0")
    last = problems.attempt(lambda: _envelope(base)) if base else LAST
    problems.raise_if_any()
    assert last is not None
    result = outlook(
        per_card=numbers["per-card"] or 1.0,
        cards=numbers["cards"] or 1.0,
        days=numbers["days"] or 1.0,
        tricks=numbers["tricks"] or 1.0,
        last=last,
        site_power_w=(power or 0.0) * 1e6,
        link_bytes_per_s=bandwidth or 0.0,
    )
    if output.as_json:
        output.document("outlook", outlook_document(result))
    else:
        show_outlook(result, last, output.console(), explain=explain)


def _ratio(text: str, where: str) -> float:
    from flopcast.units import parse_number

    value = parse_number(text.strip().lower().removeprefix("x").removesuffix("x"), where=where)
    if not 1e-6 < value < 1e9:
        raise fail(where, text, "a ratio above zero, such as `3.5`")
    return value


def _envelope(base: str) -> Any:
    """The last run as a quoted estimate."""
    from flopcast.decide.outlook import Envelope

    last = estimate_of(base, "base")
    return Envelope(
        name="the run given",
        cards=last.job.cluster.count,
        days=last.chosen.compute_time_s.expected / 86400,
        peak_flop_per_s=last.job.peak_flop_per_s,
        mfu_fraction=last.chosen.mfu_fraction.expected,
        parameters=last.job.network.parameters_active,
        source="given",
        usd=last.chosen.cost_usd,
    )


def run_convert(
    cluster: str, *, to: str, hours: str | None, precision: str | None, price: str | None, output: Output
) -> None:
    from flopcast.ask.cluster import peak_flop_per_s, read_cluster
    from flopcast.ask.collect import Problems
    from flopcast.cli.documents import convert_document
    from flopcast.cli.screens.outlook import show_conversion
    from flopcast.decide.convert import convert
    from flopcast.units import parse_price

    problems = Problems()
    source = problems.attempt(lambda: read_cluster(cluster, where="cluster"))
    target = problems.attempt(lambda: read_cluster(to, where="to"))
    used = problems.attempt(lambda: _hours(hours)) if hours else None
    cost = problems.attempt(lambda: parse_price(price)) if price else None
    problems.raise_if_any()
    assert source is not None and target is not None
    peaks = [
        problems.attempt(lambda m=machine: peak_flop_per_s(m.accelerator, precision or _sixteen_bit(m.accelerator)))  # type: ignore[misc]
        for machine in (source, target)
    ]
    problems.raise_if_any()
    result = convert(
        cluster=source, peak=peaks[0] or 0.0, target=target.accelerator, target_peak=peaks[1] or 1.0, hours=used
    )
    usd = cost.amount_per_h * result.accelerator_hours if cost and result.accelerator_hours else None
    if output.as_json:
        output.document("convert", convert_document(result, source, target.accelerator, usd))
    else:
        show_conversion(result, source, target.accelerator, usd, output.console())


def _sixteen_bit(accelerator: Any) -> str:
    return next((key for key in ("bf16", "fp16", "fp32") if accelerator.peak_flop_per_s.get(key)), "bf16")


def _hours(text: str) -> float:
    """Hours of use: a plain number is hours."""
    from flopcast.units import parse_duration, parse_number

    try:
        value = parse_number(text, where="hours")
    except BadInput:
        return parse_duration(text, where="hours") / 3600
    if value <= 0:
        raise fail("hours", text, "above zero")
    return value


def run_facts(table: str, words: list[str], *, sources: bool, everything: bool, output: Output) -> int:
    from flopcast.cli.screens.facts import show_facts

    return show_facts(table, words, sources=sources, everything=everything, output=output)


def run_writeup(scenario: str, *, out: str, output: Output) -> None:
    from flopcast import writeup

    written = writeup.write(ask.load_scenario(scenario), Path(out))
    if output.as_json:
        output.document("writeup", {"path": str(written), "bytes": written.stat().st_size})
    else:
        print(written)


def run_parse(text: str, *, field: str | None, output: Output) -> None:
    from flopcast.cli.reading import read_as

    meanings = read_as(text, field)
    if output.as_json:
        output.document("parse", {"text": text, "meanings": meanings})
        return
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=False)
    for meaning in meanings:
        table.add_row(meaning["as"], meaning["says"], style="" if meaning is meanings[0] else "dim")
    output.console().print(table)
