"""Who gives compute, storage or credits, to whom, for what in return."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from flopcast.facts._read import rows, words


@dataclass(frozen=True, slots=True, kw_only=True)
class Programme:
    """One programme. `kind` template marks the two merged lists: what to state, what partners can be offered."""

    key: str
    name: str
    provider: str
    kind: str
    offers: tuple[str, ...]
    who_can_apply: str
    application_states: tuple[str, ...]
    partner_gets: tuple[str, ...]
    source: str
    as_of: str
    note: str


@cache
def programmes() -> Mapping[str, Programme]:
    """Every programme by key."""
    several = ("offers", "application_states", "partner_gets")
    return MappingProxyType(
        {
            row["key"]: Programme(**{**row, **{column: words(row[column]) for column in several}})  # type: ignore[arg-type]
            for row in rows("programmes")
        }
    )
