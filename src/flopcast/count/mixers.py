"""Mixers that carry a state along the sequence in place of attention: Mamba, Mamba-2, linear attention.

The FLOP of a state update are those of the recurrence, token by token. Kernels that work in chunks do more; that is
hardware work, not model work. A depthwise convolution counts as weights that each token multiplies.
"""

from __future__ import annotations

from math import ceil

from flopcast.count.blocks import Block, linear, weights
from flopcast.count.fields import Fields
from flopcast.describe.network import Scan


def scan(name: str, flop_per_token: float) -> Block:
    """The state update of one layer."""
    return Block(scans=(Scan(name=name, copies=1, flop_per_token=flop_per_token),))


def depthwise(channels: int, kernel: int, *, bias: bool) -> Block:
    """A causal depthwise convolution."""
    return weights("convolution", "mixer", multiplied=channels * kernel, other=channels * bias)


def rank_of(f: Fields, name: str, hidden: int) -> int:
    """The rank of the time-step projection; "auto" or absent is a sixteenth of the hidden size, rounded up."""
    if f.raw(name) in ("auto", None):
        return ceil(hidden / 16)
    return f.integer(name)


def mamba1(
    *,
    hidden: int,
    inner: int,
    state: int,
    kernel: int,
    rank: int,
    bias: bool = False,
    conv_bias: bool = True,
    inner_norms: bool = False,
) -> Block:
    """Mamba's selective scan; inner_norms: norms on the time step, B and C (Jamba).

    Scan, per channel and state entry: decay and add (2), input dt B x (2), output C h (2).
    """
    return (
        linear("mixer", "mixer", hidden, 2 * inner, bias=bias)
        + depthwise(inner, kernel, bias=conv_bias)
        + linear("mixer", "mixer", inner, rank + 2 * state)
        + linear("mixer", "mixer", rank, inner, bias=True)
        + linear("mixer", "mixer", inner, hidden, bias=bias)
        + weights("mixer state", "mixer", other=inner * state + inner + (rank + 2 * state) * inner_norms)
        + scan("selective scan", 6 * inner * state)
    )


def mamba2(
    *,
    hidden: int,
    heads: int,
    head_dim: int,
    state: int,
    groups: int,
    kernel: int,
    bias: bool = False,
    conv_bias: bool = True,
) -> Block:
    """Mamba-2: heads with one decay each, B and C shared in groups, a gated norm.

    Scan, per head, channel and state entry: decay and add (2), input dt B x (2), output C h (2).
    """
    inner = heads * head_dim
    channels = inner + 2 * groups * state
    return (
        linear("mixer", "mixer", hidden, inner + channels + heads, bias=bias)
        + depthwise(channels, kernel, bias=conv_bias)
        + linear("mixer", "mixer", inner, hidden, bias=bias)
        + weights("mixer state", "mixer", other=3 * heads + inner)
        + scan("state-space scan", 6 * inner * state)
    )


def gated_delta_net(
    *, hidden: int, key_heads: int, value_heads: int, key_dim: int, value_dim: int, kernel: int
) -> Block:
    """Gated DeltaNet (Qwen3-Next, Qwen3.5): linear attention whose state unlearns what a key held before.

    Scan, per value head and entry of the key x value state: decay (1), read (2), write (2), query (2).
    """
    keys, values = key_heads * key_dim, value_heads * value_dim
    channels = 2 * keys + values
    return (
        linear("mixer", "mixer", hidden, channels + values + 2 * value_heads)
        + depthwise(channels, kernel, bias=False)
        + linear("mixer", "mixer", values, hidden)
        + weights("mixer state", "mixer", other=2 * value_heads + value_dim)
        + scan("delta-rule scan", 7 * value_heads * key_dim * value_dim)
    )


def lightning_attention(*, hidden: int, heads: int, head_dim: int) -> Block:
    """Lightning attention (MiniMax): linear attention with a fixed decay, a norm and an output gate.

    Scan, per head and entry of the key x value state: decay (1), write (2), query (2).
    """
    inner = heads * head_dim
    return (
        linear("mixer", "mixer", hidden, 3 * inner)
        + linear("mixer", "mixer", inner, hidden)
        + linear("mixer", "mixer", hidden, inner)
        + weights("mixer state", "mixer", other=inner)
        + scan("linear-attention scan", 5 * heads * head_dim * head_dim)
    )
