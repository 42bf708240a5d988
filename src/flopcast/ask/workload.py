"""Tokens, batches, updates, epochs and samples -> `Workload`, with the arithmetic shown line by line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from flopcast import count
from flopcast.ask.collect import Problems
from flopcast.describe import Assumption, Cluster, Layout, Network, Question, TraceStep, Workload
from flopcast.describe.workload import USUAL_SEQ_LEN
from flopcast.units import (
    BatchWords,
    parse_batch,
    parse_count,
    parse_positive_int,
    parse_seq_len,
    parse_tokens,
    show_count,
)
from flopcast.units.batches import FACTOR_NAMES

T = TypeVar("T")
MISMATCH_FRACTION = 0.01
LONGEST_SEQ_LEN = 2**20
AMOUNTS = ("tokens", "updates", "batch", "seq-len", "epochs", "samples")
# the batch that much instruction tuning copied
TUNING_BATCH = 128
TUNING_SOURCE = "as in the recipe of Stanford Alpaca (github.com/tatsu-lab/stanford_alpaca, README)"
METHODS = ("pretrain", "full", "sft", "lora", "qlora")


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts:
    """The amounts as read; None where not said."""

    tokens: float | None
    updates: float | None
    batch: BatchWords | None
    seq_len: int | None
    epochs: float | None
    samples: float | None


def read_amounts(question: Question, problems: Problems) -> Amounts:
    """Every amount that was typed, each checked on its own."""

    def read(text: str | None, parse: Callable[[str], T]) -> T | None:
        return problems.attempt(lambda: parse(text)) if text is not None else None

    return Amounts(
        tokens=read(question.tokens, parse_tokens),
        updates=read(question.updates, lambda t: parse_positive_int(t, where="updates", maximum=1e12)),
        batch=read(question.batch, parse_batch),
        seq_len=read(question.seq_len, parse_seq_len),
        epochs=read(question.epochs, lambda t: parse_count(t, where="epochs", unit="epochs", example="3")),
        samples=read(question.samples, lambda t: parse_count(t, where="samples", unit="samples", example="1.2M")),
    )


def read_workload(
    amounts: Amounts,
    *,
    precision: str,
    method: str,
    network: Network | None,
    ranks: tuple[int, ...] = (),
    problems: Problems,
) -> tuple[Workload | None, tuple[TraceStep, ...], tuple[Assumption, ...]]:
    """The workload, its arithmetic and what it assumes. `ranks`: data-parallel degrees that fit.

    The usual length of a sequence is taken where none is said, but it never makes the amount of work: tokens that
    would be a number of sequences times an assumed length are asked for.
    """
    lines: list[TraceStep] = []
    said = amounts.seq_len or tokens_per_sample(network)
    taken = () if said else _usual_length(network)
    seq_len = said or (int(taken[0].value) if taken else None)
    batch = batch_sequences(amounts.batch, seq_len, lines, problems, assumed=not said)
    check_ranks(amounts.batch, ranks, problems)
    parts = _from_updates(amounts, batch, seq_len, bool(said), lines, problems)
    if parts is None:
        parts = _from_samples(amounts, said, lines, problems)
    total = parts if amounts.tokens is None else _from_tokens(amounts, parts, batch, bool(said), lines, problems)
    if total is None:
        if not any(problem.where in AMOUNTS for problem in problems.found):
            hint = "give TOKENS, or --updates with --batch and --seq-len, or --samples with --epochs and --seq-len"
            problems.add("tokens", "", "the number of training tokens", hint)
        return None, (), ()
    if batch is None and amounts.batch is None and seq_len:
        batch, more = _batch_not_said(amounts, total, seq_len, method, ranks, lines, problems)
        taken += more
    updates = _updates(amounts, total, batch, seq_len, lines)
    workload = Workload(
        tokens=total, seq_len=seq_len, batch_seqs=batch, updates=updates, precision=precision, method=method
    )
    return workload, tuple(lines), taken


def _updates(
    amounts: Amounts, total: float, batch: int | None, seq_len: int | None, lines: list[TraceStep]
) -> float | None:
    """Updates as said, else what the batch makes of the tokens."""
    if amounts.updates is not None or not (batch and seq_len):
        return amounts.updates
    updates = total / (batch * seq_len)
    inputs: dict[str, float | str] = {"tokens": total, "batch": batch, "sequence": seq_len}
    formula = "tokens / (batch x sequence)"
    lines.append(TraceStep(quantity="updates", formula=formula, inputs=inputs, value=updates, unit="updates"))
    return updates


def says_updates(amounts: Amounts, network: Network | None) -> bool:
    """Whether the number of updates follows from what was said alone, nothing assumed."""
    length = amounts.seq_len or tokens_per_sample(network)
    batch = amounts.batch
    return amounts.updates is not None or (batch is not None and bool(length or batch.tokens))


def _usual_length(network: Network | None) -> tuple[Assumption, ...]:
    """The usual length of a sequence of text, or the longest that the network reads where that is shorter."""
    if network is None:
        return ()
    most = network.max_seq_len or USUAL_SEQ_LEN
    source = "assumed" if most >= USUAL_SEQ_LEN else f"the longest that {network.name} reads"
    effect = "longer sequences cost more attention; --seq-len sets it"
    value = min(most, USUAL_SEQ_LEN)
    return (Assumption(name="sequence length", value=value, unit="tokens", source=source, effect=effect),)


def _batch_not_said(
    amounts: Amounts,
    total: float,
    seq_len: int,
    method: str,
    ranks: tuple[int, ...],
    lines: list[TraceStep],
    problems: Problems,
) -> tuple[int | None, tuple[Assumption, ...]]:
    """The batch that the updates leave, or the usual one of a fine-tuning; that of a pre-training is left open."""
    if amounts.updates is not None:
        wanted = total / (amounts.updates * seq_len)
        if wanted < 1 - MISMATCH_FRACTION:
            each = show_count(total / amounts.updates)
            hint = f"{show_count(total)} tokens in {show_count(amounts.updates)} updates are {each} tokens an update"
            allowed = f"updates of at least one sequence of {seq_len:,} tokens"
            problems.add("updates", show_count(amounts.updates), allowed, f"{hint}: give --seq-len, or fewer updates")
            return None, ()
        inputs: dict[str, float | str] = {"tokens": total, "updates": amounts.updates, "sequence": seq_len}
        formula = "tokens / (updates x sequence)"
        batch = round(wanted)
        lines.append(TraceStep(quantity="batch", formula=formula, inputs=inputs, value=batch, unit="sequences"))
        return batch, ()
    if method == "pretrain":
        return None, ()
    parts = ranks[0] if ranks else 1
    batch = max(1, round(TUNING_BATCH / parts)) * parts if parts <= TUNING_BATCH else TUNING_BATCH
    effect = "a larger batch makes fewer updates; --batch sets it"
    return batch, (
        Assumption(name="batch", value=batch, unit="sequences", source=TUNING_SOURCE, effect=effect, weight=0.1),
    )


def tokens_per_sample(network: Network | None) -> int | None:
    """Tokens of one sample where the network itself says so (an image of 197 patches), and text adds none."""
    if (
        network is None
        or not network.inputs_per_sample
        or {"text", "decoder"} & {part.stream for part in network.parts}
    ):
        return None
    return int(count.flop_per_token(network).tokens_counted)


def batch_sequences(
    words: BatchWords | None,
    seq_len: int | None,
    lines: list[TraceStep],
    problems: Problems,
    *,
    assumed: bool = False,
) -> int | None:
    """Sequences of one update, from factors (shown) or from tokens.

    Tokens typed to the last one must be whole sequences; `4M tokens`, or a length that is `assumed`, takes the nearest.
    """
    if words is None:
        return None
    if words.tokens is None:
        if len(words.factors) > 1:
            names = FACTOR_NAMES[: len(words.factors)]
            inputs: dict[str, float | str] = dict(zip(names, words.factors, strict=True))
            value, formula = words.sequences or 0, " x ".join(names)
            lines.append(TraceStep(quantity="batch", formula=formula, inputs=inputs, value=value, unit="sequences"))
        return words.sequences
    shown = f"{words.tokens:,} tokens"
    if not seq_len:
        problems.add("batch", shown, "together with --seq-len, where it is in tokens")
        return None
    whole, rest = divmod(words.tokens, seq_len)
    if whole and (words.is_rounded or assumed):
        nearest = round(words.tokens / seq_len)
        inputs = {"tokens of an update": words.tokens, "sequence": seq_len}
        formula = "tokens of an update / sequence"
        lines.append(TraceStep(quantity="batch", formula=formula, inputs=inputs, value=nearest, unit="sequences"))
        return nearest
    if rest or not whole:
        few, many = max(whole, 1) * seq_len, (whole + 1) * seq_len
        near = f"{few:,} or {many:,} tokens" if whole else f"at least {seq_len:,} tokens"
        problems.add("batch", shown, f"a whole number of sequences of {seq_len:,} tokens", f"did you mean {near}?")
        return None
    return whole


def check_ranks(words: BatchWords | None, ranks: tuple[int, ...], problems: Problems) -> None:
    """The last of three factors is the number of data-parallel ranks, which the cluster and layout also say."""
    if words is None or not ranks or len(words.factors) < len(FACTOR_NAMES) or words.factors[-1] in ranks:
        return
    given = " x ".join(str(factor) for factor in words.factors)
    hint = f"{' x '.join(FACTOR_NAMES)}; if accumulation is already the total over all ranks, give two factors"
    problems.add(
        "batch",
        given,
        f"{' or '.join(f'{rank:,}' for rank in ranks)} data-parallel ranks, as --on and --layout give",
        hint,
    )


def possible_ranks(cluster: Cluster | None, layout: Layout | None) -> tuple[int, ...]:
    """Data-parallel degrees: of the layout, else one rank for each part, each device that software sees, or each core."""
    if layout is not None:
        return (layout.dp,)
    if cluster is None:
        return ()
    chip = cluster.accelerator
    return tuple(dict.fromkeys(cluster.count * parts for parts in (1, chip.devices, chip.cores)))


def _from_updates(
    amounts: Amounts, batch: int | None, seq_len: int | None, is_said: bool, lines: list[TraceStep], problems: Problems
) -> float | None:
    """Tokens of all updates; a batch in sequences of an assumed length gives them only to check those that were said."""
    if amounts.updates is None:
        return None
    size = amounts.batch.tokens if amounts.batch else None
    if batch is None or not (size or (seq_len and (is_said or amounts.tokens is not None))):
        if amounts.tokens is None and not any(problem.where == "batch" for problem in problems.found):
            hint = "the time alone, without tokens: flopcast hours '98.97s/it' --updates 12525"
            problems.add("updates", show_count(amounts.updates), "together with --batch and --seq-len", hint)
        return None
    inputs: dict[str, float | str] = {"updates": amounts.updates, "batch": batch, "sequence": seq_len or 0}
    formula, total = "updates x batch x sequence", float(amounts.updates * batch * (seq_len or 0))
    if size and (not is_said or (amounts.batch and amounts.batch.is_rounded)):
        inputs = {"updates": amounts.updates, "tokens of an update": size}
        formula, total = "updates x tokens of an update", float(amounts.updates * size)
    lines.append(TraceStep(quantity="tokens", formula=formula, inputs=inputs, value=total, unit="tokens"))
    return total


def _from_samples(amounts: Amounts, seq_len: int | None, lines: list[TraceStep], problems: Problems) -> float | None:
    if amounts.samples is None:
        return None
    if not seq_len:
        if amounts.tokens is None:
            problems.add("samples", show_count(amounts.samples), "together with --seq-len (tokens of one sample)")
        return None
    epochs = amounts.epochs or 1.0
    total = amounts.samples * seq_len * epochs
    inputs: dict[str, float | str] = {"epochs": epochs, "samples": amounts.samples, "sequence": seq_len}
    lines.append(
        TraceStep(quantity="tokens", formula="epochs x samples x sequence", inputs=inputs, value=total, unit="tokens")
    )
    return total


def _from_tokens(
    amounts: Amounts, parts: float | None, batch: int | None, is_said: bool, lines: list[TraceStep], problems: Problems
) -> float:
    """Stated tokens, times epochs; checked against what the parts give."""
    stated = amounts.tokens or 0.0
    total = stated
    if amounts.epochs is not None and amounts.samples is None:
        total = stated * amounts.epochs
        inputs: dict[str, float | str] = {"epochs": amounts.epochs, "data": stated}
        formula = "epochs x tokens of the data"
        lines.append(TraceStep(quantity="tokens", formula=formula, inputs=inputs, value=total, unit="tokens"))
    if parts is not None and abs(total / parts - 1) > MISMATCH_FRACTION:
        work = next((line for line in lines if line.quantity == "tokens" and line.value == parts), None)
        times = f"{show_count(max(total / parts, parts / total))} times {'less' if total > parts else 'more'}"
        hint = f"{work.formula if work else 'the parts'} gives {show_count(parts, 4)}, {times}"
        length = round(total / (amounts.updates * batch)) if amounts.updates and batch else 0
        if not is_said and 0 < length <= LONGEST_SEQ_LEN and amounts.batch and not amounts.batch.tokens:
            hint += f" at the usual length of a sequence; sequences of {length:,} tokens would agree: give --seq-len"
        else:
            hint += ": leave one out"
        problems.add("tokens", show_count(total, 4), "the number that the other amounts give", hint)
    return total
