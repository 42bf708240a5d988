"""Mixture-of-experts decoders with grouped-query attention: the dense decoder's attention, experts for its MLP."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from flopcast.count.blocks import Block, experts, linear, mlp, router
from flopcast.count.families.common import (
    FULL,
    SLIDING,
    Draft,
    Sizes,
    Windows,
    around,
    read_sizes,
    shape_of,
    windows_of,
)
from flopcast.count.families.dense import Traits, alternating, attention_layers, every_layer, norms_of
from flopcast.count.fields import MOST_LAYERS, Fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Feeding:
    """The feed-forward parts of all layers, and their figures for the Shape."""

    block: Block
    ffn: int = 0
    dense_layers: int = 0
    experts: int
    experts_per_token: int
    expert_ffn: int
    shared_expert_ffn: int = 0

    @property
    def figures(self) -> dict[str, object]:
        return {
            "ffn": self.ffn,
            "dense_layers": self.dense_layers,
            "experts": self.experts,
            "experts_per_token": self.experts_per_token,
            "expert_ffn": self.expert_ffn,
            "shared_expert_ffn": self.shared_expert_ffn,
        }


def read_experts(f: Fields, name: str, *aliases: str, per_token: str = "num_experts_per_tok") -> tuple[int, int]:
    """Number of experts and how many of them work on a token, which cannot be more."""
    count = f.integer(name, *aliases)
    chosen = f.integer(per_token)
    f.at_most(per_token, chosen, "the number of experts", count)
    return count, chosen


def all_sparse(f: Fields, s: Sizes, *, bias: bool = False) -> Feeding:
    """Experts in every layer, `intermediate_size` wide (Mixtral, GPT-OSS, MiniMax)."""
    count, chosen = read_experts(f, "num_local_experts", "num_experts")
    ffn = f.integer("intermediate_size")
    layer = router(s.hidden, count, bias=bias) + experts(
        hidden=s.hidden, ffn=ffn, count=count, per_token=chosen, bias=bias
    )
    return Feeding(block=s.layers * layer, experts=count, experts_per_token=chosen, expert_ffn=ffn)


def stepped(f: Fields, s: Sizes, *, shared: bool, dense: bool = True) -> Feeding:
    """Experts by `decoder_sparse_step` and `mlp_only_layers`; with `shared` one gated shared expert (Qwen)."""
    count, chosen = read_experts(f, "num_experts", "num_local_experts")
    width = f.integer("moe_intermediate_size")
    layer = router(s.hidden, count) + experts(hidden=s.hidden, ffn=width, count=count, per_token=chosen)
    shared_width = f.integer("shared_expert_intermediate_size") if shared else 0
    if shared:
        layer += mlp(s.hidden, shared_width, gated=True, name="shared expert", role="shared_expert")
        layer += linear("shared expert gate", "shared_expert", s.hidden, 1)
    sparse = sparse_layers(f, s.layers) if dense else s.layers
    plain = s.layers - sparse
    ffn = f.integer("intermediate_size") if plain else 0
    return Feeding(
        block=sparse * layer + plain * mlp(s.hidden, ffn, gated=True),
        ffn=ffn,
        dense_layers=plain,
        experts=count,
        experts_per_token=chosen,
        expert_ffn=width,
        shared_expert_ffn=shared_width,
    )


def sparse_layers(f: Fields, layers: int) -> int:
    """Layers with experts: each `decoder_sparse_step`-th but those in `mlp_only_layers`."""
    step = f.integer("decoder_sparse_step", high=MOST_LAYERS)
    plain = set(f.integers("mlp_only_layers", high=MOST_LAYERS))
    return sum((layer + 1) % step == 0 and layer not in plain for layer in range(layers))


def leading_dense(f: Fields, s: Sizes, *, mlp_bias: bool = False) -> Feeding:
    """Dense MLPs in the first `first_k_dense_replace` layers, then routed and shared experts (DeepSeek, GLM)."""
    first = f.integer("first_k_dense_replace", low=0, high=MOST_LAYERS)
    f.at_most("first_k_dense_replace", first, "the number of layers", s.layers)
    return dense_then_sparse(f, s, plain=min(first, s.layers), mlp_bias=mlp_bias)


def dense_then_sparse(f: Fields, s: Sizes, *, plain: int, mlp_bias: bool = False) -> Feeding:
    """`plain` dense layers, the others with routed experts and one MLP as wide as all shared experts."""
    count, chosen = read_experts(f, "n_routed_experts", "num_local_experts", "num_experts")
    width = f.integer("moe_intermediate_size")
    shared = (f.maybe_integer("n_shared_experts", low=0) or 0) * width
    layer = router(s.hidden, count) + experts(hidden=s.hidden, ffn=width, count=count, per_token=chosen)
    if shared:
        layer += mlp(s.hidden, shared, gated=True, bias=mlp_bias, name="shared experts", role="shared_expert")
    ffn = f.integer("intermediate_size") if plain else 0
    return Feeding(
        block=plain * mlp(s.hidden, ffn, gated=True, bias=mlp_bias) + (s.layers - plain) * layer,
        ffn=ffn,
        dense_layers=plain,
        experts=count,
        experts_per_token=chosen,
        expert_ffn=width,
        shared_expert_ffn=shared,
    )


def sparse(f: Fields, *, traits: Traits, feed: Callable[[Fields, Sizes], Feeding], sinks: bool = False) -> Draft:
    """A decoder of the dense attention `traits` and the experts of `feed`; sinks: one learned logit for each head."""
    s = read_sizes(f)
    mixing, windows = attention_layers(f, s, traits, extra=s.heads if sinks else 0)
    norms, final_norm = norms_of(s, traits)
    feeding = feed(f, s)
    block = around(s, mixing + feeding.block + norms, final_norm=final_norm)
    shape = shape_of(s, **feeding.figures, window_layers=windows.windowed, window_tokens=windows.tokens)
    return Draft(block=block, shape=shape, max_seq_len=s.max_seq_len)


def odd_layers(f: Fields, layers: int) -> Windows:
    """Every other layer below `max_window_layers` is windowed where `use_sliding_window` is true (Qwen2-MoE)."""
    if not f.flag("use_sliding_window"):
        return Windows()
    first = f.integer("max_window_layers", low=0)
    kinds = f.words("layer_types", length=layers, allowed=(FULL, SLIDING))
    if kinds is None:
        kinds = tuple(SLIDING if (layer + 1) % 2 and layer < first else FULL for layer in range(layers))
    return windows_of(f, kinds, f.maybe_integer("sliding_window"))


def where_used(f: Fields, layers: int) -> Windows:
    """Every layer is windowed where `use_sliding_window` is true (Qwen3-MoE)."""
    return every_layer(f, layers) if f.flag("use_sliding_window") else Windows()


QWEN3_TRAITS = Traits(qkv_bias="attention_bias", out_bias="attention_bias", qk_norm="head", window=where_used)

FAMILIES: Mapping[str, Callable[[Fields], Draft]] = {
    "mixtral": partial(sparse, traits=Traits(window=every_layer), feed=all_sparse),
    "qwen2_moe": partial(
        sparse, traits=Traits(qkv_bias="qkv_bias", window=odd_layers), feed=partial(stepped, shared=True)
    ),
    "qwen3_moe": partial(
        sparse,
        traits=QWEN3_TRAITS,
        feed=partial(stepped, shared=False),
    ),
    "gpt_oss": partial(
        sparse,
        traits=Traits(qkv_bias="attention_bias", out_bias="attention_bias", window=partial(alternating, every=2)),
        feed=partial(all_sparse, bias=True),
        sinks=True,
    ),
    "minimax_m2": partial(sparse, traits=Traits(qk_norm="all"), feed=all_sparse),
    "glm4_moe": partial(
        sparse,
        traits=Traits(qkv_bias="attention_bias", qk_norm="head", qk_norm_field="use_qk_norm"),
        feed=leading_dense,
    ),
}
