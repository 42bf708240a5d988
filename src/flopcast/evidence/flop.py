"""The FLOP of a job, in the conventions in print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from flopcast import count
from flopcast.describe import Job, Network, TraceStep, Workload

CONVENTION_WORDS = {
    "6n": "6 x active parameters x tokens",
    "causal": "6 x multiplied weights + causal attention",
    "full": "6 x multiplied weights + full attention",
}
_RECOMPUTE: dict[str, Literal["none", "selective", "full"]] = {"none": "none", "selective": "selective", "full": "full"}
_KEYS = {"6n": "6n", "causal": "causal_attention", "full": "full_attention"}


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFlop:
    """Model FLOP of the whole job. `by_convention` lacks what a bare parameter count cannot give.

    work: what the accelerators really multiply (causal attention where it is known, without recomputation).
    """

    model: float
    convention: str
    by_convention: dict[str, float]
    hardware: float
    trace: tuple[TraceStep, ...]

    @property
    def work(self) -> float:
        return self.by_convention.get("causal", self.model)


def job_flop(job: Job) -> JobFlop:
    """FLOP of a job; the convention asked for falls back to 6n, with a line that says so, for a bare count."""
    tokens, network = job.workload.tokens, job.network
    per_token = training_flop_per_token(network, job.workload)
    by_convention = {name: value * tokens for name, value in per_token.items()}
    convention = job.convention if job.convention in by_convention else "6n"
    model = by_convention[convention]
    hardware = by_convention.get("causal", model)
    if network.is_counted and job.layout and job.workload.seq_len:
        counted = count.flop_per_token(network, job.workload.seq_len, recompute=_RECOMPUTE[job.layout.recompute])
        hardware = tokens * float(counted.hardware["causal_attention"] or 0)
    step = TraceStep(
        quantity="model FLOP",
        formula=f"{CONVENTION_WORDS[convention]}"
        if convention == "6n"
        else f"({CONVENTION_WORDS[convention]}) x tokens",
        inputs={
            "active parameters": network.parameters_active,
            "tokens": tokens,
            "FLOP per token": per_token[convention],
        },
        value=model,
        unit="FLOP",
        source="forward 2, backward 4 FLOP a parameter and token (arXiv 2001.08361, section 2.1)",
    )
    return JobFlop(model=model, convention=convention, by_convention=by_convention, hardware=hardware, trace=(step,))


def training_flop_per_token(network: Network, workload: Workload) -> dict[str, float]:
    """FLOP to train on one token, by convention; frozen weights skip the weight gradient (lora, qlora)."""
    trainable: Literal["all", "adapters"] = "adapters" if workload.method in ("lora", "qlora") else "all"
    if not network.is_counted:
        return {"6n": (6.0 if trainable == "all" else 4.0) * network.parameters_active}
    seq_len = workload.seq_len
    training = count.flop_per_token(network, seq_len or 1, trainable=trainable).training
    if not seq_len and not network.inputs_per_sample:
        return {"6n": float(training["6n"] or 0)}
    return {name: float(value) for name, key in _KEYS.items() if (value := training.get(key)) is not None}
