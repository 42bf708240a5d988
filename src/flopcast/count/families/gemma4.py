"""Gemma 4: two widths of head, keys that are values, embeddings for each layer, shared keys, optional experts."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flopcast.count.blocks import Block, attention, embedding, experts, linear, mlp, norm, weights
from flopcast.count.families.common import FULL, SLIDING, Draft, Sizes, around, read_kv_heads, read_sizes, shape_of
from flopcast.count.families.moe import read_experts
from flopcast.count.fields import Fields

DEFAULT_GLOBAL_HEAD_DIM = 512


def gemma4_text(f: Fields) -> Draft:
    """The text network of Gemma 4."""
    s = read_sizes(f)
    kinds = read_kinds(f, s.layers)
    shared = f.integer("num_kv_shared_layers", low=0)
    f.at_most("num_kv_shared_layers", shared, "the number of layers", s.layers)
    first_shared = max(0, s.layers - shared)
    ffn, width = f.integer("intermediate_size"), f.integer("hidden_size_per_layer_input", low=0)
    wide = 2 if f.flag("use_double_wide_mlp") else 1
    layers = read_attention(f, s, kinds, first_shared)
    layers += first_shared * mlp(s.hidden, ffn, gated=True)
    layers += (s.layers - first_shared) * mlp(s.hidden, wide * ffn, gated=True)
    layers += (4 * s.layers) * norm(s.hidden)
    figures: dict[str, object] = {}
    if f.flag("enable_moe_block"):
        block, figures = read_sparse(f, s)
        layers += s.layers * block
    extra = read_layer_inputs(f, s, width) if width else Block()
    shape = shape_of(
        s,
        ffn=ffn,
        dense_layers=s.layers if figures else 0,
        window_layers=kinds.count(SLIDING),
        window_tokens=f.integer("sliding_window"),
        **figures,
    )
    block = around(s, layers, final_norm=norm(s.hidden, name="final norm"), extra=extra)
    return Draft(block=block, shape=shape, max_seq_len=s.max_seq_len)


def read_kinds(f: Fields, layers: int) -> tuple[str, ...]:
    """Windowed but for each sixth layer, unless listed; the last layer sees everything."""
    listed = f.words("layer_types", length=layers, allowed=(FULL, SLIDING))
    kinds = listed or tuple(SLIDING if (layer + 1) % 6 else FULL for layer in range(layers))
    return (*kinds[:-1], FULL)


def read_attention(f: Fields, s: Sizes, kinds: tuple[str, ...], first_shared: int) -> Block:
    """Attention of all layers. Layers that see everything have their own head width, and may use keys as values.

    Layers from `first_shared` on reuse keys and values of an earlier layer and have no projections for them.
    """
    equal = f.flag("attention_k_eq_v")
    bias = f.flag("attention_bias")
    window = f.integer("sliding_window")
    wide = f.maybe_integer("global_head_dim")
    if wide is None:
        wide = DEFAULT_GLOBAL_HEAD_DIM
        f.defaulted("global_head_dim", wide)
    few = read_kv_heads(f, s.heads, "num_global_key_value_heads") if has_global_kv_heads(f) else s.kv_heads
    block = Block()
    for reuses in (False, True):
        some = kinds[first_shared:] if reuses else kinds[:first_shared]
        for kind, head_dim, kv_heads in ((SLIDING, s.head_dim, s.kv_heads), (FULL, wide, few if equal else s.kv_heads)):
            block += some.count(kind) * attention(
                hidden=s.hidden,
                heads=s.heads,
                kv_heads=0 if reuses else kv_heads,
                head_dim=head_dim,
                qkv_bias=bias,
                out_bias=bias,
                qk_norm=head_dim if reuses else 2 * head_dim,
                window=window if kind == SLIDING else None,
                share_kv=equal and kind == FULL,
            )
    return block


def has_global_kv_heads(f: Fields) -> bool:
    return f.maybe_integer("num_global_key_value_heads") is not None


def read_sparse(f: Fields, s: Sizes) -> tuple[Block, dict[str, object]]:
    """Experts beside the dense MLP of every layer, with three norms, and a router with scales."""
    count, chosen = read_experts(f, "num_experts", per_token="top_k_experts")
    width = f.integer("moe_intermediate_size", "expert_intermediate_size")
    block = weights("router", "router", multiplied=s.hidden * count, other=s.hidden + count)
    block += experts(hidden=s.hidden, ffn=width, count=count, per_token=chosen) + 3 * norm(s.hidden)
    return block, {"experts": count, "experts_per_token": chosen, "expert_ffn": width}


def read_layer_inputs(f: Fields, s: Sizes, width: int) -> Block:
    """A second embedding, `width` for each layer, mixed with a projection of the first and fed to every layer."""
    vocab = f.integer("vocab_size_per_layer_input")
    return (
        embedding(vocab, width * s.layers, name="per-layer embedding")
        + linear("per-layer inputs", "projector", s.hidden, width * s.layers)
        + norm(width)
        + s.layers * linear("per-layer inputs", "projector", s.hidden, width)
        + s.layers * linear("per-layer inputs", "projector", width, s.hidden)
        + s.layers * norm(s.hidden)
    )


FAMILIES: Mapping[str, Callable[[Fields], Draft]] = {"gemma4_text": gemma4_text}
