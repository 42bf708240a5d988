"""Work of one layer of one rank for one micro-batch: which kernels, of what size, how long.

Belongs here: the products of a transformer layer (multi-head, grouped, latent attention; plain, gated, expert MLP;
recurrent mixers) under tensor, context and expert parallelism, their backward twins, attention and memory traffic.
Does not: communication and schedule (update.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from flopcast.step import kernels
from flopcast.step.plans import Array, Chip, Degrees, Net, Work
from flopcast.step.stacks import Stack

BACKWARD_ATTENTION = 2.5  # five products backward against two forward, with one recomputed (2205.14135)
MIXER_EXPANSION = 2.0  # width of a Mamba mixer over the hidden size (2405.21060)
MIXER_INPUTS = 4.4  # input projection of a Mamba-2 mixer over the hidden size: z, x, B, C, dt
NORM_PASSES = 10.0  # tensors of b s h moved forward by two norms and two dropout-and-add: 2 x (2 + 3)
SCAN_PASSES = 24.0  # tensors of the mixer's width moved by convolution, scan and gate
EXPERT_PASSES = 6.0  # tensors of b s k h moved by permutation, un-permutation and weighting
RELATIVE_EXTRA = 0.9  # relative positions: a second product, its shift and sum, as passes over the scores (1901.02860)
MIXED_SCORES = 1.5  # width over 16 bits: shifts and masks of relative scores stay in fp32 under mixed precision
SOFTMAX_BLOCK = 4.0  # batch x heads that one block of Megatron-LM's fused softmax takes
CAST_PASSES = 4.0  # bytes an element that a cast to eight bits moves: read two, write one and its transpose


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerTime:
    """Seconds of an average layer and one micro-batch, by kind; `_f` forward, `_b` backward."""

    gemm_f: Array
    gemm_b: Array
    attention_f: Array
    attention_b: Array
    memory_f: Array
    memory_b: Array

    @property
    def forward(self) -> Array:
        return self.gemm_f + self.attention_f + self.memory_f

    @property
    def backward(self) -> Array:
        return self.gemm_b + self.attention_b + self.memory_b


def tokens_of_rank(work: Work, degrees: Degrees) -> Array:
    """Tokens of one micro-batch on one context-parallel rank: b s / c."""
    return degrees.micro * work.seq / degrees.cp


def latent(net: Net) -> Array:
    """1 where attention is latent (MLA)."""
    return (net.kv_lora > 0).astype(float)


def expert_share(net: Net) -> Array:
    """Share of the layers whose MLP is a mixture of experts."""
    return np.where(net.experts > 0, 1 - net.dense_layers / np.maximum(net.layers, 1), 0.0)


def mixer_share(net: Net) -> Array:
    """Share of the layers whose attention is a recurrent mixer."""
    return net.mixer_layers / np.maximum(net.layers, 1)


def products(net: Net, work: Work, degrees: Degrees) -> Iterator[tuple[Array, Array, Array, Array, str]]:
    """The matrix products of an average layer, forward: (m, n, k, times, kind), kind dense or expert."""
    t, tokens, h = degrees.tp, tokens_of_rank(work, degrees), net.hidden
    mla, mixer, moe = latent(net), mixer_share(net), expert_share(net)
    plain = (1 - mixer) * (1 - mla)
    own = (1 - mixer) * mla
    heads, up = net.heads / t, 1 + net.gated
    kv = np.maximum(net.kv_heads / t, np.minimum(net.kv_heads, 1))
    yield tokens, heads * net.head_dim, h, plain, "dense"
    yield tokens * (1 + net.memory_ratio), 2 * kv * net.head_dim, h, plain, "dense"
    yield tokens, h, heads * net.head_dim, plain, "dense"
    query = heads * (net.head_dim + net.rope_dim)
    low_rank = net.q_lora > 0
    yield tokens, np.where(low_rank, net.q_lora, query), h, own, "dense"
    yield tokens, query, np.maximum(net.q_lora, 1), own * low_rank, "dense"
    yield tokens, net.kv_lora + net.rope_dim, h, own, "dense"
    yield tokens, heads * (net.head_dim + net.v_dim), np.maximum(net.kv_lora, 1), own, "dense"
    yield tokens, h, heads * net.v_dim, own, "dense"
    yield tokens, MIXER_INPUTS * h / t, h, mixer, "dense"
    yield tokens, h, MIXER_EXPANSION * h / t, mixer, "dense"
    yield tokens, up * net.ffn / t, h, 1 - moe, "dense"
    yield tokens, h, net.ffn / t, 1 - moe, "dense"
    yield tokens, up * net.shared_ffn / t, h, moe * (net.shared_ffn > 0), "dense"
    yield tokens, h, net.shared_ffn / t, moe * (net.shared_ffn > 0), "dense"
    local = np.maximum(net.experts / degrees.ep, 1)
    of_one = tokens * net.experts_per_token / t * degrees.etp / local
    yield of_one, up * net.expert_ffn / degrees.etp, net.expert_hidden, moe * local, "expert"
    yield of_one, net.expert_hidden, net.expert_ffn / degrees.etp, moe * local, "expert"


def padded(side: Array, tile: Array) -> Array:
    """A side of a weight as the matrix units see it: the next multiple of their width.

    >>> float(padded(2880.0, 256.0))
    3072.0
    """
    return np.ceil(side / tile) * tile


def gemm_times(net: Net, work: Work, degrees: Degrees, chip: Chip, stack: Stack) -> tuple[Array, Array]:
    """Forward and backward time of the products of an average layer [s]."""
    forward = backward = np.zeros(1)
    rate = chip.peak * chip.gemm_fraction * chip.clock * stack.gemm
    for m, wide, deep, times, kind in products(net, work, degrees):
        n, k = padded(wide, chip.tile), padded(deep, chip.tile)
        speed = rate * np.where(work.low_precision > 0, stack.low, 1.0)
        speed = speed * stack.grouped if kind == "expert" else speed
        launch = chip.gemm_launch_s / np.maximum(times, 1) if kind == "expert" else chip.gemm_launch_s
        one = {"rate": speed, "m0": chip.gemm_m0, "n0": chip.gemm_n0, "k0": chip.gemm_k0, "launch_s": launch}
        forward = forward + times * kernels.gemm_time_s(m=m, n=n, k=k, **one)
        of_data = kernels.gemm_time_s(m=m, n=k, k=n, **one)
        of_weights = kernels.gemm_time_s(m=n, n=k, k=m, **one) * (1 - work.frozen)
        backward = backward + times * (of_data + of_weights)
    return forward, backward


def attention_keys(net: Net, work: Work) -> Array:
    """Mean keys of a query over the attention layers (windows, causality, remembered segments)."""
    seq = work.seq
    whole = kernels.keys_per_query(seq=seq, window=np.zeros(1), causal=net.causal) + net.memory_ratio * seq
    near = kernels.keys_per_query(seq=seq, window=net.window, causal=net.causal)
    share = net.window_layers / np.maximum(net.layers - net.mixer_layers, 1)
    return share * near + (1 - share) * whole


def broken_softmax(net: Net, degrees: Degrees, stack: Stack) -> Array:
    """1 where the fused softmax of unfused attention does not apply: it takes batch x heads of a rank four at a time."""
    blocks = np.round(degrees.micro * net.heads / degrees.tp)
    return np.where((stack.fused == 0) & (blocks % SOFTMAX_BLOCK > 0), 1.0, 0.0)


def attention_times(net: Net, work: Work, degrees: Degrees, chip: Chip, stack: Stack) -> tuple[Array, Array]:
    """Forward and backward time of scores and values of an average layer [s]; scans of mixers count as windows."""
    tokens, heads = tokens_of_rank(work, degrees), net.heads / degrees.tp
    query = net.head_dim + net.rope_dim
    value = np.where(latent(net) > 0, net.v_dim, net.head_dim)
    share = 1 - mixer_share(net)
    flop = 2 * tokens * attention_keys(net, work) * heads * (query + value)
    rate = (
        chip.peak16
        * chip.attention_fraction
        * chip.clock
        * np.where(chip.new_kernels > 0, stack.attention_new, stack.attention)
    )
    fused = kernels.attention_time_s(
        flop=flop, head_dim=query, seq=work.seq, rate=rate, d0=chip.attention_d0, s0=chip.attention_s0
    )
    wide = np.where(net.memory_ratio > 0, np.maximum(work.sixteen_bit / 2, MIXED_SCORES), work.sixteen_bit / 2)
    slow = kernels.unfused_attention_time_s(
        batch_heads=degrees.micro * heads, seq=work.seq / degrees.cp, keys=work.seq * (1 + net.memory_ratio),
        head_dim=query, rate=chip.peak16 * chip.gemm16_fraction * chip.clock * stack.gemm,
        n0=chip.gemm16_n0, k0=chip.gemm16_k0,
        score_bytes=stack.score_bytes * wide * (1 + broken_softmax(net, degrees, stack)),
        bytes_per_s=chip.memory_bytes_per_s,
    )  # fmt: skip
    back = BACKWARD_ATTENTION / stack.attention_backward
    slow = slow * (1 + RELATIVE_EXTRA * (net.memory_ratio > 0))
    return share * np.where(stack.fused > 0, fused, slow), share * np.where(stack.fused > 0, fused * back, 2 * slow)


def memory_bytes_moved(net: Net, work: Work, degrees: Degrees) -> Array:
    """Bytes that norms, dropout, residuals, activations, rotary and expert permutation move forward, an average layer."""
    tokens, t, moe = tokens_of_rank(work, degrees), degrees.tp, expert_share(net)
    whole = NORM_PASSES * net.hidden / np.where(degrees.sp > 0, t, 1)
    width = (1 - moe) * net.ffn + moe * (net.shared_ffn + net.experts_per_token * net.expert_ffn)
    split = (2 + net.gated) * width / t + (1 - mixer_share(net)) * 2 * (net.heads + 2 * net.kv_heads) * net.head_dim / t
    scan = mixer_share(net) * SCAN_PASSES * MIXER_EXPANSION * net.hidden / t
    routed = moe * EXPERT_PASSES * net.experts_per_token * net.expert_hidden / t
    return tokens * work.sixteen_bit * (whole + split + scan + routed)


def cast_bytes_moved(net: Net, work: Work, degrees: Degrees) -> Array:
    """Bytes that casts to eight or four bits move forward: the inputs of the products of an average layer."""
    moe = expert_share(net)
    width = (1 - moe) * net.ffn + moe * (net.shared_ffn + net.experts_per_token * (net.expert_ffn + net.expert_hidden))
    inputs = 2 * net.hidden + (width + net.heads * net.head_dim) / degrees.tp
    return (work.low_precision > 0) * CAST_PASSES * tokens_of_rank(work, degrees) * inputs


def layer_time(
    net: Net, work: Work, degrees: Degrees, chip: Chip, stack: Stack, *, layer_parameters: Array
) -> LayerTime:
    """Seconds of an average layer; `layer_parameters` are those of one rank, whose gradients are accumulated."""
    gemm_f, gemm_b = gemm_times(net, work, degrees, chip, stack)
    attention_f, attention_b = attention_times(net, work, degrees, chip, stack)
    moved = memory_bytes_moved(net, work, degrees) * stack.elementwise
    cast = cast_bytes_moved(net, work, degrees) * stack.cast
    gradients = layer_parameters * stack.grad_bytes * (1 - work.frozen)
    rate = chip.memory_bytes_per_s
    return LayerTime(
        gemm_f=gemm_f, gemm_b=gemm_b, attention_f=attention_f, attention_b=attention_b,
        memory_f=kernels.memory_time_s(moved_bytes=moved + cast, bytes_per_s=rate),
        memory_b=kernels.memory_time_s(moved_bytes=moved * stack.backward_bytes + cast + gradients, bytes_per_s=rate),
    )  # fmt: skip
