"""WHICH: what the next run can be, what one cluster is worth in another, what is best for a given compute.

Belongs here: solving for an unknown, comparing, looking ahead.
Does not: the estimate of one given job (`evidence`).
"""

from flopcast.decide.convert import Conversion, convert
from flopcast.decide.outlook import Envelope, Outlook, outlook
from flopcast.decide.scaling_laws import LAWS, ComputeOptimal, ScalingLaw, compute_optimal

__all__ = [
    "LAWS",
    "ComputeOptimal",
    "Conversion",
    "Envelope",
    "Outlook",
    "ScalingLaw",
    "compute_optimal",
    "convert",
    "outlook",
]
