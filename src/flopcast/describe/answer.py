"""What an answer is made of: a range, an assumption, a step of the trace, the answer of one method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import exp, hypot, log


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """Low, expected and high of one figure; the interval holds 80 % of outcomes unless the figure says otherwise."""

    low: float
    expected: float
    high: float

    @classmethod
    def exact(cls, value: float) -> Range:
        """A range of no width."""
        return cls(low=value, expected=value, high=value)

    @property
    def is_exact(self) -> bool:
        return self.low == self.expected == self.high

    def __mul__(self, factor: float) -> Range:
        """Scaled by a factor that is not negative."""
        return Range(low=self.low * factor, expected=self.expected * factor, high=self.high * factor)

    __rmul__ = __mul__

    def __truediv__(self, divisor: float) -> Range:
        return self * (1 / divisor)

    def inverse(self, numerator: float = 1.0) -> Range:
        """`numerator / self`: low and high change places. Every bound must be above zero."""
        return Range(low=numerator / self.high, expected=numerator / self.expected, high=numerator / self.low)

    def times(self, other: Range) -> Range:
        """Product of two independent figures: their spreads add in squares on a logarithmic scale.

        Exact for log-normal figures: 80 % intervals give the 80 % interval of the product.

        >>> product = Range(low=1, expected=2, high=4).times(Range.exact(10))
        >>> product.low, product.expected, product.high
        (10.0, 20, 40.0)
        """
        middle = self.expected * other.expected
        if middle <= 0:
            return Range(low=0.0, expected=middle, high=self.high * other.high)
        above = hypot(log(self.high / self.expected), log(other.high / other.expected))
        if self.low <= 0 or other.low <= 0:
            return Range(low=0.0, expected=middle, high=middle * exp(above))
        below = hypot(log(self.expected / self.low), log(other.expected / other.low))
        return Range(low=middle / exp(below), expected=middle, high=middle * exp(above))


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumption:
    """A value that the answer took without being told; it is named, shown and can be set.

    `effect` says what it does to the answer; `weight` is its share of the answer's spread (for ranking), unitless.
    """

    name: str
    value: float | str
    unit: str
    source: str
    effect: str = ""
    weight: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceStep:
    """One line of the working: quantity = formula (with inputs) = value unit, and where it comes from."""

    quantity: str
    formula: str
    inputs: Mapping[str, float | str] = field(default_factory=dict)
    value: float | str
    unit: str
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodAnswer:
    """What one way of knowing says. `method` is rule, published, simulation or measured."""

    method: str
    mfu_fraction: Range
    compute_time_s: Range
    accelerator_hours: Range
    cost_usd: Range | None
    why: str
    evidence: tuple[Mapping[str, float | str], ...] = ()
