"""The vision towers of language models, with the projectors that join them."""

from __future__ import annotations

from functools import partial

from flopcast.count.blocks import Block, attention, linear, mlp, norm, weights
from flopcast.count.families.vision import idle_siglip_pooling, read_clip_vision, read_siglip_vision
from flopcast.count.fields import MOST_LAYERS, Fields, StandIn
from flopcast.count.towers import encoder_layer, merger, patches, per_patch, table


def qwen_patches(v: Fields, hidden: int, *, bias: bool) -> Block:
    """Patches of two frames each, as Qwen's vision towers take them."""
    return patches(
        channels=v.integer("in_channels", "in_chans"),
        patch=v.integer("patch_size"),
        hidden=hidden,
        frames=v.integer("temporal_patch_size"),
        bias=bias,
    )


def qwen2_vision(f: Fields, v: Fields, hidden_text: int) -> Block:
    """Qwen2-VL's tower; its `hidden_size` is the width it gives to the text network."""
    width, heads = v.integer("embed_dim"), v.integer("num_heads")
    v.divides("num_heads", heads, "embed_dim", width)
    ratio, merge = v.number("mlp_ratio", low=0.01, high=1e4), v.integer("spatial_merge_size") ** 2
    out = v.integer("hidden_size")
    check_width(v, "hidden_size", out, hidden_text)
    layer = encoder_layer(hidden=width, ffn=int(width * ratio), heads=heads)
    joined = width * merge
    return (
        qwen_patches(v, width, bias=False)
        + v.integer("depth", high=MOST_LAYERS) * layer
        + norm(width, bias=True)
        + merger(inputs=joined, middle=joined, outputs=out, merge=merge)
    )


