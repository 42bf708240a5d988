"""Parameters that one rank holds, as arrays.

Belongs here: parameters of layers, experts and embeddings of a `Net`, whole and per rank. The exact count of one network,
to the last bias, is in flopcast.count; this one leaves out biases and norms and serves a million plans at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from flopcast.step.layer import MIXER_EXPANSION, MIXER_INPUTS, expert_share, latent, mixer_share
from flopcast.step.plans import Array, Degrees, Net


def attention_parameters(net: Net) -> Array:
    """Weights of the attention (or mixer) of an average layer."""
    h, heads = net.hidden, net.heads
    plain = h * net.head_dim * (2 * heads + 2 * net.kv_heads)
    query = heads * (net.head_dim + net.rope_dim)
    query = np.where(net.q_lora > 0, net.q_lora * (h + query), h * query)
    low = h * (net.kv_lora + net.rope_dim) + net.kv_lora * heads * (net.head_dim + net.v_dim) + h * heads * net.v_dim
    mixer = (MIXER_INPUTS + MIXER_EXPANSION) * h * h
    share, mla = mixer_share(net), latent(net)
    return (1 - share) * ((1 - mla) * plain + mla * (query + low)) + share * mixer


def dense_mlp_parameters(net: Net) -> Array:
    """Weights of the dense MLP and the shared experts of an average layer."""
    moe, width = expert_share(net), 2 + net.gated
    return width * net.hidden * ((1 - moe) * net.ffn + moe * net.shared_ffn)


def expert_parameters(net: Net) -> Array:
    """Weights of all routed experts of an average layer."""
    return expert_share(net) * net.experts * (2 + net.gated) * net.expert_hidden * net.expert_ffn


def embedding_parameters(net: Net) -> Array:
    """Weights of one vocabulary table."""
    return net.vocab * net.hidden


def total_parameters(net: Net) -> Array:
    """All weights: layers, one or two vocabulary tables."""
    layer = attention_parameters(net) + dense_mlp_parameters(net) + expert_parameters(net)
    return net.layers * layer + (2 - net.tied) * embedding_parameters(net)


def active_parameters(net: Net) -> Array:
    """Weights that one token uses: all but the experts it is not sent to."""
    used = np.where(net.experts > 0, net.experts_per_token / np.maximum(net.experts, 1), 0.0)
    idle = net.layers * expert_parameters(net) * (1 - used)
    used_ones: Array = total_parameters(net) - idle
    return used_ones


@dataclass(frozen=True, slots=True, kw_only=True)
class RankSizes:
    """Parameters held by the fullest rank before data-parallel sharding: per average layer, per layer with experts (leading
    dense layers leave the last stages all experts) and in the vocabulary tables."""

    layers: Array
    layer_dense: Array
    layer_expert: Array
    expert_layers: Array
    one_expert_layer: Array
    table: Array

    @property
    def dense(self) -> Array:
        return self.layers * self.layer_dense + self.table

    @property
    def expert(self) -> Array:
        return self.expert_layers * self.one_expert_layer

    @property
    def layer(self) -> Array:
        return self.layer_dense + self.layer_expert


def rank_sizes(net: Net, degrees: Degrees) -> RankSizes:
    """What the fullest rank holds: ceil(L/p) layers cut by TP, experts cut by EP, one vocabulary table (two when p = 1)."""
    tables = np.where(degrees.pp > 1, 1.0, 2 - net.tied)
    depth, share = np.ceil(net.layers / degrees.pp), expert_share(net)
    cut = np.minimum(degrees.ep, np.maximum(net.experts, 1)) * degrees.etp
    of_layer = expert_parameters(net) / cut
    return RankSizes(
        layers=depth,
        layer_dense=(attention_parameters(net) + dense_mlp_parameters(net)) / degrees.tp,
        layer_expert=of_layer,
        expert_layers=np.minimum(depth, share * net.layers),
        one_expert_layer=of_layer / np.where(share > 0, share, 1.0),
        table=tables * embedding_parameters(net) / degrees.tp,
    )
