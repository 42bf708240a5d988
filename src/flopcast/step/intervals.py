"""How far a forecast of one update may be off: conformal ranges by what is known of stack, chip, layout and network.

Belongs here: quantiles of measured over predicted, from data/intervals.csv (written by tools/accuracy.py from rows that the
fit had not seen where a stack has several sources), and the class of a forecast.
Does not: the forecast itself.
"""

from __future__ import annotations

from functools import cache

from flopcast.describe import Range
from flopcast.step import _read

UNSEEN = "unseen"  # class of stacks with no measured run


@cache
def spreads() -> dict[str, tuple[float, float]]:
    """(10 %, 90 %) quantiles of measured over predicted time, by class: a stack's key, `unseen`, or a condition's factor."""
    return {row["class"]: (float(row["low"]), float(row["high"])) for row in _read.rows("intervals")}


def time_range(
    expected_s: float, *, stack: str, known_chip: bool = True, known_layout: bool = True, known_shape: bool = True
) -> Range:
    """The 80 % range of the time of an update [s].

    A stack that was never measured takes the spread of sources left out whole; an unmeasured chip, a layout that had to be
    chosen and an architecture that was only sized each widen it by the factor that the left-out rows show.
    """
    table = spreads()
    low, high = table.get(stack, table[UNSEEN])
    for known, name in ((known_chip, "chip"), (known_layout, "layout"), (known_shape, "shape")):
        if not known:
            low, high = low * table[name][0], high * table[name][1]
    return Range(low=expected_s * min(low, 1.0), expected=expected_s, high=expected_s * max(high, 1.0))
