"""Networks whose layers are recurrent mixers, alone or between attention layers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from flopcast.count.blocks import Block, attention, experts, mlp, norm, router
from flopcast.count.families.common import FULL, Draft, Sizes, around, read_sizes, shape_of
from flopcast.count.families.latent import note_mtp
from flopcast.count.families.moe import Feeding, all_sparse, read_experts, stepped
from flopcast.count.fields import MOST_LAYERS, Fields
from flopcast.count.mixers import gated_delta_net, lightning_attention, mamba1, mamba2, rank_of

LINEAR = "linear_attention"


def read_kinds(f: Fields, layers: int, default: Callable[[int], str]) -> tuple[str, ...]:
    """The kind of each layer, listed or by the family's rule."""
    listed = f.words("layer_types", length=layers, allowed=(FULL, LINEAR))
    return listed if listed is not None else tuple(default(layer) for layer in range(layers))


def finish(s: Sizes, mixing: Block, feeding: Feeding, mixers: int) -> Draft:
    """Put together a decoder with two norms a layer."""
    norms = (2 * s.layers) * norm(s.hidden)
    block = around(s, mixing + feeding.block + norms, final_norm=norm(s.hidden, name="final norm"))
    return Draft(block=block, shape=shape_of(s, **feeding.figures, mixer_layers=mixers), max_seq_len=s.max_seq_len)


def minimax(f: Fields) -> Draft:
    """MiniMax-Text-01: lightning attention between softmax attention, experts in every layer."""
    s = read_sizes(f)
    kinds = read_kinds(f, s.layers, lambda layer: FULL if (layer + 1) % 2 else LINEAR)
    full, linear = kinds.count(FULL), kinds.count(LINEAR)
    window = f.maybe_integer("sliding_window")
    mixing = full * attention(
        hidden=s.hidden, heads=s.heads, kv_heads=s.kv_heads, head_dim=s.head_dim, window=window
    ) + linear * lightning_attention(hidden=s.hidden, heads=s.heads, head_dim=s.head_dim)
    return finish(s, mixing, all_sparse(f, s), linear)


def qwen_hybrid(f: Fields, *, feed: Callable[[Fields, Sizes], Feeding]) -> Draft:
    """Qwen3-Next and Qwen3.5: gated DeltaNet in most layers, gated attention in each fourth."""
    s = read_sizes(f)
    every = f.integer("full_attention_interval") if f.has("full_attention_interval") else 4
    kinds = read_kinds(f, s.layers, lambda layer: LINEAR if (layer + 1) % every else FULL)
    linear = kinds.count(LINEAR)
    bias = f.flag("attention_bias")
    gated = attention(
        hidden=s.hidden,
        heads=s.heads,
        kv_heads=s.kv_heads,
        head_dim=s.head_dim,
        gate=True,
        qkv_bias=bias,
        out_bias=bias,
        qk_norm=2 * s.head_dim,
    )
    delta = gated_delta_net(
        hidden=s.hidden,
        key_heads=f.integer("linear_num_key_heads"),
        value_heads=f.integer("linear_num_value_heads"),
        key_dim=f.integer("linear_key_head_dim"),
        value_dim=f.integer("linear_value_head_dim"),
        kernel=f.integer("linear_conv_kernel_dim"),
    )
    f.divides(
        "linear_num_key_heads",
        f.integer("linear_num_key_heads"),
        "the linear value heads",
        f.integer("linear_num_value_heads"),
    )
    note_mtp(f, "mtp_num_hidden_layers")
    return finish(s, kinds.count(FULL) * gated + linear * delta, feed(f, s), linear)


def plain_mlp(f: Fields, s: Sizes) -> Feeding:
    """A dense gated MLP in every layer."""
    ffn = f.integer("intermediate_size")
    return Feeding(
        block=s.layers * mlp(s.hidden, ffn, gated=True), ffn=ffn, experts=0, experts_per_token=0, expert_ffn=0
    )


