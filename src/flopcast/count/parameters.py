"""Parameters of a network by the ways people count them, and the bytes they take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from flopcast.describe.network import Network

BYTES_OF_DTYPE: Final[Mapping[str, float]] = {
    "fp64": 8,
    "fp32": 4,
    "tf32": 4,
    "bf16": 2,
    "fp16": 2,
    "fp8": 1,
    "int8": 1,
    "fp4": 0.5,
    "int4": 0.5,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterCount:
    """Parameters: all, those one token uses, and those of the input token embedding.

    `by_role` sums all parameters by the role of their part. `without_input_embedding` and
    `active_without_input_embedding` leave out the input table but never the head: tied, one table is both and stays.
    """

    total: float
    active: float
    embedding: float
    without_input_embedding: float
    active_without_input_embedding: float
    by_role: Mapping[str, int]


def parameters(network: Network) -> ParameterCount:
    """Count the parameters of a network.

    Of a network that is only stated ("405B") the embedding is not known and counts as zero.

    >>> from flopcast.count import bare_network
    >>> parameters(bare_network(30e9, 3e9, name="30B-A3B")).active
    3000000000.0
    """
    by_role: dict[str, int] = {}
    for part in network.parts:
        by_role[part.role] = by_role.get(part.role, 0) + part.total
    embedding = by_role.get("embedding", 0)
    lookup_only = 0 if has_tied_head(network) else embedding
    return ParameterCount(
        total=network.parameters_total,
        active=network.parameters_active,
        embedding=embedding,
        without_input_embedding=network.parameters_total - lookup_only,
        active_without_input_embedding=network.parameters_active - lookup_only,
        by_role=by_role,
    )


def has_tied_head(network: Network) -> bool:
    """Whether the head multiplies the weights of the input embedding."""
    return any(part.role == "head" and part.parameters < part.matmul_weights for part in network.parts)


def weights_bytes(network: Network, *, bytes_per_parameter: float) -> float:
    """Bytes of all parameters, frozen or not, in a checkpoint of weights only.

    Parameters: bytes_per_parameter [B], e.g. `BYTES_OF_DTYPE["bf16"]`.

    >>> from flopcast.count import bare_network
    >>> weights_bytes(bare_network(405e9, name="405B"), bytes_per_parameter=2)
    810000000000.0
    """
    return float(network.parameters_total * bytes_per_parameter)
