"""What a figure alone does not say: too few tokens, the small gain of fp8, what adapters cost and keep."""

from __future__ import annotations

from flopcast.ask.cluster import PEAK_KEY
from flopcast.describe import Job
from flopcast.units import show_count

OPTIMAL_TOKENS_PER_PARAMETER = 20
SMALL_FOR_FP8 = 3e9
FP8_GAIN = (
    "whole updates in fp8 were 1.28 and 1.42 times as fast as in bf16 (torchtitan benchmarks; Megatron-LM issue 396)"
)


def cautions(job: Job) -> tuple[str, ...]:
    """Warnings that follow from the question alone."""
    found = (_few_tokens(job), _low_precision(job), _adapters(job))
    return tuple(text for text in found if text)


def _few_tokens(job: Job) -> str:
    """Far too few tokens for pre-training are a slip in tokens or parameters."""
    per_parameter = job.workload.tokens / job.network.parameters_active
    if job.workload.method != "pretrain" or per_parameter >= OPTIMAL_TOKENS_PER_PARAMETER:
        return ""
    said = f"{per_parameter:.2g} tokens a parameter: compute-optimal pre-training sees about 20 (arXiv 2203.15556)"
    return said if per_parameter >= 1 else f"{said}; a fine-tune is --method full or lora"


def _low_precision(job: Job) -> str:
    """The peak of fp8 is twice that of bf16; whole updates gain less, small networks may lose. A measurement knows."""
    if PEAK_KEY[job.workload.precision] not in ("fp8", "fp4") or job.measured is not None:
        return ""
    size = job.network.parameters_active
    if size < SMALL_FOR_FP8:
        slower = "774M on 8 H800 took 2.4 times as long in fp8 (TransformerEngine issue 1416)"
        return f"{show_count(size)} active parameters are few for {job.workload.precision}: {slower}"
    return f"{job.workload.precision} doubles the peak, not the speed: {FP8_GAIN}"


def _adapters(job: Job) -> str:
    if job.workload.method not in ("lora", "qlora"):
        return ""
    kept = "storage counts full checkpoints; adapters alone are far smaller, and useless without the base weights"
    if job.workload.method == "qlora" and job.measured is None:
        return f"a 4-bit base saves memory, not time: 1.56 times slower than lora in one table (litgpt resource tables); {kept}"
    return kept
