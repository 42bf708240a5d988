"""STEP. One update of training: time by part and memory of the fullest rank.

Belongs here: kernels, layers, collectives, pipeline schedules, software stacks, memory, layouts; arrays in, arrays out.
Does not: the run as a whole (run), prices (money), how sure we are of a run (evidence).
"""

from flopcast.step.forecast import Plan, StepForecast, make_plan, memory_report, rescaled, simulate
from flopcast.step.intervals import time_range
from flopcast.step.layouts import good_layout
from flopcast.step.shapes import shape_for_parameters
from flopcast.step.stacks import stack_for
from flopcast.step.timeline import chrome_trace
from flopcast.step.verdict import Change, MemoryReport

__all__ = [
    "Change",
    "MemoryReport",
    "Plan",
    "StepForecast",
    "chrome_trace",
    "good_layout",
    "make_plan",
    "memory_report",
    "rescaled",
    "shape_for_parameters",
    "simulate",
    "stack_for",
    "time_range",
]
