"""`Question` -> `Job`: every word understood, or one error with every mistake in it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from flopcast import facts
from flopcast.ask.cluster import PEAK_KEY, peak_flop_per_s, read_cluster
from flopcast.ask.collect import Problems
from flopcast.ask.elapsed import Amount, whole_duration_s
from flopcast.ask.layout import read_layout
from flopcast.ask.network import read_network
from flopcast.ask.phrase import MAX_TEXT, read_phrase
from flopcast.ask.price import read_bill_usd, read_price
from flopcast.ask.quoted import quoted_question
from flopcast.ask.workload import (
    METHODS,
    Amounts,
    possible_ranks,
    read_amounts,
    read_workload,
    says_updates,
    tokens_per_sample,
)
from flopcast.count.fields import NOT_READ
from flopcast.describe import Assumption, Cluster, Job, Layout, Measured, Network, Price, Question, TraceStep, Workload
from flopcast.errors import near_matches
from flopcast.units import (
    FlopRateWords,
    Measurement,
    parse_flop_rate,
    parse_fraction,
    parse_measurement,
    parse_number,
    show_flop_per_s,
)
from flopcast.units.numbers import fail

CONVENTIONS = ("6n", "causal", "full", "exact")
EXCLUSIVE = ("mfu", "achieved", "measured", "like")


@dataclass(slots=True)
class _Reading:
    """What has been read so far."""

    network: Network | None = None
    cluster: Cluster | None = None
    workload: Workload | None = None
    arithmetic: tuple[TraceStep, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    peak: float | None = None
    price: Price | None = None
    layout: Layout | None = None
    layout_keys: tuple[str, ...] = ()


def resolve(question: Question) -> Job:
    """Understands a question whole; raises BadInput with all problems."""
    problems, read = Problems(), _Reading()
    choice = _choices(question, problems)
    if found := problems.attempt(lambda: read_network(question.model)):
        read.network, read.assumptions = found
    else:
        _check_phrase(question.model)
    _read_cluster(question, read, problems)
    precision = _precision(question, read, problems)
    amounts = read_amounts(question, problems)
    read.workload, read.arithmetic, taken = read_workload(
        amounts,
        precision=precision,
        method=choice["method"],
        network=read.network,
        ranks=possible_ranks(read.cluster, read.layout),
        problems=problems,
    )
    read.assumptions += taken
    mfu, achieved, measurement = _known(question, read, problems)
    bill = problems.attempt(lambda: read_bill_usd(question.bill or "")) if question.bill else None
    pue = _site(question, problems)
    like = problems.attempt(lambda: _like(question.like or "")) if question.like else None
    measured = _measured(measurement, question.measured or "", amounts, read, problems) if measurement else None
    _check_batch(read, problems)
    problems.raise_if_any()
    assert read.network is not None and read.cluster is not None and read.workload is not None and read.peak is not None
    return Job(
        question=question, network=read.network, workload=read.workload, cluster=read.cluster, peak_flop_per_s=read.peak,
        convention=choice["convention"], mfu_fraction=mfu,
        achieved_flop_per_s=achieved.flop_per_s if achieved else None,
        achieved_is_hardware=achieved is not None and achieved.is_hardware, measured=measured, price=read.price,
        bill_usd=bill, layout=read.layout, layout_keys=read.layout_keys, like=like, stack=question.stack, pue=pue, region=question.region,
        assumptions=read.assumptions, arithmetic=read.arithmetic,
        warnings=tuple(note for note in read.network.notes if NOT_READ in note),
    )  # fmt: skip


def _check_phrase(model: str) -> None:
    """Raises BadInput where MODEL holds a whole question, with the command line that it is."""
    phrase = read_phrase(model[:MAX_TEXT])
    if len(phrase.words) > 1:
        rest = f" (not understood: {', '.join(phrase.unknown)})" if phrase.unknown else ""
        hint = f"type: {phrase.command()}{rest}; or: flopcast ask {shlex.quote(model)}"
        raise fail("model", model, "the network alone; tokens and accelerators follow it", hint)


def _site(question: Question, problems: Problems) -> float | None:
    """The PUE, where given; the region is checked to be known."""
    pue = problems.attempt(lambda: parse_number(question.pue or "", where="pue")) if question.pue else None
    if pue is not None and not 1 <= pue <= 3:
        problems.add("pue", str(question.pue), "from 1 to 3")
    if question.region:
        problems.attempt(lambda: facts.grid_intensity(question.region or "", where="region"))
    return pue


def _check_batch(read: _Reading, problems: Problems) -> None:
    """A batch that was said must divide among the ranks and micro-batches that were said."""
    layout, work = read.layout, read.workload
    if layout is None or work is None or not work.batch_seqs or "dp" not in read.layout_keys:
        return
    share = layout.dp * (layout.micro if "micro" in read.layout_keys else 1)
    if work.batch_seqs % share:
        hint = f"a batch of {max(1, round(work.batch_seqs / share)) * share}"
        problems.add("batch", str(work.batch_seqs), f"a multiple of dp x micro-batch = {share}", hint)


def _choices(question: Question, problems: Problems) -> dict[str, str]:
    """Words that must be one of a few."""
    taken = {}
    for name, allowed in (("method", METHODS), ("convention", CONVENTIONS)):
        given = (getattr(question, name) or allowed[0]).lower()
        if given not in allowed:
            close = near_matches(given, allowed)
            hint = f"did you mean `{close[0]}`?" if close else ""
            problems.add(name, given, f"one of {', '.join(allowed)}", hint)
        taken[name] = "full" if name == "method" and given == "sft" else given
    return taken


def _read_cluster(question: Question, read: _Reading, problems: Problems) -> None:
    if not question.on:
        hint = "such as --on 64xH100, --on '4 x RTX A6000' or --on 'TPU v3 16x16'"
        problems.add("on", "", "the accelerators to train on", hint)
        return
    read.cluster = problems.attempt(lambda: read_cluster(question.on or ""))
    if read.cluster is None:
        return
    cluster = read.cluster
    read.assumptions += tuple(
        Assumption(
            name="accelerator",
            value=cluster.accelerator.name,
            unit="",
            source=facts.cite(cluster.accelerator.source),
            effect=text,
        )
        for text in cluster.assumed
    )
    if question.layout and (
        laid_out := problems.attempt(lambda: read_layout(question.layout or "", count=cluster.count))
    ):
        read.layout, read.layout_keys = laid_out
    if found := problems.attempt(lambda: read_price(question, cluster)):
        read.price = found[0]
        read.assumptions += found[1]


def _precision(question: Question, read: _Reading, problems: Problems) -> str:
    """The precision as given, else the 16-bit format that the accelerator multiplies matrices in."""
    given = (question.precision or "").lower().replace("-", "")
    chip = read.cluster.accelerator if read.cluster else None
    if given and given not in PEAK_KEY:
        close = near_matches(given, PEAK_KEY)
        hint = f"did you mean `{close[0]}`?" if close else ""
        problems.add("precision", given, f"one of {', '.join(PEAK_KEY)}", hint)
        return "bf16"
    if chip is None:
        return given or "bf16"
    precision = given
    if not given:
        precision = next((key for key in ("bf16", "fp16", "fp32") if chip.peak_flop_per_s.get(key)), "bf16")
    read.peak = problems.attempt(lambda: peak_flop_per_s(chip, precision))
    if not given and read.peak:
        rates = {key: chip.peak_flop_per_s.get(key) for key in ("fp8", "tf32", "fp32")}
        others = ", ".join(f"{key} {show_flop_per_s(rate)}" for key, rate in rates.items() if rate)
        effect = f"peak {show_flop_per_s(read.peak)}" + (f" ({others})" if others else "")
        read.assumptions += (
            Assumption(name="precision", value=precision, unit="", source="usual for training", effect=effect),
        )
    return precision


def _known(
    question: Question, read: _Reading, problems: Problems
) -> tuple[float | None, FlopRateWords | None, Measurement | None]:
    """The one thing that the asker knows about speed."""
    said = [name for name in EXCLUSIVE if getattr(question, name)]
    if len(said) > 1:
        problems.add(
            "speed", " and ".join(f"--{name}" for name in said), "one of --mfu, --achieved, --measured and --like"
        )
        return None, None, None
    mfu = problems.attempt(lambda: parse_fraction(question.mfu or "", where="mfu")) if question.mfu else None
    achieved = problems.attempt(lambda: parse_flop_rate(question.achieved or "")) if question.achieved else None
    if achieved and read.cluster:
        achieved = _of_one_part(achieved, read.cluster)
    if achieved and read.cluster and read.peak and achieved.flop_per_s > read.peak:
        peak = f"{show_flop_per_s(read.peak)}, the dense peak of {read.cluster.accelerator.name}"
        hint = "the sparse peak is twice the dense one; or is it the rate of several accelerators?"
        problems.add("achieved", question.achieved or "", f"at most {peak}", hint)
    measured = problems.attempt(lambda: parse_measurement(question.measured or "")) if question.measured else None
    return mfu, achieved, measured


def _of_one_part(rate: FlopRateWords, cluster: Cluster) -> FlopRateWords:
    """A rate per core, or per device as software sees it, as that of one whole part."""
    chip = cluster.accelerator
    parts = {"core": chip.cores, "device": chip.devices}.get(rate.per, 1)
    return FlopRateWords(flop_per_s=rate.flop_per_s * parts, is_hardware=rate.is_hardware)


def _measured(
    measurement: Measurement, text: str, amounts: Amounts, read: _Reading, problems: Problems
) -> Measured | None:
    """The measurement in the terms of the job: whole compute time, step time and tokens per second."""
    workload, cluster = read.workload, read.cluster
    if workload is None or cluster is None:
        return None
    length = amounts.seq_len or tokens_per_sample(read.network)
    samples = workload.tokens / length if length else None
    updates = workload.updates if says_updates(amounts, read.network) else None
    amount = Amount(cluster=cluster, updates=updates, tokens=workload.tokens, samples=samples, epochs=amounts.epochs)
    duration = whole_duration_s(measurement, text, amount, problems)
    if duration is None:
        return None
    return Measured(
        as_typed=text,
        compute_time_s=duration,
        step_time_s=duration / updates if updates else None,
        tokens_per_s=workload.tokens / duration,
        is_whole_run=measurement.kind in ("duration_s", "machine_hours"),
    )


def _like(text: str) -> Job:
    """The other job, quoted as arguments of `flopcast estimate`; it must carry a measurement."""
    job = resolve(quoted_question(text, where="like"))
    if job.measured is None:
        raise fail("like", text, "a job with --measured", "what you measured is what is scaled")
    return job
