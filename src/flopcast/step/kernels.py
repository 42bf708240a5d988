"""Time of one kernel: matrix products, attention, memory-bound work.

Belongs here: pure functions of sizes [elements], rates [FLOP/s, B/s] -> seconds; scalars and arrays alike.
Does not: which kernels a layer runs (layer.py), measured constants (chips.py), stacks (stacks.py).
"""

from __future__ import annotations

import numpy as np

from flopcast.step.plans import Array


def gemm_time_s(
    *, m: Array, n: Array, k: Array, rate: Array, m0: Array, n0: Array, k0: Array, launch_s: Array
) -> Array:
    """Time of C[m, n] = A[m, k] B[k, n].

    t = launch + 2 (m n k + m0 n k + n0 m k + k0 m n) / rate. `rate` [FLOP/s] is what a very large product sustains; m0, n0
    and k0 [elements] are the sizes at which half of it is reached along one side: they stand for the traffic of B, A and C
    and for partly filled tiles. Monotone in every size. Valid for m, n, k >= 256 (median error 5-10 % on the measured
    tables named in data/surfaces.csv); below, launch rules.

    >>> float(gemm_time_s(m=4096., n=4096., k=4096., rate=1e14, m0=0., n0=0., k0=0., launch_s=0.))  # doctest: +ELLIPSIS
    0.0013743...
    """
    return launch_s + 2 * (m * n * k + m0 * n * k + n0 * m * k + k0 * m * n) / rate


def keys_per_query(*, seq: Array, window: Array, causal: Array) -> Array:
    """Mean number of keys that a query sees: s, s/2 when causal, w - w^2/(2 s) in a causal window of w tokens.

    >>> float(keys_per_query(seq=np.float64(4096), window=np.float64(0), causal=np.float64(1)))
    2048.0
    """
    seen = np.where(window > 0, np.minimum(window, seq), seq)
    return seen * (1 - causal * seen / (2 * seq))


def attention_time_s(*, flop: Array, head_dim: Array, seq: Array, rate: Array, d0: Array, s0: Array) -> Array:
    """Time of fused attention: t = flop / rate x (1 + d0/d) (1 + s0/s).

    `flop` counts only the scores that are computed (half when causal). Short heads and short sequences leave the matrix
    units idle; d0 and s0 are where half the rate is reached. Fitted to measured tables for s >= 256, d <= 256.
    """
    return flop / rate * (1 + d0 / head_dim) * (1 + s0 / np.maximum(seq, 1))


def unfused_attention_time_s(
    *, batch_heads: Array, seq: Array, keys: Array, head_dim: Array, rate: Array, n0: Array, k0: Array,
    score_bytes: Array, bytes_per_s: Array,
) -> Array:  # fmt: skip
    """Time of scores, softmax, dropout and values as separate kernels, forward, nothing skipped for causality.

    Two batched products (the reduction of the first and the width of the second are the head size, hence slow) and
    `score_bytes` bytes a score through memory. Reference: Korthikanti et al. 2022 (2205.05198), section 4.
    """
    scores = batch_heads * seq * keys
    products = 4 * scores * head_dim / rate * (1 + (n0 + k0) / (2 * head_dim))
    return products + scores * score_bytes / bytes_per_s


def memory_time_s(*, moved_bytes: Array, bytes_per_s: Array) -> Array:
    """Time of memory-bound work: bytes read and written over the sustained bandwidth."""
    return moved_bytes / bytes_per_s


def soft_max(a: Array, b: Array, power: float = 6.0) -> Array:
    """A smooth maximum, (a^p + b^p)^(1/p): two resources that mostly, but not perfectly, run beside each other."""
    top = np.maximum(np.maximum(a, b), 1e-300)
    return top * ((a / top) ** power + (b / top) ** power) ** (1 / power)
