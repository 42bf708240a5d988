"""Vision encoders, and text and vision towers side by side: ViT, CLIP, SigLIP."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flopcast.count.blocks import Block, embedding, linear, norm, scores, weights
from flopcast.count.families.common import Draft
from flopcast.count.families.defaults import defaults_of
from flopcast.count.fields import MOST_LAYERS, Fields
from flopcast.count.towers import (
    IMAGE,
    PATCH,
    POOLED,
    attention_pooling,
    clip_vision,
    encoder_layer,
    patches,
    siglip_vision,
    table,
)
from flopcast.describe.network import Shape

CAPTION = "caption"


def read_side(f: Fields) -> tuple[int, int]:
    """Side of an image and of a patch, in pixels; the image may hold a part of a patch more, which is cut off."""
    image, patch = f.integer("image_size", high=2**20), f.integer("patch_size", high=2**20)
    f.at_most("patch_size", patch, "image_size", image)
    return image, min(patch, image)


def read_stack(f: Fields) -> tuple[int, int, int, int]:
    """Width, MLP width, heads and layers of an encoder."""
    hidden, heads = f.integer("hidden_size"), f.integer("num_attention_heads")
    f.divides("num_attention_heads", heads, "the hidden size", hidden)
    return (
        hidden,
        f.integer("intermediate_size"),
        min(heads, hidden),
        f.integer("num_hidden_layers", high=MOST_LAYERS),
    )


def shape_of_tower(hidden: int, ffn: int, heads: int, layers: int) -> Shape:
    return Shape(
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=heads,
        head_dim=hidden // heads,
        ffn=ffn,
        gated_mlp=False,
        vocab=0,
        causal=False,
    )


def vit(f: Fields) -> Draft:
    """ViT without a classification head, with the pooler."""
    hidden, ffn, heads, layers = read_stack(f)
    image, patch = read_side(f)
    tokens = (image // patch) ** 2 + 1
    pooled = f.maybe_integer("pooler_output_size") or hidden
    block = (
        patches(channels=f.integer("num_channels"), patch=patch, hidden=hidden, stream=PATCH)
        + table(1, hidden, name="class token")
        + table(tokens, hidden)
        + layers * encoder_layer(hidden=hidden, ffn=ffn, heads=heads, bias=f.flag("qkv_bias"))
        + norm(hidden, bias=True, name="final norm")
    ).on(IMAGE)
    block += linear("pooler", "head", hidden, pooled, bias=True, stream=POOLED)
    return Draft(
        block=block,
        shape=shape_of_tower(hidden, ffn, heads, layers),
        inputs_per_sample=((IMAGE, tokens), (PATCH, tokens - 1), (POOLED, 1)),
    )


def read_clip_vision(v: Fields) -> tuple[Block, int, int]:
    """CLIP's vision tower, its width and its tokens of an image."""
    return _read_tower(v, clip_vision)


def read_siglip_vision(v: Fields) -> tuple[Block, int, int]:
    """SigLIP's vision tower without pooling, its width and its tokens of an image."""
    return _read_tower(v, siglip_vision)


def _read_tower(v: Fields, build: Callable[..., tuple[Block, int]]) -> tuple[Block, int, int]:
    hidden, ffn, heads, layers = read_stack(v)
    image, patch = read_side(v)
    channels = v.integer("num_channels")
    block, tokens = build(
        hidden=hidden, ffn=ffn, heads=heads, layers=layers, image=image, patch=patch, channels=channels
    )
    return block, hidden, tokens


def idle_siglip_pooling(v: Fields, hidden: int) -> Block:
    """The pooling head of SigLIP where it is there but a language model does not use what it gives."""
    keys, pooled = attention_pooling(hidden=hidden, ffn=v.integer("intermediate_size"))
    return weights("idle pooling", "other", other=keys.parameters + pooled.parameters)


def clip(f: Fields) -> Draft:
    """CLIP: a causal text tower, a vision tower, a projection of each and the logit scale."""
    t, v = (
        f.child("text_config", defaults_of("clip_text_model")),
        f.child("vision_config", defaults_of("clip_vision_model")),
    )
    text, width, length = read_caption_tower(t, causal=True)
    tower, vision_width, tokens = read_clip_vision(v)
    out = f.integer("projection_dim")
    pooled = (
        linear("text projection", "projector", width, out)
        + linear("vision projection", "projector", vision_width, out)
        + weights("logit scale", "other", other=1)
    )
    block = text.on(CAPTION, prefix="text ") + tower.on(IMAGE, prefix="vision ") + pooled.on(POOLED)
    return Draft(
        block=block,
        inputs_per_sample=((CAPTION, length), (IMAGE, tokens), (PATCH, tokens - 1), (POOLED, 1)),
        max_seq_len=length,
    )


def siglip(f: Fields) -> Draft:
    """SigLIP: a bidirectional text tower with a projection, a vision tower with attention pooling, scale and bias."""
    t, v = (
        f.child("text_config", defaults_of("siglip_text_model")),
        f.child("vision_config", defaults_of("siglip_vision_model")),
    )
    text, width, length = read_caption_tower(t, causal=False)
    tower, vision_width, tokens = read_siglip_vision(v)
    out = t.maybe_integer("projection_size") or width
    pooled = linear("text projection", "projector", width, out, bias=True) + weights("logit scale", "other", other=2)
    if v.flag("vision_use_head"):
        keys, rest = attention_pooling(hidden=vision_width, ffn=v.integer("intermediate_size"))
        heads = min(v.integer("num_attention_heads"), vision_width)
        tower += keys
        pooled += rest + scores(
            heads=heads,
            qk_head_dim=vision_width // heads,
            v_head_dim=vision_width // heads,
            causal=False,
            name="pooling",
            key_stream=IMAGE,
        )
    block = text.on(CAPTION, prefix="text ") + tower.on(IMAGE, prefix="vision ") + pooled.on(POOLED)
    return Draft(block=block, inputs_per_sample=((CAPTION, length), (IMAGE, tokens), (POOLED, 1)), max_seq_len=length)


def read_caption_tower(t: Fields, *, causal: bool) -> tuple[Block, int, int]:
    """A text tower with learned positions, its width and its length."""
    hidden, ffn, heads, layers = read_stack(t)
    length = t.integer("max_position_embeddings")
    block = (
        embedding(t.integer("vocab_size"), hidden)
        + table(length, hidden)
        + layers * encoder_layer(hidden=hidden, ffn=ffn, heads=heads, causal=causal)
        + norm(hidden, bias=True, name="tower norms")
    )
    return block, hidden, length


FAMILIES: Mapping[str, Callable[[Fields], Draft]] = {"vit": vit, "clip": clip, "siglip": siglip}
