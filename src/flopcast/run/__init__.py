"""From one update to the calendar: failures, checkpoints, goodput, storage, energy.

Belongs here: formulas of the whole run, and the sourced rates they take.
Does not: the time of one update (`step`), prices (`money`), how sure we are (`evidence`).
"""

from flopcast.run.energy import EnergyUse, energy_use
from flopcast.run.failures import (
    Goodput,
    best_checkpoint_interval_s,
    expected_failures,
    goodput,
    goodput_fraction,
    mean_time_between_failures_s,
)
from flopcast.run.storage import StorageNeed, storage_need, token_bytes

__all__ = [
    "EnergyUse",
    "Goodput",
    "StorageNeed",
    "best_checkpoint_interval_s",
    "energy_use",
    "expected_failures",
    "goodput",
    "goodput_fraction",
    "mean_time_between_failures_s",
    "storage_need",
    "token_bytes",
]