def qwen2_5_vision(f: Fields, v: Fields, hidden_text: int) -> Block:
    """Qwen2.5-VL's tower: RMSNorms, gated MLP, windows in all but a few layers."""
    width, heads = v.integer("hidden_size"), v.integer("num_heads")
    v.divides("num_heads", heads, "hidden_size", width)
    layers, merge = v.integer("depth", high=MOST_LAYERS), v.integer("spatial_merge_size") ** 2
    out, side = v.integer("out_hidden_size"), v.integer("window_size") // v.integer("patch_size")
    check_width(v, "out_hidden_size", out, hidden_text)
    full = len({layer for layer in v.integers("fullatt_block_indexes", high=MOST_LAYERS) if layer < layers})
    build = partial(
        attention,
        hidden=width,
        heads=heads,
        kv_heads=heads,
        head_dim=max(1, width // heads),
        qkv_bias=True,
        out_bias=True,
        causal=False,
    )
    feeding = mlp(width, v.integer("intermediate_size"), gated=True, bias=True)
    joined = width * merge
    return (
        qwen_patches(v, width, bias=False)
        + full * build()
        + (layers - full) * build(window=max(1, side * side))
        + layers * (feeding + 2 * norm(width))
        + norm(width)
        + merger(inputs=joined, middle=joined, outputs=out, merge=merge)
    )


def qwen3_vision(f: Fields, v: Fields, hidden_text: int) -> Block:
    """Qwen3-VL's tower, with mergers after some inner layers as well."""
    width, heads = v.integer("hidden_size"), v.integer("num_heads")
    v.divides("num_heads", heads, "hidden_size", width)
    merge, out = v.integer("spatial_merge_size") ** 2, v.integer("out_hidden_size")
    check_width(v, "out_hidden_size", out, hidden_text)
    joined = width * merge
    join = merger(inputs=joined, middle=joined, outputs=out, merge=merge)
    inner = len(v.integers("deepstack_visual_indexes", high=MOST_LAYERS))
    layer = encoder_layer(hidden=width, ffn=v.integer("intermediate_size"), heads=heads)
    return (
        qwen_patches(v, width, bias=True)
        + table(v.integer("num_position_embeddings"), width)
        + v.integer("depth", high=MOST_LAYERS) * layer
        + norm(width, bias=True)
        + join
        + inner * (norm(joined, bias=True) + join)
    )


def kimi_vision(f: Fields, v: Fields, hidden_text: int) -> Block:
    """Kimi K2.5's MoonViT and its patch merger."""
    width = v.integer("hidden_size", "vt_hidden_size")
    heads = v.integer("num_attention_heads", "vt_num_attention_heads")
    v.divides("num_attention_heads", heads, "hidden_size", width)
    layers = v.integer("num_hidden_layers", "vt_num_hidden_layers", high=MOST_LAYERS)
    ffn = v.integer("intermediate_size", "vt_intermediate_size")
    height = v.integer("pos_emb_height", "init_pos_emb_height")
    across = v.integer("pos_emb_width", "init_pos_emb_width")
    sides = v.integers("merge_kernel_size", low=1, high=1024)
    if len(sides) != 2:
        v.problem("merge_kernel_size", allowed="two whole numbers")
        sides = (1, 1)
    merge = sides[0] * sides[1]
    joined = width * merge
    normed = f.maybe_integer("projection_hidden_size") or width
    return (
        patches(channels=3, patch=v.integer("patch_size"), hidden=width)
        + table(height * across, width)
        + layers * encoder_layer(hidden=width, ffn=ffn, heads=heads)
        + norm(width, bias=True)
        + norm(normed, bias=True)
        + merger(inputs=joined, middle=joined, outputs=hidden_text, merge=merge)
    )


def minimax_vision(f: Fields, v: Fields, hidden_text: int) -> Block:
    """MiniMax-M3's tower, and its projector in two steps: each patch, then patches merged."""
    width, heads = v.integer("hidden_size"), v.integer("num_attention_heads")
    v.divides("num_attention_heads", heads, "hidden_size", width)
    inner = v.child("img_token_compression_config", {})
    merge_side = v if v.has("spatial_merge_size") or not inner.has("spatial_merge_size") else inner
    frames = v if v.has("temporal_patch_size") or not inner.has("temporal_patch_size") else inner
    merge = merge_side.integer("spatial_merge_size") ** 2
    middle = f.integer("projector_hidden_size")
    each = linear("projector", "projector", width, middle, bias=True)
    each += linear("projector", "projector", middle, hidden_text, bias=True)
    return (
        patches(
            channels=v.integer("num_channels"),
            patch=v.integer("patch_size"),
            hidden=width,
            frames=frames.integer("temporal_patch_size"),
            bias=False,
        )
        + norm(width, bias=True)
        + v.integer("num_hidden_layers", high=MOST_LAYERS)
        * encoder_layer(hidden=width, ffn=v.integer("intermediate_size"), heads=heads)
        + each
        + merger(inputs=hidden_text * merge, middle=middle, outputs=hidden_text, merge=merge)
    )


def gemma3_vision(f: Fields, v: Fields, hidden_text: int) -> Block:
    """SigLIP, and one projection of pooled patches with a norm."""
    tower, width, tokens = read_siglip_vision(v)
    pooling = idle_siglip_pooling(v, width) if v.flag("vision_use_head") else Block()
    soft = f.integer("mm_tokens_per_image")
    project = per_patch(weights("projector", "projector", multiplied=width * hidden_text), max(1, tokens // soft))
    return tower + pooling + project + norm(width)


def gemma4_vision(f: Fields, v: Fields, hidden_text: int) -> Block:
    """Gemma 4's tower: gated MLP, four norms a layer, norms on queries and keys, positions of rows and columns."""
    width, heads = v.integer("hidden_size"), v.integer("num_attention_heads")
    head_dim = v.integer("head_dim")
    kv_heads = v.integer("num_key_value_heads")
    v.divides("num_key_value_heads", kv_heads, "the attention heads", heads)
    pool = v.integer("pooling_kernel_size") ** 2
    layer = attention(
        hidden=width,
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        qk_norm=2 * head_dim,
        causal=False,
    )
    layer += mlp(width, v.integer("intermediate_size"), gated=True) + 4 * norm(width)
    return (
        patches(channels=3, patch=v.integer("patch_size"), hidden=width, bias=False)
        + table(2 * v.integer("position_embedding_size"), width)
        + v.integer("num_hidden_layers", high=MOST_LAYERS) * layer
        + per_patch(linear("projector", "projector", width, hidden_text), pool)
    )


def llava_vision(f: Fields, v: Fields, hidden_text: int) -> Block:
    """CLIP or SigLIP, and two linear layers for each patch."""
    siglip = v.text("model_type") == "siglip_vision_model"
    tower, width, _ = read_siglip_vision(v) if siglip else read_clip_vision(v)
    if siglip and v.flag("vision_use_head"):
        tower += idle_siglip_pooling(v, width)
    bias = f.flag("multimodal_projector_bias")
    layers = f.raw("vision_feature_layer")
    inputs = width * (len(layers) if isinstance(layers, (list, tuple)) else 1)
    project = linear("projector", "projector", inputs, hidden_text, bias=bias)
    return tower + project + linear("projector", "projector", hidden_text, hidden_text, bias=bias)


def check_width(v: Fields, name: str, width: int, hidden_text: int) -> None:
    """What a tower gives must be as wide as the text network."""
    if width != hidden_text and not isinstance(width, StandIn) and not isinstance(hidden_text, StandIn):
        v.problem(name, given=width, allowed=f"the hidden size of the text network ({hidden_text})")
