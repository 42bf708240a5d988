"""Nemotron-H: each layer is one thing only, a mixer, an attention, an MLP or experts, by a pattern."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flopcast.count.blocks import Block, attention, experts, linear, mlp, norm, router
from flopcast.count.families.common import FULL, Draft, Sizes, around, read_kv_heads, shape_of
from flopcast.count.families.hybrid import LINEAR
from flopcast.count.families.latent import note_mtp
from flopcast.count.families.moe import read_experts
from flopcast.count.fields import MOST_LAYERS, Fields
from flopcast.count.mixers import mamba2

MLP, MOE = "mlp", "moe"
LETTERS = {"M": LINEAR, "*": FULL, "-": MLP, "E": MOE}
WORDS = {"mamba": LINEAR, "attention": FULL, LINEAR: LINEAR, FULL: FULL, MLP: MLP, MOE: MOE}
BY_DEFAULT = (LINEAR, MOE, FULL, MLP)


def nemotron_h(f: Fields) -> Draft:
    """Nemotron-H and Nemotron 3, dense and with experts, whose experts may work in a narrower latent space."""
    kinds = read_pattern(f)
    heads = f.integer("num_attention_heads")
    s = Sizes(
        vocab=f.integer("vocab_size"),
        hidden=f.integer("hidden_size"),
        layers=len(kinds),
        heads=heads,
        kv_heads=read_kv_heads(f, heads),
        head_dim=f.integer("head_dim", "attention_head_dim"),
        tied=False,
        max_seq_len=f.maybe_integer("max_position_embeddings"),
    )
    if f.flag("tie_word_embeddings"):
        f.note("the head is counted apart from the embedding: the family never ties them")
    sparse = kinds.count(MOE)
    ffn = f.integer("intermediate_size") if MLP in kinds else 0
    layers = (
        kinds.count(LINEAR) * read_mixer(f, s)
        + kinds.count(FULL) * read_attention(f, s)
        + kinds.count(MLP) * mlp(s.hidden, ffn, gated=False, bias=f.flag("mlp_bias"))
        + s.layers * norm(s.hidden)
    )
    figures: dict[str, object] = {}
    if sparse:
        block, figures = read_sparse(f, s)
        layers += sparse * block
    note_mtp(f, "num_nextn_predict_layers")
    shape = shape_of(
        s,
        ffn=ffn,
        gated_mlp=False,
        dense_layers=kinds.count(MLP) if sparse else 0,
        mixer_layers=kinds.count(LINEAR),
        **figures,
    )
    return Draft(
        block=around(s, layers, final_norm=norm(s.hidden, name="final norm")), shape=shape, max_seq_len=s.max_seq_len
    )


def read_pattern(f: Fields) -> tuple[str, ...]:
    """The kind of each layer, from a list of words or a string of letters."""
    for name in ("layers_block_type", "layer_types"):
        listed = f.raw(name) if f.has(name) else None
        if listed is None:
            continue
        length = len(listed) if isinstance(listed, (list, tuple)) and 0 < len(listed) <= MOST_LAYERS else 1
        words = f.words(name, length=length, allowed=tuple(WORDS)) or BY_DEFAULT
        return tuple(WORDS[word] for word in words)
    pattern = f.text("hybrid_override_pattern")
    if not pattern:
        f.defaulted("hybrid_override_pattern", "ME*-")
        return BY_DEFAULT
    if set(pattern) - set(LETTERS) or len(pattern) > MOST_LAYERS:
        f.problem("hybrid_override_pattern", allowed="letters M (mixer), * (attention), - (MLP), E (experts)")
        return BY_DEFAULT
    return tuple(LETTERS[letter] for letter in pattern)


def read_mixer(f: Fields, s: Sizes) -> Block:
    """The Mamba-2 mixer."""
    heads, groups = f.integer("mamba_num_heads"), f.integer("n_groups", "mamba_n_groups")
    f.divides("n_groups", groups, "the mixer's heads", heads)
    return mamba2(
        hidden=s.hidden,
        heads=heads,
        head_dim=f.integer("mamba_head_dim"),
        state=f.integer("ssm_state_size"),
        groups=groups,
        kernel=f.integer("conv_kernel", "mamba_d_conv"),
        bias=f.flag("use_bias"),
        conv_bias=f.flag("use_conv_bias", "mamba_conv_bias"),
    )


def read_attention(f: Fields, s: Sizes) -> Block:
    """Grouped-query attention, without biases whatever `attention_bias` says."""
    window = f.maybe_integer("sliding_window")
    return attention(hidden=s.hidden, heads=s.heads, kv_heads=s.kv_heads, head_dim=s.head_dim, window=window)


def read_sparse(f: Fields, s: Sizes) -> tuple[Block, dict[str, object]]:
    """Ungated routed experts, in the latent space where there is one, and one shared expert."""
    count, chosen = read_experts(f, "n_routed_experts", "num_local_experts")
    width, shared = f.integer("moe_intermediate_size"), f.integer("moe_shared_expert_intermediate_size")
    latent, bias = f.maybe_integer("moe_latent_size"), f.flag("mlp_bias")
    block = router(s.hidden, count) + experts(
        hidden=latent or s.hidden, ffn=width, count=count, per_token=chosen, gated=False
    )
    block += mlp(s.hidden, shared, gated=False, bias=bias, name="shared experts", role="shared_expert")
    if latent:
        block += linear("latent projections", "experts", s.hidden, latent, bias=bias)
        block += linear("latent projections", "experts", latent, s.hidden, bias=bias)
    figures: dict[str, object] = {
        "experts": count,
        "experts_per_token": chosen,
        "expert_ffn": width,
        "shared_expert_ffn": shared,
    }
    return block, figures


FAMILIES: Mapping[str, Callable[[Fields], Draft]] = {"nemotron_h": nemotron_h}
