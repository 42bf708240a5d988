"""The FLOP of a job, in the conventions in print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from flopcast import count
from flopcast.describe import Job, Network, TraceStep, Workload

CONVENTION_WORDS = {
    "6n": "6 x active parameters x tokens",
    "causal": "6 x active parameters + causal attention",
    "full": "6 x active parameters + full attention",
    "exact": "3 x forward: multiplied weights (no embedding look-up) + full attention",
}
_RECOMPUTE: dict[str, Literal["none", "selective", "full"]] = {"none": "none", "selective": "selective", "full": "full"}
_KEYS = {"6n": "6n", "causal": "causal_attention", "full": "full_attention", "exact": "exact"}


@dataclass(frozen=True, slots=True, kw_only=True)
class JobFlop:
    """Model FLOP of the whole job. `by_convention` lacks what a bare parameter count cannot give.

    work: what the accelerators really multiply (causal attention where it is known, without recomputation).
    hardware: the convention's FLOP (causal where 6n leaves attention out) and what recomputation adds to them.
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
    base = by_convention.get("causal" if convention == "6n" else convention, model)
    hardware = base + recomputed_flop_per_token(job, convention) * tokens
    step = TraceStep(
        quantity="model FLOP",
        formula=_formula(convention, frozen=_trainable(job.workload) != "all"),
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


def _formula(convention: str, *, frozen: bool) -> str:
    """The convention as a formula; frozen weights need no gradient of their own: 4 in place of 6."""
    words = CONVENTION_WORDS[convention]
    words = words.replace("6 x", "4 x", 1) if frozen else words
    return words if convention == "6n" else f"({words}) x tokens"


def training_flop_per_token(network: Network, workload: Workload) -> dict[str, float]:
    """FLOP to train on one token, by convention; frozen weights skip the weight gradient (lora, qlora)."""
    trainable = _trainable(workload)
    if not network.is_counted:
        return {"6n": (6.0 if trainable == "all" else 4.0) * network.parameters_active}
    seq_len = workload.seq_len
    counted = count.flop_per_token(network, seq_len or 1, trainable=trainable)
    training = {**counted.training, "exact": counted.exact["full_attention"]}
    if not seq_len and not network.inputs_per_sample:
        return {"6n": float(training["6n"] or 0)}
    return {name: float(value) for name, key in _KEYS.items() if (value := training.get(key)) is not None}


def _trainable(workload: Workload) -> Literal["all", "adapters"]:
    return "adapters" if workload.method in ("lora", "qlora") else "all"


def recomputed_flop_per_token(job: Job, convention: str) -> float:
    """FLOP that recomputation adds for a token; of a bare count the forward pass, 2 a parameter, where it is full."""
    network, seq_len = job.network, job.workload.seq_len
    recompute = _RECOMPUTE[job.layout.recompute] if job.layout else "none"
    if network.is_counted and not seq_len and not network.inputs_per_sample:
        return 2.0 * network.parameters_active if recompute == "full" else 0.0
    counted = count.flop_per_token(network, seq_len, recompute=recompute, trainable=_trainable(job.workload))
    if not network.is_counted:
        return float(counted.hardware["causal_attention"] or 0.0) - float(counted.training["6n"] or 0.0)
    kind = "full_attention" if convention in ("full", "exact") else "causal_attention"
    return float(counted.hardware[kind] or 0.0) - float(counted.exact[kind] or 0.0)
