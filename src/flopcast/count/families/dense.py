"""Dense decoders whose layers differ only in a few traits: one table row each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from flopcast.count.blocks import Block, attention, mlp, norm
from flopcast.count.families.common import (
    FULL,
    GPT2_NAMES,
    SLIDING,
    Draft,
    Sizes,
    Windows,
    around,
    read_layer_types,
    read_sizes,
    shape_of,
    windows_of,
)
from flopcast.count.fields import Fields

Bias = bool | str
WindowRule = Callable[[Fields, int], Windows]


def no_window(f: Fields, layers: int) -> Windows:
    """Every layer sees the whole sequence."""
    return Windows()


def every_layer(f: Fields, layers: int) -> Windows:
    """Every layer is windowed where `sliding_window` is given (Mistral)."""
    tokens = f.maybe_integer("sliding_window")
    return Windows(layers, tokens) if tokens else Windows()


def alternating(f: Fields, layers: int, *, every: int, pattern: str = "") -> Windows:
    """All layers but each `every`-th are windowed, unless `layer_types` lists them (Gemma, OLMo 3, Cohere 2)."""
    if pattern and f.has(pattern):
        every = f.integer(pattern)
    return windows_of(f, read_layer_types(f, layers, every=every), f.maybe_integer("sliding_window"))


def switched(f: Fields, layers: int) -> Windows:
    """Layers from `max_window_layers` on are windowed where `use_sliding_window` is true (Qwen)."""
    if not f.flag("use_sliding_window"):
        return Windows()
    first = f.integer("max_window_layers", low=0)
    kinds = f.words("layer_types", length=layers, allowed=(FULL, SLIDING))
    if kinds is None:
        kinds = (FULL,) * min(first, layers) + (SLIDING,) * max(0, layers - first)
    return windows_of(f, kinds, f.maybe_integer("sliding_window"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """How a family's layer differs. A bias is true, false or the name of the field that says so.

    norms: norms in a layer; norm_parameters: vectors in a norm (RMSNorm 1, LayerNorm 2, without weights 0);
    qk_norm: "head" (one head wide), "all" (all heads wide), "layer" (one head wide with bias) or "" ;
    qk_norm_field: the flag that switches it on, if there is one.
    """

    qkv_bias: Bias = False
    out_bias: Bias = False
    mlp_bias: Bias = False
    gated: bool = True
    norms: int = 2
    norm_parameters: int = 1
    head_bias: bool = False
    qk_norm: str = ""
    qk_norm_field: str = ""
    window: WindowRule = no_window
    own_head_dim: bool = True
    grouped: bool = True
    names: Mapping[str, tuple[str, ...]] | None = None


def bias_of(f: Fields, bias: Bias) -> bool:
    return f.flag(bias) if isinstance(bias, str) else bias


def qk_norm_parameters(f: Fields, kind: str, s: Sizes, field: str = "") -> int:
    """Parameters of the norms on queries and keys of one layer."""
    if not kind or (field and not f.flag(field)):
        return 0
    both = (s.heads + s.kv_heads) * s.head_dim
    return {"head": 2 * s.head_dim, "layer": 4 * s.head_dim, "all": both}[kind]


def attention_layers(f: Fields, s: Sizes, traits: Traits, *, extra: int = 0) -> tuple[Block, Windows]:
    """The attention of all layers, with its windows."""
    build = partial(
        attention,
        hidden=s.hidden,
        heads=s.heads,
        kv_heads=s.kv_heads,
        head_dim=s.head_dim,
        qkv_bias=bias_of(f, traits.qkv_bias),
        out_bias=bias_of(f, traits.out_bias),
        qk_norm=qk_norm_parameters(f, traits.qk_norm, s, traits.qk_norm_field),
        extra=extra,
    )
    windows = traits.window(f, s.layers)
    full = (s.layers - windows.windowed) * build()
    return full + windows.windowed * build(window=windows.tokens or None), windows


def norms_of(s: Sizes, traits: Traits) -> tuple[Block, Block]:
    """The norms of all layers, and the final norm."""
    width = traits.norm_parameters * s.hidden
    return (traits.norms * s.layers) * norm(width), norm(width, name="final norm")


def dense(f: Fields, traits: Traits) -> Draft:
    """A decoder of equal dense layers."""
    s = read_sizes(f, names=traits.names, own_head_dim=traits.own_head_dim, grouped=traits.grouped)
    ffn = read_ffn(f, s, traits.names)
    mixing, windows = attention_layers(f, s, traits)
    norms, final_norm = norms_of(s, traits)
    feeding = s.layers * mlp(s.hidden, ffn, gated=traits.gated, bias=bias_of(f, traits.mlp_bias))
    block = around(s, mixing + feeding + norms, final_norm=final_norm, head_bias=traits.head_bias)
    shape = shape_of(s, ffn=ffn, gated_mlp=traits.gated, window_layers=windows.windowed, window_tokens=windows.tokens)
    return Draft(block=block, shape=shape, max_seq_len=s.max_seq_len)


def read_ffn(f: Fields, s: Sizes, names: Mapping[str, tuple[str, ...]] | None = None) -> int:
    """Width of the dense MLP; where the family lets it be null, four times the hidden size."""
    own = (names or {}).get("intermediate_size", ("intermediate_size",))
    if own[0] != "n_inner":
        return f.integer(*own)
    ffn = f.maybe_integer(*own)
    if ffn is None:
        ffn = 4 * s.hidden
        f.defaulted(own[0], f"{ffn} (four times the hidden size)")
    return ffn


TRAITS: Mapping[str, Traits] = {
    "llama": Traits(qkv_bias="attention_bias", out_bias="attention_bias", mlp_bias="mlp_bias"),
    "mistral": Traits(window=every_layer),
    "qwen2": Traits(qkv_bias=True, window=switched),
    "qwen3": Traits(qkv_bias="attention_bias", out_bias="attention_bias", qk_norm="head", window=switched),
    "gemma": Traits(qkv_bias="attention_bias", out_bias="attention_bias"),
    "gemma2": Traits(
        qkv_bias="attention_bias", out_bias="attention_bias", norms=4, window=partial(alternating, every=2)
    ),
    "gemma3_text": Traits(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        norms=4,
        qk_norm="head",
        window=partial(alternating, every=6, pattern="sliding_window_pattern"),
    ),
    "phi": Traits(
        qkv_bias=True,
        out_bias=True,
        mlp_bias=True,
        gated=False,
        norms=1,
        norm_parameters=2,
        head_bias=True,
        qk_norm="layer",
        qk_norm_field="qk_layernorm",
    ),
    "phi3": Traits(window=every_layer),
    "gpt_neox": Traits(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        mlp_bias=True,
        gated=False,
        norm_parameters=2,
        own_head_dim=False,
        grouped=False,
    ),
    "gptj": Traits(
        mlp_bias=True,
        gated=False,
        norms=1,
        norm_parameters=2,
        head_bias=True,
        own_head_dim=False,
        grouped=False,
        names=GPT2_NAMES,
    ),
    "olmo": Traits(qkv_bias="attention_bias", out_bias="attention_bias", norm_parameters=0),
    "olmo2": Traits(qkv_bias="attention_bias", out_bias="attention_bias", qk_norm="all"),
    "olmo3": Traits(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        qk_norm="all",
        window=partial(alternating, every=4),
    ),
    "starcoder2": Traits(
        qkv_bias="use_bias",
        out_bias="use_bias",
        mlp_bias="use_bias",
        gated=False,
        norm_parameters=2,
        window=every_layer,
    ),
    "cohere": Traits(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        norms=1,
        qk_norm="all",
        qk_norm_field="use_qk_norm",
    ),
    "cohere2": Traits(
        qkv_bias="attention_bias",
        out_bias="attention_bias",
        norms=1,
        own_head_dim=False,
        window=partial(alternating, every=4, pattern="sliding_window_pattern"),
    ),
    "glm4": Traits(qkv_bias="attention_bias", norms=4),
}

FAMILIES: Mapping[str, Callable[[Fields], Draft]] = {
    model_type: partial(dense, traits=traits) for model_type, traits in TRAITS.items()
}
