"""Nodes: what is rented or bought at once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from flopcast.describe import Node
from flopcast.facts._read import GIB, number, rows

_BYTES_PER_S_OF_GBIT = 1e9 / 8


@cache
def nodes() -> Mapping[str, Node]:
    """Every known kind of node by key."""
    return MappingProxyType({row["key"]: _node(row) for row in rows("nodes")})


def _node(row: Mapping[str, str]) -> Node:
    domain = row["scaleup_domain"]
    return Node(
        key=row["key"],
        provider=row["provider"],
        accelerator=row["accelerator"],
        accelerators=int(row["accelerators"]),
        vcpus=number(row["vcpus"]),
        host_memory_bytes=number(row["host_memory_gib"], GIB),
        nvme_bytes=number(row["nvme_tb"], 1e12),
        fabric_bytes_per_s=number(row["fabric_gbit_per_s_per_accelerator"], _BYTES_PER_S_OF_GBIT),
        fabric=row["fabric"],
        scaleup_domain=int(domain) if domain else None,
        power_w=number(row["power_kw"], 1e3),
        source=row["source"],
        note=row["note"],
    )
