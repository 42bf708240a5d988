"""The commands that need no network: `hours` (times, rates and accelerator hours) and `storage` (checkpoints and tokens)."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from flopcast import ask, facts, units
from flopcast.ask.collect import Problems
from flopcast.ask.elapsed import Amount, whole_duration_s
from flopcast.ask.price import read_bill_usd, read_price
from flopcast.ask.workload import MISMATCH_FRACTION, Amounts, batch_sequences, check_ranks, possible_ranks, read_amounts
from flopcast.cli.output import Output
from flopcast.decide import hours as sums
from flopcast.decide import storing
from flopcast.describe import Cluster, Price, Question, TraceStep
from flopcast.errors import near_matches
from flopcast.units.numbers import fail

T = TypeVar("T")
Words = dict[str, str | None]
HOUR_S = 3600.0


def run_hours(measured: str, words: Words, output: Output) -> None:
    from flopcast.cli.documents import hours_document
    from flopcast.cli.screens.arithmetic import show_hours_screen

    problems = Problems()
    cluster = problems.attempt(lambda: ask.read_cluster(words["on"] or "")) if words["on"] else None
    said = problems.attempt(lambda: units.parse_measurement(measured))
    amount, tokens, lines = _amounts(words, cluster, problems)
    price, bill = _money(words, cluster, problems)
    site = _site(words, problems)
    counted = _read(words, "failures", lambda t: units.parse_count(t, where="failures", example="3"), problems)
    every = _read(words, "failure_every", _accelerator_hours, problems)
    if counted is not None and every is not None:
        problems.add("failures", "--failures and --failure-every", "one of them")
    duration = None
    if said is not None and not any(p.where == "on" for p in problems.found):
        duration = whole_duration_s(said, measured, amount, problems)
    problems.raise_if_any()
    assert duration is not None
    result = sums.hours(
        wall_time_s=duration, cluster=cluster, tokens=tokens, price=price, bill_usd=bill, site=site,
        failures=counted, hours_per_failure=every,
    )  # fmt: skip
    if output.as_json:
        output.document("hours", hours_document(result, cluster, amount, tuple(lines)))
    else:
        show_hours_screen(measured, result, cluster, price, tuple(lines), output.console())


def _read(words: Words, name: str, parse: Callable[[str], T], problems: Problems) -> T | None:
    text = words[name]
    return problems.attempt(lambda: parse(text)) if text is not None else None


def _amounts(words: Words, cluster: Cluster | None, problems: Problems) -> tuple[Amount, float | None, list[TraceStep]]:
    """What a rate is multiplied with: updates, tokens, samples, epochs; each from the others where they give it."""
    asked = Question(
        tokens=words["tokens"],
        updates=words["updates"],
        batch=words["batch"],
        seq_len=words["seq_len"],
        epochs=words["epochs"],
        samples=words["samples"],
    )
    read = read_amounts(asked, problems)
    lines: list[TraceStep] = []
    size = read.batch.tokens if read.batch and not read.seq_len else None
    batch = batch_sequences(read.batch, read.seq_len, lines, problems) if not size else None
    check_ranks(read.batch, possible_ranks(cluster, None), problems)
    each = size or (batch * read.seq_len if batch and read.seq_len else None)
    tokens, samples = _seen(read, batch, lines)
    _check_tokens(read, tokens, each, problems)
    updates = read.updates
    if updates is not None and size and tokens is None:
        tokens = float(updates * size)
        lines.append(_line("tokens", "updates x tokens of an update", {"updates": updates, "tokens": size}, tokens))
    elif updates is None and size and tokens:
        updates = tokens / size
        lines.append(_line("updates", "tokens / tokens of an update", {"tokens": tokens, "each": size}, updates))
    elif updates is None and batch and samples:
        updates = samples / batch
        lines.append(_line("updates", "samples / batch", {"samples": samples, "batch": batch}, updates))
    return Amount(cluster=cluster, updates=updates, tokens=tokens, samples=samples, epochs=read.epochs), tokens, lines


def _check_tokens(read: Amounts, tokens: float | None, each: int | None, problems: Problems) -> None:
    """Tokens that were said must be those of all updates, where both are known."""
    if not (read.tokens and read.updates and each and tokens):
        return
    parts = read.updates * each
    if abs(tokens / parts - 1) > MISMATCH_FRACTION:
        hint = f"updates x batch gives {units.show_count(parts, 4)}: leave one out"
        problems.add("tokens", units.show_count(tokens, 4), "the number that the other amounts give", hint)


def _line(quantity: str, formula: str, inputs: dict[str, float | str], value: float) -> TraceStep:
    return TraceStep(quantity=quantity, formula=formula, inputs=inputs, value=value, unit=quantity)


def _seen(read: Amounts, batch: int | None, lines: list[TraceStep]) -> tuple[float | None, float | None]:
    """Tokens and samples that the run sees, epochs counted; each from the other by the length of a sequence."""
    epochs = read.epochs or 1.0
    tokens = read.tokens * epochs if read.tokens else None
    samples = read.samples * epochs if read.samples else None
    if read.epochs and (tokens or samples):
        data = read.tokens or read.samples or 0.0
        unit, seen = "tokens" if tokens else "samples", tokens or samples or 0.0
        lines.append(_line(unit, "epochs x data", {"epochs": epochs, "data": data}, seen))
    if samples is None and read.updates and batch:
        samples = float(read.updates * batch)
        lines.append(_line("samples", "updates x batch", {"updates": read.updates, "batch": batch}, samples))
    if read.seq_len:
        tokens = tokens or (samples * read.seq_len if samples else None)
        samples = samples or (tokens / read.seq_len if tokens else None)
    return tokens, samples


def _money(words: Words, cluster: Cluster | None, problems: Problems) -> tuple[Price | None, float | None]:
    """The price of an accelerator hour and the bill; both need the cluster they are of."""
    given = [name for name in ("price", "offer", "bill") if words[name]]
    if cluster is None:
        for name in given if not words["on"] else ():
            problems.add(name, words[name] or "", "together with --on", "a price is of so many accelerators")
        return None, None
    question = Question(price=words["price"], offer=words["offer"], bill=words["bill"])
    found = problems.attempt(lambda: read_price(question, cluster))
    bill = _read(words, "bill", read_bill_usd, problems)
    return (found[0] if found else None), bill


def _site(words: Words, problems: Problems) -> sums.Site:
    if words["power"] and words["energy"]:
        problems.add("power", "--power and --energy", "one of them", "the metered energy says the power")
    if words["region"] and words["carbon"]:
        problems.add("region", "--region and --carbon", "one of them")
    pue = _read(words, "pue", lambda t: units.parse_number(t, where="pue"), problems)
    if pue is not None and not 1 <= pue <= 3:
        problems.add("pue", words["pue"] or "", "from 1 to 3")
    if words["region"]:
        problems.attempt(lambda: facts.grid_intensity(words["region"] or "", where="region"))
    return sums.Site(
        power_w=_read(words, "power", units.parse_power, problems),
        energy_j=_read(words, "energy", units.parse_energy, problems),
        pue=pue,
        region=words["region"],
        carbon_kg_per_kwh=_read(words, "carbon", units.parse_carbon_intensity, problems),
    )


def _accelerator_hours(text: str) -> float:
    """`50000 GPU hours`: accelerator hours from one failure to the next."""
    found = units.parse_measurement(text, where="failure-every")
    if found.kind != "machine_hours" or found.of != "accelerator":
        raise fail("failure-every", text, "accelerator hours, such as `50000 GPU hours`")
    return found.value


def run_storage(model: str | None, tokens: str | None, words: Words, output: Output) -> None:
    from flopcast.cli.documents import storage_document
    from flopcast.cli.screens.arithmetic import show_storage_screen

    problems = Problems()
    network = problems.attempt(lambda: ask.read_network(model)) if model else None
    vocab = _read(words, "vocab", lambda t: units.parse_positive_int(t, where="vocab", maximum=1e8), problems)
    if vocab is None and network and network[0].shape:
        vocab = network[0].shape.vocab
    amount = problems.attempt(lambda: units.parse_tokens(tokens)) if tokens else None
    stored_as = _token_type(words["token_type"], problems)
    saving = _saving(words, problems)
    each = _read(words, "bytes_per_parameter", _bytes_per_parameter, problems)
    if network is not None and saving.size_bytes is not None:
        problems.add("size", words["size"] or "", "a size, or a MODEL whose size follows", "leave one out")
    if not (model or words["size"] or tokens or words["save"]):
        problems.add("model", "", "a MODEL, TOKENS, --size or --save", "what is stored, or how long a save takes")
    problems.raise_if_any()
    assumed = network[1] if network else ()
    if network is not None:
        size, said = storing.checkpoint_size(network[0].parameters_total, each)
        saving, assumed = replace(saving, size_bytes=size), (*assumed, *said)
    kept = storing.checkpoints(saving)
    files = storing.token_files(amount, vocab=vocab, stored_as=stored_as) if amount else None
    assumed = (*assumed, *(files[1] if files else ()))
    if output.as_json:
        output.document("storage", storage_document(kept, files[0] if files else None, assumed))
    else:
        show_storage_screen(kept, files[0] if files else None, assumed, output.console())


def _token_type(text: str | None, problems: Problems) -> str | None:
    if text is None or text.lower() in storing.TOKEN_TYPES:
        return text and text.lower()
    close = near_matches(text, storing.TOKEN_TYPES)
    hint = f"did you mean `{close[0]}`?" if close else ""
    problems.add("token-type", text, f"one of {', '.join(storing.TOKEN_TYPES)}", hint)
    return None


def _bytes_per_parameter(text: str) -> float:
    value = units.parse_number(re.sub(r"\s*B?(?:\s*/\s*param\w*)?$", "", text), where="bytes-per-parameter")
    if not 0 < value <= 64:
        raise fail("bytes-per-parameter", text, "above 0 and at most 64")
    return value


def _saving(words: Words, problems: Problems) -> storing.Saving:
    """What was said of saves; the interval is a time or a number of updates."""

    def duration(name: str) -> float | None:
        return _read(words, name, lambda t: units.parse_duration(t, where=name.rstrip("_")), problems)

    every = words["every"] or ""
    in_updates = re.fullmatch(r"(.+?)\s*(?:updates?|steps?|it|iterations?)", every.strip(), re.IGNORECASE)
    interval_updates = None
    if in_updates:
        interval_updates = problems.attempt(lambda: units.parse_positive_int(in_updates[1], where="every"))
        if not words["updates"]:
            problems.add("every", every, "together with --updates, where it is in updates")
    if words["write"] and words["save"]:
        problems.add("write", "--write and --save", "one of them", "a size and one of them give the other")
    return storing.Saving(
        size_bytes=_read(words, "size", lambda t: units.parse_bytes(t, where="size"), problems),
        save_s=duration("save"),
        write_bytes_per_s=_read(
            words, "write", lambda t: _above_zero(units.parse_bytes_per_s(t, where="write"), t), problems
        ),
        interval_s=None if in_updates else duration("every"),
        interval_updates=interval_updates,
        updates=_read(words, "updates", lambda t: units.parse_positive_int(t, where="updates"), problems),
        run_s=duration("for_"),
        mtbf_s=_mtbf(words, problems),
    )


def _above_zero(value: float, text: str) -> float:
    if value <= 0:
        raise fail("write", text, "above zero")
    return value


def _mtbf(words: Words, problems: Problems) -> float | None:
    """Mean time between failures: as given, or of the accelerators of --on by the published rates."""
    if words["mtbf"]:
        return _read(words, "mtbf", lambda t: units.parse_duration(t, where="mtbf"), problems)
    cluster = _read(words, "on", ask.read_cluster, problems)
    if cluster is None:
        return None
    rate, _ = facts.failure_rate_per_accelerator_h()
    return HOUR_S / (rate.expected * cluster.count)
