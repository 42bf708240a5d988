"""Decoders with multi-head latent attention: DeepSeek-V2 and -V3, Kimi K2."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from flopcast.count.blocks import Block, latent_attention, norm, scores
from flopcast.count.families.common import Draft, Sizes, around, shape_of
from flopcast.count.families.moe import Feeding, leading_dense
from flopcast.count.fields import MOST_LAYERS, Fields


@dataclass(frozen=True, slots=True, kw_only=True)
class Latent:
    """The ranks and widths of latent attention."""

    q_lora_rank: int | None
    kv_lora_rank: int
    qk_nope_head_dim: int
    qk_rope_head_dim: int
    v_head_dim: int
    bias: bool

    @property
    def qk_head_dim(self) -> int:
        return self.qk_nope_head_dim + self.qk_rope_head_dim

    def block(self, s: Sizes, *, top_k: int | None = None) -> Block:
        """The attention of one layer; with top_k a query sees only so many tokens."""
        block = latent_attention(
            hidden=s.hidden,
            heads=s.heads,
            q_lora_rank=self.q_lora_rank,
            kv_lora_rank=self.kv_lora_rank,
            qk_nope_head_dim=self.qk_nope_head_dim,
            qk_rope_head_dim=self.qk_rope_head_dim,
            v_head_dim=self.v_head_dim,
            bias=self.bias,
        )
        if top_k is None:
            return block
        seen = scores(heads=s.heads, qk_head_dim=self.qk_head_dim, v_head_dim=self.v_head_dim, window=top_k)
        return Block(block.parts, seen.scores)


def read_latent(f: Fields) -> Latent:
    return Latent(
        q_lora_rank=f.maybe_integer("q_lora_rank"),
        kv_lora_rank=f.integer("kv_lora_rank"),
        qk_nope_head_dim=f.integer("qk_nope_head_dim"),
        qk_rope_head_dim=f.integer("qk_rope_head_dim"),
        v_head_dim=f.integer("v_head_dim"),
        bias=f.flag("attention_bias"),
    )


def read_latent_sizes(f: Fields, latent: Latent) -> Sizes:
    """Sizes of a latent decoder: the key/value heads of the configuration play no part, each head has its own."""
    heads = f.integer("num_attention_heads")
    return Sizes(
        vocab=f.integer("vocab_size"),
        hidden=f.integer("hidden_size"),
        layers=f.integer("num_hidden_layers", high=MOST_LAYERS),
        heads=heads,
        kv_heads=heads,
        head_dim=latent.qk_head_dim,
        tied=f.flag("tie_word_embeddings"),
        max_seq_len=f.maybe_integer("max_position_embeddings"),
    )


def finish(s: Sizes, latent: Latent, mixing: Block, feeding: Feeding, **figures: object) -> Draft:
    """Put the decoder together."""
    norms = (2 * s.layers) * norm(s.hidden)
    block = around(s, mixing + feeding.block + norms, final_norm=norm(s.hidden, name="final norm"))
    shape = shape_of(
        s,
        **feeding.figures,
        attention="mla",
        q_lora_rank=latent.q_lora_rank or 0,
        kv_lora_rank=latent.kv_lora_rank,
        qk_rope_head_dim=latent.qk_rope_head_dim,
        v_head_dim=latent.v_head_dim,
        **figures,
    )
    return Draft(block=block, shape=shape, max_seq_len=s.max_seq_len)


def deepseek(f: Fields, *, mlp_bias: bool = False) -> Draft:
    """DeepSeek-V2, -V3 and R1, Kimi K2: leading dense layers, then routed and shared experts."""
    latent = read_latent(f)
    s = read_latent_sizes(f, latent)
    feeding = leading_dense(f, s, mlp_bias=f.flag("mlp_bias") if mlp_bias else False)
    note_mtp(f, "num_nextn_predict_layers", "num_mtp_layers")
    return finish(s, latent, s.layers * latent.block(s), feeding)


def note_mtp(f: Fields, *names: str) -> None:
    """Say so where the configuration has multi-token prediction layers, which the base network does not count."""
    for name in names:
        if f.has(name) and f.maybe_integer(name, low=0):
            f.note("multi-token prediction layers are not in the base network and are not counted")


FAMILIES: Mapping[str, Callable[[Fields], Draft]] = {
    "deepseek_v2": partial(deepseek, mlp_bias=True),
    "deepseek_v3": deepseek,
    "kimi_k2": deepseek,
}
