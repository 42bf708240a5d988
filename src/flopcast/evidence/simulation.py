"""The simulation: the whole run as updates of the step model."""

from __future__ import annotations

from dataclasses import replace
from math import isqrt

from flopcast import step
from flopcast.describe import Assumption, Job, Layout, MethodAnswer
from flopcast.describe.workload import USUAL_SEQ_LEN
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
MISS_EFFECT = "taken from a default or a sister chip, not from a table of this one"
SAID_HERE = ("batch", "sequence length", "software stack")  # of the step model, said below with source and effect
BATCH_SCALE, BATCH_POWER = 0.2920, 0.3271
BATCH_SOURCE = "0.2920 x FLOP^0.3271 tokens (arXiv 2401.02954)"
# published whole trainings over their simulated time, median of the dense ones (tools/whole_runs.py)
UNNAMED_TEAM = 1.15


def by_simulation(job: Job, flop: JobFlop) -> tuple[MethodAnswer, StepForecast] | None:
    """The answer of the step model and its forecast; None for networks that it has no shape for.

    Raises BadInput for a software stack that is not known.
    """
    if not has_model(job):
        return None
    stack = stack_of(job)
    seq_len = job.workload.seq_len or _tokens_of_a_sample(job) or USUAL_SEQ_LEN
    batch = job.workload.batch_seqs or usual_batch_seqs(
        flop=flop.by_convention["6n"], seq_len=seq_len, count=job.cluster.count
    )
    workload = replace(job.workload, seq_len=seq_len, batch_seqs=batch)
    forecast = step.simulate(job.network, workload, job.cluster, None, stack, pinned(job.layout, job.layout_keys))
    if job.layout is not None and not _holds(forecast.layout, job.layout, job.layout_keys):
        forecast = step.simulate(job.network, workload, job.cluster, job.layout, stack)
    if not job.stack:
        forecast = _of_a_team(forecast)
    updates = job.workload.tokens / forecast.tokens_per_update
    time = forecast.step_time_s * updates
    evidence: tuple[dict[str, float | str], ...] = tuple(
        {"part": name, "seconds": seconds} for name, seconds in forecast.parts.items() if seconds > 0
    )
    return answer(job, flop, method="simulation", time=time, why=_why(forecast), evidence=evidence), forecast


def usual_batch_seqs(*, flop: float, seq_len: int, count: int) -> int:
    """Sequences of an update where none is said: those that a published fit finds best for so much training compute.

    flop: of the whole training [FLOP]; seq_len [tokens]; count: accelerators, which the batch is made divisible among.
    tokens = 0.2920 x flop^0.3271 (arXiv 2401.02954): a fit to small budgets, here extrapolated.

    >>> usual_batch_seqs(flop=6 * 8e9 * 1e12, seq_len=4096, count=64) * 4096 / 1e6
    7.602176
    """
    wanted = max(1.0, BATCH_SCALE * flop**BATCH_POWER / seq_len)
    if wanted >= count:
        return int(round(wanted / count) * count)
    small = [divisor for divisor in range(1, isqrt(count) + 1) if not count % divisor]
    return max(divisor for one in small for divisor in (one, count // one) if divisor <= wanted)


def _of_a_team(forecast: StepForecast) -> StepForecast:
    """The update of a team whose software is not named: stacks are measured by those who tune them, most are less tuned."""
    longer = step.rescaled(forecast, UNNAMED_TEAM)
    return replace(longer, step_time_s=replace(longer.step_time_s, low=forecast.step_time_s.low))


def simulated_assumptions(job: Job, forecast: StepForecast) -> tuple[Assumption, ...]:
    """What the step model took without being told; figures without a measured table are named too."""
    taken = tuple(one for one in forecast.assumptions if one.name not in SAID_HERE)
    if not job.workload.batch_seqs:
        size = forecast.tokens_per_update
        effect = "a larger batch amortises what an update costs once; --batch sets it"
        taken += (
            Assumption(
                name="batch", value=size, unit="tokens an update", source=BATCH_SOURCE, effect=effect, weight=0.1
            ),
        )
    if not job.workload.seq_len and not _tokens_of_a_sample(job):
        effect = "longer sequences cost more attention; --seq-len sets it"
        taken += (
            Assumption(name="sequence length", value=USUAL_SEQ_LEN, unit="tokens", source="assumed", effect=effect),
        )
    if not job.stack:
        effect = f"{UNNAMED_TEAM} times the time of those who measure their own stack; --stack names it"
        source = "published whole trainings (docs/accuracy-whole-runs.md)"
        taken += (Assumption(name="software", value="not named", unit="", source=source, effect=effect, weight=0.2),)
    return taken + tuple(
        Assumption(
            name=f"{miss.what}, not measured on this chip",
            value=miss.value,
            unit="",
            source=miss.why,
            effect=MISS_EFFECT,
        )
        for miss in dict.fromkeys(forecast.misses)
    )


def pinned(layout: Layout | None, keys: tuple[str, ...]) -> dict[str, float] | None:
    """What was said of a layout, as entries that the choice of the rest keeps to."""
    if layout is None:
        return None
    entry = degrees_of(layout)
    return {key: float(entry[key]) for key in keys if key in entry}


def _holds(taken: Layout, asked: Layout, keys: tuple[str, ...]) -> bool:
    """True where a layout has all that was said of it."""
    return all(getattr(taken, key) == getattr(asked, key) for key in keys)


def has_model(job: Job) -> bool:
    """The step model knows stacks with attention, on parts whose memory is known, at precisions that train."""
    shape = job.network.shape
    if not job.network.is_counted:  # depth and width can be guessed, the number of experts cannot
        known_shape = job.network.parameters_active == job.network.parameters_total
    else:
        known_shape = shape is not None and shape.heads > 0 and shape.layers > 0
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
