"""`tp=8,pp=16,vpp=8,dp=64,micro=1,shard=zero1,recompute=none` -> `Layout`, checked against cluster and batch."""

from __future__ import annotations

from dataclasses import fields
from math import prod
from typing import Any

from flopcast.ask.collect import Problems
from flopcast.describe import Layout
from flopcast.errors import near_matches
from flopcast.units import parse_positive_int

CHOICES = {
    "shard": ("none", "zero1", "zero2", "zero3", "fsdp", "hsdp"),
    "recompute": ("none", "selective", "full"),
    "offload": ("none", "optimizer", "parameters", "activations"),
    "schedule": ("gpipe", "1f1b", "interleaved", "zero-bubble", "dualpipe"),
    "sp": ("0", "1", "true", "false", "on", "off"),
}
DEGREES = ("tp", "pp", "vpp", "cp", "ep", "dp", "micro")


def read_layout(text: str, *, count: int, where: str = "layout") -> tuple[Layout, tuple[str, ...]]:
    """The layout, its data-parallel degree derived from `count` accelerators where not said, and the keys that were said."""
    problems = Problems()
    known = [field.name for field in fields(Layout)]
    values: dict[str, Any] = {}
    for piece in filter(None, (piece.strip() for piece in text.split(","))):
        key, _, value = (part.strip().lower() for part in piece.partition("="))
        if key not in known or not value:
            close = near_matches(key, known)
            problems.add(where, piece, "key=value", f"keys: {', '.join(close or known)}")
        elif key in values:
            problems.add(where, piece, "said once")
        elif key in DEGREES:
            values[key] = problems.attempt(
                lambda v=value, k=key: parse_positive_int(v, where=f"{where}.{k}", maximum=1e8)  # type: ignore[misc]
            )
        elif value not in CHOICES[key]:
            problems.add(f"{where}.{key}", value, f"one of {', '.join(CHOICES[key])}")
        else:
            values[key] = value in ("1", "true", "on") if key == "sp" else value
    problems.raise_if_any()
    if values.get("vpp", 1) > 1:
        values.setdefault("schedule", "interleaved")
    model_parallel = prod(values.get(key, 1) for key in ("tp", "pp", "cp"))
    if count % model_parallel or ("dp" in values and values["dp"] * model_parallel != count):
        said = f"tp x pp x cp = {model_parallel}" + (
            f", x dp = {values['dp'] * model_parallel}" if "dp" in values else ""
        )
        problems.add(
            where, text, f"a layout that fills {count} accelerators: {said}", "leave dp out to have it derived"
        )
    if values.get("vpp", 1) > 1 and values.get("pp", 1) == 1:
        problems.add(where, text, "pp above 1 where vpp is above 1")
    problems.raise_if_any()
    keys = tuple(values)
    values.setdefault("dp", count // model_parallel)
    return Layout(**values), keys
