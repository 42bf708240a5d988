"""FLOP of one token, forward and training, by part and in each convention in print."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Final, Literal

from flopcast.describe.network import AttentionScores, Network
from flopcast.errors import BadInput, Problem

CONVENTIONS: Final = ("6n", "full_attention", "causal_attention")
ATTENTIONS: Final = ("full_attention", "causal_attention")
RECOMPUTES: Final = ("none", "selective", "full")
NOT_COUNTED: Final = ("patch", "pooled")
Recompute = Literal["none", "selective", "full"]
Trainable = Literal["all", "adapters"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlopPerToken:
    """FLOP of one token.

    forward: weights multiplied (the head is, an embedding look-up is not), full attention and scans, exact.
    training: by convention: "6n" is 6 x active parameters; the other two add three times the attention and scans,
        full or causal. These are the figures that published MFUs divide by.
    exact: three times the forward pass (less for frozen weights), by attention, "full_attention" or "causal_attention".
    hardware: exact, and what is computed again in the backward pass. Divide by it for HFU.
    by_part: forward, full attention, by name of part; its sum is `forward`.
    tokens: tokens of each stream in the sample that was counted; tokens_counted: those that the FLOP are divided by.
    A figure that cannot be known (a network that is only stated) is None, and `notes` says why.
    """

    forward: float
    training: Mapping[str, float | None]
    exact: Mapping[str, float | None]
    hardware: Mapping[str, float | None]
    by_part: Mapping[str, float]
    tokens: Mapping[str, float]
    tokens_counted: float
    notes: tuple[str, ...] = ()


def flop_per_token(
    network: Network,
    seq_len: float | None = None,
    *,
    decoder_seq_len: float | None = None,
    tokens: Mapping[str, float] | None = None,
    recompute: Recompute = "none",
    trainable: Trainable = "all",
    adapter_parameters: float = 0,
) -> FlopPerToken:
    """FLOP that training spends on one token.

    Parameters: seq_len, tokens in a sequence (in the encoder, if there is one); decoder_seq_len, in the decoder (None:
    as many); tokens, by stream, e.g. {"image": 576}: so many patches pass the vision tower for each sequence;
    recompute, in the backward pass, the attention scores ("selective") or all but the head ("full"); trainable,
    "adapters" freezes the network (LoRA, QLoRA): no gradients but of `adapter_parameters`.

    Returns FLOP per token of the main stream; of an encoder-decoder, per token of either stack.
    Raises BadInput for a length that is missing or not positive.

    >>> from flopcast.count import network_from_config
    >>> llama = network_from_config({"model_type": "llama"}, name="Llama 7B")
    >>> flop_per_token(llama, 4096).training["6n"] / llama.parameters_total
    6.0
    """
    lengths = {"seq_len": seq_len, "decoder_seq_len": decoder_seq_len}
    _check(lengths, {"adapter_parameters": adapter_parameters, **(tokens or {})}, recompute, trainable)
    if not network.is_counted:
        return _stated(network, recompute, trainable, adapter_parameters)
    counts = stream_tokens(network, seq_len, decoder_seq_len=decoder_seq_len, tokens=tokens)
    per = _tokens_counted(counts)
    share = {stream: count / per for stream, count in counts.items()}
    work = _work(network, counts, share)
    active = sum(part.active * share[part.stream] for part in network.parts)
    return FlopPerToken(
        forward=work.matmul + work.full + work.scan,
        training=_training(active, work, trainable, adapter_parameters, known=bool(network.scores or network.scans)),
        exact=_exact(work, trainable, adapter_parameters),
        hardware=_hardware(work, recompute, trainable, adapter_parameters),
        by_part=work.by_part,
        tokens=counts,
        tokens_counted=per,
        notes=_stream_notes(network, counts),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """Forward FLOP of one token: weights (of which the head), attention in both conventions, scans."""

    matmul: float
    head: float
    full: float
    causal: float
    scan: float
    by_part: Mapping[str, float]

    def attention(self, kind: str) -> float:
        return self.full if kind == "full_attention" else self.causal


def _work(network: Network, counts: Mapping[str, float], share: Mapping[str, float]) -> _Work:
    by_part: dict[str, float] = {}
    matmul = head = full = causal = scan = 0.0
    for part in network.parts:
        flop = 2.0 * part.copies * part.matmul_weights * share[part.stream]
        matmul += flop
        head += flop if part.role == "head" else 0.0
        if flop:
            by_part[part.name] = by_part.get(part.name, 0.0) + flop
    for score in network.scores:
        context = counts[score.key_stream or score.stream]
        flop = attention_flop(score, context=context) * share[score.stream]
        full += flop
        causal += attention_flop(score, context=context, half=True) * share[score.stream]
        by_part[score.name] = by_part.get(score.name, 0.0) + flop
    for entry in network.scans:
        flop = entry.copies * entry.flop_per_token * share[entry.stream]
        scan += flop
        by_part[entry.name] = by_part.get(entry.name, 0.0) + flop
    return _Work(matmul=matmul, head=head, full=full, causal=causal, scan=scan, by_part=by_part)


def attention_flop(score: AttentionScores, *, context: float, half: bool = False) -> float:
    """Forward FLOP of the scores and weighted values of one query token in all copies.

    Parameters: context, tokens in the sequence of the keys; half, count only keys that a causal mask lets through.
    Equation: 2 heads (qk + v) keys, where keys = min(window, context); causal: the mean over the queries,
    context / 2, or window (1 - window / (2 context)) with a shorter window. Bidirectional attention is never halved.

    >>> gpt = AttentionScores(name="", copies=1, heads=1, qk_head_dim=1, v_head_dim=1, causal=True)
    >>> attention_flop(gpt, context=100), attention_flop(gpt, context=100, half=True)
    (400.0, 200.0)
    """
    keys = float(context if score.window_tokens is None else min(score.window_tokens, context))
    if half and score.causal:
        keys *= 1 - keys / (2 * context)
    return 2.0 * score.copies * score.heads * (score.qk_head_dim + score.v_head_dim) * keys


def stream_tokens(
    network: Network,
    seq_len: float | None,
    *,
    decoder_seq_len: float | None = None,
    tokens: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """Tokens of each stream of the network in one sample; a stream that nothing sends tokens through has zero."""
    streams = {part.stream for part in network.parts}
    counts: dict[str, float] = {stream: float(count) for stream, count in network.inputs_per_sample}
    if seq_len is not None:
        two_stacks = {"encoder", "decoder"} <= streams
        if two_stacks and "encoder" not in counts:
            counts["encoder"] = seq_len
            counts["decoder"] = seq_len if decoder_seq_len is None else decoder_seq_len
            counts["text"] = counts["encoder"] + counts["decoder"]
        elif two_stacks:
            counts["decoder"] = seq_len if decoder_seq_len is None else decoder_seq_len
        elif "text" in streams:
            counts["text"] = seq_len
    counts.update(tokens or {})
    if "patch" in streams:
        counts.setdefault("patch", counts.get("image", 0.0))
    missing = {"text", "decoder"} & streams - set(counts)
    if missing:
        raise BadInput(
            Problem(where="seq_len", given="absent", allowed="a sequence length", hint=f"{network.name} reads tokens")
        )
    return {stream: float(counts.get(stream, 0)) for stream in sorted(streams | set(counts))}


def _tokens_counted(counts: Mapping[str, float]) -> float:
    """Tokens that the FLOP of a sample are divided by: of the text, else of all streams but of parts of them."""
    if counts.get("text"):
        return counts["text"]
    return sum(count for stream, count in counts.items() if stream not in NOT_COUNTED) or 1.0


def _training(
    active: float, work: _Work, trainable: Trainable, adapters: float, *, known: bool
) -> dict[str, float | None]:
    """FLOP of the three conventions; where the attention is not `known`, of the first alone."""
    base = (6 if trainable == "all" else 4) * active + 6 * adapters
    return {
        "6n": base,
        "full_attention": base + 3 * (work.full + work.scan) if known else None,
        "causal_attention": base + 3 * (work.causal + work.scan) if known else None,
    }


def _exact(work: _Work, trainable: Trainable, adapters: float) -> dict[str, float | None]:
    weights = (3 if trainable == "all" else 2) * work.matmul + 6 * adapters
    return {kind: weights + 3 * (work.attention(kind) + work.scan) for kind in ATTENTIONS}


def _hardware(work: _Work, recompute: Recompute, trainable: Trainable, adapters: float) -> dict[str, float | None]:
    result: dict[str, float | None] = {}
    for kind, exact in _exact(work, trainable, adapters).items():
        attention = work.attention(kind)
        again = {
            "none": 0.0,
            "selective": attention,
            "full": work.matmul - work.head + attention + work.scan + 2 * adapters,
        }[recompute]
        result[kind] = (exact or 0.0) + again
    return result


def _stated(network: Network, recompute: Recompute, trainable: Trainable, adapters: float) -> FlopPerToken:
    """Only 6N is known of a network without an architecture, and with full recomputation 8N."""
    active = network.parameters_active
    base = (6 if trainable == "all" else 4) * active + 6 * adapters
    again = 2 * (active + adapters) if recompute == "full" else 0.0
    unknown: dict[str, float | None] = dict.fromkeys(ATTENTIONS)
    hardware = dict.fromkeys(ATTENTIONS, base + again)
    return FlopPerToken(
        forward=2 * active,
        training={"6n": base, **unknown},
        exact=unknown,
        hardware=dict(hardware),
        by_part={"all weights": 2 * active},
        tokens={},
        tokens_counted=1,
        notes=(f"{network.name} has no known layers: attention is not counted",),
    )


def _stream_notes(network: Network, counts: Mapping[str, float]) -> tuple[str, ...]:
    idle = sorted(stream for stream, count in counts.items() if count == 0)
    return tuple(f"no {stream} tokens were given: what only they pass is not counted" for stream in idle)


def _check(lengths: Mapping[str, float | None], amounts: Mapping[str, float], recompute: str, trainable: str) -> None:
    problems = []
    for where, value in lengths.items():
        if value is not None and not (_is_number(value) and value > 0):
            problems.append(Problem(where=where, given=str(value), allowed="a positive number of tokens"))
    for where, amount in amounts.items():
        if not (_is_number(amount) and amount >= 0):
            problems.append(Problem(where=where, given=str(amount), allowed="a number of at least 0"))
    for where, word, allowed in (
        ("recompute", recompute, RECOMPUTES),
        ("trainable", trainable, ("all", "adapters")),
    ):
        if word not in allowed:
            problems.append(Problem(where=where, given=str(word), allowed="one of " + ", ".join(allowed)))
    if problems:
        raise BadInput(*problems)


def _is_number(value: object) -> bool:
    return not isinstance(value, bool) and isinstance(value, (int, float)) and isfinite(value)
