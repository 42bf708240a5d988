"""Decoders whose attention sees only tokens that an indexer picks: GLM-5, MiniMax-M3."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flopcast.count.blocks import Block, attention, experts, mlp, norm, router, scores, weights
from flopcast.count.families.common import FULL, Draft, Sizes, around, read_sizes, shape_of
from flopcast.count.families.latent import Latent, finish, note_mtp, read_latent, read_latent_sizes
from flopcast.count.families.moe import Feeding, dense_then_sparse, leading_dense, read_experts
from flopcast.count.fields import MOST_LAYERS, Fields

DENSE, SPARSE = "dense", "sparse"
PICKED = "minimax_m3_sparse"


def glm_dsa(f: Fields) -> Draft:
    """GLM-5: latent attention to the tokens that an indexer picks; some layers reuse the picks of the one before."""
    latent = read_latent(f)
    s = read_latent_sizes(f, latent)
    kinds = f.words("mlp_layer_types", length=s.layers, allowed=(DENSE, SPARSE))
    feeding = leading_dense(f, s) if kinds is None else dense_then_sparse(f, s, plain=kinds.count(DENSE))
    top_k = f.integer("index_topk")
    indexers = indexer_layers(f, s.layers)
    mixing = s.layers * latent.block(s, top_k=top_k) + indexers * indexer(f, s, latent)
    note_mtp(f, "num_nextn_predict_layers", "num_mtp_layers")
    return finish(s, latent, mixing, feeding, window_layers=s.layers, window_tokens=top_k)


def indexer(f: Fields, s: Sizes, latent: Latent) -> Block:
    """The projections and scores by which a layer picks tokens."""
    heads, width = f.integer("index_n_heads"), f.integer("index_head_dim")
    if latent.q_lora_rank is None:
        f.problem("q_lora_rank", given="null", allowed="a whole number: the indexer reads the low-rank query")
    multiplied = heads * width * (latent.q_lora_rank or 1) + width * s.hidden + heads * s.hidden
    return weights("indexer", "attention", multiplied=multiplied, other=2 * width) + scores(
        heads=heads, qk_head_dim=width, v_head_dim=0, name="indexer"
    )


def indexer_layers(f: Fields, layers: int) -> int:
    """Layers with an indexer of their own: by list, by pattern, or by frequency and offset."""
    listed = f.words("indexer_types", length=layers, allowed=("full", "shared"))
    if listed is not None:
        return listed.count("full")
    pattern = f.text("index_topk_pattern")
    if pattern:
        if len(pattern) != layers or set(pattern) - {"F", "S"}:
            f.problem("index_topk_pattern", allowed=f"{layers} letters F (own indexer) or S (shared)")
        return pattern.count("F")
    every = f.integer("index_topk_freq", low=0, high=MOST_LAYERS) or 1
    offset = f.integer("index_skip_topk_offset", low=0, high=MOST_LAYERS)
    return sum(max(layer - offset + 1, 0) % every == 0 for layer in range(layers))


def minimax_m3(f: Fields) -> Draft:
    """The text network of MiniMax-M3: some layers see only the blocks of keys that their indexer picks."""
    s = read_sizes(f)
    picks = f.child("sparse_attention_config", {})
    picked = picked_layers(f, picks, s.layers)
    blocks = either(f, "index_topk_blocks", picks, "sparse_topk_blocks")
    seen = blocks * either(f, "index_block_size", picks, "sparse_block_size")

    def layer(window: int | None) -> Block:
        return attention(
            hidden=s.hidden,
            heads=s.heads,
            kv_heads=s.kv_heads,
            head_dim=s.head_dim,
            qk_norm=2 * s.head_dim,
            window=window,
        )

    heads = either(f, "index_n_heads", picks, "sparse_num_index_heads")
    width = either(f, "index_head_dim", picks, "sparse_index_dim")
    picking = weights("indexer", "attention", multiplied=s.hidden * (heads + 1) * width, other=2 * width)
    picking += scores(heads=heads, qk_head_dim=width, v_head_dim=0, name="indexer")
    mixing = (s.layers - picked) * layer(None) + picked * (layer(seen) + picking)
    feeding = minimax_m3_feeding(f, s)
    note_mtp(f, "num_mtp_modules")
    norms = (2 * s.layers) * norm(s.hidden)
    shape = shape_of(s, **feeding.figures, window_layers=picked, window_tokens=seen if picked else 0)
    block = around(s, mixing + feeding.block + norms, final_norm=norm(s.hidden, name="final norm"))
    return Draft(block=block, shape=shape, max_seq_len=s.max_seq_len)


def either(f: Fields, name: str, nested: Fields, older: str) -> int:
    """A whole number under its older name in the nested configuration, else under its own."""
    return nested.integer(older) if nested.has(older) else f.integer(name)


def picked_layers(f: Fields, picks: Fields, layers: int) -> int:
    """Layers with an indexer: by list, else by the nested list of ones and zeros, else none."""
    listed = f.words("layer_types", length=layers, allowed=(FULL, PICKED))
    if listed is not None:
        return listed.count(PICKED)
    return ones_of(picks, "sparse_attention_freq", layers) or 0


def ones_of(f: Fields, name: str, layers: int) -> int | None:
    """How many of a list of ones and zeros, one for each layer, are ones; None where there is no list."""
    if not f.has(name):
        return None
    listed = f.integers(name, low=0, high=1)
    if len(listed) != layers:
        f.problem(name, given=f"{len(listed)} entries", allowed=f"a list with one entry for each of {layers} layers")
    return min(sum(listed), layers)


def minimax_m3_feeding(f: Fields, s: Sizes) -> Feeding:
    """Dense MLPs and, elsewhere, routed experts with one shared expert."""
    kinds = f.words("mlp_layer_types", length=s.layers, allowed=(DENSE, SPARSE))
    ones = ones_of(f, "moe_layer_freq", s.layers)
    by_frequency = s.layers if ones is None else ones
    sparse = by_frequency if kinds is None else kinds.count(SPARSE)
    count, chosen = read_experts(f, "num_local_experts")
    width, shared = f.integer("intermediate_size"), f.integer("shared_intermediate_size")
    layer = router(s.hidden, count) + experts(hidden=s.hidden, ffn=width, count=count, per_token=chosen)
    layer += mlp(s.hidden, shared, gated=True, name="shared experts", role="shared_expert")
    ffn = f.integer("dense_intermediate_size")
    return Feeding(
        block=sparse * layer + (s.layers - sparse) * mlp(s.hidden, ffn, gated=True),
        ffn=ffn,
        dense_layers=s.layers - sparse,
        experts=count,
        experts_per_token=chosen,
        expert_ffn=width,
        shared_expert_ffn=shared,
    )


FAMILIES: Mapping[str, Callable[[Fields], Draft]] = {"glm_moe_dsa": glm_dsa, "minimax_m3_vl_text": minimax_m3}
