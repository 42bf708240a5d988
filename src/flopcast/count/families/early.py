"""Decoders with field names and layers of their own: GPT-2, OPT, BLOOM, MPT, Falcon."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from flopcast.count.blocks import Block, attention, linear, mlp, norm, positions
from flopcast.count.families.common import GPT2_NAMES, Draft, Sizes, around, read_kv_heads, read_sizes, shape_of
from flopcast.count.families.dense import read_ffn
from flopcast.count.fields import Fields


def _layer(s: Sizes, ffn: int, *, attention_bias: bool, mlp_bias: bool, norms: Block, qk_norm: int = 0) -> Block:
    """One layer with ungated MLP."""
    return (
        attention(
            hidden=s.hidden,
            heads=s.heads,
            kv_heads=s.kv_heads,
            head_dim=s.head_dim,
            qkv_bias=attention_bias,
            out_bias=attention_bias,
            qk_norm=qk_norm,
        )
        + mlp(s.hidden, ffn, gated=False, bias=mlp_bias)
        + norms
    )


def gpt2(f: Fields) -> Draft:
    """GPT-2: learned positions, biases everywhere, tied head."""
    s = read_sizes(f, names=GPT2_NAMES, own_head_dim=False, grouped=False)
    ffn = read_ffn(f, s, GPT2_NAMES)
    layer = _layer(s, ffn, attention_bias=True, mlp_bias=True, norms=2 * norm(s.hidden, bias=True))
    block = around(
        s,
        s.layers * layer,
        final_norm=norm(s.hidden, bias=True, name="final norm"),
        extra=positions(s.max_seq_len or 1, s.hidden),
    )
    return Draft(block=block, shape=shape_of(s, ffn=ffn, gated_mlp=False), max_seq_len=s.max_seq_len)


def opt(f: Fields) -> Draft:
    """OPT: positions with an offset of two, embeddings that may be narrower than the hidden size."""
    s = read_sizes(f, own_head_dim=False, grouped=False)
    ffn = f.integer("ffn_dim")
    bias, affine = f.flag("enable_bias"), f.flag("layer_norm_elementwise_affine")
    width = f.maybe_integer("word_embed_proj_dim") or s.hidden
    one_norm = norm(s.hidden * affine, bias=True)
    layer = _layer(s, ffn, attention_bias=bias, mlp_bias=bias, norms=2 * one_norm)
    extra = positions((s.max_seq_len or 1) + 2, s.hidden)
    if width != s.hidden:
        extra += linear("embedding projections", "projector", width, s.hidden)
        extra += linear("embedding projections", "projector", s.hidden, width)
    ends_in_norm = f.flag("do_layer_norm_before") and not f.flag("_remove_final_layer_norm")
    final_norm = norm(s.hidden * affine, bias=True, name="final norm") if ends_in_norm else Block()
    block = around(replace(s, hidden=width), s.layers * layer, final_norm=final_norm, extra=extra)
    return Draft(block=block, shape=shape_of(s, ffn=ffn, gated_mlp=False), max_seq_len=s.max_seq_len)


BLOOM_NAMES = {
    "hidden_size": ("hidden_size", "n_embed"),
    "num_hidden_layers": ("n_layer", "num_hidden_layers"),
    "num_attention_heads": ("n_head", "num_attention_heads"),
    "max_position_embeddings": ("seq_length",),
}


def bloom(f: Fields) -> Draft:
    """BLOOM: ALiBi instead of positions, a norm after the embedding."""
    s = read_sizes(f, names=BLOOM_NAMES, own_head_dim=False, grouped=False)
    ffn = 4 * s.hidden
    layer = _layer(s, ffn, attention_bias=True, mlp_bias=True, norms=2 * norm(s.hidden, bias=True))
    block = around(
        s,
        s.layers * layer,
        final_norm=norm(s.hidden, bias=True, name="final norm"),
        extra=norm(s.hidden, bias=True, name="embedding norm"),
    )
    return Draft(block=block, shape=shape_of(s, ffn=ffn, gated_mlp=False), max_seq_len=s.max_seq_len)


MPT_NAMES = {
    "hidden_size": ("d_model", "hidden_size"),
    "num_hidden_layers": ("n_layers", "num_hidden_layers"),
    "num_attention_heads": ("n_heads", "num_attention_heads"),
    "max_position_embeddings": ("max_seq_len",),
}


def mpt(f: Fields) -> Draft:
    """MPT: no biases, norms without bias, ALiBi; the MLP is four times as wide as the hidden size."""
    s = read_sizes(f, names=MPT_NAMES, own_head_dim=False, grouped=False)
    ffn = 4 * s.hidden
    _check_mpt(f)
    layer = _layer(s, ffn, attention_bias=False, mlp_bias=False, norms=2 * norm(s.hidden))
    block = around(s, s.layers * layer, final_norm=norm(s.hidden, name="final norm"))
    return Draft(block=block, shape=shape_of(s, ffn=ffn, gated_mlp=False), max_seq_len=s.max_seq_len)


def _check_mpt(f: Fields) -> None:
    """Refuse the options of the original MPT code that the published models do not use."""
    if f.integer("expansion_ratio") != 4:
        f.problem("expansion_ratio", allowed="4, the only ratio whose parameters are known")
    if not f.flag("no_bias"):
        f.problem("no_bias", allowed="true: MPT with biases is not counted")
    inner = f.child("attn_config", {"qk_ln": False, "alibi": True})
    if inner.flag("qk_ln"):
        inner.problem("qk_ln", allowed="false: MPT with norms on queries and keys is not counted")
    if not inner.flag("alibi"):
        inner.problem("alibi", allowed="true: MPT with learned positions is not counted")


FALCON_NAMES = {
    "num_hidden_layers": ("num_hidden_layers", "n_layer"),
    "num_attention_heads": ("num_attention_heads", "n_head"),
}


def falcon(f: Fields) -> Draft:
    """Falcon: one key/value head (7B), groups of them (40B, 180B) or as many as heads (RW)."""
    s = read_sizes(f, names=FALCON_NAMES, own_head_dim=False, grouped=False)
    bias, grouped = f.flag("bias"), f.flag("new_decoder_architecture")
    one_kv_head = f.flag("multi_query") and not grouped
    kv_heads = 1 if one_kv_head else read_kv_heads(f, s.heads, "num_kv_heads")
    ffn = f.maybe_integer("ffn_hidden_size") or 4 * s.hidden
    s = replace(s, kv_heads=kv_heads)
    norms = _falcon_norms(f, grouped) * norm(s.hidden, bias=True)
    layer = _layer(s, ffn, attention_bias=bias, mlp_bias=bias, norms=norms)
    block = around(s, s.layers * layer, final_norm=norm(s.hidden, bias=True, name="final norm"))
    return Draft(block=block, shape=shape_of(s, ffn=ffn, gated_mlp=False), max_seq_len=s.max_seq_len)


def _falcon_norms(f: Fields, grouped: bool) -> int:
    """Norms in a layer: two before parallel branches of the newer form, or of a sequential layer; else one."""
    before = f.maybe_integer("num_ln_in_parallel_attn", high=2)
    if not f.flag("parallel_attn"):
        return 2
    return (2 if grouped else 1) if before is None else before


FAMILIES: Mapping[str, Callable[[Fields], Draft]] = {
    "gpt2": gpt2,
    "opt": opt,
    "bloom": bloom,
    "mpt": mpt,
    "falcon": falcon,
}
