"""One network on one cluster: time of an update by part, memory of the fullest rank, and what was assumed.

Belongs here: from the types of `describe` to the arrays of this room and back. Does not: formulas.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

import numpy as np

from flopcast.describe import Assumption, Cluster, Layout, Network, Range, Shape, Workload
from flopcast.describe.workload import USUAL_SEQ_LEN
from flopcast.step import chips, intervals, layer, layouts, pipeline, plans, shapes, sizes, stacks, update, verdict

DEFAULT_STACK = "generic"
USUAL_TOKENS = 4e6  # tokens of an update where no batch is given
SHARDING = {"none": 0, "zero1": 1, "zero2": 2, "zero3": 3, "fsdp": 3, "hsdp": 3}
RECOMPUTE = {"none": 0, "selective": 1, "full": 2}
TRAINING_WAYS = 6.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One plan as entries of the arrays of plans.py, with the key of its stack."""

    net: dict[str, float]
    work: dict[str, float]
    degrees: dict[str, float]
    chip: dict[str, float]
    stack: str

    @property
    def constants(self) -> dict[str, float]:
        return stacks.stacks()[self.stack]


@dataclass(frozen=True, slots=True, kw_only=True)
class StepForecast:
    """Forecast of one update.

    step_time_s: 80 % range; parts: seconds on the critical path by cause, of the expected time. mfu_fraction: 6 FLOP a weight
    and token plus causal attention, over the dense 16-bit peak. layout_given is False where a good one was chosen.
    """

    step_time_s: Range
    parts: Mapping[str, float]
    tokens_per_update: float
    tokens_per_s: float
    mfu_fraction: float
    memory: verdict.MemoryReport
    layout: Layout
    layout_given: bool
    stack: str
    assumptions: tuple[Assumption, ...]
    misses: tuple[chips.Miss, ...]
    plan: Plan


def _assume(name: str, value: float | str, unit: str, effect: str) -> Assumption:
    return Assumption(name=name, value=value, unit=unit, source="step model", effect=effect)


def _shape(network: Network | Shape, found: list[Assumption]) -> tuple[Shape, float, bool]:
    if isinstance(network, Shape):
        return network, 0.0, True
    shape = shapes.shape_of(network)
    if shape is not None:
        return shape, shapes.expert_hidden(network) if network.parts else 0.0, True
    active = network.parameters_active
    guess = shapes.shape_for_parameters(network.parameters_total, active)
    text = f"{guess.layers} layers of {guess.hidden}"
    found.append(_assume("architecture", text, "", "depth and width usual for this many parameters"))
    return guess, 0.0, False


def _work(workload: Workload, count: int, low: int, found: list[Assumption]) -> dict[str, float]:
    seq = workload.seq_len or USUAL_SEQ_LEN
    if not workload.seq_len:
        found.append(_assume("sequence length", USUAL_SEQ_LEN, "tokens", "longer sequences cost more attention"))
    batch = float(workload.batch_seqs or max(count, round(USUAL_TOKENS / seq / count) * count))
    if not workload.batch_seqs:
        found.append(_assume("batch", batch, "sequences", "a larger batch amortises what an update costs once"))
    width = chips.PRECISIONS[workload.precision][2]
    return {
        "seq": float(seq), "batch": batch, "frozen": float("lora" in workload.method),
        "quantised": float(workload.method == "qlora"), "sixteen_bit": float(width),
        "bf16": float(workload.precision != "fp16"), "low_precision": float(low),
    }  # fmt: skip


def degrees_of(layout: Layout) -> dict[str, float]:
    """Entry of `Degrees` for a layout in words."""
    bubble, in_flight = pipeline.SCHEDULES[layout.schedule]
    return {
        "tp": layout.tp, "sp": float(layout.sp), "pp": layout.pp, "vpp": layout.vpp, "cp": layout.cp, "ep": layout.ep,
        "etp": layout.tp if layout.ep == 1 else 1.0, "dp": layout.dp, "micro": layout.micro,
        "shard": SHARDING[layout.shard], "shard_group": 8.0 if layout.shard == "hsdp" else 0.0,
        "recompute": RECOMPUTE[layout.recompute], "bubble": bubble, "in_flight": in_flight,
        "offload": float(layout.offload != "none"),
    }  # fmt: skip


def layout_of(degrees: Mapping[str, float]) -> Layout:
    """The layout in words of an entry of `Degrees`."""
    whole = {name: int(degrees[name]) for name in ("tp", "pp", "vpp", "cp", "ep", "dp")}
    words = {value: name for name, value in reversed(SHARDING.items())}
    levels = {value: name for name, value in RECOMPUTE.items()}
    schedule = "interleaved" if degrees["vpp"] > 1 else "1f1b"
    return Layout(
        **whole, sp=degrees["sp"] > 0, micro=max(1, int(degrees["micro"])), shard=words[int(degrees["shard"])],
        recompute=levels[int(degrees["recompute"])], offload="optimizer" if degrees["offload"] else "none", schedule=schedule,
    )  # fmt: skip


def _chosen(net: dict[str, float], work: dict[str, float], chip: dict[str, float], stack: str,
            found: list[Assumption], fixed: Mapping[str, float] | None = None) -> dict[str, float]:  # fmt: skip
    entry = layouts.good_layout(net, work, chip, stack=stack, constants=stacks.stacks()[stack], fixed=fixed)
    if entry is None:
        entry = degrees_of(Layout(dp=max(1, int(chip["count"])), shard="zero3"))
    found.append(_assume("layout", _words(layout_of(entry)), "", "the fastest of the usual layouts that fits"))
    return entry


