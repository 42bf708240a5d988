"""From a `Shape` to the arrays of the step model, and a likely shape for a network of which only the size is known.

Belongs here: the arrays' entry of one network; typical depth and width by size.
Does not: exact counts (flopcast.count), names of networks (flopcast.ask, flopcast.facts).
"""

from __future__ import annotations

from dataclasses import replace

from flopcast.describe import Network, Shape

# Width over depth of published decoders: 64 at 125M (GPT-3 small) to 102-130 from 7B on (Llama 2 70B, GPT-3 175B, Llama 3 405B).
ASPECT_SMALL, ASPECT_LARGE, SMALL_PARAMETERS, ASPECT_POWER = 64.0, 108.0, 1.25e8, 0.17
CLASSIC_VOCAB = 51200
EVEN_HEADS = 8  # wide networks have heads in eights, so that tensor parallelism can share them
HEAD_DIM, VOCAB, GROUPED_FROM, GROUPED_KV_HEADS = 128, 128256, 8e9, 8
EXPERTS_PER_TOKEN = 8  # of recent fine-grained mixtures (DeepSeek-V3, Qwen3)


def net_row(
    shape: Shape, *, head_share: float = 1.0, memory_ratio: float = 0.0, expert_hidden: float = 0.0
) -> dict[str, float]:
    """One entry of `Net`. Dense layers of a network without experts are all of them; a dense MLP beside the experts of
    every layer counts as a shared expert."""
    if shape.experts and shape.dense_layers >= shape.layers:
        shape = replace(shape, dense_layers=0, ffn=0, shared_expert_ffn=shape.shared_expert_ffn + shape.ffn)
    plain_dim = shape.head_dim - (shape.qk_rope_head_dim if shape.kv_lora_rank else 0)
    return {
        "layers": max(shape.layers, 1), "hidden": max(shape.hidden, 1), "heads": max(shape.heads, 1),
        "kv_heads": shape.kv_heads or shape.heads, "head_dim": plain_dim or HEAD_DIM, "ffn": shape.ffn,
        "gated": float(shape.gated_mlp), "vocab": shape.vocab, "tied": float(shape.tied_embeddings),
        "experts": shape.experts, "experts_per_token": shape.experts_per_token, "expert_ffn": shape.expert_ffn,
        "expert_hidden": expert_hidden or shape.hidden, "shared_ffn": shape.shared_expert_ffn,
        "dense_layers": shape.dense_layers, "q_lora": shape.q_lora_rank, "kv_lora": shape.kv_lora_rank,
        "rope_dim": shape.qk_rope_head_dim, "v_dim": shape.v_head_dim or shape.head_dim,
        "mixer_layers": shape.mixer_layers, "window_layers": shape.window_layers, "window": shape.window_tokens,
        "causal": float(shape.causal), "head_share": head_share, "memory_ratio": memory_ratio,
    }  # fmt: skip


def shape_of(network: Network) -> Shape | None:
    """The shape of a counted network as the step model needs it: layers that mix tokens, each with its share of the MLPs.

    Hybrids such as Nemotron-H count every mixer, attention and MLP as a layer of its own; here a layer is a mixer or an
    attention, and the MLPs are spread over them (experts: over as many layers as there are MLPs).
    """
    shape = network.shape
    if shape is None or not shape.mixer_layers:
        return shape
    attention = sum(scores.copies for scores in network.scores)
    mixing = attention + shape.mixer_layers
    mlps = max((part.copies for part in network.parts if part.role in {"mlp", "experts"}), default=mixing)
    if mixing == shape.layers or attention + shape.mixer_layers + mlps != shape.layers:
        return shape
    if shape.experts:
        return replace(shape, layers=mixing, dense_layers=max(0, mixing - mlps))
    return replace(shape, layers=mixing, ffn=round(shape.ffn * mlps / mixing))


def expert_hidden(network: Network) -> float:
    """Width at which tokens enter the routed experts: parameters of an expert over its matrices and its own width."""
    shape = network.shape
    experts = next((part for part in network.parts if part.role == "experts"), None)
    if shape is None or experts is None or not shape.experts * shape.expert_ffn:
        return float(shape.hidden) if shape is not None else 0.0
    width = experts.parameters / (shape.experts * (2 + shape.gated_mlp) * shape.expert_ffn)
    return min(float(shape.hidden), round(width))


def _even(layers: float) -> int:
    """A number of layers that pipelines can share: even, in fours from thirty-two on."""
    grain = 4 if layers > 32 else 2 if layers > 6 else 1
    return round(layers / grain) * grain


def shape_for_parameters(total: float, active: float | None = None, *, classic: bool = False) -> Shape:
    """A likely decoder of `total` parameters, of which a token uses `active`: an assumption, to be shown as one.

    Width from the usual ratio of width to depth, layers to match the count; grouped keys from 8B on; gated MLP of 8/3
    the width (7/2 with grouped keys). `classic`: as GPT-2 and GPT-3 were, all keys, plain MLP of four times the width. With `active`
    below `total`, the MLPs become fine-grained experts, eight of which serve a token.

    >>> shape = shape_for_parameters(70e9)
    >>> 70 <= shape.layers <= 90, 7000 < shape.hidden < 9000
    (True, True)
    """
    sparse = active is not None and active < 0.9 * total
    backbone = min(total, 3 * float(active or total)) if sparse else total
    aspect = min(ASPECT_LARGE, max(ASPECT_SMALL, ASPECT_SMALL * (backbone / SMALL_PARAMETERS) ** ASPECT_POWER))
    ideal = (backbone * aspect / 12) ** (1 / 3)
    grain = HEAD_DIM * (EVEN_HEADS if ideal > 2 * HEAD_DIM * EVEN_HEADS else 1)
    hidden = max(HEAD_DIM, round(ideal / grain) * grain)
    vocab = CLASSIC_VOCAB if classic else (VOCAB if total >= 1e9 else VOCAB // 4)
    heads = hidden // HEAD_DIM
    grouped = total >= GROUPED_FROM and heads > GROUPED_KV_HEADS and not classic
    kv_heads = GROUPED_KV_HEADS if grouped else heads
    attention = hidden * HEAD_DIM * 2 * (heads + kv_heads)
    tied = total < 4e9 or classic
    tables = (1 if tied else 2) * vocab * hidden
    if not sparse:
        ffn = 4 * hidden if classic else round((7 / 2 if grouped else 8 / 3) * hidden / 256) * 256
        layers = max(1, _even((total - tables) / (attention + (2 if classic else 3) * hidden * ffn)))
        return Shape(layers=layers, hidden=hidden, heads=heads, kv_heads=kv_heads, head_dim=HEAD_DIM, ffn=ffn,
                     gated_mlp=not classic, vocab=vocab, tied_embeddings=tied)  # fmt: skip
    layers = max(1, _even(hidden / aspect))
    used = max((float(active or 0) - tables / 2) / layers - attention, 0.2 * attention)
    expert = max(64, round(used / EXPERTS_PER_TOKEN / (3 * hidden)))
    experts = max(EXPERTS_PER_TOKEN, round((total - tables - layers * attention) / layers / (3 * hidden * expert)))
    return Shape(layers=layers, hidden=hidden, heads=heads, kv_heads=kv_heads, head_dim=HEAD_DIM, ffn=0, gated_mlp=True,
                 vocab=vocab, experts=experts, experts_per_token=EXPERTS_PER_TOKEN, expert_ffn=expert)  # fmt: skip
