"""The simulation: the whole run as updates of the step model."""

from __future__ import annotations

from dataclasses import replace

from flopcast import step
from flopcast.describe import Assumption, Job, MethodAnswer
from flopcast.errors import unknown_name
from flopcast.evidence.flop import JobFlop
from flopcast.evidence.rule import answer
from flopcast.step import StepForecast
from flopcast.step.chips import PRECISIONS
from flopcast.step.forecast import degrees_of
from flopcast.step.stacks import RULES, stacks
from flopcast.units import show_bytes, show_duration, show_fraction

GENERIC = "generic"
MAIN_PARTS = 3


def by_simulation(job: Job, flop: JobFlop) -> tuple[MethodAnswer, StepForecast] | None:
    """The answer of the step model and its forecast; None for networks that it has no shape for.

    Raises BadInput for a software stack that is not known.
    """
    if not has_model(job):
        return None
    stack = stack_of(job)
    workload = replace(job.workload, seq_len=job.workload.seq_len or _tokens_of_a_sample(job))
    whole = job.layout if job.is_layout_whole else None
    forecast = step.simulate(job.network, workload, job.cluster, whole, stack, _fixed(job))
    updates = job.workload.tokens / forecast.tokens_per_update
    time = forecast.step_time_s * updates
    evidence: tuple[dict[str, float | str], ...] = tuple(
        {"part": name, "seconds": seconds} for name, seconds in forecast.parts.items() if seconds > 0
    )
    return answer(job, flop, method="simulation", time=time, why=_why(forecast), evidence=evidence), forecast


def simulated_assumptions(forecast: StepForecast) -> tuple[Assumption, ...]:
    """What the step model took without being told; figures without a measured table are named too."""
    missing = sorted({f"{miss}" for miss in forecast.misses})
    extra = tuple(
        Assumption(name="not measured", value=text, unit="", source="step model", effect="widens the range")
        for text in missing
    )
    return forecast.assumptions + extra


def _fixed(job: Job) -> dict[str, float] | None:
    """What was said of a layout whose degrees are still to be chosen."""
    if job.layout is None or job.is_layout_whole:
        return None
    entry = degrees_of(job.layout)
    return {key: entry[key] for key in ("micro", "shard", "recompute", "offload") if key in job.layout_keys}


def has_model(job: Job) -> bool:
    """The step model knows stacks with attention, on parts whose memory is known, at precisions that train."""
    shape = job.network.shape
    known_shape = not job.network.is_counted or (shape is not None and shape.heads > 0 and shape.layers > 0)
    chip = job.cluster.accelerator
    return known_shape and bool(chip.memory_bytes and chip.memory_bytes_per_s) and job.workload.precision in PRECISIONS


def stack_of(job: Job) -> str | None:
    """The stack asked for; where none is, the one of TPUs is known."""
    if job.stack:
        found = step.stack_for(job.stack) if job.stack not in stacks() else job.stack
        if found == GENERIC and job.stack != GENERIC:
            known = sorted({*stacks(), *(words for words, _ in RULES)})
            raise unknown_name(where="stack", given=job.stack, kind="software stack", known=known)
        return found
    return "maxtext" if job.cluster.accelerator.key.startswith("tpu") else None


def _tokens_of_a_sample(job: Job) -> int | None:
    """Tokens of one image where the network reads images alone."""
    if job.network.is_counted and job.network.inputs_per_sample:
        return job.network.inputs_per_sample[0][1]
    return None


def _why(forecast: StepForecast) -> str:
    """The layout, the largest parts of the update and whether it fits, in a sentence."""
    total = forecast.parts.get("total") or sum(forecast.parts.values())
    parts = sorted(((v, k) for k, v in forecast.parts.items() if k != "total" and v > 0), reverse=True)[:MAIN_PARTS]
    words = ", ".join(f"{name.replace('_', ' ')} {show_fraction(seconds / total, 2)}" for seconds, name in parts)
    layout = forecast.layout
    degrees = " ".join(
        f"{name}{getattr(layout, name)}"
        for name in ("tp", "pp", "vpp", "cp", "ep", "dp", "micro")
        if getattr(layout, name) > 1
    )
    taken = "layout" if forecast.layout_given else "good layout"
    memory = forecast.memory
    room = f"{show_bytes(memory.device_bytes, binary=True)} of {show_bytes(memory.capacity_bytes, binary=True)}"
    fits = f"fits, {room}" if memory.fits else f"does not fit: {room}"
    return f"{show_duration(forecast.step_time_s.expected)} an update ({words}); {taken} {degrees or 'one'} {layout.shard}; {fits}"
