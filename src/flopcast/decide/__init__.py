"""WHICH: what the next run can be, what one cluster is worth in another, what is best for a given compute.

Belongs here: solving for an unknown, comparing, looking ahead.
Does not: the estimate of one given job (`evidence`).
"""

from flopcast.decide.budget import Affordable, BudgetAnswer, affordable
from flopcast.decide.compare import Comparison, compare
from flopcast.decide.convert import Conversion, convert
from flopcast.decide.outlook import Envelope, Outlook, outlook
from flopcast.decide.scaling_laws import LAWS, ComputeOptimal, ScalingLaw, compute_optimal
from flopcast.decide.size import Sizing, probability_within, size_for

__all__ = [
    "LAWS",
    "Affordable",
    "BudgetAnswer",
    "Comparison",
    "ComputeOptimal",
    "Conversion",
    "Envelope",
    "Outlook",
    "ScalingLaw",
    "Sizing",
    "affordable",
    "compare",
    "compute_optimal",
    "convert",
    "outlook",
    "probability_within",
    "size_for",
]
