"""Time of collectives and point-to-point transfers.

Belongs here: bytes, group size, where the group lies -> seconds. Does not: who calls which collective (update.py).
"""

from __future__ import annotations

import numpy as np

from flopcast.step.plans import Array, Chip


def bus_bytes_per_s(chip: Chip, *, group: Array, span: Array, link: Array | float, net: Array | float) -> Array:
    """Bandwidth that each rank of a group gets [B/s].

    `span` is the number of consecutive accelerators over which the group is spread (stride x size). Inside the scale-up
    domain: the link. Beyond: the network cards of all members of the group in one domain work together, at most the link.
    `link`, `net`: the sustained share of each.
    """
    inside = chip.link_bytes_per_s * link
    members = np.clip(group * chip.domain / np.maximum(span, 1), 1, np.minimum(group, chip.domain))
    return np.where(span <= chip.domain, inside, np.minimum(inside, chip.net_bytes_per_s * net * members))


def hops_latency_s(chip: Chip, *, group: Array, span: Array) -> Array:
    """Latency of one collective: grows with the ranks inside the domain (from a third of that of eight), then with log2 of
    the number of domains."""
    domains = np.maximum(span / np.maximum(chip.domain, 1), 1)
    near = chip.link_latency_s * (1 + 2 * (np.clip(group, 1, 8) - 1) / 7) / 3
    return np.where(group > 1, near + chip.net_latency_s * np.log2(domains), 0.0)


def gather_time_s(*, full_bytes: Array, group: Array, bytes_per_s: Array, latency_s: Array) -> Array:
    """All-gather, reduce-scatter or all-to-all of `full_bytes` (whole tensor): latency + bytes (n-1)/n / bandwidth.

    >>> float(gather_time_s(full_bytes=np.float64(8e9), group=np.float64(8), bytes_per_s=1e9, latency_s=0.0))
    7.0
    """
    share = (group - 1) / np.maximum(group, 1)
    return np.where(group > 1, latency_s + full_bytes * share / bytes_per_s, 0.0)


def all_reduce_time_s(*, full_bytes: Array, group: Array, bytes_per_s: Array, latency_s: Array) -> Array:
    """All-reduce: twice the bytes of a reduce-scatter, one latency (ring or tree)."""
    return gather_time_s(full_bytes=2 * full_bytes, group=group, bytes_per_s=bytes_per_s, latency_s=latency_s)


def sent_share(*, copies: Array, domains: Array) -> Array:
    """Share of the copies of a token that cross domains when each domain gets a token once: distinct domains over copies.

    Expected distinct of n domains for k independent copies: n (1 - (1 - 1/n)^k). Reference: DeepEP, node-limited dispatch.
    """
    count = np.maximum(domains, 1)
    return count * (1 - (1 - 1 / count) ** copies) / np.maximum(copies, 1)


def all_to_all_time_s(chip: Chip, *, sent_bytes: Array, group: Array, span: Array, link: Array | float,
                      net: Array | float, across: Array | float = 1.0) -> Array:  # fmt: skip
    """All-to-all of `sent_bytes` a rank: the share for ranks of other domains takes the network (of it `across` in fact
    crosses), the rest the link."""
    away = np.clip(1 - chip.domain / np.maximum(span, 1), 0, 1)
    near = np.where(group > 1, (1 - away) * (group - 1) / np.maximum(group, 1), 0)
    slow = sent_bytes * away * across / (chip.net_bytes_per_s * net)
    fast = sent_bytes * near / (chip.link_bytes_per_s * link)
    return np.where(group > 1, np.maximum(slow, fast) + hops_latency_s(chip, group=group, span=span), 0.0)
