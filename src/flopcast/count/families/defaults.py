"""The default fields of each family, as data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib import resources


@cache
def all_defaults() -> Mapping[str, Mapping[str, object]]:
    """Default fields by family, as the configuration classes of `transformers` have them."""
    text = resources.files(__package__).joinpath("defaults.json").read_text(encoding="utf-8")
    loaded: Mapping[str, Mapping[str, object]] = json.loads(text)["families"]
    return loaded


def defaults_of(family: str) -> Mapping[str, object]:
    """Default fields of a family."""
    return all_defaults()[family]
