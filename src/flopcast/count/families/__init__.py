"""FAMILIES. One builder for each `model_type`: fields in, blocks out.

Belongs here: what a family's layers are made of, in thin modules by kind (dense, moe, latent, hybrid, encoder, vision,
multimodal), and the defaults of each family as data (`defaults.json`).
Does not: how a block is counted (`blocks`, `mixers`, `towers`), how a configuration is read and refused (`fields`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib import resources

from flopcast.count.families import dense, early, moe
from flopcast.count.families.common import Draft
from flopcast.count.fields import Fields

FAMILIES: Mapping[str, Callable[[Fields], Draft]] = {**dense.FAMILIES, **early.FAMILIES, **moe.FAMILIES}


@cache
def all_defaults() -> Mapping[str, Mapping[str, object]]:
    """Default fields by family, as the configuration classes of `transformers` have them."""
    text = resources.files(__name__).joinpath("defaults.json").read_text(encoding="utf-8")
    loaded: Mapping[str, Mapping[str, object]] = json.loads(text)["families"]
    return loaded


def defaults_of(family: str) -> Mapping[str, object]:
    """Default fields of a family."""
    return all_defaults()[family]
