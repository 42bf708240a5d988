"""The best layouts of a job on its cluster, why each beats the next, and why another does not."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

import numpy as np

from flopcast import step
from flopcast.describe import Assumption, Job, Layout
from flopcast.evidence.simulation import pinned
from flopcast.step import layouts, plans, stacks, update
from flopcast.step.forecast import degrees_of, layout_of, mfu, records_of
from flopcast.step.verdict import MemoryReport, report

KEPT = 5
NOTABLE = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedPlan:
    """One layout: its update, memory of the fullest rank, cost of the whole job, and why it beats the next."""

    layout: Layout
    step_time_s: float
    parts_s: Mapping[str, float]
    mfu_fraction: float
    memory: MemoryReport
    cost_usd: float | None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanAnswer:
    """The best layouts, fastest first; none where nothing fits, then `nearest` is the smallest in memory."""

    plans: tuple[RankedPlan, ...]
    nearest: RankedPlan | None
    why_not: str
    evaluated: int
    fitting: int
    per_s: float
    stack: str
    assumptions: tuple[Assumption, ...]


def best_plans(
    job: Job, *, stack: str | None, keep: int = KEPT, why_not: tuple[Layout, tuple[str, ...]] | None = None
) -> PlanAnswer:
    """Ranks the usual valid layouts of a job by the time of an update.

    stack: key of a software stack, None for the mean of modern ones; why_not: a layout to hold against the best.
    """
    found: list[Assumption] = []
    base, _ = step.make_plan(
        job.network, job.workload, job.cluster, Layout(dp=job.cluster.count, shard="zero1"), stack, found, []
    )
    fixed = pinned(job.layout, job.layout_keys)
    rows = layouts.candidates(
        base.net, seq=base.work["seq"], batch=base.work["batch"], count=int(base.chip["count"]),
        domain=base.chip["domain"], stack=base.stack, fixed=fixed,
    )  # fmt: skip
    if not rows:
        return PlanAnswer(
            plans=(), nearest=None, why_not="", evaluated=0, fitting=0, per_s=0.0, stack=base.stack, assumptions=()
        )
    net, work, _, chip, constants = records_of(base)
    degrees = plans.gather(plans.Degrees, rows)
    start = time.perf_counter()
    seconds, held = layouts.rank_layouts(net, work, degrees, chip, constants)
    taken = time.perf_counter() - start
    fits = held <= layouts.USABLE * base.chip["memory_bytes"]
    order = np.argsort(np.where(fits, seconds, np.inf), kind="stable")[: min(keep + 1, int(fits.sum()))]
    ranked = [_ranked(job, replace(base, degrees=rows[int(i)])) for i in order]
    kept = tuple(replace(one, why=_why(one, other)) for one, other in zip(ranked, [*ranked[1:], None], strict=False))[
        :keep
    ]
    nearest = None if kept else _ranked(job, replace(base, degrees=rows[int(np.argmin(held))]))
    against = ""
    if why_not is not None and kept:
        other = layouts.good_layout(
            base.net, base.work, base.chip, stack=base.stack, constants=base.constants, fixed=pinned(*why_not)
        )
        against = _against(kept[0], _ranked(job, replace(base, degrees=other or degrees_of(why_not[0]))))
    return PlanAnswer(
        plans=kept, nearest=nearest, why_not=against, evaluated=len(rows), fitting=int(fits.sum()),
        per_s=len(rows) / max(taken, 1e-9), stack=base.stack, assumptions=tuple(found),
    )  # fmt: skip


def _ranked(job: Job, plan: step.Plan) -> RankedPlan:
    """One plan in full: parts, memory, cost of all tokens."""
    net, work, degrees, chip, constants = records_of(plan)
    parts = update.update_parts(net, work, degrees, chip, constants)
    seconds = float(np.asarray(parts.total).item())
    updates = job.workload.tokens / (plan.work["batch"] * plan.work["seq"])
    cost = None
    if job.price is not None:
        cost = seconds * updates * job.cluster.count / 3600 * job.price.usd_per_accelerator_h
    return RankedPlan(
        layout=layout_of(plan.degrees),
        step_time_s=seconds,
        parts_s={f.name: float(np.broadcast_to(getattr(parts, f.name), 1)[0]) for f in fields(parts)},
        mfu_fraction=float(mfu(net, work, chip, parts.total)[0]),
        memory=report(plan.net, plan.work, plan.degrees, plan.chip, stacks.stacks()[plan.stack]),
        cost_usd=cost,
        why="",
    )  # fmt: skip


def _why(one: RankedPlan, other: RankedPlan | None) -> str:
    """What makes a plan faster than the next: the part of an update that shrinks most."""
    if other is None:
        return "the last that fits"
    gain = other.step_time_s / one.step_time_s - 1
    name, saved = _largest_difference(one, other)
    if gain < NOTABLE / 20 or saved <= 0:
        return "as fast as the next"
    return f"{100 * gain:.1f} % faster than the next: less {name.replace('_', ' ')}"


def _largest_difference(one: RankedPlan, other: RankedPlan) -> tuple[str, float]:
    differences = {name: other.parts_s[name] - one.parts_s[name] for name in one.parts_s if name != "total"}
    name = max(differences, key=lambda part: differences[part])
    return name, differences[name]


def _against(best: RankedPlan, other: RankedPlan) -> str:
    """Why another layout is not the best: it does not fit, or it is slower, and by what."""
    if not other.memory.fits:
        over = other.memory.device_bytes / other.memory.capacity_bytes
        ways = "; ".join(change.what for change in other.memory.changes) or "more accelerators"
        return f"it does not fit: {100 * over:.0f} % of the memory of the fullest rank. To fit: {ways}"
    slower = other.step_time_s / best.step_time_s - 1
    if slower <= 0:
        return "it is as fast as the best of the usual layouts"
    name, lost = _largest_difference(best, other)
    return f"{100 * slower:.1f} % slower: {lost:.3g} s more {name.replace('_', ' ')} of {other.step_time_s:.3g} s an update"
