"""Pipeline schedules: how many stage times an update takes, and how many micro-batches a rank holds.

Belongs here: closed forms of GPipe, 1F1B, interleaved 1F1B, zero-bubble and DualPipe.
Does not: the time of a stage (update.py) or its bytes (memory.py).
"""

from __future__ import annotations

import numpy as np

from flopcast.step.plans import Array, Degrees

# schedule: (share of the 1F1B bubble that remains, micro-batches in flight as a share of 1F1B's)
# zero-bubble (2401.10241): ZB-H1 keeps a third of the bubble at the memory of 1F1B. DualPipe (2412.19437, table 2):
# (p/2 - 1)(F&B + B - 3W) with F&B ~ F + B, B = 2F (of which W half): about a fifth, at p + 1 micro-batches and two copies.
SCHEDULES = {
    "gpipe": (1.0, 0.0),
    "1f1b": (1.0, 1.0),
    "interleaved": (1.0, 1.0),
    "zero-bubble": (1 / 3, 1.0),
    "dualpipe": (0.2, 1.1),
}


def micro_batches(*, batch: Array, micro: Array, dp: Array) -> Array:
    """Micro-batches of one data-parallel rank in one update: batch / (micro x DP), at least one."""
    return np.maximum(batch / (micro * dp), 1.0)


def fill_stages(degrees: Degrees) -> Array:
    """Stage times lost while the pipeline fills and drains: (p - 1) / v x what the schedule leaves.

    Bubble fraction of the compute: (p - 1) / (v m). Reference: Narayanan et al. 2021 (2104.04473), section 2.2.
    """
    return (degrees.pp - 1) / np.maximum(degrees.vpp, 1) * degrees.bubble


def held_micro_batches(degrees: Degrees, count: Array) -> Array:
    """Micro-batches whose activations the first stage holds at once, in units of its whole share of layers.

    1F1B: min(p, m). Interleaved: min(p, m) (1 + (p - 1) / (p v)). GPipe: all m.
    Reference: Korthikanti et al. 2022 (2205.05198), section 4.2.3.
    """
    p, v = degrees.pp, np.maximum(degrees.vpp, 1)
    extra = np.where((v > 1) & (p > 1), 1 + (p - 1) / (p * v), 1.0)
    one_f_one_b = np.minimum(p, count) * extra
    return np.where(degrees.in_flight > 0, one_f_one_b * degrees.in_flight, count)
