"""A good layout where none is given: the fastest of the usual ones that fits.

Belongs here: which layouts are valid for a network on a cluster, as arrays, and the choice among them.
Does not: the complete search over hardware and offers (flopcast.decide).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping

import numpy as np

from flopcast.step import memory, pipeline, plans, update
from flopcast.step.plans import Array, Chip, Degrees, Net, Work
from flopcast.step.stacks import Stack, defaults

MODEL_PARALLEL = (1, 2, 4, 8)
STAGES = (1, 2, 3, 4, 5, 6, 8, 9, 10, 12, 14, 16, 20, 24, 32, 35, 48, 64)
SEQUENCE_SPLITS = (1, 2, 4, 8, 16, 32)
EXPERT_SPLITS = (1, 2, 4, 8, 16, 32, 64)
MICROS = (1, 2, 4, 8, 16)
TOKENS_OF_SPLIT = 4096  # context parallelism leaves every rank at least this many tokens
USABLE = 0.95  # of the device's memory, beyond which nobody plans
MOST_CHUNKS = 12
SPARED = 0.2  # layers that a rank may have less than its even share


def chunks_of(layers_of_rank: float, most: int = MOST_CHUNKS) -> int:
    """The usual number of model chunks of a pipeline rank: as many as divide its layers.

    A little below a whole number counts as that: the first and last ranks give a layer up for embedding and head.

    >>> chunks_of(8.0), chunks_of(7.875), chunks_of(7.5)
    (8, 8, 1)
    """
    whole = math.ceil(layers_of_rank)
    return max(v for v in range(1, most + 1) if whole % v == 0) if whole - layers_of_rank < SPARED else 1


def _splits(
    net: Mapping[str, float], seq: float, count: int, domain: float, usual: Mapping[str, float]
) -> Iterator[tuple[int, ...]]:
    """Valid (tp, pp, cp, ep): heads and layers divide, TP stays in the domain, everything divides the cluster."""
    plain = usual["model_parallel"] == 0
    tps = [t for t in MODEL_PARALLEL if (t == 1 or not plain) and t <= domain and net["heads"] % t == 0]
    pps = [p for p in STAGES if (p == 1 or not plain) and p <= net["layers"] and (net["layers"] % p == 0 or p % 8 == 0)]
    cps = [c for c in SEQUENCE_SPLITS if c == 1 or seq / c >= TOKENS_OF_SPLIT]
    eps = [e for e in EXPERT_SPLITS if e == 1 or (net["experts"] and net["experts"] % e == 0)]
    for tp, pp, cp, ep in itertools.product(tps, pps, cps, eps):
        rest = count // (tp * pp * cp)
        if rest * tp * pp * cp == count and (rest * cp * tp) % ep == 0:
            yield tp, pp, cp, ep


def _micros(per_rank: float) -> list[float]:
    """Usual micro-batches of a rank's batch: those that divide it, or where none but one does, those that it holds."""
    even = [float(m) for m in MICROS if per_rank % m == 0]
    return even if len(even) > 1 else [float(m) for m in MICROS if m <= per_rank] or [1.0]


def candidates(
    net: Mapping[str, float], *, seq: float, batch: float, count: int, domain: float, stack: str,
    fixed: Mapping[str, float] | None = None,
) -> list[dict[str, float]]:  # fmt: skip
    """Entries of `Degrees` of the usual valid layouts; `fixed` pins some of the degrees (also micro, shard, recompute)."""
    usual, fixed = defaults(stack), dict(fixed or {})
    shards = [fixed.pop("shard", usual["shard"])]
    levels = [fixed.pop("recompute")] if "recompute" in fixed else sorted({usual["recompute"], 0.0, 2.0})
    rows = []
    for tp, pp, cp, ep in _splits(net, seq, count, domain, usual):
        dp = count // (tp * pp * cp)
        if dp > batch or any(
            fixed.get(name, value) != value
            for name, value in (("tp", tp), ("pp", pp), ("cp", cp), ("ep", ep), ("dp", dp))
        ):
            continue
        micros = [fixed["micro"]] if "micro" in fixed else _micros(batch / dp)
        for micro, shard, level in itertools.product(micros, shards, levels):
            bubble, in_flight = pipeline.SCHEDULES["interleaved" if pp > 1 else "1f1b"]
            vpp = fixed.get("vpp", chunks_of(net["layers"] / pp) if pp > 1 else 1)
            rows.append({
                "tp": tp, "sp": fixed.get("sp", float(tp > 1 and usual["sp"] > 0)), "pp": pp, "vpp": vpp, "cp": cp, "ep": ep,
                "etp": tp if ep == 1 else 1.0, "dp": dp, "micro": micro, "shard": shard, "shard_group": fixed.get("shard_group", 0.0),
                "recompute": level, "bubble": bubble, "in_flight": in_flight, "offload": fixed.get("offload", 0.0),
            })  # fmt: skip
    return rows


def rank_layouts(net: Net, work: Work, degrees: Degrees, chip: Chip, stack: Stack) -> tuple[Array, Array]:
    """(seconds of an update, bytes of the fullest rank on its device) of every layout; one entry of the rest is enough."""
    return update.update_parts(net, work, degrees, chip, stack).total, memory.components(
        net, work, degrees, stack
    ).device


def good_layout(
    net: dict[str, float], work: dict[str, float], chip: dict[str, float], *, stack: str, constants: dict[str, float],
    fixed: Mapping[str, float] | None = None,
) -> dict[str, float] | None:  # fmt: skip
    """The fastest usual layout that fits, else the smallest; None when no layout is valid at all."""
    rows = candidates(
        net,
        seq=work["seq"],
        batch=work["batch"],
        count=int(chip["count"]),
        domain=chip["domain"],
        stack=stack,
        fixed=fixed,
    )
    if not rows:
        return None
    records = (plans.gather(plans.Net, [net]), plans.gather(plans.Work, [work]), plans.gather(Degrees, rows),
               plans.gather(Chip, [chip]), plans.gather(Stack, [constants]))  # fmt: skip
    seconds, held = rank_layouts(*records)
    fits = held <= USABLE * chip["memory_bytes"]
    best = np.argmin(np.where(fits, seconds, np.inf)) if fits.any() else np.argmin(held)
    return rows[int(best)]
