"""What is trained: the parts of a network, each with its parameters and the work a token makes it do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One kind of weight, present `copies` times.

    role: embedding, position, attention, mlp, experts, shared_expert, router, mixer, norm, head, projector, patch, other.
    parameters: of one copy, exact. active_parameters: of one copy, those that one token uses (None: all).
    matmul_weights: of one copy, weights that one token of `stream` multiplies in the forward pass (2 FLOP each).
    stream: whose tokens pass: text (the main stream), encoder, decoder, caption, image, patch (image without a class
    token), pooled (one vector a sample).
    """

    name: str
    role: str
    parameters: int
    copies: int = 1
    active_parameters: int | None = None
    matmul_weights: int = 0
    stream: str = "text"

    @property
    def total(self) -> int:
        return self.copies * self.parameters

    @property
    def active(self) -> int:
        return self.copies * (self.parameters if self.active_parameters is None else self.active_parameters)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionScores:
    """Scores and weighted values of `copies` attention layers.

    Forward FLOP per query token: 2 x heads x (qk_head_dim + v_head_dim) x context, where context is the sequence of
    `key_stream`, at most `window_tokens`; `causal` allows the half-count convention.
    """

    name: str
    copies: int
    heads: int
    qk_head_dim: int
    v_head_dim: int
    causal: bool
    window_tokens: int | None = None
    stream: str = "text"
    key_stream: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """State update of `copies` recurrent mixers (Mamba, linear attention): forward FLOP of one token, one copy."""

    name: str
    copies: int
    flop_per_token: float
    stream: str = "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """The figures of a decoder-like stack that the step model needs. Zero means absent.

    `ffn` is the width of the dense MLP, `expert_ffn` of one routed expert, `shared_expert_ffn` of all shared experts
    together; `dense_layers` counts layers with a dense MLP in a mixture-of-experts network; `mixer_layers` counts layers
    whose attention is a recurrent mixer; `window_layers` of the attention layers see only `window_tokens`.
    """

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    gated_mlp: bool
    vocab: int
    tied_embeddings: bool = False
    experts: int = 0
    experts_per_token: int = 0
    expert_ffn: int = 0
    shared_expert_ffn: int = 0
    dense_layers: int = 0
    attention: str = "gqa"
    q_lora_rank: int = 0
    kv_lora_rank: int = 0
    qk_rope_head_dim: int = 0
    v_head_dim: int = 0
    mixer_layers: int = 0
    window_layers: int = 0
    window_tokens: int = 0
    causal: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """A network: counted part by part, or only stated ("405B") when `parts` is empty.

    `inputs_per_sample` gives tokens a sample sends through a stream other than text, e.g. (("image", 197),).
    """

    name: str
    family: str
    stated_parameters: float | None = None
    stated_active_parameters: float | None = None
    parts: tuple[Part, ...] = ()
    scores: tuple[AttentionScores, ...] = ()
    scans: tuple[Scan, ...] = ()
    shape: Shape | None = None
    max_seq_len: int | None = None
    inputs_per_sample: tuple[tuple[str, int], ...] = ()
    source: str = ""
    notes: tuple[str, ...] = ()

    @property
    def is_counted(self) -> bool:
        return bool(self.parts)

    @property
    def parameters_total(self) -> float:
        return sum(part.total for part in self.parts) if self.parts else float(self.stated_parameters or 0)

    @property
    def parameters_active(self) -> float:
        if self.parts:
            return sum(part.active for part in self.parts)
        return float(self.stated_active_parameters or self.stated_parameters or 0)
