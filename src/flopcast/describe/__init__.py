"""TYPES: what the rooms hand to each other.

Belongs here: frozen, slotted, keyword-only dataclasses in SI units, and nothing else.
Does not: parsing, look-ups, formulas, files.
"""

from flopcast.describe.answer import Assumption, MethodAnswer, Range, TraceStep
from flopcast.describe.hardware import Accelerator, Cluster, Node, Offer
from flopcast.describe.network import AttentionScores, Network, Part, Scan, Shape
from flopcast.describe.question import Job, Measured, Price, Question
from flopcast.describe.workload import Layout, Workload

__all__ = [
    "Accelerator",
    "Assumption",
    "AttentionScores",
    "Cluster",
    "Job",
    "Layout",
    "Measured",
    "MethodAnswer",
    "Network",
    "Node",
    "Offer",
    "Part",
    "Price",
    "Question",
    "Range",
    "Scan",
    "Shape",
    "TraceStep",
    "Workload",
]