def _words(layout: Layout) -> str:
    degrees = ", ".join(
        f"{n}={getattr(layout, n)}" for n in ("tp", "pp", "vpp", "cp", "ep", "dp", "micro") if getattr(layout, n) > 1
    )
    return f"{degrees or 'one accelerator'}, shard={layout.shard}, recompute={layout.recompute}"


def stack_key(stack: str | None, found: list[Assumption]) -> str:
    """Key of the stack that a name means; the generic one, said so, when none is given or known."""
    if stack in stacks.stacks():
        return str(stack)
    key = stacks.stack_for(stack) if stack else DEFAULT_STACK
    if key == DEFAULT_STACK:
        found.append(
            _assume("software stack", "the mean of the measured modern stacks", "", "stacks differ by 10-20 %")
        )
    return key


def make_plan(
    network: Network | Shape, workload: Workload, cluster: Cluster, layout: Layout | None, stack: str | None,
    found: list[Assumption], misses: list[chips.Miss], fixed: Mapping[str, float] | None = None,
) -> tuple[Plan, bool]:  # fmt: skip
    """The plan of the arrays, and whether the architecture is known; defaults taken are appended to `found`."""
    key = stack_key(stack, found)
    shape, expert_hidden, known = _shape(network, found)
    node = cluster.node
    chip = chips.chip_row(
        cluster.accelerator, count=cluster.count, per_node=min(cluster.accelerators_per_node, cluster.count),
        precision=workload.precision, network_bytes_per_s=node.fabric_bytes_per_s if node else None, misses=misses,
    )  # fmt: skip
    net = shapes.net_row(shape, expert_hidden=expert_hidden)
    low = chips.low_precision_class(cluster.accelerator, workload.precision)
    work = _work(workload, cluster.count, low, found)
    entry = degrees_of(layout) if layout is not None else _chosen(net, work, chip, key, found, fixed)
    return Plan(net=net, work=work, degrees=entry, chip=chip, stack=key), known


def mfu(net: plans.Net, work: plans.Work, chip: plans.Chip, seconds: plans.Array) -> plans.Array:
    """Model FLOP utilisation: 6 FLOP a weight of a token (4 when frozen) and causal attention, over count x dense 16-bit peak x time."""
    weights = sizes.active_parameters(net) - (2 - net.tied - net.head_share) * sizes.embedding_parameters(net)
    scores = 2 * net.layers * (1 - layer.mixer_share(net)) * net.heads * net.head_dim * layer.attention_keys(net, work)
    flop = (TRAINING_WAYS - 2 * work.frozen) * (weights + scores) * work.seq * work.batch
    return flop / (chip.count * chip.peak16 * seconds)


def records_of(plan: Plan) -> tuple[plans.Net, plans.Work, plans.Degrees, plans.Chip, stacks.Stack]:
    """A plan as a batch of one."""
    return (plans.gather(plans.Net, [plan.net]), plans.gather(plans.Work, [plan.work]),
            plans.gather(plans.Degrees, [plan.degrees]), plans.gather(plans.Chip, [plan.chip]),
            plans.gather(stacks.Stack, [plan.constants]))  # fmt: skip


def simulate(
    network: Network | Shape,
    workload: Workload,
    cluster: Cluster,
    layout: Layout | None = None,
    stack: str | None = None,
    fixed: Mapping[str, float] | None = None,
) -> StepForecast:
    """Forecast one update of `network` on `cluster`.

    Parameters: network, counted, sized only, or a bare shape; workload, of which sequence length, batch, precision and
    method count; layout, None for a good one, with the entries of `fixed` pinned; stack, a key of
    data/stacks.csv or a framework's name, None for generic.
    Returns the 80 % range of the time, its parts, memory with verdict, the layout taken, assumptions and misses.
    """
    found: list[Assumption] = []
    misses: list[chips.Miss] = []
    plan, known_shape = make_plan(network, workload, cluster, layout, stack, found, misses, fixed)
    net, work, degrees, chip, constants = records_of(plan)
    parts = update.update_parts(net, work, degrees, chip, constants)
    seconds = float(parts.total[0])
    around = intervals.time_range(
        seconds, stack=plan.stack, known_chip=chips.part_of(cluster.accelerator.key) in chips.clocks(),
        known_layout=layout is not None, known_shape=known_shape,
    )  # fmt: skip
    tokens = plan.work["batch"] * plan.work["seq"]
    return StepForecast(
        step_time_s=around, parts={f.name: float(np.broadcast_to(getattr(parts, f.name), 1)[0]) for f in fields(parts)},
        tokens_per_update=tokens, tokens_per_s=tokens / seconds, mfu_fraction=float(mfu(net, work, chip, parts.total)[0]),
        memory=verdict.report(plan.net, plan.work, plan.degrees, plan.chip, plan.constants),
        layout=layout or layout_of(plan.degrees), layout_given=layout is not None, stack=plan.stack,
        assumptions=tuple(found), misses=tuple(misses), plan=plan,
    )  # fmt: skip


def memory_report(
    network: Network | Shape, workload: Workload, cluster: Cluster, layout: Layout, stack: str | None = None
) -> verdict.MemoryReport:
    """Memory of the fullest rank alone, with the verdict and the cheapest changes."""
    plan, _ = make_plan(network, workload, cluster, layout, stack, [], [])
    return verdict.report(plan.net, plan.work, plan.degrees, plan.chip, plan.constants)


def rescaled(forecast: StepForecast, factor: float) -> StepForecast:
    """The forecast with all times multiplied, as a measurement of the asker's own machine calls for."""
    return replace(
        forecast, step_time_s=forecast.step_time_s * factor, parts={k: v * factor for k, v in forecast.parts.items()},
        tokens_per_s=forecast.tokens_per_s / factor, mfu_fraction=forecast.mfu_fraction / factor,
    )  # fmt: skip
