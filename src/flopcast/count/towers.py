"""Towers beside or under a language model: vision encoders, text encoders, and what joins them to it.

The tokens of a vision tower are patches, on the stream "image". Where a class token goes with them, the convolution
that makes them runs on the stream "patch", which has one token less. A merger that puts m patches together runs on 1/m
of them, so its weights count for one patch at 1/m.
"""

from __future__ import annotations

from dataclasses import replace

from flopcast.count.blocks import Block, attention, linear, mlp, norm, weights

IMAGE = "image"
PATCH = "patch"
POOLED = "pooled"


def encoder_layer(
    *, hidden: int, ffn: int, heads: int, bias: bool = True, causal: bool = False, key_bias: bool = True
) -> Block:
    """A plain transformer layer with two LayerNorms and biases (`bias`: of query, key and value); bidirectional
    unless `causal`."""
    return (
        attention(
            hidden=hidden,
            heads=heads,
            kv_heads=heads,
            head_dim=hidden // heads,
            qkv_bias=bias,
            out_bias=True,
            causal=causal,
            extra=0 if key_bias else -hidden,
        )
        + mlp(hidden, ffn, gated=False, bias=True)
        + 2 * norm(hidden, bias=True)
    )


def patches(
    *, channels: int, patch: int, hidden: int, frames: int = 1, bias: bool = True, stream: str = "text"
) -> Block:
    """The convolution that makes a vector of a patch."""
    return linear("patches", "patch", channels * patch * patch * frames, hidden, bias=bias, stream=stream)


def table(count: int, width: int, *, name: str = "positions") -> Block:
    """A table of learned positions, or of other vectors that are added or prepended."""
    return weights(name, "position", other=count * width)


def clip_vision(
    *, hidden: int, ffn: int, heads: int, layers: int, image: int, patch: int, channels: int
) -> tuple[Block, int]:
    """CLIP's vision tower without projection, and its tokens of an image: patches and a class token."""
    tokens = (image // patch) ** 2 + 1
    block = (
        patches(channels=channels, patch=patch, hidden=hidden, bias=False, stream=PATCH)
        + table(1, hidden, name="class token")
        + table(tokens, hidden)
        + layers * encoder_layer(hidden=hidden, ffn=ffn, heads=heads)
        + 2 * norm(hidden, bias=True, name="tower norms")
    )
    return block, tokens


def siglip_vision(
    *, hidden: int, ffn: int, heads: int, layers: int, image: int, patch: int, channels: int
) -> tuple[Block, int]:
    """SigLIP's vision tower without its pooling head, and its tokens of an image: patches."""
    tokens = (image // patch) ** 2
    block = (
        patches(channels=channels, patch=patch, hidden=hidden)
        + table(tokens, hidden)
        + layers * encoder_layer(hidden=hidden, ffn=ffn, heads=heads)
        + norm(hidden, bias=True, name="tower norms")
    )
    return block, tokens


def attention_pooling(*, hidden: int, ffn: int) -> tuple[Block, Block]:
    """SigLIP's pooling head: what every patch passes (keys and values), and what the one pooled vector passes."""
    keys = linear("pooling keys", "head", hidden, 2 * hidden, bias=True)
    query = linear("pooling", "head", hidden, 2 * hidden, bias=True)
    pooled = query + mlp(hidden, ffn, gated=False, bias=True, name="pooling", role="head")
    return keys, pooled + weights("pooling", "head", other=hidden) + norm(hidden, bias=True, name="pooling norm")


def merger(*, inputs: int, middle: int, outputs: int, merge: int, name: str = "projector") -> Block:
    """Two linear layers with biases on `merge` patches put together (`inputs` wide); weights for one patch."""
    multiplied = inputs * middle + middle * outputs
    block = weights(name, "projector", multiplied=multiplied, other=middle + outputs)
    return per_patch(block, merge)


def per_patch(block: Block, merge: int) -> Block:
    """The block, passed by one of `merge` patches, counted for a patch."""
    return Block(tuple(replace(part, matmul_weights=part.matmul_weights // merge) for part in block.parts))
