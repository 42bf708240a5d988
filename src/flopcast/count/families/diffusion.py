"""Diffusion transformers like DiT (Peebles and Xie 2022), with field names as in the diffusers library.

`model_type` is "dit". Required: `sample_size` (latent side), `patch_size`, `in_channels`, `num_layers`,
`num_attention_heads`, `attention_head_dim`; optional: `out_channels` (twice the input: noise and its variance),
`mlp_ratio`, `num_embeds_ada_norm` (classes; one more is for guidance), `frequency_embedding_size`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flopcast.count.blocks import Block, attention, linear, mlp
from flopcast.count.families.common import Draft
from flopcast.count.fields import MOST_LAYERS, Fields
from flopcast.count.towers import IMAGE, POOLED, patches, table
from flopcast.describe.network import Shape


def dit(f: Fields) -> Draft:
    """DiT with adaptive norms: conditioning passes once for a sample, patches pass the layers; positions are fixed."""
    side, patch = f.integer("sample_size", "input_size", high=2**20), f.integer("patch_size", high=2**20)
    f.divides("patch_size", patch, "sample_size", side)
    heads, head_dim = f.integer("num_attention_heads"), f.integer("attention_head_dim")
    hidden, layers = heads * head_dim, f.integer("num_layers", "num_hidden_layers", high=MOST_LAYERS)
    channels = f.integer("in_channels")
    out = f.maybe_integer("out_channels")
    if out is None:
        out = 2 * channels
        f.defaulted("out_channels", f"{out} (noise and its variance)")
    ffn = int(hidden * f.number("mlp_ratio", low=0.01, high=1e4))
    tokens = max(1, side // patch) ** 2
    layer = attention(
        hidden=hidden, heads=heads, kv_heads=heads, head_dim=head_dim, qkv_bias=True, out_bias=True, causal=False
    ) + mlp(hidden, ffn, gated=False, bias=True)
    passing = (
        patches(channels=channels, patch=patch, hidden=hidden)
        + layers * layer
        + linear("output", "head", hidden, patch * patch * out, bias=True)
    )
    shape = Shape(
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=heads,
        head_dim=head_dim,
        ffn=ffn,
        gated_mlp=False,
        vocab=0,
        causal=False,
    )
    return Draft(
        block=passing.on(IMAGE) + conditioning(f, hidden, layers).on(POOLED),
        shape=shape,
        inputs_per_sample=((IMAGE, tokens), (POOLED, 1)),
    )


def conditioning(f: Fields, hidden: int, layers: int) -> Block:
    """Embedders of timestep and class, and from them six modulations for each layer and two for the output."""
    frequencies = f.integer("frequency_embedding_size")
    classes = f.integer("num_embeds_ada_norm", "num_classes")
    return (
        linear("timestep embedder", "other", frequencies, hidden, bias=True)
        + linear("timestep embedder", "other", hidden, hidden, bias=True)
        + table(classes + 1, hidden, name="class embedding")
        + layers * linear("modulation", "norm", hidden, 6 * hidden, bias=True)
        + linear("modulation", "norm", hidden, 2 * hidden, bias=True)
    )


FAMILIES: Mapping[str, Callable[[Fields], Draft]] = {"dit": dit}
