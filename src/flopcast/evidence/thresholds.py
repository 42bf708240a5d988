"""Training compute against the thresholds that laws name: how far above or below, and what the law takes from it."""

from __future__ import annotations

from dataclasses import dataclass

from flopcast.describe import Job
from flopcast.evidence.flop import JobFlop

NEAR = 1 / 3
THIRD = 1 / 3
EU_GUIDELINES = "European Commission, guidelines for providers of general-purpose AI models, 18 July 2025"


@dataclass(frozen=True, slots=True, kw_only=True)
class Threshold:
    """One threshold [FLOP] and where this job stands: `ratio` = FLOP of the job / threshold."""

    name: str
    flop: float
    ratio: float
    meaning: str
    source: str

    @property
    def is_above(self) -> bool:
        return self.ratio > 1

    @property
    def is_near(self) -> bool:
        return self.ratio > NEAR


_TRAINING = (
    ("EU general-purpose", 1e23, "indicative criterion of a general-purpose AI model", EU_GUIDELINES),
    ("EU systemic risk", 1e25, "presumed to have systemic risk", "Regulation (EU) 2024/1689, article 51(2)"),
    (
        "California frontier",
        1e26,
        "a frontier model",
        "California SB 53 (2025), Business and Professions Code 22757.11",
    ),
)
_CHANGING = (
    (
        "EU modification, one third of 1e23",
        1e23 * THIRD,
        "makes the modifier a provider, base run not known",
        EU_GUIDELINES,
    ),
    ("EU modification, one third of 1e25", 1e25 * THIRD, "the same, of a model with systemic risk", EU_GUIDELINES),
)


def thresholds(job: Job, flop: JobFlop) -> tuple[Threshold, ...]:
    """Where the job's model FLOP stand; a fine-tune is held against one third of what its base may have taken.

    The law adds up all training of a model: earlier stages and synthetic data count, and are not in this figure.
    """
    table = _TRAINING if job.workload.method == "pretrain" else _CHANGING
    return tuple(
        Threshold(name=name, flop=limit, ratio=flop.model / limit, meaning=meaning, source=source)
        for name, limit, meaning, source in table
    )
