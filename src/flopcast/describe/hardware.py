"""Accelerators, nodes, clusters and what they rent for. SI units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Accelerator:
    """One accelerator part as rented or bought: a GPU, a TPU chip.

    Rates are dense peaks with fp32 accumulation, per part. None means not known, never zero.
    `devices` is how many devices software sees (MI250X: 2), `cores` how many cores a TPU name counts per chip.
    `link_bytes_per_s` is one direction, all links together, inside the scale-up domain of `scaleup_domain` parts;
    `link_pair_bytes_per_s` is what one pair of parts can use.
    """

    key: str
    vendor: str
    name: str
    architecture: str
    released: str
    status: str
    peak_flop_per_s: Mapping[str, float]
    measured_matmul_flop_per_s: Mapping[str, float] = field(default_factory=dict)
    memory_bytes: float | None
    memory_bytes_as_sold: float | None
    memory_as_printed: str
    memory_bytes_per_s: float | None
    link: str
    link_bytes_per_s: float | None
    link_pair_bytes_per_s: float | None
    scaleup_domain: int
    pcie_gen: float | None
    power_w: float | None
    power_term: str
    devices: int = 1
    cores: int = 1
    aliases: tuple[str, ...] = ()
    source: str
    note: str = ""

    @property
    def noun(self) -> str:
        """What one of them is called: GPU where it is one, else chip."""
        return "GPU" if self.vendor in ("NVIDIA", "AMD") else "chip"


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    """One kind of node: how many accelerators, their fabric, host and power.

    `fabric_bytes_per_s` is the scale-out network of one accelerator, one direction.
    """

    key: str
    provider: str
    accelerator: str
    accelerators: int
    vcpus: float | None
    host_memory_bytes: float | None
    nvme_bytes: float | None
    fabric_bytes_per_s: float | None
    fabric: str
    scaleup_domain: int | None
    power_w: float | None
    source: str
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """`count` accelerators of one kind; `assumed` names what the asker did not say (form factor, node)."""

    accelerator: Accelerator
    count: int
    node: Node | None = None
    asked_as: str = ""
    assumed: tuple[str, ...] = ()

    @property
    def accelerators_per_node(self) -> int:
        """Accelerators of one node: of the named node, else the usual eight, or all where there are fewer."""
        return self.node.accelerators if self.node is not None else min(8, self.count)


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A price for one accelerator hour; `tier` is on-demand, spot, commit-1y or commit-3y."""

    provider: str
    instance: str
    accelerator: str
    accelerators: int
    region: str
    tier: str
    price_usd_per_accelerator_h: float
    as_of: str
    source: str
    note: str = ""
