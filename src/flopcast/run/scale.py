"""What is lost when a job spreads over more accelerators: a group is less than its sum."""

from __future__ import annotations

from math import log

from flopcast.describe import Range

# utilisation falls as accelerators^exponent, from three published pairs: 430 to 400 TFLOP/s from 8,192 to 16,384 (weak
# scaling at a smaller batch a rank), 1,058 to 1,007 tokens/s from 128 to 512, MFU 0.47 to 0.42 from 96 to 4,608
SCALE_EXPONENT = Range(
    low=log(400 / 430) / log(2), expected=log(1007 / 1058) / log(4), high=log(0.42 / 0.47) / log(4608 / 96)
)
SCALE_SOURCE = (
    "Llama 3 405B on 8,192 and 16,384 H100 (arXiv 2407.21783, table 4); 70B on 128 and 512 H100 (llm-foundry "
    "benchmarks); 175B on 96 to 4,608 H100 (Megatron-LM README)"
)


def utilisation_kept(count_ratio: float) -> Range:
    """Utilisation on `count_ratio` times the accelerators, over utilisation before [unitless].

    kept = count_ratio^exponent, at most 1: going to fewer accelerators promises no gain.

    >>> kept = utilisation_kept(2)
    >>> round(kept.low, 3), round(kept.expected, 3), round(kept.high, 3)
    (0.93, 0.976, 0.98)
    """
    if count_ratio <= 1:
        return Range.exact(1.0)
    return Range(
        low=count_ratio**SCALE_EXPONENT.low,
        expected=count_ratio**SCALE_EXPONENT.expected,
        high=count_ratio**SCALE_EXPONENT.high,
    )
