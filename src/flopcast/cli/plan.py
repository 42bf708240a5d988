"""What `plan` does: rank layouts, say why."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from flopcast import ask
from flopcast.ask.layout import read_layout
from flopcast.cli.output import Output
from flopcast.cli.screens.parts import hanging, show_rows, show_value
from flopcast.decide.plan import PlanAnswer, RankedPlan, best_plans
from flopcast.describe import Job, Layout, Question
from flopcast.describe.workload import USUAL_SEQ_LEN
from flopcast.evidence.flop import job_flop
from flopcast.evidence.simulation import UNNAMED_TEAM, has_model, stack_of, usual_batch_seqs
from flopcast.units import show_bytes, show_duration, show_fraction, show_money_short, show_number
from flopcast.units.numbers import fail

DEGREES = ("tp", "pp", "vpp", "cp", "ep", "dp", "micro")


def run_plan(words: dict[str, str | None], *, why_not: str | None, keep: int, with_cost: bool, output: Output) -> int:
    """The best layouts of a job; 1 where none fits."""
    job = ask.resolve(Question(**{name: value for name, value in words.items() if value}))
    if not has_model(job):
        raise fail(
            "model", words["model"] or "", "a network that the step model knows: a stack of layers with attention"
        )
    other = read_layout(why_not, count=job.cluster.count, where="why-not") if why_not else None
    if not job.workload.batch_seqs:
        seq_len = job.workload.seq_len or USUAL_SEQ_LEN
        flop = job_flop(job).by_convention["6n"]
        batch = usual_batch_seqs(flop=flop, seq_len=seq_len, count=job.cluster.count)
        job = replace(job, workload=replace(job.workload, seq_len=seq_len, batch_seqs=batch))
    answer = best_plans(job, stack=stack_of(job), keep=keep, why_not=other)
    if output.as_json:
        output.document("plan", _document(answer, with_cost))
    else:
        _show(answer, job, output, with_cost=with_cost)
    return 0 if answer.plans else 1


def words_of(layout: Layout) -> str:
    """`tp8 pp4 vpp2 dp16 zero1 sp, selective`."""
    degrees = [f"{name}{getattr(layout, name)}" for name in DEGREES if getattr(layout, name) > 1] or ["one"]
    kept = [] if layout.recompute == "none" else [f"recompute {layout.recompute}"]
    return " ".join([*degrees, layout.shard, *kept])


def _document(answer: PlanAnswer, with_cost: bool) -> dict[str, Any]:
    return {
        "plans": [_plan_document(plan, with_cost) for plan in answer.plans],
        "nearest": _plan_document(answer.nearest, with_cost) if answer.nearest else None,
        "why_not": answer.why_not or None,
        "plans_evaluated": answer.evaluated,
        "plans_fitting": answer.fitting,
        "plans_per_s": answer.per_s,
        "stack": answer.stack,
        "assumptions": [asdict(assumption) for assumption in answer.assumptions],
    }


def _plan_document(plan: RankedPlan, with_cost: bool) -> dict[str, Any]:
    memory = plan.memory
    return {
        "layout": asdict(plan.layout),
        "step_time_s": plan.step_time_s,
        "parts_s": dict(plan.parts_s),
        "mfu_fraction": plan.mfu_fraction,
        "memory": {
            "fits": memory.fits,
            "worst_rank_bytes": memory.device_bytes,
            "capacity_bytes": memory.capacity_bytes,
        },
        "cost_usd": plan.cost_usd if with_cost else None,
        "why": plan.why,
    }


def _show(answer: PlanAnswer, job: Job, output: Output, *, with_cost: bool) -> None:
    from rich.text import Text

    console = output.console()
    if not answer.plans:
        console.print(Text("no layout fits", style="bold red"))
        if answer.nearest is not None:
            memory = answer.nearest.memory
            room = f"{show_bytes(memory.device_bytes, binary=True)} of {show_bytes(memory.capacity_bytes, binary=True)}"
            ways = "; ".join(change.what for change in memory.changes) or "more accelerators"
            console.print(Text(f"nearest: {words_of(answer.nearest.layout)}, {room}. To fit: {ways}"))
        return
    best = answer.plans[0]
    console.print(Text(f"{words_of(best.layout)}: {show_duration(best.step_time_s)} an update", style="bold green"))
    used = f"{show_fraction(best.mfu_fraction)} of the 16-bit peak (with causal attention)"
    cluster = f"{job.cluster.count:,} x {job.cluster.accelerator.name}"
    console.print(Text(f"{job.network.name} on {cluster}, {answer.stack}: {used}"))
    console.print()
    rows = []
    for number, plan in enumerate(answer.plans, 1):
        cost = show_money_short(plan.cost_usd) if with_cost and plan.cost_usd else ""
        held = show_bytes(plan.memory.device_bytes, binary=True)
        rows.append(
            (
                f"{number} {words_of(plan.layout)}",
                show_duration(plan.step_time_s),
                show_fraction(plan.mfu_fraction),
                held,
                cost,
            )
        )
    show_rows(console, ("", "update", "of peak", "fullest rank", "cost" if with_cost else ""), rows)
    console.print()
    for number, plan in enumerate(answer.plans, 1):
        hanging(console, str(number), plan.why, width=3, style="dim")
    if answer.why_not:
        console.print()
        hanging(console, "?", f"the layout asked about: {answer.why_not}", width=3)
    counted = f"{answer.fitting:,} of {answer.evaluated:,} usual layouts fit"
    console.print(Text(f"{counted}; {show_number(answer.per_s)} plans a second", style="dim"))
    if not job.stack:
        console.print(
            Text(f"times of a tuned stack; `estimate` takes {UNNAMED_TEAM} times where none is named", style="dim")
        )
    for assumption in answer.assumptions:
        hanging(
            console,
            "",
            Text(f"assumed: {assumption.name} {show_value(assumption.value)} {assumption.unit}".rstrip(), style="dim"),
        )
