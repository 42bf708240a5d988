"""The JSON document of each command: documented, stable, SI units."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from flopcast import count as counting
from flopcast.ask.elapsed import Amount
from flopcast.cli.output import range_json
from flopcast.decide import Conversion, Outlook
from flopcast.decide.hours import Hours
from flopcast.decide.storing import Checkpoints, TokenFiles
from flopcast.describe import Accelerator, Assumption, Cluster, MethodAnswer, Network, TraceStep, Workload
from flopcast.evidence import Estimate, Reconciliation

STORED = ("checkpoint_bytes", "weights_bytes", "dataset_bytes", "raw_text_bytes", "total_bytes", "to_buy_bytes")


def estimate_document(result: Estimate) -> dict[str, Any]:
    """The document of `estimate`."""
    job = result.job
    body: dict[str, Any] = {
        "network": job.network.name,
        "accelerators": {
            "key": job.cluster.accelerator.key,
            "name": job.cluster.accelerator.name,
            "count": job.cluster.count,
        },
        "precision": job.workload.precision,
        "flop": {
            "model": result.flop.model,
            "convention": result.flop.convention,
            "hardware": result.flop.hardware,
            "by_convention": result.flop.by_convention,
        },
        "tokens": job.workload.tokens,
        "updates": job.workload.updates,
        "batch": batch_document(job.workload),
        "parameters": {"total": job.network.parameters_total, "active": job.network.parameters_active},
        "methods": [method_document(method) for method in result.methods],
        "chosen": chosen_document(result),
        "memory": memory_document(result),
        "step": step_document(result),
        "layout": asdict(result.layout) if result.layout else None,
        "storage": {name: getattr(result.storage, name) for name in STORED},
        "failures": {
            "expected": range_json(result.goodput.failures),
            "mtbf_s": range_json(result.goodput.mtbf_s),
            "checkpoint_interval_s": result.goodput.checkpoint_interval_s,
            "checkpoint_save_s": result.goodput.checkpoint_save_s,
        },
        "budget": budget_document(result),
        "thresholds": [{**asdict(limit), "is_above": limit.is_above} for limit in result.thresholds],
    }
    return {**body, **_reasons(result.assumptions, result.warnings, result.trace)}


def chosen_document(result: Estimate) -> dict[str, Any]:
    """The method that was taken, and what follows from it."""
    chosen = result.chosen
    return {
        "method": chosen.method,
        "mfu_fraction": range_json(chosen.mfu_fraction),
        "utilisation_by_convention": result.utilisation,
        "compute_time_s": range_json(chosen.compute_time_s),
        "calendar_time_s": range_json(result.calendar_time_s),
        "accelerator_hours": range_json(chosen.accelerator_hours),
        "cost_usd": range_json(chosen.cost_usd),
        "price_usd_per_accelerator_h": result.price_usd_per_accelerator_h,
        "goodput_fraction": range_json(result.goodput.fraction),
        "energy_j": range_json(result.energy.energy_j) if result.energy else None,
        "co2e_kg": range_json(result.energy.co2e_kg) if result.energy else None,
    }


def batch_document(work: Workload) -> dict[str, float | None]:
    """One update: its sequences and tokens, and how many sequences all updates see; null where not said."""
    size = work.batch_seqs * work.seq_len if work.batch_seqs and work.seq_len else None
    seen = work.batch_seqs * work.updates if work.batch_seqs and work.updates else None
    return {"sequences": work.batch_seqs, "tokens": size, "sequences_seen": seen}


def memory_document(result: Estimate) -> dict[str, Any] | None:
    """Memory of the fullest rank and the parts of an update; None where nothing was simulated."""
    if result.forecast is None:
        return None
    memory = result.forecast.memory
    return {
        "fits": memory.fits,
        "worst_rank_bytes": memory.device_bytes,
        "allocated_bytes": memory.allocated_bytes,
        "reserved_bytes": memory.reserved_bytes,
        "capacity_bytes": memory.capacity_bytes,
        "components": dict(memory.components),
        "changes": [asdict(change) for change in memory.changes],
    }


def step_document(result: Estimate) -> dict[str, Any] | None:
    """One update as simulated: its time, its parts, its layout and stack."""
    forecast = result.forecast
    if forecast is None:
        return None
    return {
        "step_time_s": range_json(forecast.step_time_s),
        "parts_s": dict(forecast.parts),
        "tokens_per_update": forecast.tokens_per_update,
        "tokens_per_s": forecast.tokens_per_s,
        "stack": forecast.stack,
        "layout_given": forecast.layout_given,
    }


def budget_document(result: Estimate) -> dict[str, Any] | None:
    """The bill, line by line; None where no price is known."""
    if result.budget is None:
        return None
    lines = [
        {
            "name": line.name,
            "accelerator_hours": range_json(line.accelerator_hours),
            "cost_usd": range_json(line.usd),
            "how": line.how,
            "source": line.source,
        }
        for line in result.budget.lines
    ]
    return {"lines": lines, "total_usd": range_json(result.budget.total_usd)}


def method_document(method: MethodAnswer) -> dict[str, Any]:
    """One method's answer."""
    return {
        "method": method.method,
        "mfu_fraction": range_json(method.mfu_fraction),
        "compute_time_s": range_json(method.compute_time_s),
        "accelerator_hours": range_json(method.accelerator_hours),
        "cost_usd": range_json(method.cost_usd),
        "why": method.why,
        "evidence": list(method.evidence),
    }


