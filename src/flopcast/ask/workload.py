"""Tokens, batches, updates, epochs and samples -> `Workload`, with the arithmetic shown line by line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from flopcast import count
from flopcast.ask.collect import Problems
from flopcast.describe import Cluster, Layout, Network, Question, TraceStep, Workload
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
AMOUNTS = ("tokens", "updates", "batch", "seq-len", "epochs", "samples")
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
) -> tuple[Workload | None, tuple[TraceStep, ...]]:
    """The workload and its arithmetic; problems are kept in `problems`. `ranks`: data-parallel degrees that fit."""
    lines: list[TraceStep] = []
    seq_len = amounts.seq_len or _tokens_per_sample(network)
    batch = batch_sequences(amounts.batch, seq_len, lines, problems)
    check_ranks(amounts.batch, ranks, problems)
    total = _from_updates(amounts, batch, seq_len, lines, problems)
    if total is None:
        total = _from_samples(amounts, seq_len, lines, problems)
    if amounts.tokens is not None:
        total = _from_tokens(amounts, total, lines, problems)
    if total is None:
        if not any(problem.where in AMOUNTS for problem in problems.found):
            hint = "give TOKENS, or --updates with --batch and --seq-len, or --samples with --epochs and --seq-len"
            problems.add("tokens", "", "the number of training tokens", hint)
        return None, ()
    updates = amounts.updates
    if updates is None and batch and seq_len:
        updates = total / (batch * seq_len)
        formula = "tokens / (batch x sequence)"
        inputs: dict[str, float | str] = {"tokens": total, "batch": batch, "sequence": seq_len}
        lines.append(TraceStep(quantity="updates", formula=formula, inputs=inputs, value=updates, unit="updates"))
    workload = Workload(
        tokens=total, seq_len=seq_len, batch_seqs=batch, updates=updates, precision=precision, method=method
    )
    return workload, tuple(lines)


def _tokens_per_sample(network: Network | None) -> int | None:
    """Tokens of one sample where the network itself says so (an image of 197 patches), and text adds none."""
    if (
        network is None
        or not network.inputs_per_sample
        or {"text", "decoder"} & {part.stream for part in network.parts}
    ):
        return None
    return int(count.flop_per_token(network).tokens_counted)


def batch_sequences(
    words: BatchWords | None, seq_len: int | None, lines: list[TraceStep], problems: Problems
) -> int | None:
    """Sequences of one update, from factors (shown) or from tokens, which the sequence must divide."""
    if words is None:
        return None
    if words.tokens is None:
        if len(words.factors) > 1:
            names = FACTOR_NAMES[: len(words.factors)]
            inputs: dict[str, float | str] = dict(zip(names, words.factors, strict=True))
            lines.append(
                TraceStep(
                    quantity="batch",
                    formula=" x ".join(names),
                    inputs=inputs,
                    value=words.sequences or 0,
                    unit="sequences",
                )
            )
        return words.sequences
    shown = f"{words.tokens:,} tokens"
    if not seq_len:
        problems.add("batch", shown, "together with --seq-len, where it is in tokens")
        return None
    whole, rest = divmod(words.tokens, seq_len)
    if rest or not whole:
        near = (
            f"{max(whole, 1) * seq_len:,} or {(whole + 1) * seq_len:,} tokens"
            if whole
            else f"at least {seq_len:,} tokens"
        )
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
    amounts: Amounts, batch: int | None, seq_len: int | None, lines: list[TraceStep], problems: Problems
) -> float | None:
    if amounts.updates is None:
        return None
    if not (batch and seq_len):
        if amounts.tokens is None and not any(problem.where == "batch" for problem in problems.found):
            hint = "the time alone, without tokens: flopcast hours '98.97s/it' --updates 12525"
            problems.add("updates", show_count(amounts.updates), "together with --batch and --seq-len", hint)
        return None
    total = float(amounts.updates * batch * seq_len)
    inputs: dict[str, float | str] = {"updates": amounts.updates, "batch": batch, "sequence": seq_len}
    lines.append(
        TraceStep(quantity="tokens", formula="updates x batch x sequence", inputs=inputs, value=total, unit="tokens")
    )
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


def _from_tokens(amounts: Amounts, parts: float | None, lines: list[TraceStep], problems: Problems) -> float:
    """Stated tokens, times epochs; checked against what the parts give."""
    stated = amounts.tokens or 0.0
    total = stated
    if amounts.epochs is not None and amounts.samples is None:
        total = stated * amounts.epochs
        inputs: dict[str, float | str] = {"epochs": amounts.epochs, "data": stated}
        lines.append(
            TraceStep(
                quantity="tokens", formula="epochs x tokens of the data", inputs=inputs, value=total, unit="tokens"
            )
        )
    if parts is not None and abs(total / parts - 1) > MISMATCH_FRACTION:
        work = next((line.formula for line in lines if line.quantity == "tokens"), "the parts")
        times = f"{show_count(max(total / parts, parts / total))} times {'less' if total > parts else 'more'}"
        hint = f"{work} gives {show_count(parts, 4)}, {times}: leave one out"
        problems.add("tokens", show_count(total, 4), "the number that the other amounts give", hint)
    return total
