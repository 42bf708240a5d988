"""Memory of the fullest rank, by component.

Belongs here: weights, gradients, optimizer states, activations by recomputation and schedule, logits, gathered layers,
buffers, runtime -> bytes; allocated, reserved, and what the device shows.
Does not: the verdict in words and the changes that would make it fit (fit.py).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from flopcast.step import layer, pipeline, sizes
from flopcast.step.plans import Array, Degrees, Net, Work
from flopcast.step.stacks import Stack

MOMENTS = 8.0  # two moments where the weights are fp32 themselves
QUANTISED_WEIGHT = 0.56  # NF4 with its block scales (2305.14314), bytes a parameter
ADAPTER_SHARE = 0.012  # parameters of rank-16 adapters on all projections over those of the network
SCORE_BYTES = 5.0  # kept of an unfused score: softmax output, dropout mask and output (2205.05198, eq. 1)
UNFUSED_NORM, UNFUSED_SPLIT = 10.0, 8.0  # tensors of s b h kept beside the split ones, with dropout (2205.05198, eq. 2)
GATHERED_LAYERS = 2.0  # ZeRO-3: the layer in use and the one being fetched
CONTEXT_BYTES = 3.0 * 2**30  # CUDA context, libraries and communicators, outside the allocator
WEIGHT_GRADIENT = 4.0  # the largest weight's gradient before it is added, bytes a parameter
BUFFER_BYTES = 0.25 * 2**30  # workspaces inside the allocator
LOW_PRECISION_KEPT = 0.8  # inputs of the products are kept in eight bits, the rest is not


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """Bytes of the fullest rank: all but `fragments` are allocated."""

    weights: Array
    gradients: Array
    optimizer: Array
    activations: Array
    working_layer: Array
    logits: Array
    gathered: Array
    buffers: Array
    fragments: Array

    @property
    def allocated(self) -> Array:
        parts = [getattr(self, field.name) for field in fields(self) if field.name != "fragments"]
        held: Array = np.sum(parts, axis=0)
        return held

    @property
    def reserved(self) -> Array:
        """What the allocator holds: allocated and what fragmentation keeps."""
        return self.allocated + self.fragments

    @property
    def device(self) -> Array:
        """What the device shows as used: reserved and what lies outside the allocator."""
        return self.reserved + CONTEXT_BYTES


def kept_per_token(net: Net, work: Work, degrees: Degrees, stack: Stack) -> Array:
    """Activations that one layer keeps for the backward pass [B a token], nothing recomputed.

    Fused: inputs and outputs of two norms, q, k, v, the attention's output, the MLP's products and activation. Unfused:
    (10 + 24/t) h as in Korthikanti et al. 2022 plus five bytes a score.
    """
    t, e, moe = degrees.tp, work.sixteen_bit, layer.expert_share(net)
    whole = np.where(degrees.sp > 0, t, 1.0)
    mla = layer.latent(net)
    heads = (1 - mla) * (2 * net.heads + 2 * net.kv_heads) * net.head_dim
    heads = heads + mla * (net.heads * (2 * (net.head_dim + net.rope_dim) + 2 * net.v_dim) + net.kv_lora + net.q_lora)
    mlp = (2 + net.gated) * ((1 - moe) * net.ffn + moe * (net.shared_ffn + net.experts_per_token * net.expert_ffn))
    routed = moe * 2 * net.experts_per_token * net.expert_hidden
    wide = 4 * net.hidden
    fused = e * (wide / whole + (heads + mlp + routed) / t) * np.where(work.low_precision > 0, LOW_PRECISION_KEPT, 1.0)
    scores = SCORE_BYTES * net.heads / t * work.seq * (1 + net.memory_ratio) * e / 2
    dropped = (UNFUSED_NORM / whole - 8 / whole) * net.hidden
    return np.where(stack.fused > 0, fused, fused + dropped + scores)


def activation_bytes(net: Net, work: Work, degrees: Degrees, stack: Stack) -> tuple[Array, Array]:
    """(bytes of all kept activations, bytes of the layer at work) of the first stage."""
    tokens = layer.tokens_of_rank(work, degrees)
    count = pipeline.micro_batches(batch=work.batch, micro=degrees.micro, dp=degrees.dp)
    held = pipeline.held_micro_batches(degrees, count) * np.ceil(net.layers / degrees.pp)
    kept = kept_per_token(net, work, degrees, stack)
    scores = np.where(stack.fused > 0, 0.0, SCORE_BYTES * net.heads / degrees.tp * work.seq * work.sixteen_bit / 2)
    selective = np.where(stack.fused > 0, kept * stack.selective_kept, kept - scores)
    inputs = work.sixteen_bit * net.hidden / np.where(degrees.sp > 0, degrees.tp, 1.0)
    of_one = np.where(degrees.recompute == 2, inputs, np.where(degrees.recompute == 1, selective, kept))
    return tokens * held * of_one, tokens * np.where(degrees.recompute == 2, kept, scores + inputs)


def components(net: Net, work: Work, degrees: Degrees, stack: Stack) -> Components:
    """Bytes of the fullest rank by component (first or last stage, whichever holds more)."""
    held = sizes.rank_sizes(net, degrees)
    ranks = degrees.dp * degrees.cp
    expert_ranks = np.maximum(ranks * degrees.tp / np.maximum(degrees.ep * degrees.etp, 1), 1)
    group = np.where(degrees.shard_group > 0, np.minimum(degrees.shard_group, ranks), ranks)
    sixteen = work.sixteen_bit == 2
    trained = np.where(work.frozen > 0, ADAPTER_SHARE, 1.0)

    def sharded(bytes_each: Array, least: int) -> Array:
        over, expert = (np.where(degrees.shard >= least, n, 1.0) for n in (group, np.minimum(expert_ranks, group)))
        return bytes_each * (held.dense / over + held.expert / expert)

    of_weight = np.where(work.quantised > 0, QUANTISED_WEIGHT, np.where(degrees.shard >= 3, stack.weight_bytes, 2.0))
    of_weight = np.where(sixteen, of_weight, 4.0)
    of_gradient = np.where(sixteen, np.where(work.bf16 > 0, stack.gradient_bytes_bf16, stack.gradient_bytes), 4.0)
    states = np.where(sixteen, stack.state_bytes, MOMENTS)
    kept, at_work = activation_bytes(net, work, degrees, stack)
    logits = layer.tokens_of_rank(work, degrees) * net.head_share * net.vocab / degrees.tp * stack.logit_bytes
    last_only = np.where(degrees.pp > 1, np.maximum(logits - kept * (1 - 1 / degrees.pp), 0), logits)
    # A pipeline over sharded weights keeps its stage gathered, and its gradients whole until the last micro-batch.
    stage = (held.dense + held.expert) * (2 + 2 * trained)
    few = GATHERED_LAYERS * held.layer * 2 * (1 + trained)
    largest = (1 + net.gated) * net.hidden * np.where(net.experts > 0, net.expert_ffn, net.ffn / degrees.tp)
    hosted = np.where(degrees.offload > 0, 0.0, 1.0)
    parts = {
        "weights": sharded(of_weight, 3),
        "gradients": sharded(of_gradient, 2) * trained,
        "optimizer": sharded(states, 1) * trained * hosted,
        "activations": kept, "working_layer": at_work + largest * WEIGHT_GRADIENT * trained, "logits": last_only,
        "gathered": np.where(degrees.shard >= 3, np.where(degrees.pp > 1, stage, few), 0.0),
        "buffers": np.full_like(kept, BUFFER_BYTES),
    }  # fmt: skip
    return Components(**parts, fragments=stack.fragmentation * np.sum(list(parts.values()), axis=0))