def count_document(network: Network, seq_len: int, assumptions: tuple[Assumption, ...]) -> dict[str, Any]:
    """The document of `count`."""
    parameters = counting.parameters(network)
    flop = counting.flop_per_token(network, seq_len)
    return {
        "network": network.name,
        "model_type": network.family,
        "seq_len": seq_len,
        "parameters": {
            "total": parameters.total,
            "active": parameters.active,
            "embedding": parameters.embedding,
            "without_input_embedding": parameters.without_input_embedding,
            "active_without_input_embedding": parameters.active_without_input_embedding,
        },
        "tokens_per_sample": dict(network.inputs_per_sample),
        "flop_per_token": {
            "forward": flop.forward,
            "training": dict(flop.training),
            "by_part": dict(flop.by_part),
        },
        "parts": [
            {
                "name": part.name,
                "role": part.role,
                "copies": part.copies,
                "parameters": part.total,
                "active": part.active,
            }
            for part in network.parts
        ],
        "assumptions": [asdict(assumption) for assumption in assumptions],
    }


def reconcile_document(result: Reconciliation) -> dict[str, Any]:
    """The document of `reconcile`."""
    return {
        "ratio": result.ratio,
        "of": result.of,
        "a": result.a,
        "b": result.b,
        "factors": [asdict(factor) for factor in result.factors],
        "summary": result.summary,
        "warnings": list(result.warnings),
    }


def outlook_document(result: Outlook) -> dict[str, Any]:
    """The document of `outlook`."""
    ranges = ("utilisation_kept", "compute_ratio_kept", "network_ratio_kept", "flop", "money_ratio", "usd")
    return {
        "compute_ratio": result.compute_ratio,
        "network_ratio": result.network_ratio,
        **{name: range_json(getattr(result, name)) for name in ranges},
        "cards": result.cards,
        "days": result.days,
        "optimal": [asdict(best) for best in result.optimal],
        "limits": [{**asdict(limit), "share": limit.share} for limit in result.limits],
        "binding": result.binding.name,
        **_reasons(result.assumptions, (), result.trace),
    }


def convert_document(result: Conversion, source: Cluster, target: Accelerator, usd: float | None) -> dict[str, Any]:
    """The document of `convert`."""
    return {
        "from": {"key": source.accelerator.key, "count": source.count},
        "to": target.key,
        "accelerators_equivalent": result.accelerators_equivalent,
        "accelerator_hours": result.accelerator_hours,
        "peak_ratio": result.peak_ratio,
        "cost_usd": usd,
        **_reasons((), (), result.trace),
    }


def hours_document(
    result: Hours, cluster: Cluster | None, amount: Amount, arithmetic: tuple[TraceStep, ...]
) -> dict[str, Any]:
    """The document of `hours`."""
    ranges = ("cost_usd", "power_w", "energy_j", "co2e_kg", "failures")
    plain = ("wall_time_s", "accelerator_hours", "price_usd_per_accelerator_h", "cost_usd_per_h", "usd_per_peak_pflop_h", "tokens_per_s",
             "tokens_per_s_per_accelerator", "accelerator_hours_per_failure")  # fmt: skip
    return {
        "accelerators": {"key": cluster.accelerator.key, "count": cluster.count} if cluster else None,
        **{name: getattr(result, name) for name in plain},
        **{name: range_json(getattr(result, name)) for name in ranges},
        "updates": amount.updates,
        "samples": amount.samples,
        "tokens": amount.tokens,
        **_reasons(result.assumptions, (), (*arithmetic, *result.trace)),
    }


def storage_document(
    kept: Checkpoints, files: TokenFiles | None, assumptions: tuple[Assumption, ...]
) -> dict[str, Any]:
    """The document of `storage`."""
    checkpoint = {name: value for name, value in asdict(kept).items() if name != "warnings"}
    body = {"checkpoint": checkpoint, "tokens": asdict(files) if files else None}
    return {**body, **_reasons(assumptions, kept.warnings, ())}


def _reasons(
    assumptions: tuple[Assumption, ...], warnings: tuple[str, ...], trace: tuple[TraceStep, ...]
) -> dict[str, Any]:
    keys = ("name", "value", "unit", "source", "effect")
    return {
        "assumptions": [{key: getattr(assumption, key) for key in keys} for assumption in assumptions],
        "warnings": list(warnings),
        "trace": [asdict(step) for step in trace],
    }
