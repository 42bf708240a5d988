"""Blocks of a network: what a layer is made of, added (`+`) and repeated (`*`) into a whole network."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

from flopcast.describe.network import AttentionScores, Part, Scan

Entry = TypeVar("Entry", Part, AttentionScores, Scan)


@dataclass(frozen=True, slots=True)
class Block:
    """Parts with the attention scores and scans that go with them. `a + b` has both, `3 * a` has all of a thrice."""

    parts: tuple[Part, ...] = ()
    scores: tuple[AttentionScores, ...] = ()
    scans: tuple[Scan, ...] = ()

    def __add__(self, other: Block) -> Block:
        return Block(self.parts + other.parts, self.scores + other.scores, self.scans + other.scans)

    def __rmul__(self, copies: int) -> Block:
        if copies == 0:
            return Block()
        return Block(
            tuple(replace(part, copies=copies * part.copies) for part in self.parts),
            tuple(replace(score, copies=copies * score.copies) for score in self.scores),
            tuple(replace(scan, copies=copies * scan.copies) for scan in self.scans),
        )

    def on(self, stream: str, *, prefix: str = "") -> Block:
        """The same block passed by the tokens of `stream`, its names prefixed. What is on a stream already stays."""

        def moved(entry: Entry) -> Entry:
            target = stream if entry.stream == "text" else entry.stream
            return replace(entry, stream=target, name=prefix + entry.name)

        return Block(
            tuple(moved(part) for part in self.parts),
            tuple(moved(score) for score in self.scores),
            tuple(moved(scan) for scan in self.scans),
        )

    @property
    def parameters(self) -> int:
        return sum(part.total for part in self.parts)


def merged(block: Block) -> Block:
    """The block with entries that differ only in their number of copies put together, in order of appearance."""
    return Block(_merged(block.parts), _merged(block.scores), _merged(block.scans))


def _merged(entries: tuple[Entry, ...]) -> tuple[Entry, ...]:
    copies: dict[Entry, int] = {}
    for entry in entries:
        one = replace(entry, copies=1)
        copies[one] = copies.get(one, 0) + entry.copies
    return tuple(replace(one, copies=count) for one, count in copies.items())


def weights(name: str, role: str, *, multiplied: int = 0, other: int = 0, stream: str = "text") -> Block:
    """One part: `multiplied` weights in matrix products, `other` parameters (biases, norms, tables) that are not."""
    return Block((Part(name=name, role=role, parameters=multiplied + other, matmul_weights=multiplied, stream=stream),))


def linear(name: str, role: str, inputs: int, outputs: int, *, bias: bool = False, stream: str = "text") -> Block:
    """One matrix of inputs x outputs, with its bias."""
    return weights(name, role, multiplied=inputs * outputs, other=outputs * bias, stream=stream)


def norm(width: int, *, bias: bool = False, name: str = "norms", stream: str = "text") -> Block:
    """RMSNorm (one vector) or LayerNorm with bias (two)."""
    return weights(name, "norm", other=width * (1 + bias), stream=stream)


def embedding(vocab: int, width: int, *, name: str = "embedding") -> Block:
    """The input table of token embeddings; looked up, not multiplied."""
    return weights(name, "embedding", other=vocab * width)


def positions(count: int, width: int, *, stream: str = "text") -> Block:
    """A table of learned positions."""
    return weights("positions", "position", other=count * width, stream=stream)


def head(vocab: int, width: int, *, tied: bool, bias: bool = False, stream: str = "text") -> Block:
    """The projection to the vocabulary. Tied, it is multiplied but its weights are those of the embedding."""
    own = 0 if tied else vocab * width
    part = Part(name="head", role="head", parameters=own + vocab * bias, matmul_weights=vocab * width, stream=stream)
    return Block((part,))


def attention(
    *,
    hidden: int,
    heads: int,
    kv_heads: int,
    head_dim: int,
    v_head_dim: int | None = None,
    qkv_bias: bool = False,
    out_bias: bool = False,
    gate: bool = False,
    qk_norm: int = 0,
    extra: int = 0,
    window: int | None = None,
    causal: bool = True,
    name: str = "attention",
    share_kv: bool = False,
) -> Block:
    """Multi-head, grouped-query or multi-query attention: projections of query, key, value and output, and the scores.

    gate: the query projection also gives one gate per output; qk_norm: norm parameters on queries and keys together;
    extra: further parameters that no token multiplies (sinks); share_kv: the value is the key, unprojected.
    """
    v_head_dim = head_dim if v_head_dim is None else v_head_dim
    out = heads * v_head_dim
    query = heads * head_dim + (out if gate else 0)
    key_value = kv_heads * (head_dim + (0 if share_kv else v_head_dim))
    projections = hidden * (query + key_value) + out * hidden
    others = (query + key_value) * qkv_bias + hidden * out_bias + qk_norm + extra
    return weights(name, "attention", multiplied=projections, other=others) + scores(
        heads=heads, qk_head_dim=head_dim, v_head_dim=v_head_dim, window=window, causal=causal, name=name
    )


def scores(
    *,
    heads: int,
    qk_head_dim: int,
    v_head_dim: int,
    window: int | None = None,
    causal: bool = True,
    name: str = "attention",
    stream: str = "text",
    key_stream: str | None = None,
) -> Block:
    """Attention scores and weighted values of one layer."""
    name = f"{name} scores" if window is None else f"{name} scores, window {window}"
    entry = AttentionScores(
        name=name,
        copies=1,
        heads=heads,
        qk_head_dim=qk_head_dim,
        v_head_dim=v_head_dim,
        causal=causal,
        window_tokens=window,
        stream=stream,
        key_stream=key_stream,
    )
    return Block(scores=(entry,))


def latent_attention(
    *,
    hidden: int,
    heads: int,
    q_lora_rank: int | None,
    kv_lora_rank: int,
    qk_nope_head_dim: int,
    qk_rope_head_dim: int,
    v_head_dim: int,
    bias: bool = False,
) -> Block:
    """Multi-head latent attention (DeepSeek-V2): queries and keys/values through low-rank projections with norms."""
    qk_head_dim = qk_nope_head_dim + qk_rope_head_dim
    others = 0
    if q_lora_rank is None:
        multiplied = hidden * heads * qk_head_dim
    else:
        multiplied = q_lora_rank * (hidden + heads * qk_head_dim)
        others += q_lora_rank * (1 + bias)
    multiplied += hidden * (kv_lora_rank + qk_rope_head_dim)
    others += kv_lora_rank + (kv_lora_rank + qk_rope_head_dim) * bias
    multiplied += kv_lora_rank * heads * (qk_nope_head_dim + v_head_dim)
    multiplied += heads * v_head_dim * hidden
    others += hidden * bias
    return weights("attention", "attention", multiplied=multiplied, other=others) + scores(
        heads=heads, qk_head_dim=qk_head_dim, v_head_dim=v_head_dim
    )


def mlp(hidden: int, ffn: int, *, gated: bool, bias: bool = False, name: str = "mlp", role: str = "mlp") -> Block:
    """Feed-forward: up and down, with `gated` a gate beside up."""
    ups = 2 if gated else 1
    return weights(name, role, multiplied=(ups + 1) * hidden * ffn, other=(ups * ffn + hidden) * bias)


def experts(*, hidden: int, ffn: int, count: int, per_token: int, gated: bool = True, bias: bool = False) -> Block:
    """Routed experts: all are there, `per_token` of them work on a token."""
    ups = 2 if gated else 1
    multiplied = (ups + 1) * hidden * ffn
    one = multiplied + (ups * ffn + hidden) * bias
    part = Part(
        name="experts",
        role="experts",
        parameters=count * one,
        active_parameters=per_token * one,
        matmul_weights=per_token * multiplied,
    )
    return Block((part,))


def router(hidden: int, count: int, *, bias: bool = False) -> Block:
    """The projection that scores the experts for a token."""
    return linear("router", "router", hidden, count, bias=bias)