def jamba(f: Fields) -> Draft:
    """Jamba: Mamba with attention each `attn_layer_period`-th layer, experts each `expert_layer_period`-th."""
    s = read_sizes(f, own_head_dim=False)
    full = periodic(f, "attn_layer", s.layers)
    mixing = full * attention(hidden=s.hidden, heads=s.heads, kv_heads=s.kv_heads, head_dim=s.head_dim)
    mixing += (s.layers - full) * mamba1(
        hidden=s.hidden,
        inner=f.integer("mamba_expand") * s.hidden,
        state=f.integer("mamba_d_state"),
        kernel=f.integer("mamba_d_conv"),
        rank=rank_of(f, "mamba_dt_rank", s.hidden),
        bias=f.flag("mamba_proj_bias"),
        conv_bias=f.flag("mamba_conv_bias"),
        inner_norms=True,
    )
    count, chosen = read_experts(f, "num_experts", "num_local_experts")
    sparse = periodic(f, "expert_layer", s.layers) if count > 1 else 0
    ffn = f.integer("intermediate_size")
    layer = router(s.hidden, count) + experts(hidden=s.hidden, ffn=ffn, count=count, per_token=chosen)
    feeding = Feeding(
        block=sparse * layer + (s.layers - sparse) * mlp(s.hidden, ffn, gated=True),
        ffn=ffn,
        dense_layers=s.layers - sparse,
        experts=count if sparse else 0,
        experts_per_token=chosen if sparse else 0,
        expert_ffn=ffn if sparse else 0,
    )
    return finish(s, mixing, feeding, s.layers - full)


def periodic(f: Fields, what: str, layers: int) -> int:
    """Layers at `what`_offset in each `what`_period."""
    period = f.integer(f"{what}_period", high=MOST_LAYERS)
    offset = f.integer(f"{what}_offset", low=0, high=MOST_LAYERS)
    if offset >= period:
        f.problem(f"{what}_offset", given=offset, allowed=f"below {what}_period ({period})")
    return sum(layer % period == offset for layer in range(layers))


def stack_of_mixers(f: Fields, mixer: Block, hidden: int) -> Draft:
    """Embedding, layers of one norm and one mixer, final norm and head."""
    layers = f.integer("num_hidden_layers", high=MOST_LAYERS)
    s = Sizes(
        vocab=f.integer("vocab_size"),
        hidden=hidden,
        layers=layers,
        heads=0,
        kv_heads=0,
        head_dim=0,
        tied=f.flag("tie_word_embeddings"),
        max_seq_len=None,
    )
    block = around(s, layers * (mixer + norm(hidden)), final_norm=norm(hidden, name="final norm"))
    return Draft(block=block, shape=shape_of(s, gated_mlp=False, mixer_layers=layers))


def mamba(f: Fields) -> Draft:
    """Mamba, Falcon-Mamba."""
    hidden = f.integer("hidden_size", "d_model")
    mixer = mamba1(
        hidden=hidden,
        inner=int(f.number("expand", low=0.01, high=1e6) * hidden) or 1,
        state=f.integer("state_size"),
        kernel=f.integer("conv_kernel"),
        rank=rank_of(f, "time_step_rank", hidden),
        bias=f.flag("use_bias"),
        conv_bias=f.flag("use_conv_bias"),
    )
    return stack_of_mixers(f, mixer, hidden)


def mamba_2(f: Fields) -> Draft:
    """Mamba-2."""
    hidden, heads, head_dim = f.integer("hidden_size"), f.integer("num_heads"), f.integer("head_dim")
    expand, groups = f.number("expand", low=0.01, high=1e6), f.integer("n_groups")
    if hidden * expand != heads * head_dim:
        f.problem("num_heads", given=heads, allowed=f"expand x hidden_size / head_dim ({hidden * expand / head_dim:g})")
    f.divides("n_groups", groups, "the heads", heads)
    mixer = mamba2(
        hidden=hidden,
        heads=heads,
        head_dim=head_dim,
        state=f.integer("state_size"),
        groups=groups,
        kernel=f.integer("conv_kernel"),
        bias=f.flag("use_bias"),
        conv_bias=f.flag("use_conv_bias"),
    )
    return stack_of_mixers(f, mixer, hidden)


FAMILIES: Mapping[str, Callable[[Fields], Draft]] = {
    "minimax": minimax,
    "qwen3_next": partial(qwen_hybrid, feed=partial(stepped, shared=True)),
    "qwen3_5_text": partial(qwen_hybrid, feed=plain_mlp),
    "qwen3_5_moe_text": partial(qwen_hybrid, feed=partial(stepped, shared=True, dense=False)),
    "jamba": jamba,
    "mamba": mamba,
    "falcon_mamba": mamba,
    "mamba2": mamba_2,
}
