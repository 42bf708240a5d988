"""Does it fit, and what would make it fit: memory of the fullest rank as a report.

Belongs here: components by name, the verdict, the three cheapest changes. Does not: the formulas (memory.py, update.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields

import numpy as np

from flopcast.step import layouts, memory, plans
from flopcast.step.layouts import USABLE
from flopcast.step.plans import Array
from flopcast.step.stacks import Stack

MOST_CHANGES = 3
LEVELS = ("none", "selective", "full")
SHARDS = ("none", "zero1", "zero2", "zero3")


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of the layout that makes it fit: what, the bytes and the update time it leads to."""

    what: str
    device_bytes: float
    step_time_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryReport:
    """Memory of the fullest rank [B]. `fits` compares what the device shows with its capacity; near means above 95 %."""

    fits: bool
    near: bool
    allocated_bytes: float
    reserved_bytes: float
    device_bytes: float
    capacity_bytes: float
    components: Mapping[str, float]
    changes: tuple[Change, ...]


def _alternatives(entry: Mapping[str, float], net: Mapping[str, float]) -> list[tuple[str, dict[str, float]]]:
    """Single changes of a layout, with their words."""
    out: list[tuple[str, dict[str, float]]] = []

    def change(words: str, **new: float) -> None:
        out.append((words, {**entry, **new}))

    micro = entry["micro"]
    while micro > 1:
        micro = max(1.0, micro // 2)
        change(f"micro-batch of {micro:g}", micro=micro)
    for level in (1, 2):
        if level > entry["recompute"]:
            change(f"{LEVELS[level]} recomputation", recompute=float(level))
    for shard in (1, 2, 3):
        if shard > entry["shard"] and entry["dp"] * entry["cp"] > 1:
            change(f"{SHARDS[shard]} sharding", shard=float(shard))
    for name, most in (("tp", min(net["heads"], 8)), ("pp", net["layers"]), ("cp", 64)):
        wider = entry[name] * 2
        if entry["dp"] % 2 == 0 and wider <= most:
            change(
                f"{name.upper()} of {wider:g}",
                **{
                    name: wider,
                    "dp": entry["dp"] / 2,
                    "etp": wider if name == "tp" and entry["etp"] > 1 else entry["etp"],
                },
            )
    if (
        net["experts"]
        and entry["ep"] * 2 <= net["experts"]
        and entry["dp"] * entry["cp"] * entry["tp"] % (entry["ep"] * 2) == 0
    ):
        change(f"EP of {entry['ep'] * 2:g}", ep=entry["ep"] * 2, etp=1.0)
    if not entry["offload"]:
        change("optimizer states in host memory", offload=1.0)
    return out


def _ranked(
    rows: list[dict[str, float]], net: plans.Net, work: plans.Work, chip: plans.Chip, stack: Stack
) -> tuple[Array, Array]:
    return layouts.rank_layouts(net, work, plans.gather(plans.Degrees, rows), chip, stack)


def _changes(options: list[tuple[str, dict[str, float]]], seconds: Array, device: Array, room: float) -> list[Change]:
    """The changes that fit, fastest first."""
    good = [i for i in np.argsort(seconds) if device[i] <= USABLE * room]
    return [Change(what=options[i][0], device_bytes=float(device[i]), step_time_s=float(seconds[i])) for i in good]


def report(
    net: dict[str, float], work: dict[str, float], degrees: dict[str, float], chip: dict[str, float],
    constants: dict[str, float],
) -> MemoryReport:  # fmt: skip
    """Report on one plan (entries of the arrays of plans.py); where it does not fit, the cheapest changes by update time."""
    options = _alternatives(degrees, net)
    records = (plans.gather(plans.Net, [net]), plans.gather(plans.Work, [work]), plans.gather(plans.Chip, [chip]),
               plans.gather(Stack, [constants]))  # fmt: skip
    room = chip["memory_bytes"]
    seconds, device = _ranked([degrees, *(entry for _, entry in options)], *records)
    own, fits = float(device[0]), bool(device[0] <= room)
    changes = [] if fits else _changes(options, seconds[1:], device[1:], room)
    if not fits and not changes:  # no single change will do: two together
        options = [(f"{a} and {b}", both) for a, one in options for b, both in _alternatives(one, net) if a[:4] < b[:4]]
        changes = _changes(options, *_ranked([entry for _, entry in options], *records), room) if options else []
    held = memory.components(*(plans.gather(k, [e]) for k, e in
                               ((plans.Net, net), (plans.Work, work), (plans.Degrees, degrees), (Stack, constants))))  # type: ignore[arg-type]  # fmt: skip
    return MemoryReport(
        fits=fits, near=fits and own > USABLE * room, allocated_bytes=float(held.allocated[0]),
        reserved_bytes=float(held.reserved[0]), device_bytes=own, capacity_bytes=room,
        components={f.name: float(getattr(held, f.name)[0]) for f in fields(held)} | {"context": memory.CONTEXT_BYTES},
        changes=tuple(changes[:MOST_CHANGES]),
    )  # fmt: skip
